import { isJsonObject } from '../lib/json.ts';

/** Most keys that an outline names. */
const MOST_KEYS = 12;
/** Longest text that is parsed as JSON, in characters. */
const MOST_READ = 10_000_000;

/** A one-line summary of a long text: the shape of JSON, or else the number of lines, and the length. */
export function outlineText(text: string): string {
  const size = `${text.length.toLocaleString('en')} characters`;
  const value = text.length <= MOST_READ && /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (Array.isArray(value)) {
    const [first] = value;
    const of = isJsonObject(first) ? `, each with ${names(Object.keys(first))}` : '';
    return `JSON, a list of ${value.length.toLocaleString('en')}${of}; ${size}`;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) =>
      Array.isArray(member) ? `${key} (a list of ${member.length.toLocaleString('en')})` : key,
    );
    return `JSON with ${names(members)}; ${size}`;
  }
  return `text of ${text.split('\n').length.toLocaleString('en')} lines; ${size}`;
}

function names(keys: readonly string[]): string {
  const more = keys.length - MOST_KEYS;
  const shown = keys.slice(0, MOST_KEYS).map((key) => key.slice(0, 60));
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
