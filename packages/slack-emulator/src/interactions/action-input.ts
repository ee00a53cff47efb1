import { objects } from '../blocks/walk.ts';
import { PersonRefusal } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { findStateField } from '../workspace/state-values.ts';
import { REFUSED } from './texts.ts';

/** The properties of an element that Slack repeats in the action. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  button: ['text', 'value', 'style', 'url', 'confirm'],
  icon_button: ['text', 'value', 'icon'],
  workflow_button: ['text'],
};
const OTHERS = ['placeholder', 'confirm', 'initial_option', 'initial_date'];

/**
 * One entry of `actions`, for what a person did with an element. `input` holds the field that the element
 * gives (`selected_option`, `value`, …); an option may be named by its value or its label.
 * Throws when the element has no such option.
 */
export function toAction(
  block: JsonObject,
  element: JsonObject,
  input: JsonObject,
  actionTs: string,
): JsonObject {
  const type = String(element.type);
  const repeated = (REPEATED[type] ?? OTHERS).filter((name) => element[name] !== undefined);
  return {
    ...Object.fromEntries(repeated.map((name) => [name, element[name] ?? null])),
    ...chosenValue(element, input),
    type,
    action_id: element.action_id ?? '',
    block_id: block.block_id ?? '',
    action_ts: actionTs,
  };
}

/** The value of an element's state after this input, or undefined when it keeps none. */
export function stateAfter(element: JsonObject, input: JsonObject): JsonObject | undefined {
  const kind = findStateField(element);
  return kind === undefined
    ? undefined
    : { type: String(element.type), [kind.field]: kind.empty, ...chosenValue(element, input) };
}

function chosenValue(element: JsonObject, input: JsonObject): JsonObject {
  if (element.type === 'overflow') return { selected_option: findOption(element, input.selected_option) };
  if (element.type === 'feedback_buttons') return findFeedback(element, input.value);
  const field = findStateField(element)?.field;
  const value = field === undefined ? undefined : input[field];
  if (field === undefined || value === undefined) return {};
  if (value === null) return { [field]: null };
  if (field === 'selected_option') return { [field]: findOption(element, value) };
  if (field === 'selected_options') {
    return { [field]: (Array.isArray(value) ? value : [value]).map((it) => findOption(element, it)) };
  }
  return { [field]: value };
}

function findOption(element: JsonObject, wanted: Json | undefined): JsonObject {
  const options = [
    ...objects(element.options),
    ...objects(element.option_groups).flatMap((it) => objects(it.options)),
  ];
  const name = isJsonObject(wanted) ? wanted.value : wanted;
  const option = options.find((it) => it.value === name) ?? options.find((it) => optionLabel(it) === name);
  if (option === undefined) {
    throw new PersonRefusal('no_such_option', REFUSED.noOption(String(name), options.map(optionLabel)));
  }
  return option;
}

function findFeedback(element: JsonObject, value: Json | undefined): JsonObject {
  const buttons = [element.positive_button, element.negative_button].filter(isJsonObject);
  const button = buttons.find((it) => it.value === value || optionLabel(it) === value);
  if (button === undefined) throw new PersonRefusal('no_such_option', REFUSED.noFeedbackButton);
  return { text: button.text ?? null, value: button.value ?? null };
}

/** The text of an option or button. */
export function optionLabel(item: JsonObject): string {
  return isJsonObject(item.text) && typeof item.text.text === 'string' ? item.text.text : '';
}
