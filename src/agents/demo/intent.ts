import { DateTime } from 'luxon';
import { isoDate, localNow, type Moment } from '../../lib/text/spoken-times.ts';
import {
  type DocumentIntent,
  parseAnyQuestion,
  parseDocumentWords,
  parseNamedDocuments,
  withoutFiles,
} from './documents/intent.ts';
import { meeting, PERIOD } from './texts.ts';
import { findImpossibleTime, parseWhen, type When } from './when.ts';
import { type Command, findCommand, findSubject } from './without-tool.ts';
import { capitalised, correctSpelling, isForeign, withoutEmoji } from './wording.ts';

/** An event as far as the text gives it; null is what must still be asked. */
export interface Draft {
  readonly title: string | null;
  readonly day: string | null;
  readonly time: string | null;
  readonly durationMinutes: number | null;
  readonly attendees: readonly string[];
}

/** The days to list: ISO dates, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly words: string;
}

export type Intent =
  | { readonly kind: 'create'; readonly drafts: readonly Draft[] }
  | { readonly kind: 'list'; readonly period: Period; readonly isSummary: boolean }
  | { readonly kind: 'free'; readonly period: Period; readonly time: string | null }
  | { readonly kind: 'move'; readonly title: string; readonly on: When; readonly to: When }
  | { readonly kind: 'cancel'; readonly title: string; readonly on: When }
  | { readonly kind: 'write_file'; readonly path: string; readonly content: string }
  | { readonly kind: 'read_file'; readonly path: string }
  | { readonly kind: 'list_files' }
  | { readonly kind: 'take_back' }
  | { readonly kind: 'no_such_time'; readonly time: string }
  | { readonly kind: 'small_talk'; readonly about: 'thanks' | 'greeting' | 'language' }
  /** Something that needs a tool which this model doesn't know, by what it's for. */
  | {
      readonly kind: 'no_tool';
      readonly subject: string;
      /** As for `other`. */
      readonly question: DocumentIntent | null;
    }
  /** Something that a command does: `/countersign remind me …`. */
  | ({ readonly kind: 'command' } & Command)
  | DocumentIntent
  | {
      readonly kind: 'other';
      /** What documents may answer of it; null where it's no question. */
      readonly question: DocumentIntent | null;
    };

const POLITE =
  /^(?:(?:please|can you|could you|would you|can we|could we|i(?:'d| would) like (?:you )?to|i (?:want|need) (?:you )?to|let's|hi|hello|hey|ok|okay)\b[,!]?\s*)+/i;
const THANKS =
  /^(?:(?:great|perfect|super|cool|nice|good|ok|okay|many)[,!]?\s+)?(?:thanks|thank you|thx|ty|cheers)\b[^?]{0,30}$|^(?:great|perfect|super|cool|nice|well done|good job)[.!]*$/i;
const GREETING = /^(?:hi|hello|hey|good (?:morning|afternoon|evening))\b[^?]{0,20}$/i;
const TAKE_BACK =
  /^(?:cancel|undo|delete|remove|scrap|revert|forget)(?: (?:that|it|this))?(?: (?:one|again|please))*[.!]*$|^(?:never ?mind|take (?:that|it) back)\b[^?]{0,20}$/i;
const PATH = String.raw`["'“\`]?([\w./-]*\w\.\w{1,8})["'”\`]?`;
const WRITE_FILE = new RegExp(
  String.raw`^(?:write|save|put)\s+(.+?)\s+(?:to|in|into)\s+(?:the\s+)?(?:file\s+)?${PATH}[.!]?$`,
  'is',
);
const READ_FILE = new RegExp(
  String.raw`^(?:read|show|open|print|what is in|what's in)\s+(?:me\s+)?(?:the\s+)?(?:file\s+)?${PATH}[.!?]?$`,
  'i',
);
const LIST_FILES = /^(?:list|show|what|which)\b.*\bfiles\b/i;
const LIST_EVENTS =
  /\b(?:what|what's|what’s|which|show|list|any|anything|do i have|have i got|tell me)\b.*\b(?:calendar|events?|meetings?|schedule|agenda|appointments?)\b/i;
/** "what do I have tomorrow", "what's on today": no word for a calendar, but a day. */
const ASKS_OF_A_DAY =
  /^(?:so )?(?:what do i have|what have i got|what am i doing|what(?:'s| is|’s) (?:on|up|planned|happening|next)|do i have (?:anything|something|much)|have i got anything|anything|how (?:does|do|is|are|busy)|my (?:day|week)|am i busy|when is my next)\b/i;
const SUMMARY = /\b(?:summari[sz]e|summary|sum up|recap|overview|how (?:does|is|busy))\b/i;
const FREE = /\b(?:free|available|availability|free time|free slot)\b/i;
const CANCEL = /^(?:delete|cancel|remove|drop|call off|get rid of)\s+(.+)$/i;
const MOVE_VERB = '(?:move|reschedule|shift|postpone|push(?: back)?|change)';
const MOVE = new RegExp(String.raw`^${MOVE_VERB}\s+(.+?)\s+(?:to|until|till|by|from .+ to)\s+(.+)$`, 'i');
/** Which one, and where to, is asked for. */
const MOVE_SOMEWHERE = /^(?:move|reschedule|shift|postpone|push(?: back)?)\s+(.+)$/i;
const EVENT_NOUN = '(?:meetings?|events?|appointments?|calls?)';
const EVENT_WORD = new RegExp(String.raw`\b(?:${EVENT_NOUN}|calendar)\b`, 'i');
const VERB = String.raw`(?:create|add|schedule|book|set ?up|plan|arrange|put|make(?! it\b)|new)`;
const ARTICLE = String.raw`(?:an?|the|\d+|two|three|four|some)`;
const LEAD_IN = new RegExp(
  String.raw`^(?:${VERB}\s+(?:${ARTICLE}\s+)?|${ARTICLE}\s+)(?:new\s+)?(?:${EVENT_NOUN}\b\s*)?`,
  'i',
);
const CREATE = new RegExp(String.raw`^${VERB}\b`, 'i');
const NAMED = /^(?:called|named|titled)\s+/i;
const EMAIL = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** The intent of a message, as far as this model understands it; mentions are ignored. */
export function parseIntent(message: string, moment: Moment): Intent {
  const { words, came } = withoutFiles(message);
  const said = words.replace(/<[@#!][^>]*>/g, ' ').trim();
  const whole = withoutEmoji(withoutPlan(said));
  const isEmoji = whole === '' && said !== '';
  if (isEmoji || THANKS.test(whole)) return { kind: 'small_talk', about: 'thanks' };
  if (GREETING.test(whole)) return { kind: 'small_talk', about: 'greeting' };
  const asked = whole.replace(POLITE, '').trim();
  const text = correctSpelling(asked);
  if (TAKE_BACK.test(text)) return { kind: 'take_back' };
  const command = findCommand(asked);
  if (command !== null) return { kind: 'command', ...command };
  const file = parseFileIntent(text);
  if (file !== null) return file;
  const time = findImpossibleTime(text);
  if (time !== null) return { kind: 'no_such_time', time };
  return (
    parseChange(text, moment) ??
    parseNamedDocuments(asked, came) ??
    parseQuestion(text, moment) ??
    parseDocumentWords(asked) ??
    parseUnknown(whole, asked)
  );
}

/** The text without the word that asks for a plan. */
export function withoutPlan(text: string): string {
  return text.replace(/^\s*plan:\s*/i, '');
}

function parseUnknown(text: string, asked: string): Intent {
  if (isForeign(text)) return { kind: 'small_talk', about: 'language' };
  const subject = findSubject(text);
  const question = parseAnyQuestion(asked);
  return subject === null ? { kind: 'other', question } : { kind: 'no_tool', subject, question };
}

function parseFileIntent(text: string): Intent | null {
  const write = WRITE_FILE.exec(text);
  if (write?.[1] && write[2]) return { kind: 'write_file', content: unquote(write[1]), path: write[2] };
  const read = READ_FILE.exec(text);
  if (read?.[1]) return { kind: 'read_file', path: read[1] };
  return LIST_FILES.test(text) ? { kind: 'list_files' } : null;
}

function parseChange(text: string, moment: Moment): Intent | null {
  const move = MOVE.exec(text);
  if (move?.[1] && move[2]) {
    const on = parseWhen(move[1], moment);
    return { kind: 'move', title: eventName(on.rest), on, to: parseTarget(move[2], moment) };
  }
  const somewhere = MOVE_SOMEWHERE.exec(text);
  if (somewhere?.[1]) {
    const on = parseWhen(somewhere[1], moment);
    const to = on.shiftMinutes === null ? parseWhen('', moment) : { ...on, days: [], times: [] };
    return { kind: 'move', title: eventName(on.rest), on, to };
  }
  const cancel = CANCEL.exec(text);
  if (cancel?.[1]) {
    const on = parseWhen(cancel[1], moment);
    return { kind: 'cancel', title: eventName(on.rest), on };
  }
  if (CREATE.test(text) && (EVENT_WORD.test(text) || parseWhen(text, moment).times.length > 0)) {
    return { kind: 'create', drafts: parseDrafts(text, moment) };
  }
  return null;
}

/** Where an event is moved to; a bare number is an hour. */
export function parseTarget(text: string, moment: Moment): When {
  return parseWhen(text.replace(/^(\d{1,2})[.!]?$/, 'at $1'), moment);
}

function parseQuestion(text: string, moment: Moment): Intent | null {
  const when = parseWhen(
    text.replace(/\bat (\d{1,2})(?=\s*[?.!]?$)/, (_, hour) => `at ${afternoon(hour)}`),
    moment,
  );
  if (FREE.test(text))
    return { kind: 'free', period: parsePeriod(text, moment, 'today'), time: when.times[0] ?? null };
  const isSummary = SUMMARY.test(text);
  const names = /\b(?:days?|weeks?|today|tomorrow)\b/i.test(text) || when.days.length > 0;
  if (
    LIST_EVENTS.test(text) ||
    ((isSummary || ASKS_OF_A_DAY.test(text)) && names) ||
    /^what(?:'s|’s| is) next\b/i.test(text)
  ) {
    return { kind: 'list', period: parsePeriod(text, moment, 'week'), isSummary };
  }
  return null;
}

/** People who ask who is free "at 3" mean the afternoon. */
function afternoon(hour: string): string {
  const number = Number(hour);
  return number >= 1 && number <= 6 ? `${number}pm` : `${number}:00`;
}

/** The event that a text describes, such as "Lunch with Bob at 12pm". */
export function parseDraft(text: string, moment: Moment): Draft {
  const when = parseWhen(text, moment);
  return {
    title: draftTitle(when.rest),
    day: when.days[0] ?? null,
    time: when.times[0] ?? null,
    durationMinutes: when.durationMinutes,
    attendees: text.match(EMAIL) ?? [],
  };
}

function parseDrafts(text: string, moment: Moment): Draft[] {
  const list = new RegExp(String.raw`^[^:"“]*\b${EVENT_NOUN}\b[^:"“]*?(?<!\d):\s*(.+)$`, 'is').exec(text);
  const body = list?.[1] ?? text;
  const drafts = splitEvents(body, moment).map((part) => parseDraft(part, moment));
  // "create 2 events tomorrow: …" and "A at 9 and B at 10 tomorrow" give one day for all.
  const days = new Set(parseWhen(text, moment).days);
  const [onlyDay] = days.size === 1 ? days : [];
  return drafts.map((draft) => ({ ...draft, day: draft.day ?? onlyDay ?? null }));
}

/** Splits at "and", commas and line breaks, but only where both sides have their own time. */
function splitEvents(body: string, moment: Moment): string[] {
  const parts = body.split(/(\s*(?:,\s*and\b|[,;\n]|\band\b)\s*)/i);
  const events: string[] = [];
  let current = '';
  for (let index = 0; index < parts.length; index += 2) {
    const part = parts[index] ?? '';
    const joiner = parts[index - 1] ?? '';
    const hasTime = (text: string) => parseWhen(text, moment).times.length > 0;
    const later = parts.slice(index).filter((_, offset) => offset % 2 === 0);
    if (current !== '' && hasTime(current) && later.some(hasTime)) {
      events.push(current);
      current = part;
    } else {
      current = current === '' ? part : `${current}${joiner}${part}`;
    }
  }
  return [...events, current].map((event) => event.trim()).filter((event) => event !== '');
}

function draftTitle(rest: string): string | null {
  const quoted = /["“]([^"”]+)["”]/.exec(rest);
  if (quoted?.[1]) return quoted[1].trim();
  const words = rest
    .replace(EMAIL, '')
    .replace(LEAD_IN, '')
    .replace(/\b(?:in|to|on|into) (?:my |the )?calendar\b/i, '')
    .replace(/\s+(?:with|and|for)\s*[,.;]*$/i, '')
    .replace(/[\s,.;:!?]+$/, '')
    .trim();
  if (NAMED.test(words)) return words.replace(NAMED, '').trim() || null;
  if (/^(?:with|about|for|on)\s+\S/i.test(words)) return meeting(words);
  return /^(?:with|about|for|on)?$/i.test(words) ? null : capitalised(words);
}

/** The days that a text names; `otherwise` if it names none. */
function parsePeriod(text: string, moment: Moment, otherwise: 'today' | 'week'): Period {
  const now = localNow(moment);
  const [day] = parseWhen(text, moment).days;
  if (/\bnext week\b/i.test(text)) {
    const monday = now.startOf('week').plus({ weeks: 1 });
    return { from: isoDate(monday), to: isoDate(monday.endOf('week')), words: PERIOD.nextWeek };
  }
  if (/\bweek\b/i.test(text)) {
    return { from: isoDate(now), to: isoDate(now.endOf('week')), words: PERIOD.thisWeek };
  }
  const today = isoDate(now);
  if (
    day === today ||
    (day === undefined && (otherwise === 'today' || /\b(?:my|the|your) day\b/i.test(text)))
  ) {
    return { from: today, to: today, words: PERIOD.today };
  }
  if (day === undefined) {
    return { from: today, to: isoDate(now.plus({ days: 6 })), words: PERIOD.sevenDays };
  }
  if (day === isoDate(now.plus({ days: 1 }))) return { from: day, to: day, words: PERIOD.tomorrow };
  return { from: day, to: day, words: PERIOD.on(DateTime.fromISO(day).toFormat('ccc d LLL')) };
}

/** What an event is called; empty where only "my meeting" is said. */
function eventName(text: string): string {
  return text
    .replace(/["“”]/g, '')
    .replace(/[\s,.!?]+$/, '')
    .replace(/^(?:the|my|our|a|an|one of my|that|this)\s+/i, '')
    .replace(/(?:^|\s+)(?:meetings?|events?|appointments?|something|one)$/i, '')
    .trim();
}

function unquote(text: string): string {
  return text.replace(/^["'“`](.*)["'”`]$/s, '$1');
}
