/** JSON values and checks. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The deepest nesting of lists and objects that is accepted from outside. Nothing real has more, and walking
 * thousands of levels overflows the stack.
 */
export const MAX_DEPTH = 100;

/** Whether a value is nested too deeply. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1));
}

/** The value with a placeholder for each list and object that is nested too deeply. */
export function truncateDepth(value: unknown, levels = MAX_DEPTH): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '[left out: too deep]';
  if (Array.isArray(value)) return value.map((item) => truncateDepth(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, truncateDepth(item, levels - 1)]),
  );
}
