import { FUNCTION_OF_PROGRAM, type ToolSnapshot } from '../gate/types.ts';
import { isTooDeep, type Json, type JsonObject } from '../lib/json.ts';

/** The argument that has the arguments of a program's function, as one text. */
const SUMMARY = 'summary';
/** The longest text that is read, in characters. */
const MOST_READ = 200_000;
/** A text; or what says nothing: blanks, and the end of a number such as `120.0`. */
const TEXT_OR_NOTHING = /("(?:[^"\\]|\\.)*")|\s+|(?<=\d)\.0+(?![\deE])/g;

/**
 * The arguments of a program's function as a list or an object, where this argument of the call is their summary; null where
 * it is no JSON, or JSON that says something else than it shows, such as a member twice or a number that loses digits.
 */
export function readSummary(
  { server }: Pick<ToolSnapshot, 'server'>,
  args: JsonObject,
  name: string = SUMMARY,
): Json[] | JsonObject | null {
  const text = Object.hasOwn(args, name) ? args[name] : null;
  if (server !== FUNCTION_OF_PROGRAM.server || name !== SUMMARY || typeof text !== 'string') return null;
  if (text.length > MOST_READ || !/^\s*[[{]/.test(text)) return null;
  try {
    const read: Json = JSON.parse(text);
    const again = text.replace(TEXT_OR_NOTHING, (_all, quoted?: string) =>
      quoted === undefined ? '' : JSON.stringify(JSON.parse(quoted)),
    );
    const isShown = typeof read === 'object' && !isTooDeep(read) && JSON.stringify(read) === again;
    return isShown ? read : null;
  } catch {
    return null;
  }
}

/** The arguments by their names, or by their numbers; those of a function that takes one object, as its members. */
export function summaryMembers(tool: Pick<ToolSnapshot, 'server'>, args: JsonObject): JsonObject | null {
  const read = readSummary(tool, args);
  const only = Array.isArray(read) && read.length === 1 ? (read[0] ?? null) : read;
  if (only === null || typeof only !== 'object') return Array.isArray(read) ? numbered(read) : null;
  return Array.isArray(only) ? numbered(only) : only;
}

function numbered(items: readonly Json[]): JsonObject {
  return Object.fromEntries(items.map((item, index) => [String(index + 1), item]));
}
