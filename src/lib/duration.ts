import { z } from 'zod';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const unitSchema = z.enum(['s', 'm', 'h', 'd']);

const LENGTH = 'must be a number and s, m, h or d, such as 24h';
const DURATION = `${LENGTH}, or never`;

/** A text of this form. A number alone, the usual mistake, gets the same message; an absent value is missing. */
function textLike(pattern: RegExp, rule: string) {
  return z.string({ error: ({ input }) => (input === undefined ? undefined : rule) }).regex(pattern, rule);
}

/** A time such as `30m`, `24h` or `7d`, as milliseconds. More than 99999 units is no date. */
export const finiteDurationSchema = textLike(/^[1-9]\d{0,4}[smhd]$/, LENGTH).transform(
  (text) => Number(text.slice(0, -1)) * UNITS[unitSchema.parse(text.slice(-1))],
);

/** As {@link finiteDurationSchema}; `never` is null. */
export const durationSchema = textLike(/^([1-9]\d{0,4}[smhd]|never)$/, DURATION).transform((text) =>
  text === 'never' ? null : finiteDurationSchema.parse(text),
);

const NAMES = [
  { ms: UNITS.d, name: 'day' },
  { ms: UNITS.h, name: 'hour' },
  { ms: UNITS.m, name: 'minute' },
  { ms: UNITS.s, name: 'second' },
] as const;

/** A time in the largest unit that gives it exactly: `2 days`, `90 minutes`. */
export function formatDuration(ms: number): string {
  const unit = NAMES.find((it) => ms % it.ms === 0) ?? { ms: 1, name: 'millisecond' };
  const count = ms / unit.ms;
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}

/** The earliest of these times; null stands for never. */
export function earliest(times: readonly (number | null)[]): number | null {
  const coming = times.filter((time) => time !== null);
  return coming.length === 0 ? null : Math.min(...coming);
}

/** The latest of these times; null stands for never. */
export function latest(times: readonly (number | null)[]): number | null {
  return times.includes(null) ? null : Math.max(...times.filter((time) => time !== null));
}
