import type { OfferedTrigger, Schedule } from './ports.ts';
import { type Reading, readRecurring, type Unread } from './read-recurring.ts';
import { readTrigger } from './read-trigger.ts';

/** What somebody asks to have at a time. */
type ReadSchedule =
  | (Pick<Schedule, 'kind' | 'when' | 'text'> & { readonly problem?: never })
  | { readonly problem: Unread };

/** The instant at which words are read, and the zone that their times are meant in. */
interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** IANA name. */
  readonly timeZone: string;
}

/** A person, as they may be called, and what follows; no word that a time or a task begins with. */
const SOMEBODY =
  /^(?!(?:to|that|about|every|in|at|on|by|next|this)\b)(@[^()]+\(U\w+\)|the\s+\p{L}+|@?[\p{L}'’-]+)\s+(.*)$/isu;

/** Reads what follows `every`: "monday 9:00 summarise open pull requests". */
export function readEvery(words: string, { now }: Moment): ReadSchedule {
  return toRead('run', readRecurring(words.trim(), now), (rest) => rest);
}

/** Reads what follows `once`: "tomorrow 9:00 summarise open pull requests". */
export async function readOnce(words: string, moment: Moment): Promise<ReadSchedule> {
  return toRead('run', await readSingle(words.trim(), moment), (rest) => rest);
}

/** Reads what follows `when`: "an issue is opened in ana/garden: summarise it". */
export function readWhen(words: string, offered: readonly OfferedTrigger[]): ReadSchedule {
  return toRead('run', readTrigger(words.trim(), offered), (rest) => rest);
}

/** Reads what follows `remind`: "me tomorrow 9:00 to send the report", "me to stretch every weekday at 11:00". */
export async function readReminder(words: string, moment: Moment): Promise<ReadSchedule> {
  const meant = words.trim().replace(/^me\b\s*/i, '');
  if (meant === words.trim() && (await isOfSomebody(meant, moment))) return { problem: 'not_you' };
  const begins = /^every\s+/i.exec(meant);
  if (begins) return toRead('reminder', readRecurring(meant.slice(begins[0].length), moment.now), withoutTo);
  const [said, what = '', recurring = ''] = /^(to\s.*)\bevery\s+(.*)$/is.exec(meant) ?? [];
  const ends = said === undefined ? null : readRecurring(recurring, moment.now);
  // What follows must be a time, and nothing else.
  if (ends && 'when' in ends && ends.rest === '') {
    return toRead('reminder', { ...ends, rest: what.trim() }, withoutTo);
  }
  return toRead('reminder', await readSingle(meant, moment), withoutTo);
}

/** Whether words begin with who is to be reminded, and go on with what of, or with when. */
async function isOfSomebody(words: string, moment: Moment): Promise<boolean> {
  const [, who, rest] = SOMEBODY.exec(words) ?? [];
  if (who === undefined || rest === undefined || !(await hasNoTime(who, moment))) return false;
  if (/^(?:to|that|about|every)\b/i.test(rest)) return true;
  return (await hasNoTime(words, moment)) && !(await hasNoTime(rest, moment));
}

async function hasNoTime(words: string, moment: Moment): Promise<boolean> {
  const reading = await readSingle(words, moment);
  return 'problem' in reading && reading.problem === 'no_time';
}

/** Loaded when it's needed: what knows so many ways to say a day takes long to start. */
async function readSingle(words: string, moment: Moment): Promise<Reading> {
  const { readOnce: read } = await import('./read-once.ts');
  return read(words, moment);
}

function toRead(kind: Schedule['kind'], reading: Reading, toText: (rest: string) => string): ReadSchedule {
  if ('problem' in reading) return reading;
  const text = toText(reading.rest);
  return text === '' ? { problem: 'nothing' } : { kind, when: reading.when, text };
}

function withoutTo(rest: string): string {
  return rest.replace(/^(?:to|that|about)\b\s*/i, '').trim();
}
