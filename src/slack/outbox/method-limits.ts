import type { Clock } from '../../lib/clock.ts';
import { errorMessage } from '../../lib/errors.ts';
import { absent, put, type Store, type Stored, unchanged } from '../../storage/store.ts';
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
  'chat.delete': 50,
  // "Several hundred messages per minute" in a workspace, beside the limit of each channel.
  'chat.postMessage': 300,
  'chat.startStream': 20,
  'chat.stopStream': 20,
  'chat.update': 50,
  'files.info': 100,
  'users.conversations': 50,
  'views.publish': 100,
};

/**
 * Counted, but not held back: people turn the pages of their Home by clicks, wait for files that they drop, and questions find
 * nothing of channels without asking for these. Refreshes, and what else nobody waits for, look at the room.
 */
const NOT_HELD_BACK = new Set(['files.info', 'users.conversations', 'views.publish']);

/** How often a process adds its calls to those of others, in milliseconds. */
const SHARE_MS = 1_000;

interface MethodState extends RateState {
  /** Calls that the record doesn't have yet. */
  unshared: number;
  /** Whether the record lacks the last Retry-After. */
  isRestNew: boolean;
  /** The record as this process wrote it last; null before it did. */
  written: Stored<RateState> | null;
  /** Whether nobody else had written it since this process did so before, so that it needn't be read. */
  isOwn: boolean;
}

interface MethodLimitsPorts {
  /** How many times Slack's tiers are allowed; 1 is Slack. */
  readonly postsPerSecond: number;
  /** Where processes add up their calls; null for the only process, whose own counts are all there is. */
  readonly store: Store | null;
  readonly clock: Clock;
  readonly log: { debug(details: object, message: string): void };
}

/**
 * The rate limits of the workspace's methods. All processes count on one record for each, which each process writes about
 * once a second while it calls Slack; a Retry-After thus reaches all of them. It's read before, unless nobody else has
 * written it lately: then the commit alone says whether that is still so.
 */
export class MethodLimits implements CallLimits {
  readonly #ports: MethodLimitsPorts;
  readonly #states = new Map<string, MethodState>();
  /** When the records were last read, in milliseconds since the epoch. */
  #sharedAt = 0;

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
    if (Math.abs(now - this.#sharedAt) >= SHARE_MS) void this.#share();
    return 0;
  }

  rest(method: string, ms: number): void {
    // Slack doesn't tell whether it was the channel's limit: the outbox pauses that channel.
    if (method === 'chat.postMessage') return;
    const restUntil = this.#ports.clock() + ms;
    Object.assign(this.#stateOf(method), { restUntil, restMs: ms, isRestNew: true });
    void this.#share();
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
      isRestNew: false,
      written: null,
      isOwn: false,
    };
    this.#states.set(method, state);
    return state;
  }

  /** Adds our calls to the records, all in one commit, and takes over those of other processes. Best effort. */
  async #share(): Promise<void> {
    const { store, clock, log } = this.#ports;
    if (store === null) return;
    this.#sharedAt = clock();
    try {
      let isShared = false;
      // Another process may be faster.
      while (!isShared) isShared = await this.#tryToShare(store);
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'failed to share the counts of the rate limits');
    }
  }

  async #tryToShare(store: Store): Promise<boolean> {
    const changed = [...this.#states].filter(([, { unshared, isRestNew }]) => unshared > 0 || isRestNew);
    if (changed.length === 0) return true;
    const isOwn = changed.every(([, state]) => state.isOwn);
    const ids = changed.map(([method]) => recordId(method));
    const known = isOwn ? changed.map(([, { written }]) => written) : await store.getMany(channels, ids);
    const now = this.#ports.clock();
    const merged = changed.map(([method, state], index) => {
      const limit = this.#limitOf(method);
      const record = known[index] ?? null;
      const { unshared } = state;
      const theirs = bounded(limit, record?.value ?? { ...state, spentUntil: 0 }, now);
      const spentUntil = spendAll(limit, theirs.spentUntil, now, unshared);
      const { restUntil, restMs } = theirs.restUntil > state.restUntil ? theirs : state;
      return {
        id: recordId(method),
        state,
        limit,
        record,
        unshared,
        value: { restUntil, restMs, spentUntil },
      };
    });
    const result = await store.commit({
      expect: merged.map(({ id, record }) => (record ? unchanged(channels, record) : absent(channels, id))),
      put: merged.map(({ id, value }) => put(channels, id, value)),
    });
    if (!result.committed) {
      for (const { state } of merged) state.isOwn = false;
      return false;
    }
    for (const { id, state, limit, record, unshared, value } of merged) {
      const since = state.unshared - unshared;
      state.isOwn = state.written !== null && record?.version === state.written.version;
      state.written = { id, version: result.version, value };
      Object.assign(state, { unshared: since, spentUntil: spendAll(limit, value.spentUntil, now, since) });
      // A Retry-After that came meanwhile stays.
      if (value.restUntil < state.restUntil) continue;
      Object.assign(state, { restUntil: value.restUntil, restMs: value.restMs, isRestNew: false });
    }
    return true;
  }
}

/** The id of a method's record, among those of channels. */
function recordId(method: string): string {
  return `method:${method}`;
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
