import type { Clock, Ids } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { FairSlots, type SlotGroup } from '../../lib/slots/fair-slots.ts';
import { HeldSlot } from '../../lib/slots/slots.ts';
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
  readonly channel: OwnerLimits;
}

/** No limits but the fair shares. */
const NO_LIMITS: LimitSettings = { person: {}, key: {}, channel: {} };

/** The most calls that one process has in flight, each of which may bring an answer of some megabytes. */
const MAX_INFLIGHT = 256;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** What has been used of a limit today. */
export interface LimitUse {
  readonly kind: keyof LimitSettings;
  /** The id of the person, key or channel. */
  readonly id: string;
  readonly measure: keyof UsageCount;
  readonly used: number;
  readonly limit: number;
}

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
    const group = this.#channelGroup(account);
    const release = await this.#calls.acquire({ owner, atMost, group, signal, onWait });
    const slot = new HeldSlot(release, () => this.#calls.take(owner, group));
    try {
      await this.#refresh(account);
      const reached = this.#findReached(account, ['calls']);
      this.#add(account, 'calls', 1);
      const countedUntil = this.countedUntil();
      return {
        refusal: reached && callLimitReached(reached),
        outside: (work) => slot.outside(work),
        end: ({ isSent }) => {
          slot.end();
          // Yesterday's call can't make room for another one today.
          if (!isSent && countedUntil === this.countedUntil()) this.#add(account, 'calls', -1);
        },
      };
    } catch (error) {
      slot.end();
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

  /** What the account has used today of its limits, and of its channel's; nothing where none is set. */
  async uses(account: Account): Promise<readonly LimitUse[]> {
    await this.#refresh(account);
    return this.#subjects(account).flatMap((subject) => toUses(subject, this.#usage.today(toKey(subject))));
  }

  /** What people, keys and channels have nearly used up today, the fullest first; null where no limit is set. */
  async nearlyUsedUp(): Promise<readonly LimitUse[] | null> {
    if (!Object.values(this.#settings).some(hasLimits)) return null;
    const uses: LimitUse[] = [];
    for (const [key, count] of await this.#usage.ofAll()) {
      const { kind, id } = fromKey(key);
      uses.push(...toUses({ kind, id, limits: this.#settings[kind] }, count).filter(isNearlyUsedUp));
    }
    return uses.toSorted((one, other) => other.used / other.limit - one.used / one.limit);
  }

  /** When what is used is counted anew, in milliseconds since the epoch. */
  countedUntil = (): number => (Math.floor(this.#clock() / DAY_MS) + 1) * DAY_MS;

  flush = (): Promise<void> => this.#usage.flush();
  forget = (before: number, limit: number): Promise<number> => this.#usage.forget(before, limit);

  #channelGroup({ channel }: Account): SlotGroup | null {
    const atMost = this.#settings.channel.calls_at_once;
    return channel === null || atMost === undefined ? null : { name: channel, atMost };
  }

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
    return subjects.filter(({ limits }) => hasLimits(limits));
  }

  #findReached(account: Account, measures: readonly (keyof UsageCount)[]): LimitReached | null {
    for (const subject of this.#subjects(account)) {
      const used = this.#usage.today(toKey(subject));
      for (const measure of measures) {
        const limit = readLimit(subject.limits, measure);
        if (limit === null || used[measure] < limit) continue;
        const untilMs = this.countedUntil();
        return { kind: subject.kind, measure, limit, untilMs, waitMs: untilMs - this.#clock() };
      }
    }
    return null;
  }
}

const RUN_MEASURES = ['runs', 'tokens'] as const;
const MEASURES = ['runs', 'calls', 'tokens'] as const;

/** The share of a limit from which it counts as nearly used up. */
const NEARLY = 0.8;

/** Whether so much of a limit has been used that whoever it is for should know. */
export function isNearlyUsedUp({ used, limit }: Pick<LimitUse, 'used' | 'limit'>): boolean {
  return used >= limit * NEARLY;
}

function toUses({ kind, id, limits }: Subject, count: UsageCount): readonly LimitUse[] {
  return MEASURES.flatMap((measure) => {
    const limit = readLimit(limits, measure);
    return limit === null ? [] : [{ kind, id, measure, used: count[measure], limit }];
  });
}

function hasLimits(limits: DailyLimits): boolean {
  return MEASURES.some((measure) => readLimit(limits, measure) !== null);
}

function readLimit(limits: DailyLimits, measure: keyof UsageCount): number | null {
  return limits[`${measure}_per_day`] ?? null;
}

function toKey({ kind, id }: Pick<Subject, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

function fromKey(key: string): Pick<Subject, 'kind' | 'id'> {
  const [kind, ...id] = key.split(' ');
  return { kind: kind === 'key' || kind === 'channel' ? kind : 'person', id: id.join(' ') };
}
