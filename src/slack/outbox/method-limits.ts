import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { absent, put, type Store, unchanged } from '../../storage/store.ts';
import type { CallLimits } from '../client/limited-client.ts';
import { channels } from './collections.ts';
import { boundedRest, type RateLimit, type RateState, spend, timeUntilPost } from './rate-limit.ts';

/**
 * The methods that we call of our own accord, by tier: https://docs.slack.dev/apis/web-api/rate-limits, and
 * each method's page in Slack's reference. What people wait for by a click (modals, names) isn't counted.
 */
const PER_MINUTE: Readonly<Record<string, number>> = {
  // No tier is published for it; slack-morphism takes it for tier 3.
  'agents.sessions.setStatus': 50,
  'chat.appendStream': 100,
  // "Several hundred messages per minute" in a workspace, beside the limit of each channel.
  'chat.postMessage': 300,
  'chat.startStream': 20,
  'chat.stopStream': 20,
  'chat.update': 50,
  'views.publish': 100,
};

/** Counted, but not held back: people turn the pages of their Home by clicks. Refreshes look at the room. */
const NOT_HELD_BACK = new Set(['views.publish']);

/** How often processes add up their calls, in milliseconds. */
const SHARE_MS = 1_000;

interface MethodState extends RateState {
  /** Calls that the record doesn't have yet. */
  unshared: number;
  /** When the record was last read, in milliseconds since the epoch. */
  sharedAt: number;
}

interface MethodLimitsPorts {
  /** How many times Slack's tiers are allowed; 1 is Slack. */
  readonly postsPerSecond: number;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: { debug(details: object, message: string): void };
}

/**
 * The rate limits of the workspace's methods. All processes count on one record, which each reads and writes
 * about once a second while it calls Slack; a Retry-After thus reaches all of them.
 */
export class MethodLimits implements CallLimits {
  readonly #ports: MethodLimitsPorts;
  readonly #states = new Map<string, MethodState>();

  constructor(ports: MethodLimitsPorts) {
    this.#ports = ports;
  }

  /** How long the next call of the method has to wait, in milliseconds; 0 when it may be sent. */
  readonly timeUntilCall = (method: string): number => {
    const state = this.#states.get(method);
    if (!state) return 0;
    const now = this.#ports.clock();
    const limit = this.#limitOf(method);
    // Kept, so that what was counted before the clock was set back comes to its end.
    Object.assign(state, bounded(limit, state, now));
    const isPaced = limit !== null && !NOT_HELD_BACK.has(method);
    const paceMs = isPaced ? timeUntilPost(limit, state.spentUntil, now) : 0;
    return Math.max(0, state.restUntil - now, paceMs);
  };

  /** The free share of the method's limit, from 0 (none) to 1. */
  readonly room = (method: string): number => {
    const limit = this.#limitOf(method);
    const state = this.#states.get(method);
    if (!limit || !state) return 1;
    if (this.timeUntilCall(method) > 0) return 0;
    const spentMs = Math.max(0, state.spentUntil - this.#ports.clock());
    return Math.max(0, 1 - spentMs / (limit.burst * limit.everyMs));
  };

  take(method: string): number {
    const waitMs = this.timeUntilCall(method);
    const limit = this.#limitOf(method);
    if (waitMs > 0 || !limit) return waitMs;
    const state = this.#stateOf(method);
    const now = this.#ports.clock();
    state.spentUntil = spend(limit, state.spentUntil, now);
    state.unshared += 1;
    if (Math.abs(now - state.sharedAt) >= SHARE_MS) void this.#share(method, state);
    return 0;
  }

  rest(method: string, ms: number): void {
    // Slack doesn't tell whether it was the channel's limit: the outbox pauses that channel.
    if (method === 'chat.postMessage') return;
    const state = this.#stateOf(method);
    const restUntil = this.#ports.clock() + ms;
    Object.assign(state, { restUntil, restMs: ms });
    void this.#share(method, state);
  }

  /** The method's tier: Slack welcomes bursts, but doesn't say of which size. */
  #limitOf(method: string): RateLimit | null {
    const perMinute = (PER_MINUTE[method] ?? 0) * this.#ports.postsPerSecond;
    return perMinute === 0 ? null : { burst: perMinute / 2, everyMs: 60_000 / perMinute };
  }

  #stateOf(method: string): MethodState {
    const state = this.#states.get(method) ?? {
      restUntil: 0,
      restMs: 0,
      spentUntil: 0,
      unshared: 0,
      sharedAt: 0,
    };
    this.#states.set(method, state);
    return state;
  }

  /** Adds our calls to the record, and takes over those of other processes. Best effort. */
  async #share(method: string, state: MethodState): Promise<void> {
    state.sharedAt = this.#ports.clock();
    try {
      let isShared = false;
      // Another process may be faster.
      while (!isShared) isShared = await this.#tryToShare(method, state);
    } catch (error) {
      this.#ports.log.debug({ error: errorMessage(error) }, 'failed to share the counts of a rate limit');
    }
  }

  async #tryToShare(method: string, state: MethodState): Promise<boolean> {
    const { store, clock } = this.#ports;
    const limit = this.#limitOf(method);
    const id = `method:${method}`;
    const known = await store.get(channels, id);
    const now = clock();
    const { unshared } = state;
    const theirs = bounded(limit, known?.value ?? { ...state, spentUntil: 0 }, now);
    const spentUntil = spendAll(limit, theirs.spentUntil, now, unshared);
    const { restUntil, restMs } = theirs.restUntil > state.restUntil ? theirs : state;
    const { committed } = await store.commit({
      expect: [known ? unchanged(channels, known) : absent(channels, id)],
      put: [put(channels, id, { restUntil, restMs, spentUntil })],
    });
    if (!committed) return false;
    const since = state.unshared - unshared;
    Object.assign(state, { unshared: since, spentUntil: spendAll(limit, spentUntil, now, since) });
    // A Retry-After that came meanwhile stays.
    if (restUntil > state.restUntil) Object.assign(state, { restUntil, restMs });
    return true;
  }
}

/** The record as far as it can be: where the clock that wrote it was ahead of ours, ours counts. */
function bounded(limit: RateLimit | null, state: RateState, now: number): RateState {
  const { restUntil, restMs, spentUntil } = boundedRest(state, now);
  const longest = limit ? limit.burst * limit.everyMs : 0;
  return { restUntil, restMs, spentUntil: Math.min(spentUntil, now + longest) };
}

function spendAll(limit: RateLimit | null, spentUntil: number, now: number, calls: number): number {
  let until = spentUntil;
  for (let call = 0; limit && call < calls; call += 1) until = spend(limit, until, now);
  return until;
}
