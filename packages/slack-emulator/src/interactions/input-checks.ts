import { allBlocks } from '../blocks/walk.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { findStateField } from '../workspace/state-values.ts';
import type { View } from '../workspace/types.ts';
import { FIELD } from './texts.ts';

/** What Slack's own client says before it sends a form: by block id, in words. */
export function inputErrors(view: View): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const block of allBlocks(view.blocks)) {
    const element = block.element;
    if (block.type !== 'input' || !isJsonObject(element)) continue;
    const id = String(block.block_id);
    const field = findStateField(element)?.field ?? 'value';
    const value = view.values[id]?.[String(element.action_id)]?.[field] ?? null;
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    const error = isEmpty ? missing(block) : typeof value === 'string' ? badText(element, value) : null;
    if (error !== null) errors[id] = error;
  }
  return errors;
}

function missing(block: JsonObject): string | null {
  return block.optional === true ? null : FIELD.required;
}

function badText(element: JsonObject, value: string): string | null {
  switch (element.type) {
    case 'plain_text_input': {
      const least = Number(element.min_length ?? 0);
      const most = Number(element.max_length ?? 3000);
      if (value.length < least) return FIELD.shortest(least);
      return value.length > most ? FIELD.longest(most) : null;
    }
    case 'number_input':
      return badNumber(element, value);
    case 'email_text_input':
      return /^\S+@\S+\.\S+$/.test(value) ? null : FIELD.email;
    case 'url_text_input':
      return URL.canParse(value) ? null : FIELD.url;
    default:
      return null;
  }
}

function badNumber(element: JsonObject, value: string): string | null {
  const number = Number(value);
  if (!Number.isFinite(number)) return FIELD.number;
  if (element.is_decimal_allowed === false && !Number.isInteger(number)) return FIELD.wholeNumber;
  if (element.min_value !== undefined && number < Number(element.min_value))
    return FIELD.least(Number(element.min_value));
  if (element.max_value !== undefined && number > Number(element.max_value))
    return FIELD.most(Number(element.max_value));
  return null;
}
