import type { Clock } from '../../lib/clock.ts';
import { type Put, put, type Store } from '../../storage/store.ts';
import { channels } from './collections.ts';

/** How fast messages may follow each other in one channel. */
export interface RateLimit {
  /** So many at once after a quiet time. */
  readonly burst: number;
  /** From then on one in so many milliseconds. */
  readonly everyMs: number;
}

/** Slack allows about one post a second in each channel, and short bursts: https://docs.slack.dev/apis/web-api/rate-limits */
const SLACK_BURST = 4;

/** The pace at which a channel takes so many posts a second; Slack's is 1. */
export function toRateLimit(postsPerSecond: number): RateLimit {
  return { burst: Math.max(SLACK_BURST, postsPerSecond), everyMs: 1_000 / postsPerSecond };
}

/**
 * How long the next post has to wait, in milliseconds. `spentUntil` is when all posts so far would have
 * been made, had they come one by one at the pace; it is never far ahead, whatever another clock wrote.
 */
export function timeUntilPost({ burst, everyMs }: RateLimit, spentUntil: number, now: number): number {
  return Math.max(0, Math.min(spentUntil - now, burst * everyMs) - (burst - 1) * everyMs);
}

/** `spentUntil` after one more post. */
export function spend({ burst, everyMs }: RateLimit, spentUntil: number, now: number): number {
  return Math.max(now, Math.min(spentUntil, now + (burst - 1) * everyMs)) + everyMs;
}

/** What a channel takes and when, for the one process that shows things in it. */
export interface ChannelTurns {
  /** How long Slack wants the channel to be left alone still, in milliseconds; not above 0 when it does not. */
  restMs(): number;
  /** Resolves when the channel takes another post, which is counted. Rejects with the reason of `stopping`. */
  post(): Promise<void>;
  /** Slack wants to be left alone for so many milliseconds: noted at once, for a crash must not forget it. */
  rest(ms: number): Promise<void>;
  /** What the next process has to know, to land with the end of the lease. */
  handOver(): readonly Put[];
}

/**
 * Takes up a channel as it was left; to be called under its lease. Only posts are counted: Slack limits
 * updates for the whole workspace, and far more widely, so that for them its Retry-After is enough. What was
 * posted is noted when the lease ends, with the write that ends it; a crash forgets that, which is one burst.
 */
export async function createChannelTurns(
  ports: {
    readonly store: Store;
    readonly clock: Clock;
    readonly rateLimit: RateLimit;
    readonly stopping: AbortSignal;
  },
  channel: string,
): Promise<ChannelTurns> {
  const { store, clock, rateLimit, stopping } = ports;
  const left = (await store.get(channels, channel))?.value;
  let noted = left ?? { restUntil: 0, restMs: 0, spentUntil: 0 };
  const longest = clock() + noted.restMs;
  // By our clock from now on, where the one by which it was noted is ahead of it.
  let state = noted.restUntil > longest ? { ...noted, restUntil: longest } : noted;
  return {
    restMs: () => state.restUntil - clock(),
    async post() {
      const waitMs = timeUntilPost(rateLimit, state.spentUntil, clock());
      if (waitMs > 0) await pauseFor(waitMs, stopping);
      state = { ...state, spentUntil: spend(rateLimit, state.spentUntil, clock()) };
    },
    async rest(ms) {
      const restUntil = clock() + ms;
      // Slack had no room for one more: after the rest there is none for a burst.
      state = { restUntil, restMs: ms, spentUntil: restUntil + (rateLimit.burst - 1) * rateLimit.everyMs };
      await store.commit({ put: [put(channels, channel, state)] });
      noted = state;
    },
    handOver: () => (state === noted ? [] : [put(channels, channel, state)]),
  };
}

function pauseFor(ms: number, stopping: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(stopping.reason);
  const timer = setTimeout(resolve, ms);
  stopping.addEventListener('abort', stop);
  if (stopping.aborted) stop();
  return promise.finally(() => {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  });
}
