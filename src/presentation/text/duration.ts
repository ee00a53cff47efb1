/** A unit of time as argument names spell it (`duration_minutes`, `timeoutMs`). */
export interface DurationUnit {
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

/** The unit that a name of several words ends in, else null. */
export function findUnit(words: readonly string[]): DurationUnit | null {
  const last = words.at(-1)?.toLowerCase();
  if (last === undefined || words.length < 2) return null;
  return UNITS.find(({ names }) => names.includes(last)) ?? null;
}

/** "15 min"; where another reading helps, "90 min (1 h 30 min)": the exact number always comes first. */
export function formatDuration(amount: number, { short, seconds }: DurationUnit): string {
  const exact = `${amount} ${short === 'days' && amount === 1 ? 'day' : short}`;
  const parts = spelledOut(amount * seconds);
  return parts === null || parts === exact ? exact : `${exact} (${parts})`;
}

/** Days, hours, minutes and seconds, or null where nothing is gained by spelling it out. */
function spelledOut(total: number): string | null {
  if (!Number.isInteger(total) || total < 60 || total > 366 * 86_400) return null;
  const days = Math.floor(total / 86_400);
  const hours = Math.floor((total % 86_400) / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = total % 60;
  return [
    days > 0 ? `${days} ${days === 1 ? 'day' : 'days'}` : '',
    hours > 0 ? `${hours} h` : '',
    minutes > 0 ? `${minutes} min` : '',
    seconds > 0 ? `${seconds} s` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}
