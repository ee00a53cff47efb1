import { type FoundElement, findElements, objects } from '../blocks/walk.ts';
import { PersonRefusal } from '../errors.ts';
import { labelOf } from '../interactions/action-input.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { stateFieldOf } from '../workspace/state-values.ts';

/** The element that a test names by action id, by block id, or by the words on it (button, input label, option). Throws when there is none. */
export function elementNamed(blocks: readonly JsonObject[], name: string): FoundElement {
  const elements = findElements(blocks);
  const found =
    elements.find((it) => it.element.action_id === name) ??
    elements.find((it) => namesOf(it).includes(name)) ??
    elements.find((it) => it.block.block_id === name);
  if (found === undefined) {
    const names = elements.map((it) => namesOf(it)[0] || String(it.element.action_id));
    throw new PersonRefusal('element_gone', `There is no “${name}” here; there are: ${names.join(', ')}.`);
  }
  return found;
}

/** The input of an interaction with an element, from the plain value that a test gives. */
export function inputFor({ element }: FoundElement, value: Json): JsonObject {
  if (element.type === 'overflow') return { selected_option: value };
  if (element.type === 'feedback_buttons') return { value };
  const field = stateFieldOf(element)?.field;
  return field === undefined ? {} : { [field]: value };
}

function namesOf({ block, element }: FoundElement): string[] {
  const label = block.type === 'input' && isJsonObject(block.label) ? String(block.label.text) : '';
  const feedback = [element.positive_button, element.negative_button].filter(isJsonObject).map(labelOf);
  const options = element.type === 'overflow' ? objects(element.options).map(labelOf) : [];
  return [label, labelOf(element), ...feedback, ...options].filter((it) => it !== '');
}
