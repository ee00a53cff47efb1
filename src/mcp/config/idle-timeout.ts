import { z } from 'zod';
import { finiteDurationSchema } from '../../lib/duration.ts';

/** The longest that a timer of the runtime can wait, in milliseconds: nearly 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

const WORDS = 'must be a number and s, m, h or d, such as 30m, or off';

/**
 * How long a connection that nobody uses is held, or `off`; null is that too. It stays a text, for a configuration is
 * read twice: as a whole, and each server with its variables filled in. A number alone, which is the usual slip, is
 * told the same as any other text.
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
