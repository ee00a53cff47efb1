import type { CallRecord, Content, Outcome } from '../gate/types.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { isSafeToOpen } from '../lib/net/safe-url.ts';
import { readAgentOutput, shortBox } from './result.ts';
import { clip, oneLine } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { CALL_FACTS, RESULT } from './texts.ts';

const RESULT_LENGTH = 200;
const FIELDS = 3;

interface Ended {
  readonly outcome: {
    readonly status: string;
    readonly stoppedBy?: { readonly name: string } | undefined;
  } | null;
}

/** The name of whoever stopped a call, so that its server cancelled its job; null for any other call. */
export function stopperName({ outcome }: Ended): string | null {
  return outcome?.status === 'failed' ? (outcome.stoppedBy?.name ?? null) : null;
}

/**
 * The result of a call in one line; null when it has none. A server's own sentence comes first: where there
 * are fields too, many servers only repeat them as JSON in the text.
 */
export function describeResult(outcome: Extract<Outcome, { status: 'succeeded' }>): string | null {
  const box = shortBox(outcome);
  if (box !== null) return box.line;
  const output = readAgentOutput(outcome);
  if (output !== null) return describeOutput(output);
  const said = firstContent(outcome);
  const fields = outcome.structured === null ? null : describeFields(outcome.structured);
  const words = said === null || looksLikeJson(said) ? (fields ?? said) : said;
  return words === null ? null : clip(words, RESULT_LENGTH);
}

/** The members in which programs that are agents have their answer in words, the first that there is. */
const ANSWERS = ['answer', 'summary', 'response', 'text', 'result'];

/** An agent's answer, or why it didn't do its task. */
function describeOutput(output: JsonObject): string | null {
  const all = [output.data, output.partial_data].filter(isJsonObject);
  const members: JsonObject = { ...output, ...all[0], ...all[1] };
  const why = output.task_done === false ? [output.error] : [];
  const words = [...why, ...ANSWERS.map((name) => members[name])].find(isText);
  if (words !== undefined) return clip(oneLine(visible(words.slice(0, 2 * RESULT_LENGTH))), RESULT_LENGTH);
  const fields = all.flatMap((data) => describeFields(data) ?? [])[0];
  return fields === undefined ? null : clip(fields, RESULT_LENGTH);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether another program says itself that it didn't do what it was given. */
export function saysNotDone({ outcome }: Pick<CallRecord, 'outcome'>): boolean {
  return outcome?.status === 'succeeded' && readAgentOutput(outcome)?.task_done === false;
}

function looksLikeJson(words: string): boolean {
  return /^[{["]/.test(words);
}

function describeFields(structured: JsonObject): string | null {
  const fields = scalarFields(structured);
  return fields.length === 0
    ? null
    : fields.map(([name, value]) => `${name} ${oneLine(visible(value))}`).join(' · ');
}

/** The first scalar fields; in a result that only wraps one object (`{event: {…}}`), that object's. */
function scalarFields(structured: JsonObject): [string, string][] {
  const entries = Object.entries(structured);
  const scalars = entries
    .filter(
      ([, value]) =>
        (typeof value === 'string' && value !== '') ||
        typeof value === 'number' ||
        typeof value === 'boolean',
    )
    .map(([name, value]): [string, string] => [visible(name), String(value)]);
  const [only] = entries;
  if (scalars.length === 0 && entries.length === 1 && only !== undefined && isJsonObject(only[1])) {
    return scalarFields(only[1]);
  }
  return scalars.slice(0, FIELDS);
}

function firstContent({ content }: Extract<Outcome, { status: 'succeeded' }>): string | null {
  for (const piece of content) {
    if (piece.type === 'text' && piece.text.trim() !== '')
      return oneLine(visible(piece.text.slice(0, 2 * RESULT_LENGTH)));
    if (piece.type === 'resource_link') return linkTitle(piece);
  }
  const [first] = content;
  if (first === undefined || first.type === 'text') return null;
  const isMedia = first.type === 'image' || first.type === 'audio';
  return isMedia ? RESULT.inThread[first.type] : first.type.replace('_', ' ');
}

/** What a server calls what it links to. */
function linkTitle({ title, name }: Pick<ResourceLink, 'title' | 'name'>): string {
  return clip(oneLine(visible(title ?? name)), RESULT_LENGTH);
}

type ResourceLink = Extract<Content, { type: 'resource_link' }>;

/** The only link that is a whole result, where it's safe to open: its title, and the host that it leads to. */
export function describeLink({ content, structured }: Extract<Outcome, { status: 'succeeded' }>) {
  const [only, ...others] = content;
  if (only?.type !== 'resource_link' || others.length > 0 || structured !== null) return null;
  if (!isSafeToOpen(only.uri)) return null;
  return { url: only.uri, title: linkTitle(only), host: new URL(only.uri).host };
}

/** Behind a call in a list: the program that asked for it; nothing where a person did. */
export function askedByProgram({ program }: Pick<CallRecord, 'program'>): string {
  return program ? CALL_FACTS.askedBy(sentence(program.name)) : '';
}

/** A sentence of ours or a server's, on one line. */
export function sentence(words: string): string {
  return clip(oneLine(visible(words)), 300);
}
