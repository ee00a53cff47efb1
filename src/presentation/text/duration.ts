import { DURATION } from '../texts.ts';

/** A unit of time as argument names spell it (`duration_minutes`, `timeoutMs`). */
interface DurationUnit {
  readonly names: readonly string[];
  readonly short: string;
  readonly seconds: number;
}

const UNITS: readonly DurationUnit[] = [
  { names: ['ms', 'millis', 'milliseconds'], short: 'ms', seconds: 0.001 },
  { names: ['sec', 'secs', 'second', 'seconds'], short: 's', seconds: 1 },
  { names: ['min', 'mins', 'minute', 'minutes'], short: 'min', seconds: 60 },
  { names: ['hrs', 'hour', 'hours'], short: 'h', seconds: 3600 },
  { names: ['day', 'days'], short: 'days', seconds: 86_400 },
];

/** The time unit that a name of several words ends in; null when there is none. */
export function findUnit(words: readonly string[]): DurationUnit | null {
  const last = words.at(-1)?.toLowerCase();
  if (last === undefined || words.length < 2) return null;
  return UNITS.find(({ names }) => names.includes(last)) ?? null;
}

/**
 * A duration for people: "15 min"; where it helps, also in larger units: "90 min (1 h 30 min)". The exact
 * number always comes first.
 */
export function formatDuration(amount: number, { short, seconds }: DurationUnit): string {
  const exact = `${amount} ${short === 'days' && amount === 1 ? 'day' : short}`;
  const parts = spelledOut(amount * seconds);
  return parts === null || parts === exact ? exact : `${exact} (${parts})`;
}

/** The duration in days, hours, minutes and seconds; null where that adds nothing. */
function spelledOut(total: number): string | null {
  if (!Number.isInteger(total) || total < 60 || total > 366 * 86_400) return null;
  const days = Math.floor(total / 86_400);
  const hours = Math.floor((total % 86_400) / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = total % 60;
  return [
    days > 0 ? DURATION.days(days) : '',
    hours > 0 ? DURATION.hours(hours) : '',
    minutes > 0 ? DURATION.minutes(minutes) : '',
    seconds > 0 ? DURATION.seconds(seconds) : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}
