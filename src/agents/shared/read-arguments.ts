import { isJsonObject, type JsonObject } from '../../lib/json.ts';

export type ReadArguments =
  | { readonly args: JsonObject; readonly problem: null }
  | { readonly args: null; readonly problem: string };

const FENCE = /^```(?:\w+)?\s*([\s\S]*?)\s*```$/;

/**
 * Reads a call's arguments as models write them: a JSON object, also in a code fence or encoded twice; none at
 * all is an empty object. Anything else has a `problem`, for the model: what was meant can't be known.
 */
export function readArguments(text: string): ReadArguments {
  const plain = FENCE.exec(text.trim())?.[1] ?? text.trim();
  if (plain === '') return { args: {}, problem: null };
  const value = parse(plain);
  return checkArguments(typeof value === 'string' ? parse(FENCE.exec(value.trim())?.[1] ?? value) : value);
}

/** The same for arguments that were parsed already. */
export function checkArguments(value: unknown): ReadArguments {
  if (isJsonObject(value)) return { args: value, problem: null };
  if (value === undefined) return { args: null, problem: 'they are not valid JSON, or are cut off' };
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return { args: null, problem: `they are a JSON ${kind}` };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
