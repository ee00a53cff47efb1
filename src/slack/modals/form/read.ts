import { z } from 'zod';
import type { Json } from '../../../lib/json.ts';
import type { Property } from '../../../presentation/schema-labels.ts';
import { instantLike, toEpochSeconds, zeroSeconds } from '../../../presentation/text/time.ts';
import { FIELD_ERROR } from '../../texts/forms.ts';
import type { ChoiceOption } from './controls.ts';
import { type Lines, readEntryLines } from './entry-lines.ts';
import type { Field } from './fields.ts';
import { INPUT } from './inputs.ts';
import { isExact, readJsonText } from './json-text.ts';
import { joinParts, type LongText } from './long-text.ts';

const chosen = z.object({ value: z.string() });
const inputStateSchema = z.object({
  value: z.string().nullish(),
  selected_date: z.string().nullish(),
  selected_time: z.string().nullish(),
  selected_date_time: z.number().nullish(),
  selected_option: chosen.nullish(),
  selected_options: z.array(chosen).nullish(),
});
type InputState = z.infer<typeof inputStateSchema>;

/** `view.state.values` as Slack sends it: by `block_id`, then by `action_id`. */
const stateValuesSchema = z.record(z.string(), z.record(z.string(), inputStateSchema));
export type StateValues = z.infer<typeof stateValuesSchema>;

/** Parses `view.state.values`. Throws ZodError for anything Slack wouldn't send. */
export function parseStateValues(values: unknown): StateValues {
  return stateValuesSchema.parse(values);
}

/** What a submitted field contains. `untouched` keeps the original value exactly. */
type Reading =
  | { readonly kind: 'untouched' }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'absent' }
  | { readonly kind: 'error'; readonly message: string };

const UNTOUCHED: Reading = { kind: 'untouched' };

/** The only input of a block; null when the form didn't have the block. */
export function inputState(values: StateValues, blockId: string): InputState | null {
  return values[blockId]?.[INPUT] ?? null;
}

export function readField({ control, blockId, property }: Field, values: StateValues): Reading {
  if (control.kind === 'parts') {
    const states = control.parts.map((_, index) => inputState(values, `${blockId}.${index}`));
    return readParts(property, control, states);
  }
  const first = control.kind === 'local' ? `${control.dateFrom ?? blockId}.date` : blockId;
  const state = inputState(values, first);
  // Slack sends every input, even emptied ones. A missing one wasn't shown, so nobody changed it.
  if (state === null) return UNTOUCHED;
  switch (control.kind) {
    case 'fixed':
      return UNTOUCHED;
    case 'text':
      return readText(property, control.initial, state, value);
    case 'number':
      return readText(property, control.initial, state, (words) => readNumber(property, words));
    case 'json':
      return readText(property, control.initial, state, (words) => readJson(property, words));
    case 'list':
      return readText(property, control.initial, state, (words) => value(splitItems(property, words)));
    case 'entries':
      return readText(property, control.initial, state, (words) => readEntries(words, control));
    case 'choice':
      return readChoice(property, control.options, control.initial, state);
    case 'choices': {
      const picked = (state.selected_options ?? [])
        .map((option) => Number(option.value))
        .toSorted((a, b) => a - b);
      const before = [...control.initial].sort((a, b) => a - b);
      if (picked.join() === before.join()) return UNTOUCHED;
      if (picked.length === 0) return emptied(property);
      return value(picked.flatMap((index) => control.options[index]?.value ?? []));
    }
    case 'date':
      return readPicked(property, state.selected_date, control.initial, value);
    case 'time':
      return readPicked(property, state.selected_time, control.initial, (time) =>
        value(`${time}${control.suffix.replace(/^:\d{2}(?:\.\d+)?/, zeroSeconds)}`),
      );
    case 'instant':
      return readInstant(property, state.selected_date_time ?? null, control.initial, control.original);
    case 'local':
      return readLocal(property, control.initial, control.separator, {
        date: state.selected_date,
        time: inputState(values, `${blockId}.time`)?.selected_time,
        after:
          control.dateFrom === null ? null : inputState(values, `${control.dateFrom}.time`)?.selected_time,
      });
  }
}

function value(read: Json): Reading {
  return { kind: 'value', value: read };
}

function readText(
  property: Property,
  initial: string,
  state: InputState,
  read: (words: string) => Reading,
): Reading {
  const words = state.value ?? '';
  // Browsers turn CRLF into LF; that alone isn't an edit.
  if (words.replaceAll('\r\n', '\n') === initial.replaceAll('\r\n', '\n')) return UNTOUCHED;
  return words === '' ? emptied(property) : read(words);
}

/** A text in parts: only those that people changed differ from it, by a character or by all. */
function readParts(property: Property, text: LongText, states: readonly (InputState | null)[]): Reading {
  const edited = text.parts.map((part, index) => {
    const state = states[index] ?? null;
    if (state === null || readText(property, part, state, value).kind === 'untouched') return part;
    return state.value ?? '';
  });
  if (edited.every((part, index) => part === text.parts[index])) return UNTOUCHED;
  const joined = joinParts(text, edited);
  return joined === '' ? emptied(property) : value(joined);
}

const DAY_MINUTES = 24 * 60;
/** With more, an end that is earlier than the start would be a mistake: one of morning and afternoon makes more of any meeting. */
const LONGEST_OVERNIGHT_HOURS = 12;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

function readNumber(property: Property, words: string): Reading {
  // Number() also accepts `1e3` and `0x10`, which people easily misread.
  const number = DECIMAL.test(words.trim()) ? Number(words.trim()) : Number.NaN;
  if (!Number.isFinite(number)) return { kind: 'error', message: FIELD_ERROR.number };
  if (property.type === 'integer' && !Number.isSafeInteger(number)) {
    return { kind: 'error', message: FIELD_ERROR.wholeNumber };
  }
  return isExact(words.trim()) ? value(number) : { kind: 'error', message: FIELD_ERROR.digits };
}

/** JSON, or the text itself for a text in which nothing is that only JSON can spell. */
function readJson({ type }: Property, words: string): Reading {
  const read = readJsonText(words);
  if ('value' in read) return value(read.value);
  const isText = type === 'string' && !/["\\]/.test(words) && read.problem === FIELD_ERROR.json;
  return isText ? value(words) : { kind: 'error', message: read.problem };
}

function readEntries(words: string, lines: Lines): Reading {
  const read = readEntryLines(lines, words);
  return 'value' in read ? value(read.value) : { kind: 'error', message: read.problem };
}

/** A comma or a semicolon outside of double quotes, within which an address may have one (RFC 5321, section 4.1.2). */
const BETWEEN_ADDRESSES = /[,;](?=(?:[^"]*"[^"]*")*[^"]*$)/;

/** A list's items: one a line, and addresses also with commas or semicolons between, as other programs write them. */
export function splitItems({ items }: Pick<Property, 'items'>, words: string): string[] {
  const lines = words.split(/\r?\n/);
  const parts = items?.format === 'email' ? lines.flatMap((line) => line.split(BETWEEN_ADDRESSES)) : lines;
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function readChoice(
  property: Property,
  options: readonly ChoiceOption[],
  initial: number | null,
  state: InputState,
): Reading {
  const index =
    state.selected_option === null || state.selected_option === undefined
      ? null
      : Number(state.selected_option.value);
  if (index === initial) return UNTOUCHED;
  if (index === null) return emptied(property);
  // What isn't among the options, nobody has chosen.
  const pick = options[index]?.pick ?? 'keep';
  if (pick === 'keep') return UNTOUCHED;
  return pick === 'absent' ? { kind: 'absent' } : value(pick.value);
}

function readPicked(
  property: Property,
  picked: string | null | undefined,
  initial: string | null,
  read: (picked: string) => Reading,
): Reading {
  if ((picked ?? null) === initial) return UNTOUCHED;
  return picked === null || picked === undefined ? emptied(property) : read(picked);
}

function readInstant(
  property: Property,
  seconds: number | null,
  initial: number | null,
  original: string | null,
): Reading {
  // The picker knows only minutes, so the same minute counts as the same time.
  if (toMinute(seconds) === toMinute(initial)) return UNTOUCHED;
  if (seconds === null) return emptied(property);
  return value(instantLike(original ?? '1970-01-01T00:00:00Z', seconds));
}

function toMinute(seconds: number | null): number | null {
  return seconds === null ? null : Math.floor(seconds / 60);
}

function readLocal(
  property: Property,
  before: { readonly date: string; readonly time: string; readonly seconds: string },
  separator: string,
  { date: picked, time, after }: Readonly<Record<'date' | 'time' | 'after', string | null | undefined>>,
): Reading {
  const isNextDay = picked && time && after && time < after;
  if (isNextDay && toMinutes(time) + DAY_MINUTES - toMinutes(after) > LONGEST_OVERNIGHT_HOURS * 60)
    return { kind: 'error', message: FIELD_ERROR.endsTooLate(LONGEST_OVERNIGHT_HOURS) };
  const date = isNextDay ? nextDay(picked) : picked;
  if (date === before.date && time === before.time) return UNTOUCHED;
  if (!date && !time) return emptied(property);
  if (!date || !time) return { kind: 'error', message: FIELD_ERROR.dateAndTime };
  const seconds = time === before.time ? before.seconds : zeroSeconds(before.seconds);
  return value(`${date}${separator}${time}${seconds}`);
}

/** Of a time of day, `09:30`. */
function toMinutes(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}

function nextDay(date: string): string {
  return new Date((toEpochSeconds(date) + DAY_MINUTES * 60) * 1000).toISOString().slice(0, 10);
}

function emptied({ required, nullable, type }: Property): Reading {
  if (!required) return { kind: 'absent' };
  if (nullable) return value(null);
  if (type === 'array') return value([]);
  return { kind: 'error', message: FIELD_ERROR.needed };
}
