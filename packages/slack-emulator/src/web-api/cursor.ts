import { SlackRefusal } from '../errors.ts';

/** One page of a list, and the cursor of the next: empty at the end. Throws `invalid_cursor`, `invalid_limit`. */
export function page<T>(
  all: readonly T[],
  cursor: string | undefined,
  limit: number,
): { items: T[]; next: string } {
  if (limit < 1 || limit > 1000) throw new SlackRefusal('invalid_limit');
  const from = cursor === undefined || cursor === '' ? 0 : decode(cursor);
  const end = from + limit;
  return {
    items: all.slice(from, end),
    next: end < all.length ? Buffer.from(`next:${end}`).toString('base64') : '',
  };
}

function decode(cursor: string): number {
  const match = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'));
  if (match === null) throw new SlackRefusal('invalid_cursor');
  return Number(match[1]);
}
