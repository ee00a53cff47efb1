import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { FOREIGN_AGENT } from './texts.ts';

/** The longest answer, as JSON in characters: a call's record holds it whole, beside what else it says. */
const MOST_CHARACTERS = 15_000;
/** The longest text in an answer that is too long, in characters, for the first attempt to make it fit. */
const LONGEST_TEXT = 4_000;
const SHORTEST_TEXT = 60;
/** How many characters of a text one element of a list stands for. */
const PER_ELEMENT = 30;

/**
 * The answer with its longest texts and lists cut as far as it takes, each with a mark; whole where it fits. Null if it
 * would have to be cut to nothing.
 */
export function fitAnswer(answer: JsonObject): JsonObject | null {
  let fitted: JsonObject = answer;
  for (let longest = LONGEST_TEXT; JSON.stringify(fitted).length > MOST_CHARACTERS; longest /= 2) {
    if (longest < SHORTEST_TEXT) return null;
    fitted = shortenMembers(answer, longest);
  }
  return fitted;
}

function shortenMembers(value: JsonObject, longest: number): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member, longest)]));
}

function shorten(value: Json, longest: number): Json {
  if (typeof value === 'string') {
    return value.length <= longest ? value : `${value.slice(0, longest).toWellFormed()}${FOREIGN_AGENT.cut}`;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, Math.ceil(longest / PER_ELEMENT)).map((element) => shorten(element, longest));
    return kept.length === value.length ? kept : [...kept, FOREIGN_AGENT.cut];
  }
  return isJsonObject(value) ? shortenMembers(value, longest) : value;
}
