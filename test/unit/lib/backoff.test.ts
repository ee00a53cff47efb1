import { describe, expect, it } from 'vitest';
import { retryDelay } from '../../../src/lib/backoff.ts';
import { createRetryAfter } from '../../../src/lib/net/retry-after.ts';

const hint = { afterMs: null, withinMs: 60_000 };

describe('the wait before another attempt', () => {
  it('doubles, up to ten seconds', () => {
    expect(
      [1, 2, 3, 4, 9].map((attempt) => retryDelay(attempt, hint, { waitedMs: 0, random: () => 1 })),
    ).toEqual([500, 1_000, 2_000, 4_000, 10_000]);
  });

  it('is a random part of that, so that those who were turned away together come back apart', () => {
    expect(retryDelay(2, hint, { waitedMs: 0, random: () => 0.25 })).toBe(250);
  });

  it('is never shorter than the server says', () => {
    expect(retryDelay(1, { ...hint, afterMs: 3_000 }, { waitedMs: 0, random: () => 0 })).toBe(3_000);
  });

  it('is not taken where the call would wait too long', () => {
    expect(retryDelay(1, { afterMs: 61_000, withinMs: 60_000 }, { waitedMs: 0, random: () => 0 })).toBeNull();
    expect(retryDelay(1, hint, { waitedMs: 59_900, random: () => 1 })).toBeNull();
  });
});

describe('Retry-After', () => {
  const said = (status: number, value?: string) => {
    const retryAfter = createRetryAfter(() => 1_000_000);
    retryAfter.note({ status, headers: new Headers(value === undefined ? {} : { 'retry-after': value }) });
    return retryAfter.fromNow();
  };

  it.each([
    ['seconds', 503, '2', 2_000],
    ['a date', 429, new Date(1_005_000).toUTCString(), 5_000],
    ['a time that is over', 503, '0', null],
    ['words', 503, 'later', null],
    ['nothing', 502, undefined, null],
    ['seconds of an answer that went well', 200, '9', null],
  ])('is read from %s', (_what, status, value, expected) => {
    expect(said(status, value)).toBe(expected);
  });
});
