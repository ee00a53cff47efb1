import { isoDate, localNow, type Moment, parseWhen, type When } from './when.ts';

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
  | { readonly kind: 'list'; readonly period: Period }
  | { readonly kind: 'move'; readonly title: string; readonly on: When; readonly to: When }
  | { readonly kind: 'cancel'; readonly title: string; readonly on: When }
  | { readonly kind: 'write_file'; readonly path: string; readonly content: string }
  | { readonly kind: 'read_file'; readonly path: string }
  | { readonly kind: 'list_files' }
  | { readonly kind: 'other' };

const POLITE = /^(?:(?:please|can you|could you|would you|hi|hello|hey|ok|okay)\b[,!]?\s*)+/i;
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
  /\b(?:what|what's|which|show|list|do i have|am i free)\b.*\b(?:calendar|events?|meetings?|schedule|agenda|appointments?|free)\b/i;
const CANCEL = /^(?:delete|cancel|remove)\s+(.+)$/i;
const MOVE = /^(?:move|reschedule|shift|postpone|push)\s+(.+?)\s+(?:to|until|till|by)\s+(.+)$/i;
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
  const text = message
    .replace(/<[@#!][^>]*>/g, ' ')
    .trim()
    .replace(POLITE, '')
    .trim();
  const write = WRITE_FILE.exec(text);
  if (write?.[1] && write[2]) return { kind: 'write_file', content: unquote(write[1]), path: write[2] };
  const read = READ_FILE.exec(text);
  if (read?.[1]) return { kind: 'read_file', path: read[1] };
  if (LIST_FILES.test(text)) return { kind: 'list_files' };
  const move = MOVE.exec(text);
  if (move?.[1] && move[2]) {
    const on = parseWhen(move[1], moment);
    const to = parseWhen(move[2].replace(/^(\d{1,2})$/, 'at $1'), moment);
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
  if (LIST_EVENTS.test(text)) return { kind: 'list', period: parsePeriod(text, moment) };
  return { kind: 'other' };
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
  if (/^(?:with|about|for|on)\s+\S/i.test(words)) return `Meeting ${words}`;
  return /^(?:with|about|for|on)?$/i.test(words) ? null : capitalised(words);
}

function parsePeriod(text: string, moment: Moment): Period {
  const now = localNow(moment);
  const [day] = parseWhen(text, moment).days;
  if (/\bnext week\b/i.test(text)) {
    const monday = now.startOf('week').plus({ weeks: 1 });
    return { from: isoDate(monday), to: isoDate(monday.endOf('week')), words: 'next week' };
  }
  if (/\bweek\b/i.test(text)) {
    return { from: isoDate(now), to: isoDate(now.endOf('week')), words: 'this week' };
  }
  if (day === undefined) {
    return { from: isoDate(now), to: isoDate(now.plus({ days: 6 })), words: 'in the next seven days' };
  }
  if (day === isoDate(now)) return { from: day, to: day, words: 'today' };
  if (day === isoDate(now.plus({ days: 1 }))) return { from: day, to: day, words: 'tomorrow' };
  return { from: day, to: day, words: `on ${day}` };
}

function eventName(text: string): string {
  return text
    .replace(/^(?:the|my|a)\s+/i, '')
    .replace(/["“”]/g, '')
    .replace(/\s+(?:meeting|event|appointment)$/i, '')
    .replace(/[\s,.!?]+$/, '')
    .trim();
}

function unquote(text: string): string {
  return text.replace(/^["'“`](.*)["'”`]$/s, '$1');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
