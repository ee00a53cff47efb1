import type { AuditLog } from '../../gate/types.ts';
import type { Clock, Ids } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { FairSlots, type SlotGroup } from '../../lib/slots/fair-slots.ts';
import { HeldSlot } from '../../lib/slots/slots.ts';
import type { Put, Store } from '../../storage/store.ts';
import type { Account, CallAdmission, CallWait, TokenUse } from '../../tools/ports.ts';
import { callLimitReached, type LimitReached, tokenLimitReached } from '../texts.ts';
import { type Answer, type Extended, Extensions, type LimitAnswer } from './extensions.ts';
import { splitSubject } from './limit-case.ts';
import type { TokenCost } from './prices.ts';
import { LimitQuestions } from './questions.ts';
import {
  type CountedCall,
  compareFullness,
  hasLimits,
  identifyLimit,
  isNearlyUsedUp,
  type LimitId,
  type LimitListener,
  type LimitSettings,
  type LimitUse,
  listSubjects,
  MEASURES,
  readLimit,
  type Subject,
  type TokensSpent,
  toKey,
} from './settings.ts';
import { endOfDay, type LimitMeasure, Usage, type UsageCount } from './usage.ts';

/** No limits but the fair shares. */
const NO_LIMITS: LimitSettings = { person: {}, key: {}, channel: {} };

/** The most calls that one process has in flight, each of which may bring an answer of some megabytes. */
const MAX_INFLIGHT = 256;

interface LimitsPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** @default none */
  readonly settings?: LimitSettings;
  /** @default 256 */
  readonly maxInflight?: number;
  /** What tokens of the models cost. @default nothing */
  readonly costs?: { readonly main: TokenCost; readonly router: TokenCost };
  readonly audit: AuditLog;
  /** Hears of tokens of the models that were used, whether they are limited or not. */
  readonly onSpend?: (spent: TokensSpent) => void;
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

  readonly #extensions: Extensions;
  readonly #questions: LimitQuestions;
  readonly #spending: Pick<LimitsPorts, 'costs' | 'onSpend'>;

  constructor(ports: LimitsPorts) {
    const { store, clock, ids, settings = NO_LIMITS, maxInflight = MAX_INFLIGHT } = ports;
    this.#spending = ports;
    this.#extensions = new Extensions(ports);
    this.#questions = new LimitQuestions({ extensions: this.#extensions, settings, clock });
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
    else this.#questions.ask(reached);
    return reached;
  }

  /** Why no run of this account may begin now; null if one may. */
  async findReached(account: Account): Promise<LimitReached | null> {
    await this.#refresh(account);
    const reached = this.#findReached(account, RUN_MEASURES);
    if (reached) this.#questions.ask(reached);
    return reached;
  }

  /**
   * Waits until the call may be in flight, beside others of the same owner, and counts it. `refusal`: why it may
   * not be sent today unless people approved it.
   */
  async admitCall(account: Account, wait: Omit<CallWait, 'at'>): Promise<CallAdmission> {
    const { signal, onWait, isCounted, isUnderWay } = wait;
    const owner = `${account.kind} ${account.owner}`;
    const atMost = this.#settings[account.kind].calls_at_once ?? null;
    const group = this.#channelGroup(account);
    const release = isUnderWay
      ? this.#calls.take(owner, group)
      : await this.#calls.acquire({ owner, atMost, group, signal, onWait });
    const slot = new HeldSlot(this.#calls, { owner, group, release });
    try {
      if (!isCounted) await this.#refresh(account);
      const reached = isCounted ? null : this.#findReached(account, ['calls']);
      if (reached) this.#questions.ask(reached);
      const counted = isCounted ? null : this.#countCall(account);
      return {
        refusal: reached && callLimitReached(reached),
        outside: (work, options) => slot.outside(work, options),
        end: ({ isSent }) => {
          slot.end();
          if (!isSent) counted?.giveBack();
        },
      };
    } catch (error) {
      slot.end();
      throw error;
    }
  }

  /** Counts a call that a program makes; or returns why it may not, and then counts nothing. */
  async beginCall(account: Account): Promise<CountedCall | LimitReached> {
    await this.#refresh(account);
    const reached = this.#findReached(account, ['calls']);
    if (reached) this.#questions.ask(reached);
    return reached ?? this.#countCall(account);
  }

  /** Throws AppError `limit_reached` if the account has no tokens left today. */
  async assertTokens(account: Account): Promise<void> {
    await this.#refresh(account);
    const reached = this.#findReached(account, ['tokens', 'cost']);
    if (reached) this.#questions.ask(reached);
    if (reached) throw new AppError({ code: 'limit_reached', userMessage: tokenLimitReached(reached) });
  }

  /**
   * Counts tokens of the model, and what they cost where that is known.
   * @default model main
   */
  spend = (account: Account, tokens: TokenUse, model: 'main' | 'router' = 'main'): void => {
    this.#add(account, 'tokens', tokens.input + tokens.cached + tokens.output);
    const cost = this.#spending.costs?.[model](tokens) ?? 0;
    if (cost > 0) this.#add(account, 'cost', cost);
    this.#spending.onSpend?.({ model, tokens, cost });
  };

  /** Who shows people the questions about limits that are used up. */
  onReached = (listener: LimitListener): void => this.#questions.listen(listener);
  /** Allows so much more of a limit today, as the answer to the question of that number. */
  extend = (limit: LimitId, answer: Answer & { readonly amount: number }): Promise<Extended> =>
    this.#questions.extend(limit, answer);
  /** Takes back what that answer allowed. */
  takeBack = (limit: LimitId, answer: Answer): Promise<Extended> => this.#questions.takeBack(limit, answer);
  /** Answers a question by leaving the limit as it is. */
  leave = (limit: LimitId, answer: Answer): Promise<Extended> => this.#questions.leave(limit, answer);
  /** How a question of the day that ends `until` was answered, as it is recorded; null if it hasn't been. */
  findAnswer = (
    limit: LimitId,
    asked: { readonly question: number; readonly until: number },
  ): Promise<LimitAnswer | null> => this.#questions.find(limit, asked);

  /** The writes that record what the account has used, for a commit that is made anyway. */
  writes(account: Account): readonly Put[] {
    return this.#usage.writes(this.#subjects(account).map(toKey));
  }

  /** What the account has used today of its limits, and of its channel's; nothing where none is set. */
  async uses(account: Account): Promise<readonly LimitUse[]> {
    await this.#refresh(account);
    return this.#subjects(account).flatMap((subject) =>
      this.#toUses(subject, this.#usage.today(toKey(subject))),
    );
  }

  /**
   * What people, keys and channels have nearly used up today, or an admin has extended, the fullest first; null where no
   * limit is set.
   */
  async nearlyUsedUp(): Promise<readonly LimitUse[] | null> {
    if (!Object.values(this.#settings).some(hasLimits)) return null;
    return (await this.usesToday()).filter((use) => use.allowed !== null || isNearlyUsedUp(use));
  }

  /** What everybody has used of their limits today, the fullest first. */
  usesToday = async (): Promise<readonly LimitUse[]> => {
    const uses: LimitUse[] = [];
    const counts = await this.#usage.ofAll();
    await this.#extensions.refreshAll(counts.keys());
    for (const [key, count] of counts) {
      const { kind, id } = splitSubject(key);
      uses.push(...this.#toUses({ kind, id, limits: this.#settings[kind] }, count));
    }
    return uses.toSorted(compareFullness);
  };

  /** When what is used is counted anew, in milliseconds since the epoch. */
  countedUntil = (): number => endOfDay(this.#clock());

  flush = (): Promise<void> => this.#usage.flush();
  forget = async (before: number, limit: number): Promise<number> =>
    Math.max(
      ...(await Promise.all([this.#usage.forget(before, limit), this.#extensions.forget(before, limit)])),
    );

  #channelGroup({ channel }: Account): SlotGroup | null {
    const atMost = this.#settings.channel.calls_at_once;
    return channel === null || atMost === undefined ? null : { name: channel, atMost };
  }

  async #refresh(account: Account): Promise<void> {
    await Promise.all(
      this.#subjects(account)
        .map(toKey)
        .flatMap((key) => [this.#usage.refresh(key), this.#extensions.refresh(key)]),
    );
  }

  #countCall(account: Account): CountedCall {
    this.#add(account, 'calls', 1);
    const countedUntil = this.countedUntil();
    return {
      giveBack: () => {
        // Yesterday's call can't make room for another one today.
        if (countedUntil === this.countedUntil()) this.#add(account, 'calls', -1);
      },
    };
  }

  #add(account: Account, measure: LimitMeasure, amount: number): void {
    for (const subject of this.#subjects(account)) this.#usage.add(toKey(subject), measure, amount);
  }

  #subjects(account: Account): readonly Subject[] {
    return listSubjects(this.#settings, account);
  }

  #toUses({ kind, id, limits }: Subject, count: UsageCount): readonly LimitUse[] {
    return MEASURES.flatMap((measure) => {
      const limit = this.#limit({ kind, id, limits }, measure);
      if (limit === null) return [];
      const daily = readLimit(limits, measure) ?? limit;
      const own = identifyLimit({ kind, id, measure });
      const question = this.#extensions.nextQuestion(own);
      const allowed = this.#extensions.lastAllowed(own);
      return [{ kind, id, measure, used: count[measure], limit, daily, question, allowed }];
    });
  }

  /** A limit with what was allowed besides for today; null for none. */
  #limit(subject: Subject, measure: LimitMeasure): number | null {
    const limit = readLimit(subject.limits, measure);
    return limit === null ? null : limit + this.#extensions.extra({ subject: toKey(subject), measure });
  }

  #findReached(account: Account, measures: readonly LimitMeasure[]): LimitReached | null {
    for (const subject of this.#subjects(account)) {
      const used = this.#usage.today(toKey(subject));
      for (const measure of measures) {
        const limit = this.#limit(subject, measure);
        if (limit === null || used[measure] < limit) continue;
        const untilMs = this.countedUntil();
        return {
          kind: subject.kind,
          id: subject.id,
          measure,
          limit,
          daily: readLimit(subject.limits, measure) ?? limit,
          untilMs,
          waitMs: untilMs - this.#clock(),
        };
      }
    }
    return null;
  }
}

const RUN_MEASURES = ['runs', 'tokens', 'cost'] as const;
