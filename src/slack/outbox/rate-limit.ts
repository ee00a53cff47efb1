import type { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { type Put, put, type Store } from '../../storage/store.ts';
import { channels } from './collections.ts';

/** A rate limit of messages in one channel (a token bucket). */
export interface RateLimit {
  /** The most messages at once after a quiet time. */
  readonly burst: number;
  /** After that, one message per this many milliseconds. */
  readonly everyMs: number;
}

/** Slack allows about one post a second in each channel, and short bursts: https://docs.slack.dev/apis/web-api/rate-limits */
const SLACK_BURST = 4;

/** The rate limit for this many posts per second; Slack's is 1. */
export function toRateLimit(postsPerSecond: number): RateLimit {
  return { burst: Math.max(SLACK_BURST, postsPerSecond), everyMs: 1_000 / postsPerSecond };
}

/**
 * How long the next post has to wait, in milliseconds. `spentUntil` is when all posts so far would have been
 * made at the steady pace. It is never believed to be far ahead, whatever another clock wrote.
 */
export function timeUntilPost({ burst, everyMs }: RateLimit, spentUntil: number, now: number): number {
  return Math.max(0, Math.min(spentUntil - now, burst * everyMs) - (burst - 1) * everyMs);
}

/** `spentUntil` after one more post. */
export function spend({ burst, everyMs }: RateLimit, spentUntil: number, now: number): number {
  return Math.max(now, Math.min(spentUntil, now + (burst - 1) * everyMs)) + everyMs;
}

/** A rate limit's record; see {@link channels}. */
export type RateState = z.infer<typeof channels.schema>;

/** The record with its rest as far as it can be: where the clock that wrote it was ahead of ours, ours counts. */
export function boundedRest(state: RateState, now: number): RateState {
  return state.restUntil > now + state.restMs ? { ...state, restUntil: now + state.restMs } : state;
}

/** One channel's turns: its rate limit, and whose turn it is, for the process that delivers to it. */
export interface ChannelTurns {
  /** Whose turn was the last; an empty text where nobody's was. */
  readonly served: string;
  /** Notes whose turn it was. */
  serve(turn: string): void;
  /**
   * How long Slack still wants the channel to be left alone, in milliseconds; not above 0 when it doesn't.
   */
  restMs(): number;
  /**
   * Resolves when another post is allowed, and counts it; with whether that took time. Rejects with the reason of
   * `stopping`.
   */
  post(): Promise<boolean>;
  /**
   * Pauses for this many milliseconds because Slack asked (Retry-After). Recorded at once, so that a crash
   * doesn't lose it.
   */
  rest(ms: number): Promise<void>;
  /** The state that the next process needs, for the commit that ends the lease. */
  handOver(): readonly Put[];
}

/**
 * Opens a channel's rate limit as the last process left it; call it under the channel's lease. Only posts are
 * counted: Slack limits updates per workspace, and far more generously, so for them its Retry-After is
 * enough. The count is saved in the commit that ends the lease; a crash loses it, which costs one burst.
 */
export async function createChannelTurns(
  ports: {
    readonly store: Store;
    readonly clock: Clock;
    readonly rateLimit: RateLimit;
    readonly timeUntilCall: (method: string) => number;
    readonly stopping: AbortSignal;
  },
  channel: string,
): Promise<ChannelTurns> {
  const { store, clock, rateLimit, timeUntilCall, stopping } = ports;
  const left = (await store.get(channels, channel))?.value;
  let noted = left ?? { restUntil: 0, restMs: 0, spentUntil: 0 };
  let state = boundedRest(noted, clock());
  return {
    get served() {
      return state.served ?? '';
    },
    serve(turn) {
      if (turn !== state.served) state = { ...state, served: turn };
    },
    restMs: () => state.restUntil - clock(),
    async post() {
      const inChannel = timeUntilPost(rateLimit, state.spentUntil, clock());
      const waitMs = Math.max(inChannel, timeUntilCall('chat.postMessage'));
      if (waitMs > 0) await pauseFor(waitMs, stopping);
      state = { ...state, spentUntil: spend(rateLimit, state.spentUntil, clock()) };
      return waitMs > 0;
    },
    async rest(ms) {
      const restUntil = clock() + ms;
      // Slack had no room for one more, so no burst is left after the pause.
      const spentUntil = restUntil + (rateLimit.burst - 1) * rateLimit.everyMs;
      state = { ...state, restUntil, restMs: ms, spentUntil };
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
