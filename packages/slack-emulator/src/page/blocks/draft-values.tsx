import type { Json, JsonObject } from '../../json.ts';
import { readString, readText } from './block-kit.ts';
import { initialValue, valueKey } from './form.ts';
import { useSurface } from './surface.tsx';

/** How an input block around the element labels it. */
interface Field {
  readonly id: string;
  readonly label: string;
  readonly invalid: boolean;
  /** Ids of the hint and the error, for screen readers; may be empty. */
  readonly describedBy: string;
}

export interface ElementProps {
  readonly block: JsonObject;
  readonly element: JsonObject;
  readonly field?: Field;
  /** Whether a change is told to the app at once; in an input block only if it says so. */
  readonly dispatches?: boolean;
}

/** What the element holds now, and how to change it. */
export function useElementValue({ block, element, dispatches = true }: ElementProps) {
  const { values, edit, sendAction } = useSurface();
  const type = readString(element.type);
  const key = valueKey(type) ?? 'value';
  const blockId = readString(block.block_id);
  const actionId = readString(element.action_id);
  const value = values[blockId]?.[actionId] ?? initialValue(element) ?? {};
  return {
    key,
    value,
    current: value[key] ?? null,
    /** Changes it without telling the app yet, for fields that are typed into. */
    type: (next: Json) => edit(blockId, actionId, { type, [key]: next }),
    set: (next: Json) => {
      edit(blockId, actionId, { type, [key]: next });
      if (dispatches) sendAction(block, element, { [key]: next });
    },
    dispatch: () => {
      if (dispatches) sendAction(block, element, { [key]: value[key] ?? null });
    },
  };
}

/** The attributes that tie a field to its label, hint and error; alone, its placeholder names it. */
export function fieldAttributes({ element, field }: ElementProps) {
  if (field === undefined)
    return { 'aria-label': readText(element.placeholder) || readString(element.action_id) };
  return {
    id: field.id,
    'aria-invalid': field.invalid,
    'aria-describedby': field.describedBy,
  };
}
