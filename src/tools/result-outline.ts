import { isJsonObject } from '../lib/json.ts';
import { listOutline, objectOutline, sized, textOutline } from './texts.ts';

/** Longest text that is parsed as JSON, in characters. */
const MOST_READ = 10_000_000;

/** A one-line summary of a long text: the shape of JSON, or else the number of lines, and the length. */
export function outlineText(text: string): string {
  return sized(outline(text), text.length);
}

function outline(text: string): string {
  const value = text.length <= MOST_READ && /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (Array.isArray(value)) {
    const [first] = value;
    return listOutline(value.length, isJsonObject(first) ? Object.keys(first) : null);
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([key, member]) => ({
      key,
      length: Array.isArray(member) ? member.length : null,
    }));
    return objectOutline(members);
  }
  return textOutline(text.split('\n').length);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
