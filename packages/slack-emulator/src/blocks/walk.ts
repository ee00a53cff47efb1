import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** The interactive elements that stand in a block: accessory, elements, input element, buttons of cards. */
export function blockElements(block: JsonObject): JsonObject[] {
  switch (block.type) {
    case 'section':
      return objects([block.accessory]).filter(isInteractive);
    case 'actions':
    case 'context_actions':
      return objects(block.elements);
    case 'input':
      return objects([block.element]);
    case 'card':
      return objects(block.actions);
    case 'carousel':
      return objects(block.elements).flatMap(blockElements);
    default:
      return [];
  }
}

/** The blocks of a message or view, those inside containers included. */
export function allBlocks(blocks: readonly Json[]): JsonObject[] {
  return objects(blocks).flatMap((block) => [block, ...allBlocks(objects(block.child_blocks))]);
}

export interface FoundElement {
  readonly block: JsonObject;
  readonly element: JsonObject;
}

/** The elements of a message or view with the block that each stands in. */
export function findElements(blocks: readonly Json[]): FoundElement[] {
  return allBlocks(blocks).flatMap((block) => blockElements(block).map((element) => ({ block, element })));
}

/** The block and action ids that the app left out, filled in as Slack does. */
export function withIds(blocks: readonly JsonObject[], newId: () => string): JsonObject[] {
  return blocks.map((block) => {
    const filled: JsonObject = { ...block, block_id: block.block_id ?? newId() };
    const name = (element: Json): Json =>
      isJsonObject(element) && isInteractive(element)
        ? { ...element, action_id: element.action_id ?? newId() }
        : element;
    for (const key of ['accessory', 'element']) {
      const element = filled[key];
      if (element !== undefined) filled[key] = name(element);
    }
    if (['actions', 'context_actions'].includes(String(block.type)) && Array.isArray(filled.elements)) {
      filled.elements = filled.elements.map(name);
    }
    if (Array.isArray(filled.actions)) filled.actions = filled.actions.map(name);
    if (block.type === 'carousel') filled.elements = withIds(objects(block.elements), newId);
    if (Array.isArray(block.child_blocks)) filled.child_blocks = withIds(objects(block.child_blocks), newId);
    return filled;
  });
}

/** Those items of a list that are objects; nothing for anything that is not a list. */
export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function isInteractive(element: JsonObject): boolean {
  return element.type !== 'image';
}
