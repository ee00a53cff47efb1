import type { InputBlock, InputBlockElement, KnownBlock, PlainTextOption } from '@slack/types';
import type { Json } from '../../../lib/json.ts';
import type { Property } from '../../../presentation/schema-labels.ts';
import { clip, oneLine } from '../../../presentation/text/clip.ts';
import { visible } from '../../../presentation/text/visible.ts';
import { same, spellLiteral } from '../../../presentation/values.ts';
import { LIMITS, option, plain } from '../../text/block-kit.ts';
import { ARGUMENTS } from '../../texts/cards.ts';
import { FIELD } from '../../texts/forms.ts';
import type { Control } from './controls.ts';
import type { Field } from './fields.ts';

/** The `action_id` of every form input; the block says which field it is. */
export const INPUT = 'value';

const LABEL_LENGTH = 150;
const HINT_LENGTH = 300;
/** Slack takes at most ten checkboxes or radio buttons. */
const MAX_BUTTONS = 10;
const FEW = 4;
const NO_SECONDS = /^(?::00)?$/;

/** The inputs of one field: none for a fixed one, two for a local date and time, as many as a long text takes, otherwise one. */
export function fieldInputs(field: Field): KnownBlock[] {
  const { control, blockId, property } = field;
  if (control.kind === 'fixed') return [];
  if (control.kind === 'local') return localInputs(field, control);
  if (control.kind === 'parts') return partInputs(field, control);
  return [input(field, blockId, property.label, element(property, control))];
}

function localInputs(
  field: Field,
  { initial, dateFrom, isShared, zone }: Extract<Control, { kind: 'local' }>,
): KnownBlock[] {
  const { blockId, property } = field;
  const date = { type: 'datepicker', action_id: INPUT, initial_date: initial.date } as const;
  const time = {
    type: 'timepicker',
    action_id: INPUT,
    initial_time: initial.time,
    // Slack shows it below the clock (@slack/types, Timepicker).
    ...(zone !== null && { timezone: zone }),
  } as const;
  if (dateFrom !== null) return [input(field, `${blockId}.time`, property.label, time)];
  const labels = isShared
    ? [FIELD.sharedDate, property.label]
    : [FIELD.date(property.label), FIELD.time(property.label)];
  return [
    input(field, `${blockId}.date`, labels[0] ?? '', date),
    // The hint is shown once, under the date.
    input(field, `${blockId}.time`, labels[1] ?? '', time, ''),
  ];
}

/** A text in consecutive inputs. All but the first may be emptied: what is left is joined. An empty one is for more of it. */
function partInputs(field: Field, { parts, isMain }: Extract<Control, { kind: 'parts' }>): KnownBlock[] {
  const count = parts.filter((part) => part !== '').length;
  return parts.map((part, index) => {
    const isFirst = index === 0;
    const label = `${field.property.label}${part === '' ? FIELD.more : ARGUMENTS.part(index + 1, count)}`;
    const element: InputBlockElement = {
      type: 'plain_text_input',
      action_id: INPUT,
      multiline: true,
      ...(isMain && isFirst && { focus_on_load: true }),
      ...initialValue(part),
    };
    const hint = part === '' ? FIELD.room(LIMITS.inputInitial) : isFirst ? fieldHint(field) : '';
    const block = input(field, `${field.blockId}.${index}`, label, element, hint);
    return isFirst ? block : { ...block, optional: true };
  });
}

function input(
  field: Field,
  blockId: string,
  label: string,
  element: InputBlockElement,
  hint = fieldHint(field),
): InputBlock {
  return {
    type: 'input',
    block_id: blockId,
    label: plain(oneLine(visible(label)), LABEL_LENGTH),
    element,
    optional: isOptional(field),
    ...(hint === '' ? {} : { hint: plain(hint, LIMITS.inputHint) }),
  };
}

/** An input that starts empty is optional, so an untouched form can always be submitted. */
function isOptional({ property, control, value }: Field): boolean {
  if (!property.required || property.nullable) return true;
  return (
    value !== undefined && 'initial' in control && (control.initial === '' || isEmptyList(control.initial))
  );
}

function isEmptyList(initial: unknown): boolean {
  return Array.isArray(initial) && initial.length === 0;
}

function fieldHint({ property, control, value }: Field): string {
  return [
    property.title === null ? '' : FIELD.titled(visible(property.title)),
    property.description === null ? '' : clip(oneLine(visible(property.description)), HINT_LENGTH),
    ...takenValues(property, control),
    control.kind === 'parts' && control.parts.slice(1).some((part) => part !== '') ? FIELD.parts : '',
    control.kind === 'json' ? FIELD.json : '',
    control.kind === 'instant' ? FIELD.ownTimeZone : '',
    control.kind === 'local' && control.dateFrom !== null ? FIELD.nextDay : '',
    value === undefined ? otherwise(property) : '',
    value !== undefined && !showsValue(control) ? FIELD.now(spellValue(value)) : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** What the input takes, as far as neither its kind nor the description of it is sure to say so. */
function takenValues({ type, format, bounds, items }: Property, control: Control): string[] {
  switch (control.kind) {
    case 'number':
      return [FIELD.number(type === 'integer', bounds)];
    case 'parts':
      return [FIELD.length(bounds)];
    case 'text':
      return [format === 'email' ? FIELD.email : format === 'uri' ? FIELD.link : '', FIELD.length(bounds)];
    case 'list':
      // On one line there are few.
      if (control.input === 'line') return [FIELD.emails.line];
      return [items?.format === 'email' ? FIELD.emails.lines : FIELD.list, FIELD.count(bounds)];
    case 'entries':
      return [FIELD.entries[control.layout], entryNames(control), FIELD.count(bounds)];
    case 'choices':
      return [FIELD.count(bounds)];
    default:
      return [];
  }
}

/** The names that the schema says, of which what is entered may have only some. */
function entryNames({ types }: Extract<Control, { kind: 'entries' }>): string {
  const names = Object.keys(types).map((name) => visible(oneLine(name)));
  return names.length === 0 ? '' : FIELD.entryNames(clip(names.join(', '), HINT_LENGTH));
}

/** What the tool uses for an input that is left empty; nothing where that is empty as well. */
function otherwise({ defaultValue, choices }: Property): string {
  if (defaultValue === undefined || defaultValue === null || defaultValue === '') return '';
  if (isEmptyList(defaultValue)) return '';
  const choice = choices?.find((candidate) => same(candidate.value, defaultValue))?.title;
  return FIELD.otherwise(
    clip(oneLine(choice === undefined ? spellValue(defaultValue) : visible(choice)), HINT_LENGTH),
  );
}

function spellValue(value: Json): string {
  if (value === '') return FIELD.emptyText;
  return isEmptyList(value) ? FIELD.emptyList : visible(spellLiteral(value));
}

/**
 * Whether an input with its initial value shows all of it: a picker shows no seconds, no offset and no spelling, an empty one
 * nothing.
 */
function showsValue(control: Control): boolean {
  if (control.kind === 'instant') return false;
  if (control.kind === 'local') return control.separator === 'T' && control.initial.seconds === ':00';
  if (control.kind === 'time') return NO_SECONDS.test(control.suffix);
  return !('initial' in control) || (control.initial !== '' && !isEmptyList(control.initial));
}

function element(
  property: Property,
  control: Exclude<Control, { kind: 'fixed' | 'local' | 'parts' }>,
): InputBlockElement {
  const base = { action_id: INPUT };
  switch (control.kind) {
    case 'text':
      return textElement(property, control);
    case 'list':
    case 'entries':
    case 'json': {
      const multiline = control.kind !== 'list' || control.input === 'lines';
      return { ...base, type: 'plain_text_input', multiline, ...initialValue(control.initial) };
    }
    case 'number':
      return {
        ...base,
        type: 'number_input',
        is_decimal_allowed: property.type !== 'integer',
        ...initialValue(control.initial),
      };
    case 'date':
      return {
        ...base,
        type: 'datepicker',
        ...(control.initial === null ? {} : { initial_date: control.initial }),
      };
    case 'time':
      return {
        ...base,
        type: 'timepicker',
        ...(control.initial === null ? {} : { initial_time: control.initial }),
      };
    case 'instant':
      return {
        ...base,
        type: 'datetimepicker',
        ...(control.initial === null ? {} : { initial_date_time: control.initial }),
      };
    case 'choice':
      return choiceElement(control);
    case 'choices':
      return choicesElement(control);
  }
}

function textElement(property: Property, control: Extract<Control, { kind: 'text' }>): InputBlockElement {
  const base = { action_id: INPUT, ...initialValue(control.initial) };
  if (control.input === 'email') return { ...base, type: 'email_text_input' };
  if (control.input === 'url') return { ...base, type: 'url_text_input' };
  const { maxLength } = property.bounds;
  const isUsable = maxLength !== undefined && Number.isInteger(maxLength) && maxLength <= LIMITS.inputInitial;
  const limit = isUsable && maxLength >= Math.max(1, control.initial.length) ? { max_length: maxLength } : {};
  const isMain = control.input === 'main';
  return {
    ...base,
    type: 'plain_text_input',
    multiline: isMain || control.input === 'lines',
    ...(isMain && { focus_on_load: true }),
    ...limit,
  };
}

function choiceElement({ options, initial }: Extract<Control, { kind: 'choice' }>): InputBlockElement {
  const shown = options.map(({ label }, index) => choiceOption(label, index));
  const first = initial === null ? undefined : shown[initial];
  const chosen = first === undefined ? {} : { initial_option: first };
  if (shown.length <= FEW) return { type: 'radio_buttons', action_id: INPUT, options: shown, ...chosen };
  return { type: 'static_select', action_id: INPUT, options: shown, ...chosen };
}

function choicesElement({ options, initial }: Extract<Control, { kind: 'choices' }>): InputBlockElement {
  const shown = options.map(({ title }, index) => choiceOption(title, index));
  const first = shown.filter((_, index) => initial.includes(index));
  const chosen = first.length === 0 ? {} : { initial_options: first };
  if (shown.length <= MAX_BUTTONS) return { type: 'checkboxes', action_id: INPUT, options: shown, ...chosen };
  return { type: 'multi_static_select', action_id: INPUT, options: shown, ...chosen };
}

/** Options are identified by index: values may have any type and length. */
function choiceOption(label: string, index: number): PlainTextOption {
  return option(oneLine(visible(label)), String(index));
}

function initialValue(initial: string): { initial_value?: string } {
  return initial === '' ? {} : { initial_value: initial };
}
