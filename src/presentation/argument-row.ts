import type { Json } from '../lib/json.ts';
import type { Property } from './schema-labels.ts';
import { ELLIPSIS, head, startBefore } from './text/clip.ts';
import { visible } from './text/visible.ts';
import { type InZone, type Shown, spellLiteral } from './values.ts';

/** One argument as shown to people; every text in it has passed through `visible`. */
export interface ArgumentRow {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** The value as it is sent, where `value` is formatted differently; else null. */
  readonly raw: string | null;
  /** Every character matters, so it is shown monospaced. */
  readonly exact: boolean;
  /** What is known of it, such as what the server said earlier, in brackets; null where nothing is known. */
  readonly note: string | null;
  /** The old value of one that the call changes; null where it doesn't, where that isn't known, or `value` shows both. */
  readonly was: string | null;
  /** The note or the old value is what the server said, so who says it must be told. */
  readonly quotesServer: boolean;
  /** The value stands in a box of its own, so that none of its lines can pass for another argument. */
  readonly box: boolean;
  /** The value is longer than what is shown. */
  readonly truncated: boolean;
  /** How many lines aren't shown, and how many characters of the line that was cut. */
  readonly hidden: HiddenPart | null;
  /** Stands on the line of the row before it, which it belongs to: the zone of a time. */
  readonly continues: boolean;
  /** The time of day that the value is, in a zone that is known; else null. */
  readonly inZone: InZone | null;
}

interface HiddenPart {
  readonly lines: number;
  readonly characters: number;
}

/** What a card shows of a long value. */
const SHORT = { lines: 8, length: 500 };
/** Of one whose lines are short by nature: a tree, a table, a diff. */
const SHORT_BOX = { lines: 16, length: 800 };
const SHORT_LABEL = 100;
/** The row of a value, without what is known of it besides. */
export function toRow(
  property: Property,
  value: Json,
  { words, exact, isBox = false, edited, inZone }: Shown,
): Omit<ArgumentRow, 'note' | 'was' | 'quotesServer'> {
  const raw = spellLiteral(value);
  const isSame = raw === words || JSON.stringify(value) === words;
  const marks = [
    ...(Array.isArray(value) && value.length > 1 ? [String(value.length)] : []),
    ...(edited === undefined ? [] : [visible(`${edited.old} → ${edited.now}`)]),
  ].join(', ');
  return {
    name: property.name,
    label: `${visible(property.label)}${marks === '' ? '' : ` (${marks})`}`,
    value: visible(words),
    raw: isSame ? null : visible(raw),
    exact,
    box: isBox || words.includes('\n'),
    truncated: false,
    hidden: null,
    continues: false,
    inZone: inZone === undefined ? null : { ...inZone, words: visible(inZone.words) },
  };
}

/** The row with no more of a long value than a card shows; `most`: how much that is of a text. */
export function firstLines(row: ArgumentRow, most: typeof SHORT = SHORT): ArgumentRow {
  const short = row.box && row.exact ? SHORT_BOX : most;
  const value = head(row.value.split('\n').slice(0, short.lines).join('\n'), short.length);
  const label = head(row.label, SHORT_LABEL);
  if (value === row.value && label === row.label) return row;
  return { ...row, label, value, truncated: true, hidden: hiddenPart(row.value, value) };
}

/** How much of what stays the same stands before what changes, and of what changes is enough, in characters. */
const LEAD = 80;

/**
 * An old and a new value as cards show them: from just before where they begin to differ, if the first lines of a long one don't get
 * that far. What comes before is left out of both.
 */
export function firstChangedLines(
  before: ArgumentRow | null,
  after: ArgumentRow | null,
): readonly [before: ArgumentRow | null, after: ArgumentRow | null] {
  const [old, now] = [before && firstLines(before), after && firstLines(after)];
  if (before === null || after === null) return [old, now];
  const alike = sharedLength(before.value, after.value);
  if ([old, now].every((row) => row === null || showsFrom(row, alike))) return [old, now];
  const from = startBefore(before.value, alike, LEAD);
  const rest = (row: ArgumentRow): ArgumentRow => ({
    ...firstLines({ ...row, value: `${ELLIPSIS} ${row.value.slice(from)}` }),
    truncated: true,
  });
  return [rest(before), rest(after)];
}

/** Whether the first lines of a value get further than this place, or it's whole. */
function showsFrom({ value, truncated }: ArgumentRow, at: number): boolean {
  const rest = value.slice(at);
  return !truncated || rest.length >= LEAD || rest.split('\n').length > 2;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function hiddenPart(whole: string, shown: string): HiddenPart {
  const rest = whole.slice(shown.length);
  const cutLine = rest.startsWith('\n') ? '' : (rest.split('\n')[0] ?? '');
  return { lines: rest.split('\n').length - 1, characters: cutLine.length };
}
