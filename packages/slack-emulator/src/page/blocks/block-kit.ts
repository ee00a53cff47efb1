/**
 * Reading Block Kit JSON that an app sent: every reader answers something usable for whatever it is
 * given, because one malformed block must not take the whole page down.
 */

import { isJsonObject, type Json, type JsonObject } from '../../json.ts';

/** The object, or an empty one. */
export function readObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list; anything that is not an object is left out. */
export function readObjects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** The string, or an empty one. */
export function readString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The number, or null; Slack takes numbers such as `min_value` as strings too. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : null;
}

/** The text of a text object, as written (mrkdwn is not interpreted). */
export function readText(value: unknown): string {
  return readString(readObject(value).text);
}

/** Every option of a select, with those of its option groups. */
export function readOptions(element: JsonObject): JsonObject[] {
  const grouped = readObjects(element.option_groups).flatMap((group) => readObjects(group.options));
  return [...readObjects(element.options), ...grouped];
}

/** The strings of a list; anything else is left out. */
export function readStrings(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Only what a browser may open from a message: web and mail addresses; null for anything else. */
export function safeUrl(value: unknown): string | null {
  const text = readString(value);
  if (!URL.canParse(text)) return null;
  return ['http:', 'https:', 'mailto:'].includes(new URL(text).protocol) ? text : null;
}
