import { LRUCache } from 'lru-cache';
import { backoff, type Wait, waitFor } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { HttpError } from '../errors.ts';
import { TOO_MANY_WRONG_KEYS } from '../texts.ts';

/** Wrong keys of one address that are answered at once: somebody has mistyped. */
const FREE = 4;
/** How long the answer to a further one takes. */
const PAUSES = { firstMs: 250, longestMs: 4_000 };
/** Requests of one address, and of all together, whose answer may wait; further ones are turned away. */
const WAITING_PER_ADDRESS = 8;
const WAITING = 1_000;
/** After this long without a wrong key an address begins anew, in milliseconds. */
const FORGIVEN_AFTER_MS = 15 * 60_000;
/** Addresses that are remembered. */
const ADDRESSES = 10_000;
/** Lines of the log in this time, in milliseconds, however many addresses there are. */
const LINES = 10;
const LINES_IN_MS = 60_000;

interface Attempts {
  wrong: number;
  waiting: number;
  /** Wrong keys since the address was last in the log. */
  unlogged: number;
  loggedAt: number;
}

export interface WrongKeys {
  /**
   * Counts a wrong key of an address, tells the log, and resolves when it may be answered, which takes longer
   * with each. Rejects with HttpError 429 where too many answers wait already.
   */
  slow(address: string): Promise<void>;
}

interface WrongKeysPorts {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
  /** Aborted when nothing may wait any more. */
  readonly stopping: AbortSignal;
  /** @default waits in real time */
  readonly wait?: Wait;
}

/**
 * Slows wrong API keys by address, in this process. A right key is never slowed, also where others at the same
 * address (of a proxy) guess: no number of guesses finds a key of 128 bits, while holding up right ones would let
 * anybody lock everybody out.
 */
export function createWrongKeys({ clock, log, stopping, wait = waitFor }: WrongKeysPorts): WrongKeys {
  const addresses = new LRUCache<string, Attempts>({
    max: ADDRESSES,
    ttl: FORGIVEN_AFTER_MS,
    ttlResolution: 0,
    perf: { now: clock },
  });
  let waiting = 0;
  let lines = { since: 0, written: 0 };

  function attemptsFrom(address: string): Attempts {
    const known = addresses.get(address) ?? { wrong: 0, waiting: 0, unlogged: 0, loggedAt: 0 };
    // Anew each time, so that it's forgiven after the last one.
    addresses.set(address, known);
    return known;
  }

  /** The first one of an address, then a count each minute. */
  function tell(address: string, attempts: Attempts): void {
    const now = clock();
    attempts.unlogged += 1;
    if (now - lines.since >= LINES_IN_MS) lines = { since: now, written: 0 };
    if (now - attempts.loggedAt < LINES_IN_MS || lines.written >= LINES) return;
    lines.written += 1;
    log.warn({ address, wrongKeys: attempts.unlogged }, 'wrong API key');
    attempts.unlogged = 0;
    attempts.loggedAt = now;
  }

  return {
    async slow(address) {
      const attempts = attemptsFrom(address);
      attempts.wrong += 1;
      tell(address, attempts);
      if (attempts.wrong <= FREE) return;
      if (attempts.waiting >= WAITING_PER_ADDRESS || waiting >= WAITING) throw tooMany();
      attempts.waiting += 1;
      waiting += 1;
      await wait(backoff(attempts.wrong - FREE, PAUSES), stopping);
      attempts.waiting -= 1;
      waiting -= 1;
    },
  };
}

function tooMany(): HttpError {
  return new HttpError({ status: 429, code: 'too_many_wrong_keys', userMessage: TOO_MANY_WRONG_KEYS });
}
