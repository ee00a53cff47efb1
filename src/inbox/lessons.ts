import { z } from 'zod';
import type { Json, JsonObject } from '../lib/json.ts';
import { readAnswerObject, toLine } from '../lib/text/model-answer.ts';
import { hasWords, ownWords } from '../lib/text/own-words.ts';
import type { LessonRecord, PreferencesRecord } from './collections.ts';
import type { Lesson } from './ports.ts';
import { LONGEST } from './ports.ts';
import { listTakenBack, toPreferenceText, type Wanted } from './preferences.ts';
import { LEARN } from './texts.ts';

/** The most that is changed by one lesson. */
const MOST_AT_ONCE = 3;
/** How many lines of an edit are told, and how much of each, in characters. */
const MOST_LINES = 40;
const LONGEST_LINE = 300;
/** The shortest words that can say anything, in characters. */
const SHORTEST_EVIDENCE = 3;

/** What a model can be asked of a lesson. */
type Matter = NonNullable<LessonRecord['asked']>;

/** What there is to learn from what somebody did; null where they said nothing by it. */
export function toMatter({ tool, kind, before, after, words }: Lesson): Matter | null {
  if (tool === 'Question' || kind === 'ignore') return null;
  const about = tool === 'send_email' ? 'response_preferences' : 'cal_preferences';
  if (kind === 'respond') {
    const said = ownWords(words);
    return said === '' ? null : { from: kind, kind: about, removed: [], added: [], words: said };
  }
  const { removed, added } = compareDrafts(before ?? {}, after ?? {});
  if (removed.length + added.length === 0) return null;
  return { from: kind, kind: about, removed, added, words: '' };
}

/** The lines that a person took out of a draft and put in. What is quoted there is others'. */
function compareDrafts(
  before: JsonObject,
  after: JsonObject,
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const [were, are] = [listLines(before), listLines(after)];
  return { removed: without(were, are), added: without(are, were) };
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  const only = lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return only.slice(0, MOST_LINES).map((line) => toLine(line, LONGEST_LINE));
}

/** The lines of a draft's body, and its other fields by their names. */
function listLines(draft: JsonObject): readonly string[] {
  return Object.entries(draft).flatMap(([name, value]) => {
    if (name === 'body' && typeof value === 'string') {
      return ownWords(value)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    }
    const values: readonly Json[] = Array.isArray(value) ? value : [value];
    return values.map((one) => `${name}: ${typeof one === 'string' ? one : JSON.stringify(one)}`);
  });
}

/** What the model is asked about a lesson. Nothing of the mail stands in it but what somebody left in a draft, or took out. */
export function toLessonQuestion({ kind, removed, added, words }: Matter, record: PreferencesRecord) {
  const lines = linesOf(record, kind).map(({ text }, index) => `${index + 1}. ${text}`);
  return {
    instructions: LEARN,
    text: JSON.stringify({
      drafts_of: kind === 'response_preferences' ? 'replies to mails' : 'meetings',
      lines,
      taken_back: listTakenBack(record, kind),
      removed,
      added,
      words,
    }),
  };
}

function linesOf({ items }: PreferencesRecord, kind: Matter['kind']) {
  return items.filter((item) => item.kind === kind);
}

const answerSchema = z.object({ operations: z.array(z.unknown()) });
const text = z.string().max(LONGEST.preference).transform(toPreferenceText).pipe(z.string().min(1));
const evidence = z.string().trim().min(SHORTEST_EVIDENCE).max(2_000);
const operationSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('add'), text, evidence }),
  z.object({ do: z.literal('change'), line: z.int().min(1), text, evidence }),
  z.object({ do: z.literal('remove'), line: z.int().min(1), evidence }),
]);

/**
 * Reads what a model wants changed. What names no words of the person's is left out, and so is what can't be read, a line that
 * isn't there, and all about a line but the first.
 */
export function readOperations(answer: string, matter: Matter, record: PreferencesRecord): readonly Wanted[] {
  const { data } = answerSchema.safeParse(readAnswerObject(answer));
  const lines = linesOf(record, matter.kind);
  const touched = new Set<string>();
  return (data?.operations ?? []).slice(0, MOST_AT_ONCE).flatMap((one): Wanted[] => {
    const read = operationSchema.safeParse(one).data;
    if (!read || !hasEvidence(matter, read.evidence)) return [];
    if (read.do === 'add') return [read];
    const id = lines[read.line - 1]?.id;
    if (id === undefined || touched.has(id)) return [];
    touched.add(id);
    const { evidence: words } = read;
    return [
      read.do === 'change' ? { do: 'change', id, text: read.text, evidence: words } : { do: 'remove', id },
    ];
  });
}

/** What was only taken out is the agent's wording, so it counts only where the person wrote nothing. */
function hasEvidence({ removed, added, words }: Matter, found: string): boolean {
  const own = [words, ...added].join('\n').trim();
  return hasWords(own === '' ? removed.join('\n') : own, found);
}
