import { CONVERSATION } from '../texts.ts';

/**
 * Times as the viewer's own zone and language say them, on the clock of 24 hours, which Slack has as a preference: apps
 * can't ask for it, and the times that they write into a text are on one clock with the others then. A Slack ts is
 * seconds since 1970 with a counter.
 */
export function dateOfTs(ts: string): Date {
  return new Date(Number(ts) * 1000);
}

export function timeOfDay(ts: string): string {
  return dateOfTs(ts).toLocaleTimeString(undefined, { timeStyle: 'short', hourCycle: 'h23' });
}

export function exactTime(ts: string): string {
  return dateOfTs(ts).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });
}

/** "Today", "Yesterday", else the weekday and date. */
export function dayName(date: Date, now: Date): string {
  const days = Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000);
  if (days === 0) return CONVERSATION.today;
  if (days === 1) return CONVERSATION.yesterday;
  const year = date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const };
  return date.toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long', ...year });
}

/**
 * Slack's `<!date^…>` and rich text dates: the tokens in braces are replaced, the rest stays. A `_pretty`
 * date near `now` is "yesterday", "today" or "tomorrow".
 */
export function formatSlackDate(
  seconds: number,
  format: string,
  fallback: string,
  now: Date = new Date(),
): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return fallback;
  const styles: Record<string, Intl.DateTimeFormatOptions> = {
    date: { day: 'numeric', month: 'long', year: 'numeric' },
    date_num: { day: '2-digit', month: '2-digit', year: 'numeric' },
    date_short: { day: 'numeric', month: 'short', year: 'numeric' },
    date_long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    day_divider_pretty: { weekday: 'long', day: 'numeric', month: 'long' },
    time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  };
  const near = NEAR_DAYS.get(Math.round((startOfDay(date) - startOfDay(now)) / 86_400_000));
  return format.replace(/\{(\w+?)(_pretty)?\}/g, (token, name: string, pretty?: string) => {
    if (pretty !== undefined && near !== undefined) return near;
    const style = styles[name] ?? styles[`${name}_pretty`];
    return style === undefined ? token : new Intl.DateTimeFormat(undefined, style).format(date);
  });
}

const NEAR_DAYS = new Map([
  [-1, CONVERSATION.nearDays.yesterday],
  [0, CONVERSATION.nearDays.today],
  [1, CONVERSATION.nearDays.tomorrow],
]);

/** Unix seconds as a `datetime-local` field wants them, in the viewer's zone. */
export function toLocalInput(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Unix seconds from a `datetime-local` field in the viewer's zone; null while it is empty. */
export function fromLocalInput(text: string): number | null {
  const milliseconds = new Date(text).getTime();
  return Number.isNaN(milliseconds) ? null : Math.floor(milliseconds / 1000);
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
