import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { dateTimeParts } from '../text/time.ts';

/** Names for Slack ids, looked up beforehand; null for an unknown one. */
export interface Names {
  user(id: string): string | null;
  channel(id: string): string | null;
  /** The IANA zone of somebody, by their Slack id or e-mail address; null where it isn't known. */
  zoneOf(person: string): string | null;
  /** IANA zone of the requester, in which absolute times are shown. */
  readonly timeZone: string;
}

// Real ids contain digits; without this, words like USD or URGENT would be looked up as people.
const USER_ID = /^[UW](?=[A-Z0-9]*\d)[A-Z0-9]+$/;
const CHANNEL_ID = /^[CDG](?=[A-Z0-9]*\d)[A-Z0-9]+$/;
const EMAIL = /^[^\s@,;<>]{1,64}@[^\s@,;<>]{1,190}$/;

/**
 * The Slack ids anywhere in the arguments, to look up names before a card is built; and of those with a time, the e-mail addresses,
 * as whoever has one may have another clock.
 */
export function findIds(args: JsonObject): { users: string[]; channels: string[]; emails: string[] } {
  const strings = [...new Set(stringsIn(args))];
  const hasTime = strings.some((value) => dateTimeParts(value) !== null);
  return {
    users: strings.filter((value) => USER_ID.test(value)),
    channels: strings.filter((value) => CHANNEL_ID.test(value)),
    emails: hasTime ? strings.filter((value) => EMAIL.test(value)) : [],
  };
}

/** Those whom the arguments name by their Slack ids or e-mail addresses, each once. */
export function findPeople(args: JsonObject): readonly string[] {
  return [...new Set(stringsIn(args))].filter((value) => USER_ID.test(value) || EMAIL.test(value));
}

function stringsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** A known id with its name: "bob (U2)", "#general (C1)"; null for anything else. */
export function namedId(value: string, resolve: Pick<Names, 'user' | 'channel'>): string | null {
  const name = findName(value, resolve);
  return name === null ? null : `${name} (${value})`;
}

/** Somebody's or a channel's name, by its id or their e-mail address; null where it isn't known. */
export function findName(id: string, resolve: Pick<Names, 'user' | 'channel'>): string | null {
  const user = USER_ID.test(id) || EMAIL.test(id) ? resolve.user(id) : null;
  if (user !== null) return plainName(user);
  const channel = CHANNEL_ID.test(id) ? resolve.channel(id) : null;
  return channel === null ? null : plainName(`#${channel.replace(/^#/, '')}`);
}

/** A name as it is, or in quotes where it could pass for more than one name, as people choose their own. */
function plainName(name: string): string {
  return LIST_TEXT.test(name) ? name : JSON.stringify(name);
}

/** A text that is one item of a list to everybody's eyes. */
export const LIST_TEXT = /^(?! )(?!.* {2})[^,"“”()[\]{}⇥⏎␍␠\p{Cc}]+(?<! )$/u;
