import { SlackRefusal } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** The arguments of a Web API call; values that came in a form are strings, lists and objects among them as JSON. */
export type Arguments = JsonObject;

/** A text argument; throws `error` when it is missing or empty. */
export function required(args: Arguments, name: string, error = 'invalid_arguments'): string {
  const value = optional(args, name);
  if (value === undefined || value === '') {
    throw new SlackRefusal(error, {
      response_metadata: { messages: [`[ERROR] missing required field: ${name}`] },
    });
  }
  return value;
}

export function optional(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

export function flag(args: Arguments, name: string): boolean {
  return args[name] === true || args[name] === 'true' || args[name] === '1' || args[name] === 1;
}

/** A whole number, or `fallback` when the argument is missing or is none. */
export function count(args: Arguments, name: string, fallback: number): number {
  const value = Number(optional(args, name) ?? fallback);
  return Number.isInteger(value) ? value : fallback;
}

/** A list or object, sent as it is or as a JSON string; undefined when missing. Throws `error` when it is not JSON. */
export function structured(args: Arguments, name: string, error: string): Json | undefined {
  const value = args[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new SlackRefusal(error);
  }
}

/** A list of objects; throws `error` when it is anything else. */
export function objectList(args: Arguments, name: string, error: string): JsonObject[] | undefined {
  const value = structured(args, name, error);
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every(isJsonObject)) throw new SlackRefusal(error);
  return value;
}
