import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Choice, Property } from '../../../presentation/schema-labels.ts';
import { oneLine } from '../../../presentation/text/clip.ts';
import {
  type DateTimeParts,
  dateTimeParts,
  isDate,
  toEpochSeconds,
} from '../../../presentation/text/time.ts';
import { hidesSomething, visible, visibleJson } from '../../../presentation/text/visible.ts';
import { same } from '../../../presentation/values.ts';
import { LIMITS } from '../../text/block-kit.ts';
import { FIELD } from '../../texts/forms.ts';
import { entryLines, entryNames, type Layout, type Lines } from './entry-lines.ts';
import { type LongText, partText } from './long-text.ts';

/** What an option selects: a value, no value, or the original value. */
type Pick = { readonly value: Json } | 'absent' | 'keep';
export interface ChoiceOption {
  readonly label: string;
  readonly pick: Pick;
}

/** The kind of input for one argument, with its initial value. */
export type Control =
  /** `main`: of many lines, with the cursor in it. A form has one. */
  | {
      readonly kind: 'text';
      readonly initial: string;
      readonly input: 'plain' | 'lines' | 'main' | 'email' | 'url';
    }
  /** A text that is too long for one input, or may become so, in several. `isMain`: with the cursor in the first. */
  | ({ readonly kind: 'parts'; readonly isMain: boolean } & LongText)
  | { readonly kind: 'number'; readonly initial: string }
  | { readonly kind: 'choice'; readonly options: readonly ChoiceOption[]; readonly initial: number | null }
  | { readonly kind: 'choices'; readonly options: readonly Choice[]; readonly initial: readonly number[] }
  | { readonly kind: 'date'; readonly initial: string | null }
  | { readonly kind: 'time'; readonly initial: string | null; readonly suffix: string }
  /** An absolute time: Slack shows it in the viewer's zone and answers with seconds since the epoch. */
  | { readonly kind: 'instant'; readonly initial: number | null; readonly original: string | null }
  /** A local time without a zone: a date and a time of day, so that nothing converts it. */
  | {
      readonly kind: 'local';
      readonly initial: DateTimeParts;
      readonly separator: string;
      /** The `blockId` of the field whose date it has, or the next day where its time is earlier than that one's; null: its own. */
      readonly dateFrom: string | null;
      /** Whether its date is another one's, too. */
      readonly isShared: boolean;
      /** In which it's meant; null where that isn't known. */
      readonly zone: string | null;
    }
  /** An array of strings, one a line, or all of them on one line. */
  | { readonly kind: 'list'; readonly initial: string; readonly input: 'lines' | 'line' }
  /** Objects, a line each or a member a line. */
  | ({ readonly kind: 'entries'; readonly initial: string } & Lines)
  | { readonly kind: 'json'; readonly initial: string }
  /** Can't be edited in a form: it is too long, or says what the call is about. */
  | { readonly kind: 'fixed'; readonly why: 'long' | 'id' };

const TOO_LONG = { kind: 'fixed', why: 'long' } as const;
const MAX_OPTIONS = 100;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Blanks that an input doesn't show, or that Slack may cut off: other line ends, tabs, and blanks at a line's ends. */
const HIDDEN_BLANKS = /\r|^(?!.*\n)(?:\s|.*(?:\s$|\t))/s;
const LONG_TEXT_NAME = /body|content|description|message|notes?$|comment|text$|prompt/i;
/** Slack's datetimepicker takes ten digits. */
const EARLIEST = 1_000_000_000;
const LATEST = 9_999_999_999;

/** The kind of input for an argument, given its current value (`undefined`: none). */
export function controlFor(property: Property, value: Json | undefined): Control {
  if (property.choices !== null) return choiceControl(property, property.choices, value);
  const empty = value === undefined || (value === null && property.nullable);
  if (empty) return emptyControl(property);
  if (property.type === 'boolean' && typeof value === 'boolean') return booleanControl(property, value);
  if (typeof value === 'number' && isNumeric(property)) return numberControl(property, value);
  if (typeof value === 'string' && (property.type === 'string' || property.type === 'any')) {
    return stringControl(property, value);
  }
  if (Array.isArray(value)) return arrayControl(property, value);
  return entriesControl('members', property.members, value) ?? jsonControl(value);
}

function emptyControl(property: Property): Control {
  if (property.type === 'boolean') return booleanControl(property, null);
  if (isNumeric(property)) return { kind: 'number', initial: '' };
  if (property.type === 'array') return arrayControl(property, []);
  if (property.type !== 'string') return { kind: 'json', initial: '' };
  switch (property.format) {
    case 'date':
      return { kind: 'date', initial: null };
    case 'date-time':
      return { kind: 'instant', initial: null, original: null };
    case 'time':
      return { kind: 'time', initial: null, suffix: ':00' };
    default:
      return { kind: 'text', initial: '', input: textInput(property, '') };
  }
}

function choiceControl(property: Property, choices: readonly Choice[], value: Json | undefined): Control {
  const options: ChoiceOption[] = choices.map((choice) => ({
    label: choice.title,
    pick: { value: choice.value },
  }));
  if (!property.required) options.push({ label: FIELD.notSet, pick: 'absent' });
  const current = choices.findIndex((choice) => same(choice.value, value));
  const foreign = value !== undefined && current === -1;
  if (foreign) options.push({ label: FIELD.unchanged(JSON.stringify(value)), pick: 'keep' });
  if (options.length > MAX_OPTIONS || options.length === 0 || !areTellable(options.map(({ label }) => label)))
    return asText(property, value);
  if (foreign) return { kind: 'choice', options, initial: options.length - 1 };
  const absent = options.findIndex(({ pick }) => pick === 'absent');
  const initial = value === undefined ? absent : current;
  return { kind: 'choice', options, initial: initial === -1 ? null : initial };
}

/**
 * Whether all options are shown in full and no two look the same; otherwise nobody knows which one they pick.
 */
function areTellable(labels: readonly string[]): boolean {
  const shown = labels.map((label) => oneLine(visible(label)));
  return new Set(shown).size === shown.length && shown.every((label) => label.length <= LIMITS.optionText);
}

/** A text input, for values that no select can hold. */
function asText(property: Property, value: Json | undefined): Control {
  return controlFor({ ...property, choices: null }, value);
}

function booleanControl(property: Property, value: boolean | null): Control {
  const choices = [
    { value: true, title: FIELD.yes, shown: null },
    { value: false, title: FIELD.no, shown: null },
  ];
  return choiceControl(property, choices, value ?? undefined);
}

function numberControl(property: Property, value: number): Control {
  const initial = String(value);
  const isPlain = property.type === 'integer' ? /^-?\d+$/.test(initial) : /^-?\d+(\.\d+)?$/.test(initial);
  return isPlain ? { kind: 'number', initial } : jsonControl(value);
}

function stringControl(property: Property, value: string): Control {
  // JSON can spell out what nobody sees, and it comes back unchanged.
  if (hidesSomething(value) || HIDDEN_BLANKS.test(value)) return jsonControl(value);
  if (value.length > LIMITS.inputInitial) {
    return { kind: 'parts', isMain: false, ...partText(value, LIMITS.inputInitial) };
  }
  if (property.format === null || property.format.startsWith('date')) {
    const dated = dateControl(value);
    if (dated !== null) return dated;
  }
  const time = TIME.exec(value);
  if (property.format === 'time' && time !== null) {
    return { kind: 'time', initial: value.slice(0, 5), suffix: value.slice(5) };
  }
  return { kind: 'text', initial: value, input: textInput(property, value) };
}

/** Decides by the value: servers often leave out `format`, and a text that is wholly an ISO time is one. */
function dateControl(value: string): Control | null {
  if (isDate(value)) return { kind: 'date', initial: value };
  const parts = dateTimeParts(value);
  if (parts === null) return null;
  if (parts.offset === null) {
    const separator = value.charAt(10);
    return { kind: 'local', initial: parts, separator, dateFrom: null, isShared: false, zone: null };
  }
  const seconds = toEpochSeconds(value);
  if (seconds < EARLIEST || seconds > LATEST) return null;
  return { kind: 'instant', initial: seconds, original: value };
}

function textInput(property: Property, value: string): 'plain' | 'lines' | 'email' | 'url' {
  if (/[\n\r]/.test(value) || value.length > 80) return 'lines';
  if (property.format === 'email' && (value === '' || EMAIL.test(value))) return 'email';
  if (property.format === 'uri' && (value === '' || /^https?:\/\/\S+$/.test(value))) return 'url';
  return LONG_TEXT_NAME.test(property.name) ? 'lines' : 'plain';
}

function arrayControl(property: Property, values: readonly Json[]): Control {
  const choices = property.items?.choices ?? null;
  if (choices !== null && choices.length > 0 && choices.length <= MAX_OPTIONS) {
    const initial = values.map((value) => choices.findIndex((choice) => same(choice.value, value)));
    // Boxes have no order of their own, so a list in another order than theirs isn't ticked.
    const isSet = initial.every((index, at) => index > (initial[at - 1] ?? -1));
    if (isSet && areTellable(choices.map(({ title }) => title))) {
      return { kind: 'choices', options: choices, initial };
    }
  }
  const ofStrings =
    property.items === null || property.items.type === 'string' || property.items.type === 'any';
  const lines = values.filter((value) => typeof value === 'string');
  const areLines = lines.length === values.length && lines.every(isLine);
  if (!ofStrings || !areLines || (values.length === 0 && property.items?.type !== 'string')) {
    return entriesControl('entries', property.items?.members ?? {}, [...values]) ?? jsonControl([...values]);
  }
  const initial = lines.join('\n');
  if (initial.length > LIMITS.inputInitial) return TOO_LONG;
  return { kind: 'list', initial, input: 'lines' };
}

function isLine(value: string): boolean {
  return value.trim() === value && value !== '' && !/\p{Cc}/u.test(value) && !hidesSomething(value);
}

/** Lines for objects, where they can be read back exactly; null where they can't, or don't fit. */
function entriesControl(layout: Layout, types: Property['members'], value: Json): Control | null {
  const described = Object.keys(types);
  const isEmptyList = Array.isArray(value) && value.length === 0 && described.length > 0;
  const initial = isEmptyList ? '' : entryLines(layout, types, value);
  if (initial === null || initial.length > LIMITS.inputInitial) return null;
  const given = entryNames((Array.isArray(value) ? value : [value]).filter(isJsonObject));
  const names = described.length === 0 ? null : new Set([...described, ...given]);
  return { kind: 'entries', layout, initial, types, names };
}

function jsonControl(value: Json): Control {
  const [fitting] = [JSON.stringify(value, null, 2), JSON.stringify(value)]
    .map(visibleJson)
    .filter((json) => json.length <= LIMITS.inputInitial);
  if (fitting !== undefined) return { kind: 'json', initial: fitting };
  return TOO_LONG;
}

function isNumeric({ type }: Property): boolean {
  return type === 'number' || type === 'integer';
}
