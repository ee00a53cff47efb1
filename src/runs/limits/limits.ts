import type { Clock, Ids } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { FairSlots } from '../../lib/fair-slots.ts';
import type { Put, Store } from '../../storage/store.ts';
import type { Account, CallAdmission, CallWait } from '../../tools/ports.ts';
import { callLimitReached, type LimitReached, tokenLimitReached } from '../texts.ts';
import { Usage, type UsageCount } from './usage.ts';

/** What one person, key or channel may use in a day; null or left out: as much as they like. */
interface DailyLimits {
  readonly runs_per_day?: number | undefined;
  readonly calls_per_day?: number | undefined;
  readonly tokens_per_day?: number | undefined;
}
interface OwnerLimits extends DailyLimits {
  readonly calls_at_once?: number | undefined;
}

/** The limits of `countersign.yaml`, for each person, key and channel. */
export interface LimitSettings {
  readonly person: OwnerLimits;
  readonly key: OwnerLimits;
  readonly channel: DailyLimits;
}

/** No limits but the fair shares. */
const NO_LIMITS: LimitSettings = { person: {}, key: {}, channel: {} };

/** The most calls that one process has in flight, each of which may bring an answer of some megabytes. */
const MAX_INFLIGHT = 256;
const DAY_MS = 24 * 60 * 60 * 1_000;

interface LimitsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** @default none */
  readonly settings?: LimitSettings;
  /** @default 256 */
  readonly maxInflight?: number;
}

interface Subject {
  readonly kind: keyof LimitSettings;
  readonly id: string;
  readonly limits: DailyLimits;
}

/**
 * What people, keys and channels may use: calls at once, and runs, calls and tokens a day. Limits hold back what
 * begins by itself. Decisions, and calls that people approved, count and are never refused.
 */
export class Limits {
  readonly #settings: LimitSettings;
  readonly #clock: Clock;
  readonly #usage: Usage;
  readonly #calls: FairSlots;

  constructor({ store, clock, ids, settings = NO_LIMITS, maxInflight = MAX_INFLIGHT }: LimitsPorts) {
    this.#settings = settings;
    this.#clock = clock;
    this.#usage = new Usage({ store, clock }, ids());
    this.#calls = new FairSlots(maxInflight);
  }

  /** Counts a run that begins; or returns why it may not, and then counts nothing. */
  async beginRun(account: Account): Promise<LimitReached | null> {
    await this.#refresh(account);
    // At once, so that of several that begin together none is counted too late.
    const reached = this.#findReached(account, RUN_MEASURES);
    if (!reached) this.#add(account, 'runs', 1);
    return reached;
  }

  /** Why no run of this account may begin now; null if one may. */
  async findReached(account: Account): Promise<LimitReached | null> {
    await this.#refresh(account);
    return this.#findReached(account, RUN_MEASURES);
  }

  /**
   * Waits until the call may be in flight, beside others of the same owner, and counts it. `refusal`: why it may
   * not be sent today unless people approved it.
   */
  async admitCall(account: Account, { signal, onWait }: CallWait): Promise<CallAdmission> {
    const owner = `${account.kind} ${account.owner}`;
    const atMost = this.#settings[account.kind].calls_at_once ?? null;
    const release = await this.#calls.acquire({ owner, atMost, signal, onWait });
    try {
      await this.#refresh(account);
      const reached = this.#findReached(account, ['calls']);
      this.#add(account, 'calls', 1);
      return {
        refusal: reached && callLimitReached(reached),
        end: ({ isSent }) => {
          release();
          if (!isSent) this.#add(account, 'calls', -1);
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Throws AppError `limit_reached` if the account has no tokens left today. */
  async assertTokens(account: Account): Promise<void> {
    await this.#refresh(account);
    const reached = this.#findReached(account, ['tokens']);
    if (reached) throw new AppError({ code: 'limit_reached', userMessage: tokenLimitReached(reached) });
  }

  /** Counts tokens of the model. */
  spend = (account: Account, tokens: number): void => this.#add(account, 'tokens', tokens);

  /** The writes that record what the account has used, for a commit that is made anyway. */
  writes(account: Account): readonly Put[] {
    return this.#usage.writes(this.#subjects(account).map(toKey));
  }

  flush = (): Promise<void> => this.#usage.flush();
  forget = (before: number, limit: number): Promise<number> => this.#usage.forget(before, limit);

  async #refresh(account: Account): Promise<void> {
    await Promise.all(this.#subjects(account).map((subject) => this.#usage.refresh(toKey(subject))));
  }

  #add(account: Account, measure: keyof UsageCount, amount: number): void {
    for (const subject of this.#subjects(account)) this.#usage.add(toKey(subject), measure, amount);
  }

  /** Whose limits count for the account: those that have any. */
  #subjects({ kind, owner, channel }: Account): readonly Subject[] {
    const subjects: readonly Subject[] = [
      { kind, id: owner, limits: this.#settings[kind] },
      ...(channel === null
        ? []
        : [{ kind: 'channel' as const, id: channel, limits: this.#settings.channel }]),
    ];
    return subjects.filter(({ limits }) => MEASURES.some((measure) => readLimit(limits, measure) !== null));
  }

  #findReached(account: Account, measures: readonly (keyof UsageCount)[]): LimitReached | null {
    for (const subject of this.#subjects(account)) {
      const used = this.#usage.today(toKey(subject));
      for (const measure of measures) {
        const limit = readLimit(subject.limits, measure);
        if (limit === null || used[measure] < limit) continue;
        const now = this.#clock();
        const untilMs = (Math.floor(now / DAY_MS) + 1) * DAY_MS;
        return { kind: subject.kind, measure, limit, untilMs, waitMs: untilMs - now };
      }
    }
    return null;
  }
}

const RUN_MEASURES = ['runs', 'tokens'] as const;
const MEASURES = ['runs', 'calls', 'tokens'] as const;

function readLimit(limits: DailyLimits, measure: keyof UsageCount): number | null {
  return limits[`${measure}_per_day`] ?? null;
}

function toKey({ kind, id }: Subject): string {
  return `${kind} ${id}`;
}
