import { z } from 'zod';
import { finiteDurationSchema } from '../../lib/duration.ts';
import {
  START_TIMEOUT_FORMAT,
  START_TIMEOUT_TOO_LONG,
  TIMEOUT_FORMAT,
  TIMEOUT_TOO_LONG,
} from '../texts/config.ts';

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

/** How long a server may take to start. Stays text, as {@link idleTimeoutSchema} does. */
export const startTimeoutSchema = z
  .string(START_TIMEOUT_FORMAT)
  .regex(/^[1-9]\d{0,4}[smhd]$/, { error: START_TIMEOUT_FORMAT, abort: true })
  .refine((text) => finiteDurationSchema.parse(text) <= LONGEST_MS, START_TIMEOUT_TOO_LONG)
  .optional();

/** The time that a server may take to start, in milliseconds; `unlessSet` if its entry doesn't say. */
export function startTimeoutMs(
  { start_timeout: text }: { readonly start_timeout?: string | undefined },
  unlessSet: number,
): number {
  return text === undefined ? unlessSet : finiteDurationSchema.parse(text);
}

export function parseIdleTimeout(text: string): number | null {
  return text === 'off' ? null : finiteDurationSchema.parse(text);
}
