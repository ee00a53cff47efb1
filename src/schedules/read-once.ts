import { findSpokenTimes, isoDate, localNow, type Moment } from '../lib/text/spoken-times.ts';
import { MEANT_AS_TIME, type Reading, toRest, USUAL_TIME } from './read-recurring.ts';
import { toInstant } from './times.ts';

const MINUTE_MS = 60_000;
const RELATIVE = /\bin\s+(\d{1,5}|an?|half\s+an)\s+(min(?:ute)?s?|h(?:ou)?rs?)\b(?:\s+from\s+now\b)?/i;
/** What may stand before a time that is said first. */
const BEFORE = /^(?:(?:on|at|by)\s+)?$/i;
/** The same, at the end of what stands before a time that is said last. */
const BEFORE_LAST = /,?\s*\b(?:on|at|by)\s*$|,\s*$/i;

/** When parts of a day are meant to be. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/afternoon/i, '14:00'],
  [/evening/i, '18:00'],
  [/night/i, '20:00'],
];

/** A time in words: where it stands, and the instant, in milliseconds since the epoch. */
interface Found {
  readonly index: number;
  readonly length: number;
  readonly at: number;
}

/**
 * Reads a single time that words begin with, "tomorrow 9:00 to send it", or end with, "to send it in 20 minutes". Without a
 * day, it's the next time that clocks show that; without a time, 9:00.
 */
export function readOnce(words: string, moment: Moment): Reading {
  const times = [...findRelative(words, moment), ...findSpoken(words, moment)];
  const first = times.find(({ index }) => BEFORE.test(words.slice(0, index)));
  const last = times.find(({ index, length }) => /^[.!\s]*$/.test(words.slice(index + length)));
  const found = first ?? last;
  if (!found) return { problem: 'no_time' };
  const behind = words.slice(found.index + found.length);
  if (MEANT_AS_TIME.test(behind)) return { problem: 'bad_time' };
  if (found.at <= moment.now) return { problem: 'past' };
  const rest = found === first ? toRest(behind) : words.slice(0, found.index).replace(BEFORE_LAST, '').trim();
  return { when: { kind: 'once', at: found.at }, rest };
}

/** "In 20 minutes" is so many from now, whatever the clocks do. */
function findRelative(words: string, { now }: Moment): readonly Found[] {
  const found = RELATIVE.exec(words);
  if (!found) return [];
  const [said, amount = '', unit = ''] = found;
  const count = /^half/i.test(amount) ? 0.5 : /^an?$/i.test(amount) ? 1 : Number(amount);
  const minutes = count * (/^h/i.test(unit) ? 60 : 1);
  return [{ index: found.index, length: said.length, at: now + minutes * MINUTE_MS }];
}

function findSpoken(words: string, moment: Moment): readonly Found[] {
  return findSpokenTimes(words, moment).map(({ index, text, day, time }) => {
    const part = PARTS.find(([name]) => name.test(text))?.[1] ?? USUAL_TIME;
    const on = (date: string) => toInstant(`${date}T${time ?? part}`, moment.timeZone);
    const today = on(isoDate(localNow(moment)));
    const next = today > moment.now ? today : on(isoDate(localNow(moment).plus({ days: 1 })));
    return { index, length: text.length, at: day === null ? next : on(day) };
  });
}
