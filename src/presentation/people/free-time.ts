import { z } from 'zod';
import type { CallRecord } from '../../gate/types.ts';
import { readMoment, readSpan, type TimeSpan } from '../../lib/text/time-span.ts';
import { answersLookUp } from '../look-up.ts';
import { clip, oneLine, quoteText } from '../text/clip.ts';
import { formatSpan } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { FREE_TIME } from '../texts.ts';
import type { ValueContext } from '../values.ts';

/** How many events are named that a meeting overlaps with, and the longest title of one, in characters. */
const MOST_NAMED = 3;
const TITLE_LENGTH = 60;

/** What calendars say of an event, as far as this reads it: its own moments, or local ones with their zone. */
const eventSchema = z
  .object({
    title: z.string().optional(),
    summary: z.string().optional(),
    start: z.string(),
    end: z.string().optional(),
    starts_at: z.string().optional(),
    ends_at: z.string().optional(),
    time_zone: z.string().nullish(),
    busy: z.boolean().default(true),
  })
  .transform(({ title, summary, time_zone: zone = null, ...given }) => ({
    title: title ?? summary ?? '',
    isBusy: given.busy,
    isWholeDays: /^\d{4}-\d{2}-\d{2}$/.test(given.start),
    from: readMoment(given.starts_at ?? given.start, zone),
    to: readMoment(given.ends_at ?? given.end ?? '', zone),
  }));
const answerSchema = z.object({ events: z.array(eventSchema), next_page: z.string().nullish() });
type Event = z.output<typeof eventSchema>;

/** Whether the person that a call is for is free while what it adds is. */
export interface FreeTime {
  readonly kind: 'free' | 'busy' | 'unknown';
  readonly words: string;
  /** When their calendar was read, in milliseconds since the epoch; null where it wasn't. */
  readonly readAt: number | null;
}

/**
 * Whether the requester of a call is free then, by what was read of their calendar before anybody was asked. It's unknown where
 * that failed, wasn't allowed, or was for other times. Null for a call whose card doesn't look it up.
 */
export function readFreeTime(
  { tool, arguments: given }: Pick<CallRecord, 'tool' | 'arguments'>,
  read: CallRecord | null,
  resolve: Pick<ValueContext, 'timeZone' | 'asOf'>,
): FreeTime | null {
  const { agenda } = tool.card ?? {};
  if (!agenda) return null;
  const unknown = { kind: 'unknown', words: FREE_TIME.unknown, readAt: null } as const;
  const span = readSpan(tool.inputSchema, given);
  const { outcome = null, endedAt: readAt = null } = read ?? {};
  const isItsAnswer = read !== null && answersLookUp(agenda, read, { tool, given });
  if (span === null || !isItsAnswer || outcome?.status !== 'succeeded') return unknown;
  const answer = answerSchema.safeParse(outcome.structured).data;
  if (answer === undefined) return unknown;
  const busy = answer.events.filter((event) => event.isBusy && isDuring(event, span));
  if (busy.length > 0) return { kind: 'busy', words: describeBusy(busy, span, resolve), readAt };
  // What isn't on this page may well be then.
  return answer.next_page ? unknown : { kind: 'free', words: FREE_TIME.free, readAt };
}

/** Whether an event is on during the span; one of whole days, whose zone isn't said, is, as the calendar was asked for these. */
function isDuring({ from, to, isWholeDays }: Event, span: TimeSpan): boolean {
  if (isWholeDays || from === null || to === null) return true;
  return from < span.to && to > span.from;
}

function describeBusy(
  events: readonly Event[],
  span: TimeSpan,
  resolve: Pick<ValueContext, 'timeZone' | 'asOf'>,
): string {
  const zone = span.zone ?? resolve.timeZone;
  const day = span.from.setZone(zone).toISODate();
  const named = events.slice(0, MOST_NAMED).map(({ title, from, to, isWholeDays }) => {
    const name = clip(visible(oneLine(title)).trim(), TITLE_LENGTH);
    const what = name === '' ? FREE_TIME.untitled : quoteText(name, ['‘', '’']);
    if (isWholeDays) return FREE_TIME.allDay(what);
    const isKnown = from !== null && to !== null;
    return isKnown
      ? `${what} ${formatSpan(toIso(from), toIso(to), { zone, asOf: resolve.asOf, day })}`
      : what;
  });
  const more = events.length - named.length;
  return FREE_TIME.overlaps([...named, ...(more > 0 ? [FREE_TIME.more(more)] : [])]);
}

/** From when until when, as a heading says it: "Tue 24 Nov 09:00–09:30 Europe/Berlin". */
export function describeSpan(
  { from, to, zone: given }: TimeSpan,
  { timeZone, asOf }: Pick<ValueContext, 'timeZone' | 'asOf'>,
): string {
  const zone = given ?? timeZone;
  return `${formatSpan(toIso(from), toIso(to), { zone, asOf })} ${zone}`;
}

function toIso(at: NonNullable<Event['from']>): string {
  return at.toISO() ?? '';
}
