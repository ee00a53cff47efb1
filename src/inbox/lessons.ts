import { diffArrays } from 'diff';
import { z } from 'zod';
import type { Json, JsonObject } from '../lib/json.ts';
import { readAnswerObject, toLine } from '../lib/text/model-answer.ts';
import { fold, hasWords, ownWords } from '../lib/text/own-words.ts';
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
/** How much of a draft is compared, in characters: all that a mail may have. */
const LONGEST_DRAFT = 100_000;
/** How many words of a long draft may differ: who changes more has written another one, of which the beginning is compared. */
const MOST_WORDS = 1_000;
/** How many words a line has that is compared as a whole. */
const SHORT_LINE = 3;
/** One word that can say something by itself: shorter ones but numbers, such as “the”, anybody writes. Some scripts have no blanks. */
const TELLING_WORD = /\p{N}|\p{L}{4}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]{2}/u;
/** Addresses, links, and names of sites. */
const PLACE = /\S+@\S+|\b[a-z][a-z+.-]*:\/\/\S+|\b(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}\S*/gu;

/** What a model can be asked of a lesson. */
type Matter = NonNullable<LessonRecord['asked']>;

/** What there is to learn from what somebody did; null where they said nothing by it. */
export function toMatter({ tool, kind, before, after, words }: Lesson): Matter | null {
  if (tool === 'Question' || kind === 'ignore' || kind === 'accept') return null;
  const about = tool === 'send_email' ? 'response_preferences' : 'cal_preferences';
  if (kind === 'respond') {
    const said = ownWords(words);
    return said === '' ? null : { from: kind, kind: about, removed: [], added: [], words: said };
  }
  const { removed, added } = compareDrafts(before ?? {}, after ?? {});
  if (removed.length + added.length === 0) return null;
  return { from: kind, kind: about, removed, added, words: '' };
}

interface Compared {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/**
 * What a person took out of a draft and put in: by words, since a line in which they mend one word may else repeat a mail's. What
 * is quoted there is others'.
 */
function compareDrafts(before: JsonObject, after: JsonObject): Compared {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const compared = names.map((name) => compareField(name, before[name], after[name]));
  return {
    removed: limitLines(compared.flatMap(({ removed }) => removed)),
    added: limitLines(compared.flatMap(({ added }) => added)),
  };
}

/** The first and the last ones: how somebody greets, and signs off. */
function limitLines(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES / 2), ...lines.slice(-MOST_LINES / 2)];
}

function compareField(name: string, before: Json | undefined, after: Json | undefined): Compared {
  const isText = [before, after].every((value) => value === undefined || typeof value === 'string');
  const { removed, added } = isText
    ? compareWords(String(before ?? ''), String(after ?? ''))
    : {
        removed: without(listValues(before), listValues(after)),
        added: without(listValues(after), listValues(before)),
      };
  const label = name === 'body' ? '' : `${name}: `;
  const toShown = (texts: readonly string[]) => texts.map((one) => toLine(`${label}${one}`, LONGEST_LINE));
  return { removed: toShown(removed), added: toShown(added) };
}

/** The words that only one of two texts has, those that stand together on a line as one. */
function compareWords(before: string, after: string): Compared {
  const compare = (most?: number, options?: { readonly maxEditLength: number }) =>
    diffArrays(listWords(before, most), listWords(after, most), {
      comparator: (one: Word, other: Word) => one.key === other.key,
      ...options,
    });
  const parts = compare(LONGEST_DRAFT, { maxEditLength: MOST_WORDS }) ?? compare();
  const join = (words: readonly Word[]) =>
    words
      .map(({ word }) => word)
      .join(' ')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  return {
    removed: parts.flatMap(({ removed, value }) => (removed ? join(value) : [])),
    added: parts.flatMap(({ added, value }) => (added ? join(value) : [])),
  };
}

interface Word {
  readonly word: string;
  /** What it's compared by: without the signs around it, so that a comma doesn't make it another one. */
  readonly key: string;
}

/** A text's words. A line of few stands for one, since half a sign-off says nothing. */
function listWords(text: string, most?: number): Word[] {
  return ownWords(text, most)
    .split('\n')
    .flatMap((line) => {
      const words = line.match(/\S+/g) ?? [];
      return [...(words.length > SHORT_LINE ? words : [words.join(' ')]), '\n'];
    })
    .filter((word) => word !== '')
    .map((word) => ({ word, key: toWord(word) }));
}

function toWord(word: string): string {
  // Of thousands of signs the search would take long.
  return word.length > LONGEST_LINE ? word : word.replace(/^[\p{P}\p{S}]+|[\p{P}\p{S}]+$/gu, '') || word;
}

function listValues(value: Json | undefined): readonly string[] {
  const values: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

function without(values: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return values.filter((value) => {
    const at = left.indexOf(value);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** What the model is asked about a lesson. Nothing of the mail stands in it but what somebody left in a draft, or took out. */
export function toLessonQuestion({ kind, removed, added, words }: Matter, record: PreferencesRecord) {
  const lines = listLines(record, kind).map(({ text }, index) => `${index + 1}. ${text}`);
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

function listLines({ items }: PreferencesRecord, kind: Matter['kind']) {
  return items.filter((item) => item.kind === kind);
}

const answerSchema = z.object({ operations: z.array(z.unknown()) });
const text = z.string().max(LONGEST.preference).transform(toPreferenceText).pipe(z.string().min(1));
const evidence = z.string().trim().min(1).max(2_000);
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
  const lines = listLines(record, matter.kind);
  const touched = new Set<string>();
  return (data?.operations ?? []).slice(0, MOST_AT_ONCE).flatMap((one): Wanted[] => {
    const read = operationSchema.safeParse(one).data;
    if (!read || !hasEvidence(matter, read.evidence)) return [];
    if (read.do !== 'remove' && !isOwn(matter, read.text)) return [];
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

/** What the person wrote; empty where they only took something out. */
function writtenWords({ added, words }: Matter): string {
  return [words, ...added].join('\n').trim();
}

/** Whether words are the person's, and more than what anybody's text has: not what they only moved to another place. */
function hasEvidence(matter: Matter, found: string): boolean {
  const written = writtenWords(matter);
  if (!hasWords(written === '' ? matter.removed.join('\n') : written, found)) return false;
  const moved = new Set(written === '' ? [] : toWords(matter.removed.join('\n')));
  const own = toWords(found).filter((word) => !moved.has(word));
  return own.length > 1 || TELLING_WORD.test(own.join());
}

function toWords(text: string): readonly string[] {
  return fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * Whether a text can be a lesson from what the person wrote. What they only took out is the agent's wording or a mail's, so no text
 * comes of it, and where mails go to or links lead, they have to say themselves.
 */
function isOwn(matter: Matter, text: string): boolean {
  const written = fold(writtenWords(matter));
  if (written === '') return false;
  return (fold(text).match(PLACE) ?? []).every((place) =>
    written.includes(place.replace(/[\p{P}\p{S}]+$/u, '')),
  );
}
