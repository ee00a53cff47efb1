import type { Json, JsonObject } from '../../json.ts';
import { stringOf, textOf } from './block-kit.ts';
import { heldKey, initialValue } from './form.ts';
import { useSurface } from './surface.tsx';

/** How an input block around the element labels it. */
export interface Field {
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
export function useHeld({ block, element, dispatches = true }: ElementProps) {
  const { values, edit, act } = useSurface();
  const type = stringOf(element.type);
  const key = heldKey(type) ?? 'value';
  const blockId = stringOf(block.block_id);
  const actionId = stringOf(element.action_id);
  const value = values[blockId]?.[actionId] ?? initialValue(element) ?? {};
  return {
    key,
    value,
    held: value[key] ?? null,
    /** Changes it without telling the app yet, for fields that are typed into. */
    type: (held: Json) => edit(blockId, actionId, { type, [key]: held }),
    set: (held: Json) => {
      edit(blockId, actionId, { type, [key]: held });
      if (dispatches) act(block, element, { [key]: held });
    },
    tell: () => {
      if (dispatches) act(block, element, { [key]: value[key] ?? null });
    },
  };
}

/** The attributes that tie a field to its label, hint and error; alone, its placeholder names it. */
export function fieldAttributes({ element, field }: ElementProps) {
  if (field === undefined)
    return { 'aria-label': textOf(element.placeholder) || stringOf(element.action_id) };
  return {
    id: field.id,
    'aria-invalid': field.invalid,
    'aria-describedby': field.describedBy,
  };
}
