import type { RichTextBlock, RichTextBlockElement, RichTextElement } from '@slack/types';
import type { ArgumentRow } from '../../presentation/argument-row.ts';
import type { ArgumentChange } from '../../presentation/arguments.ts';
import { pieces } from '../../presentation/text/clip.ts';
import { NO_ARGUMENTS, SENT_AS } from '../../presentation/texts.ts';
import { bold, code, italic, preformatted, richText, section, text } from '../text/block-kit.ts';
import { ARGUMENTS } from '../texts/cards.ts';

/** Characters in one rich text block. Slack documents no limit, so we keep to the one of section text. */
const BLOCK_LENGTH = 2800;
const CARD_ROWS = 25;

/** The rows that fit on a card; `hidden` counts the arguments that don't. */
export interface FittedRows<Row> {
  readonly rows: readonly Row[];
  readonly hidden: number;
}

/** Selects the rows that fit in one block of a card. */
export function fitCard<Row>(rows: readonly Row[], lengthOf: (row: Row) => number): FittedRows<Row> {
  let length = 0;
  const fitting = rows.slice(0, CARD_ROWS).findIndex((row) => {
    length += lengthOf(row);
    return length > BLOCK_LENGTH;
  });
  const count = fitting === -1 ? Math.min(rows.length, CARD_ROWS) : fitting;
  return { rows: rows.slice(0, count), hidden: rows.length - count };
}

export function rowLength(row: ArgumentRow): number {
  return row.label.length + row.value.length + (row.was?.length ?? 0) + (row.note?.length ?? 0) + 8;
}

export function changeLength({ before, after }: ArgumentChange): number {
  return (before === null ? 0 : rowLength(before)) + (after === null ? 0 : rowLength(after));
}

/** The arguments, one per line. A multi-line value is put in a box, so that it can't imitate a line. */
export function argumentsBlock(
  blockId: string,
  {
    rows: { rows, hidden },
    defaults,
  }: { readonly rows: FittedRows<ArgumentRow>; readonly defaults: string | null },
): RichTextBlock {
  const isEmpty = rows.length === 0 && hidden === 0;
  const lines: Line[] = [
    ...rows.flatMap((row) => rowElements(row)),
    ...(isEmpty ? [{ inline: [italic(NO_ARGUMENTS)] }] : []),
    ...(defaults === null ? [] : [{ inline: [text(defaults)] }]),
  ];
  const elements = joinLines(lines);
  if (hidden > 0) elements.push(section(italic(ARGUMENTS.more(hidden))));
  return richText(blockId, ...elements);
}

/** The arguments of an edited call, with what has changed as old → new in its place. */
export function editedArgumentsBlock(
  blockId: string,
  shown: readonly (ArgumentRow | ArgumentChange)[],
): RichTextBlock {
  const fitted = fitCard(shown, (one) => ('after' in one ? changeLength(one) : rowLength(one)));
  const elements = joinLines(
    fitted.rows.flatMap((one) => ('after' in one ? changeElements(one) : rowElements(one))),
  );
  if (fitted.hidden > 0) elements.push(section(italic(ARGUMENTS.more(fitted.hidden))));
  return richText(blockId, ...elements);
}

/** The changes, of which those needn't have a new value that is in a box above them, and all of it. */
export function besideRows(
  changes: readonly ArgumentChange[],
  { rows }: FittedRows<ArgumentRow>,
): ArgumentChange[] {
  const whole = rows.filter(({ box, truncated }) => box && !truncated).map(({ name }) => name);
  return changes.map((change) => {
    const isAfterAbove = change.before !== null && whole.includes(change.name);
    return isAfterAbove ? { ...change, isAfterAbove } : change;
  });
}

/** What differs between two calls: each change as old → new. */
export function changesBlock(blockId: string, { rows, hidden }: FittedRows<ArgumentChange>): RichTextBlock {
  const elements = joinLines(rows.flatMap(changeElements));
  if (hidden > 0) elements.push(section(italic(ARGUMENTS.moreChanges(hidden))));
  return richText(blockId, ...elements);
}

/**
 * All rows whole, one per line, in as many blocks as they take; `raw` is added where the formatted value differs from it.
 */
export function wholeArgumentBlocks(rows: readonly ArgumentRow[]): Omit<RichTextBlock, 'block_id'>[] {
  const blocks: Line[][] = [];
  let length = BLOCK_LENGTH;
  for (const part of rows.flatMap(wholeParts)) {
    length += part.length;
    if (length > BLOCK_LENGTH) {
      blocks.push([]);
      length = part.length;
    }
    blocks.at(-1)?.push(...part.lines);
  }
  return blocks.map((lines) => ({ type: 'rich_text', elements: joinLines(lines) }));
}

interface Part {
  readonly lines: readonly Line[];
  /** In characters. */
  readonly length: number;
}

const INLINE_LENGTH = 200;

/** A row in pieces that fit a block each. */
function wholeParts(row: ArgumentRow): Part[] {
  const { raw } = row;
  const isInline = raw !== null && raw.length <= INLINE_LENGTH && raw !== '' && !raw.includes('\n');
  const values = pieces(row.value, BLOCK_LENGTH - 200);
  const parts = values.map((value, index): Part => {
    const label = `${row.label}${ARGUMENTS.part(index + 1, values.length)}`;
    const shown = { ...row, label: pieces(label, 400)[0] ?? '', value };
    return { lines: rowElements(shown, isInline && !row.box ? raw : null), length: rowLength(shown) };
  });
  if (raw === null || (isInline && !row.box)) return parts;
  if (isInline) return [...parts, { lines: [{ inline: sentAs(raw) }], length: raw.length }];
  const boxes = pieces(raw, BLOCK_LENGTH).map((box): Part => {
    return { lines: [{ inline: [italic(SENT_AS)] }, { box }], length: box.length };
  });
  return [...parts, ...boxes];
}

function sentAs(raw: string): RichTextElement[] {
  return [italic(SENT_AS), code(raw)];
}

/** A line of inline elements, or a box. */
type Line =
  | { readonly inline: readonly RichTextElement[]; readonly continues?: boolean }
  | { readonly box: string };

/** `raw`: the value as it is sent, behind the one that is shown; null for none. */
function rowElements(row: ArgumentRow, raw: string | null = null): Line[] {
  const more: RichTextElement[] = [
    ...cutOff(row),
    // Italics, which arguments never have: text from a model can't pass for the server's.
    ...(row.note === null ? [] : [italic(` ${row.note}`)]),
  ];
  if (!row.box) {
    const sent = raw === null ? [] : [text('  '), ...sentAs(raw)];
    // What was only read about the call has no value, and its note begins with a blank.
    const value = row.value === '' ? [text(' ')] : [text('  '), ...previous(row), valueText(row)];
    const inline = [bold(row.label), ...value, ...more, ...sent];
    return [{ inline, continues: row.continues }];
  }
  const before = row.was === null ? [] : [text('  '), ...previous(row)];
  const lines: Line[] = [{ inline: [bold(row.label), ...before] }, { box: row.value }];
  return more.length > 0 ? [...lines, { inline: more }] : lines;
}

/** From how many characters on an old value and the new one have a line each. */
const TWO_LINES = 100;

/** What the value was, before what it becomes. Struck out and in italics, which no argument ever is. */
function previous({ was, value, box }: ArgumentRow): RichTextElement[] {
  if (was === null) return [];
  const isLong = !box && was.length + value.length > TWO_LINES;
  const old: RichTextElement = { type: 'text', text: was, style: { strike: true, italic: true } };
  return [old, text(box ? ' →' : isLong ? '\n→ ' : ' → ')];
}

function changeElements({ label, before, after, isAfterAbove = false }: ArgumentChange): Line[] {
  if ([before, after].some((row) => row?.box === true)) {
    return [
      {
        inline: [bold(label), italic(`  ${changeLabel(before, after)}`)],
      },
      ...(before === null ? [] : [{ box: before.value }, ...cutLines(before)]),
      ...(before === null || after === null || isAfterAbove ? [] : [{ inline: [italic(ARGUMENTS.to)] }]),
      ...(after === null || isAfterAbove ? [] : [{ box: after.value }, ...cutLines(after)]),
    ];
  }
  const old: RichTextElement[] =
    before === null ? [italic(ARGUMENTS.added)] : [struck(before), ...cut(before)];
  const now: RichTextElement[] =
    after === null ? [italic(ARGUMENTS.removed)] : [valueText(after), ...cut(after)];
  return [{ inline: [bold(label), text('  '), ...old, text(before === null ? ' ' : ' → '), ...now] }];
}

function changeLabel(before: ArgumentRow | null, after: ArgumentRow | null): string {
  if (before === null) return ARGUMENTS.added;
  return after === null ? ARGUMENTS.removed : ARGUMENTS.changedFrom;
}

/** How much of a value isn't shown after what is. */
function cutOff({ hidden }: ArgumentRow): RichTextElement[] {
  return hidden === null ? [] : [italic(ARGUMENTS.cutOff(hidden.lines, hidden.characters))];
}

function cutLines(row: ArgumentRow): Line[] {
  const inline = cutOff(row);
  return inline.length === 0 ? [] : [{ inline }];
}

function cut(row: ArgumentRow): RichTextElement[] {
  return row.hidden === null ? [] : [text('…')];
}

function struck(row: ArgumentRow): RichTextElement {
  return { type: 'text', text: row.value, style: { strike: true, ...(row.exact ? { code: true } : {}) } };
}

function valueText(row: ArgumentRow): RichTextElement {
  return row.exact ? code(row.value) : text(row.value);
}

/** Joins adjacent lines into one section with line feeds, which every client shows alike. */
function joinLines(lines: readonly Line[]): RichTextBlockElement[] {
  const elements: RichTextBlockElement[] = [];
  let open: RichTextElement[] = [];
  for (const line of lines) {
    if ('inline' in line) {
      const between = text(line.continues === true ? ARGUMENTS.between : '\n');
      open.push(...(open.length === 0 ? [] : [between]), ...line.inline);
      continue;
    }
    if (open.length > 0) elements.push(section(...open));
    open = [];
    elements.push(preformatted(line.box));
  }
  if (open.length > 0) elements.push(section(...open));
  return elements;
}
