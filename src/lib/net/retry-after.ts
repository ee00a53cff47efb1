/** What an HTTP server said last about when it wants to be asked again. */
export interface RetryAfter {
  /** Looks at an answer for a `Retry-After`. */
  note(response: Pick<Response, 'status' | 'headers'>): void;
  /** From now, in milliseconds; null when it said nothing, or that time is over. */
  fromNow(): number | null;
}

/** The statuses with which the header says when to come again (RFC 9110, 10.2.3). */
const BUSY = new Set([429, 502, 503]);

export function createRetryAfter(clock: () => number = Date.now): RetryAfter {
  let until = 0;
  return {
    note({ status, headers }) {
      if (BUSY.has(status)) until = parseRetryAfter(headers.get('retry-after'), clock());
    },
    fromNow() {
      const left = until - clock();
      return left > 0 ? left : null;
    },
  };
}

/** Seconds or a date; anything else says nothing. */
function parseRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\s*\d{1,9}\s*$/.test(header)) return now + Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : date;
}
