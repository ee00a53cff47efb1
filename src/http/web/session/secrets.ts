import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../../lib/canonical-json.ts';

/** What only whoever has a session's secret can make of this. */
export function seal(secret: string, words: readonly string[]): string {
  return createHmac('sha256', secret)
    .update(canonicalJson([...words]))
    .digest('base64url');
}

export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
