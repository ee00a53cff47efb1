import { isJsonObject, isTooDeep, type JsonObject, MAX_DEPTH } from '../../lib/json.ts';

export type ReadArguments =
  | { readonly args: JsonObject; readonly problem: null }
  | { readonly args: null; readonly problem: string };

const FENCE = '```';

/**
 * Reads a call's arguments as models write them: a JSON object, also in a code fence or encoded twice; none at
 * all is an empty object. Anything else has a `problem`, for the model: what was meant can't be known.
 */
export function readArguments(text: string): ReadArguments {
  const plain = withoutFence(text);
  if (plain === '') return { args: {}, problem: null };
  const value = parse(plain);
  return checkArguments(typeof value === 'string' ? parse(withoutFence(value)) : value);
}

/** The same for arguments that were parsed already. */
export function checkArguments(value: unknown): ReadArguments {
  // Nothing that deep is kept: whatever writes or reads a conversation walks all of it, and would overflow its stack.
  if (isTooDeep(value))
    return { args: null, problem: `they nest lists and objects more than ${MAX_DEPTH} levels deep` };
  if (isJsonObject(value)) return { args: value, problem: null };
  if (value === undefined) return { args: null, problem: 'they are not valid JSON, or are cut off' };
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return { args: null, problem: `they are a JSON ${kind}` };
}

/** The text in a code fence, or else all of it. A pattern would try every way to share out the blanks in it. */
function withoutFence(text: string): string {
  const whole = text.trim();
  const isFenced = whole.length >= 2 * FENCE.length && whole.startsWith(FENCE) && whole.endsWith(FENCE);
  return isFenced ? whole.slice(FENCE.length, -FENCE.length).replace(/^\w+/, '').trim() : whole;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
