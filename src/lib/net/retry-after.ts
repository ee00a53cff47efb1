/** The latest `Retry-After` of an HTTP server. */
export interface RetryAfter {
  /** Reads `Retry-After` from a response. */
  note(response: Pick<Response, 'status' | 'headers'>): void;
  /** Milliseconds from now; null if there is none, or if that time has passed. */
  fromNow(): number | null;
}

/** The statuses with which `Retry-After` says when to retry (RFC 9110, 10.2.3). */
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

/** Seconds or a date; anything else is ignored. */
function parseRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  if (/^\s*\d{1,9}\s*$/.test(header)) return now + Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : date;
}
