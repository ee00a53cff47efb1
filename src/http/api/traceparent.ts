import { parseTraceparent, writeTraceparent } from '../../lib/telemetry/tracing.ts';
import type { HttpContext } from '../context.ts';

/** The caller's `traceparent`, so that what it asks for is a part of its trace; null if it sends none that is valid. */
export function readTraceparent(c: HttpContext): string | null {
  const parsed = parseTraceparent(c.req.header('traceparent'));
  return parsed && writeTraceparent(parsed);
}
