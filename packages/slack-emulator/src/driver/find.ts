import { type FoundElement, findElements, objects } from '../blocks/walk.ts';
import { PersonRefusal } from '../errors.ts';
import { optionLabel } from '../interactions/action-input.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { findStateField } from '../workspace/state-values.ts';

/** The element that a test names by action id, by block id, or by the words on it (button, input label, option). Throws when there is none. */
export function findElement(blocks: readonly JsonObject[], name: string): FoundElement {
  const elements = findElements(blocks);
  const found =
    elements.find((it) => it.element.action_id === name) ??
    elements.find((it) => elementNames(it).includes(name)) ??
    elements.find((it) => it.block.block_id === name);
  if (found === undefined) {
    const names = elements.map((it) => elementNames(it)[0] || String(it.element.action_id));
    throw new PersonRefusal('element_gone', `There is no “${name}” here; there are: ${names.join(', ')}.`);
  }
  return found;
}

/** The input of an interaction with an element, from the plain value that a test gives. */
export function toInput({ element }: FoundElement, value: Json): JsonObject {
  if (element.type === 'overflow') return { selected_option: value };
  if (element.type === 'feedback_buttons') return { value };
  const field = findStateField(element)?.field;
  return field === undefined ? {} : { [field]: value };
}

function elementNames({ block, element }: FoundElement): string[] {
  const label = block.type === 'input' && isJsonObject(block.label) ? String(block.label.text) : '';
  const feedback = [element.positive_button, element.negative_button].filter(isJsonObject).map(optionLabel);
  const isNamedByOptions =
    element.type === 'overflow' || (element.type === 'checkboxes' && block.type !== 'input');
  const options = isNamedByOptions ? objects(element.options).map(optionLabel) : [];
  return [label, optionLabel(element), ...feedback, ...options].filter((it) => it !== '');
}
