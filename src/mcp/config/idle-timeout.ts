import { z } from 'zod';
import { finiteDurationSchema } from '../../lib/duration.ts';
import { TIMEOUT_FORMAT, TIMEOUT_TOO_LONG } from '../texts/config.ts';

/** Longest delay of the runtime's timers, in milliseconds: nearly 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * How long an unused connection is kept, or `off`; null means `off` too. The value stays text, because a
 * configuration is parsed twice: as a whole, and per server with its variables filled in. A bare number, the
 * usual mistake, gets the same error as any other invalid text.
 */
export const idleTimeoutSchema = z
  .string(TIMEOUT_FORMAT)
  .regex(/^([1-9]\d{0,4}[smhd]|off)$/, { error: TIMEOUT_FORMAT, abort: true })
  .refine((text) => (parseIdleTimeout(text) ?? 0) <= LONGEST_MS, TIMEOUT_TOO_LONG)
  .nullable()
  .optional();

export function parseIdleTimeout(text: string): number | null {
  return text === 'off' ? null : finiteDurationSchema.parse(text);
}
