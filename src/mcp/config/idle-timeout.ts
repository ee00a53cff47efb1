import { z } from 'zod';
import { finiteDurationSchema } from '../../lib/duration.ts';

/** Longest delay of the runtime's timers, in milliseconds: nearly 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

const WORDS = 'must be a number and s, m, h or d, such as 30m, or off';

/**
 * How long an unused connection is kept, or `off`; null means `off` too. The value stays text, because a
 * configuration is parsed twice: as a whole, and per server with its variables filled in. A bare number, the
 * usual mistake, gets the same error as any other invalid text.
 */
export const idleTimeoutSchema = z
  .string(WORDS)
  .regex(/^([1-9]\d{0,4}[smhd]|off)$/, { error: WORDS, abort: true })
  .refine((text) => (parseIdleTimeout(text) ?? 0) <= LONGEST_MS, 'must be at most 24d, or off')
  .nullable()
  .optional();

export function parseIdleTimeout(text: string): number | null {
  return text === 'off' ? null : finiteDurationSchema.parse(text);
}
