import { z } from 'zod';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time such as `30m`, `24h` or `7d`, as milliseconds; `never` as null. More than 99999 units is no date. */
export const durationSchema = z
  .string()
  .regex(/^([1-9]\d{0,4}[smhd]|never)$/, 'must be a number and s, m, h or d, such as 24h, or never')
  .transform((text) => {
    const match = /^(\d+)([smhd])$/.exec(text);
    const unit = z.enum(['s', 'm', 'h', 'd']).safeParse(match?.[2]);
    return unit.success ? Number(match?.[1]) * UNITS[unit.data] : null;
  });
