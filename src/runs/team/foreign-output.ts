import { z } from 'zod';
import type { CallRecord } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { AgentOutput, ForeignAnswer, OutputSource } from '../ports.ts';
import { FOREIGN_ANSWER } from '../texts.ts';

const jsonObject = z.custom<JsonObject>(isJsonObject, FOREIGN_ANSWER.notObject);

/** An AgentOutput, as agents that are other programs give it: all but whether it was done may be missing. */
const outputSchema = z.looseObject({
  task_done: z.boolean(),
  result: z.json().optional(),
  data: jsonObject.nullish(),
  partial_data: jsonObject.nullish(),
  error: z.string().nullish(),
  confidence_score: z.number().min(0).max(1).nullish(),
  metadata: z.looseObject({ sources: z.unknown() }).nullish().catch(null),
});

/** A word or a number about where something stands; anything else is as if it weren't there. */
const place = z
  .union([z.string().min(1), z.number().transform(String)])
  .nullish()
  .catch(null);

const sourceSchema = z.looseObject({
  source: z.string().min(1),
  ...{ place, section: place, page: place },
  url: z.string().nullish().catch(null),
});

/** What an agent that is another program says became of its task; the rest of the output is ours to say. */
type ForeignOutput = Pick<
  AgentOutput,
  'task_done' | 'data' | 'partial_data' | 'error' | 'confidence_score'
> & { readonly sources: readonly OutputSource[] };

/** The members of `data` in which agents have their answer in words, the first that there is. */
const WORDS = ['answer', 'summary', 'response', 'text', 'result'];
/** The longest words of an answer, in characters. */
const LONGEST_WORDS = 4_000;

/**
 * Reads an AgentOutput of an agent that is another program. A string says what is wrong with it, by the names of its
 * members and without any of its values.
 */
export function readForeignOutput(answer: unknown): ForeignOutput | string {
  const read = outputSchema.safeParse(answer);
  if (!read.success) {
    return read.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`)
      .join('; ');
  }
  const {
    task_done: isDone,
    result,
    partial_data: part,
    error,
    confidence_score: score,
    metadata,
  } = read.data;
  const words = typeof result === 'string' && result !== '' ? result : null;
  const all: JsonObject = {
    ...(words !== null && { answer: words }),
    ...(words === null && result != null && { result }),
    ...read.data.data,
    ...(!isDone && part),
  };
  const { sources, ...data } = all;
  const said = checkSources(data);
  const named = [metadata?.sources, sources].map(readSources).find((list) => list.length > 0);
  return {
    task_done: isDone,
    data: isDone ? said : {},
    partial_data: isDone ? {} : said,
    error: isDone ? null : error || words || FOREIGN_ANSWER.notDone,
    confidence_score: score ?? null,
    sources: named ?? [],
  };
}

/** With the sources that single results name themselves read as those of the whole are. */
function checkSources(said: JsonObject): JsonObject {
  if (!Array.isArray(said.results)) return said;
  const results = said.results.map((one) =>
    isJsonObject(one) && one.sources !== undefined
      ? { ...one, sources: readSources(one.sources).map((source) => ({ ...source })) }
      : one,
  );
  return { ...said, results };
}

function readSources(written: unknown): readonly OutputSource[] {
  return Array.isArray(written) ? written.flatMap(readSource) : [];
}

const DONE: ForeignOutput = {
  ...{ task_done: true, data: {}, partial_data: {}, error: null, confidence_score: null },
  sources: [],
};

/** The same of a call that has succeeded. */
export function readForeignResult({
  outcome,
  doubt,
}: Pick<CallRecord, 'outcome' | 'doubt'>): ForeignOutput | string {
  if (outcome?.status !== 'succeeded') return FOREIGN_ANSWER.none;
  // Of one that didn't answer, a person knows that it was done.
  if (doubt?.said?.word === 'happened') {
    const answer = outcome.content.flatMap((piece) => ('text' in piece ? [piece.text] : [])).join('\n');
    return { ...DONE, data: { answer } };
  }
  if (outcome.structured !== null) return readForeignOutput(outcome.structured);
  const [piece] = outcome.content;
  if (piece?.type !== 'text') return FOREIGN_ANSWER.none;
  return piece.kept ? FOREIGN_ANSWER.tooLong : readForeignOutput(parseJson(piece.text));
}

/** The answer of an agent that is another program, for its task's thread; `problem`: why it's none. */
export function readForeignAnswer(call: CallRecord): ForeignAnswer {
  const output = readForeignResult(call);
  if (typeof output === 'string') return { words: null, problem: output };
  const said = output.task_done ? output.data : output.partial_data;
  const answer = WORDS.map((key) => said[key]).find((value) => typeof value === 'string' && value !== '');
  const words = typeof answer === 'string' ? answer : JSON.stringify(said);
  return {
    words: [output.error, words].filter(Boolean).join('\n').slice(0, LONGEST_WORDS).toWellFormed(),
    problem: null,
  };
}

function readSource(written: unknown): readonly OutputSource[] {
  if (typeof written === 'string') return written === '' ? [] : [{ source: written }];
  const read = sourceSchema.safeParse(written);
  if (!read.success) return [];
  const { source, place: at, section, page, url } = read.data;
  const where = at ?? section ?? (page == null ? null : `p. ${page}`);
  return [{ source, ...(where !== null && { place: where }), ...(isWebAddress(url) && { url }) }];
}

/** Whether it can be a link's address. */
export function isWebAddress(url: string | null | undefined): url is string {
  return url != null && URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
