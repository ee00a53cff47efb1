import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { FOREIGN_AGENT } from './texts.ts';

/** The longest answer, as JSON in characters: a call's record holds it whole, beside what else it says. */
const MOST_CHARACTERS = 15_000;
/** Each member of a list or object takes two characters at least, so more of them never fit. */
const MOST_MEMBERS = MOST_CHARACTERS / 2;
/** The longest text in an answer that is too long, in characters, for the first attempt to make it fit. */
const LONGEST_TEXT = 4_000;
const SHORTEST_TEXT = 60;
/** How many characters of a text one element of a list stands for. */
const PER_ELEMENT = 30;

/** How many members may still be kept. */
interface Room {
  members: number;
}

/**
 * The answer with its longest texts and lists cut as far as it takes, each with a mark; whole where it fits. Null if it
 * would have to be cut to nothing, or its objects have too many members, which aren't cut.
 */
export function fitAnswer(answer: JsonObject): JsonObject | null {
  if (isShort(answer)) return answer;
  if (cut(answer, SHORTEST_TEXT) === null) return null;
  for (let longest = LONGEST_TEXT; longest >= SHORTEST_TEXT; longest /= 2) {
    const fitted = cut(answer, longest);
    if (fitted !== null && isShort(fitted)) return fitted;
  }
  return null;
}

/** Null where too many members are left. */
function cut(answer: JsonObject, longest: number): JsonObject | null {
  const room: Room = { members: MOST_MEMBERS };
  const fitted = shortenMembers(answer, longest, room);
  return room.members < 0 ? null : fitted;
}

function isShort(answer: JsonObject): boolean {
  return JSON.stringify(answer).length <= MOST_CHARACTERS;
}

/** Stops where there's no room left: an answer may have tens of thousands of members. */
function shortenMembers(value: JsonObject, longest: number, room: Room): JsonObject {
  const keys = Object.keys(value);
  room.members -= keys.length;
  if (room.members < 0) return {};
  return Object.fromEntries(keys.map((key) => [key, shorten(value[key] ?? null, longest, room)]));
}

function shorten(value: Json, longest: number, room: Room): Json {
  if (typeof value === 'string') {
    return value.length <= longest ? value : `${value.slice(0, longest).toWellFormed()}${FOREIGN_AGENT.cut}`;
  }
  if (Array.isArray(value)) {
    const most = Math.ceil(longest / PER_ELEMENT);
    room.members -= Math.min(value.length, most);
    if (room.members < 0) return [];
    const kept = value.slice(0, most).map((element) => shorten(element, longest, room));
    return kept.length === value.length ? kept : [...kept, FOREIGN_AGENT.cut];
  }
  return isJsonObject(value) ? shortenMembers(value, longest, room) : value;
}
