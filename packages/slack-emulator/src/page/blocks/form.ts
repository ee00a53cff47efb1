/** The input elements of a view or message: what they hold, as Slack reports it, and what Slack refuses. */

import type { JsonObject } from '../../json.ts';
import { FIELD } from '../texts.ts';
import { readNumber, readObject, readObjects, readString, readStrings } from './block-kit.ts';

/** Slack's `state.values`: block_id → action_id → value. */
export type FormValues = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

/** Which key of an element's value holds what was entered, and of which element's key it begins. */
const VALUE_FIELDS: Readonly<
  Record<string, readonly [value: string, initial: string, empty: null | 'list']>
> = {
  plain_text_input: ['value', 'initial_value', null],
  number_input: ['value', 'initial_value', null],
  email_text_input: ['value', 'initial_value', null],
  url_text_input: ['value', 'initial_value', null],
  static_select: ['selected_option', 'initial_option', null],
  radio_buttons: ['selected_option', 'initial_option', null],
  checkboxes: ['selected_options', 'initial_options', 'list'],
  multi_static_select: ['selected_options', 'initial_options', 'list'],
  users_select: ['selected_user', 'initial_user', null],
  multi_users_select: ['selected_users', 'initial_users', 'list'],
  channels_select: ['selected_channel', 'initial_channel', null],
  conversations_select: ['selected_conversation', 'initial_conversation', null],
  datepicker: ['selected_date', 'initial_date', null],
  timepicker: ['selected_time', 'initial_time', null],
  datetimepicker: ['selected_date_time', 'initial_date_time', null],
};

/** The key under which a value of this element type stands (`selected_option`, …); null if it holds none. */
export function valueKey(elementType: string): string | null {
  return VALUE_FIELDS[elementType]?.[0] ?? null;
}

/** What the element holds before anybody touches it; null for elements without a value (buttons). */
export function initialValue(element: JsonObject): JsonObject | null {
  const type = readString(element.type);
  const fields = VALUE_FIELDS[type];
  if (fields === undefined) return null;
  const [key, initial, empty] = fields;
  return { type, [key]: element[initial] ?? (empty === 'list' ? [] : null) };
}

/** Every element of the blocks that can hold a value, with the block that it stands in. */
function formElements(blocks: readonly unknown[]): { block: JsonObject; element: JsonObject }[] {
  return readObjects(blocks).flatMap((block) =>
    [block.element, block.accessory, ...readObjects(block.elements)]
      .map(readObject)
      .filter((element) => valueKey(readString(element.type)) !== null)
      .map((element) => ({ block, element })),
  );
}

/**
 * What the form holds now. Edits are kept by id, so they outlast an update of the view that keeps the
 * same block_id and action_id, as Slack's do.
 */
export function formValues(blocks: readonly unknown[], edits: FormValues): FormValues {
  const values: Record<string, Record<string, JsonObject>> = {};
  for (const { block, element } of formElements(blocks)) {
    const blockId = readString(block.block_id);
    const actionId = readString(element.action_id);
    const value = edits[blockId]?.[actionId] ?? initialValue(element);
    if (value !== null) values[blockId] = { ...values[blockId], [actionId]: value };
  }
  return values;
}

/** The edits with one more. */
export function withEdit(
  edits: FormValues,
  blockId: string,
  actionId: string,
  value: JsonObject,
): FormValues {
  return { ...edits, [blockId]: { ...edits[blockId], [actionId]: value } };
}

/** What Slack's own client refuses before it submits: block_id → what is wrong. Empty when all is well. */
export function formErrors(blocks: readonly unknown[], values: FormValues): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, element } of formElements(blocks)) {
    if (block.type !== 'input') continue;
    const blockId = readString(block.block_id);
    const value = values[blockId]?.[readString(element.action_id)];
    const error = elementError(block, element, value ?? {});
    if (error !== null) errors[blockId] = error;
  }
  return errors;
}

function elementError(block: JsonObject, element: JsonObject, value: JsonObject): string | null {
  const current = value[valueKey(readString(element.type)) ?? ''];
  const empty =
    current === null ||
    current === undefined ||
    current === '' ||
    (Array.isArray(current) && current.length === 0);
  if (empty) return block.optional === true ? null : FIELD.empty;
  if (Array.isArray(current)) {
    const most = readNumber(element.max_selected_items);
    return most !== null && current.length > most ? FIELD.mostChosen(most) : null;
  }
  return typeof current === 'string' ? textError(element, current) : null;
}

function textError(element: JsonObject, text: string): string | null {
  const shortest = readNumber(element.min_length);
  const longest = readNumber(element.max_length);
  if (shortest !== null && text.length < shortest) return FIELD.shortest(shortest);
  if (longest !== null && text.length > longest) return FIELD.longest(longest);
  if (element.type === 'email_text_input' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return FIELD.email;
  if (element.type === 'url_text_input' && !(URL.canParse(text) && /^https?:/i.test(text))) return FIELD.url;
  return element.type === 'number_input' ? numberError(element, text) : null;
}

function numberError(element: JsonObject, text: string): string | null {
  const number = readNumber(text);
  if (number === null) return FIELD.number;
  if (element.is_decimal_allowed !== true && !Number.isInteger(number)) return FIELD.wholeNumber;
  const least = readNumber(element.min_value);
  const most = readNumber(element.max_value);
  if (least !== null && number < least) return FIELD.least(least);
  if (most !== null && number > most) return FIELD.most(most);
  return null;
}

/** What is chosen, as ids or option values, whatever kind of list the element is. */
export function chosenValues(value: JsonObject, key: string): string[] {
  const current = value[key];
  if (typeof current === 'string') return [current];
  if (Array.isArray(current)) {
    const options = readObjects(current).map((option) => readString(option.value));
    return options.length > 0 ? options : readStrings(current);
  }
  const option = readString(readObject(current).value);
  return option === '' ? [] : [option];
}
