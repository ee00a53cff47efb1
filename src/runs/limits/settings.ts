import type { Actor } from '../../gate/types.ts';
import type { Put } from '../../storage/store.ts';
import type { Account, TokenUse } from '../../tools/ports.ts';
import type { LimitReached } from '../texts.ts';
import type { Allowed } from './extensions.ts';
import type { SubjectLimit } from './limit-case.ts';
import type { LimitMeasure } from './usage.ts';

/** What one person, key or channel may use in a day; null or left out: as much as they like. */
interface DailyLimits {
  readonly runs_per_day?: number | undefined;
  readonly calls_per_day?: number | undefined;
  readonly tokens_per_day?: number | undefined;
  /** In US dollars. */
  readonly cost_per_day?: number | undefined;
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

/** What has been used of a limit today. */
export interface LimitUse {
  readonly kind: keyof LimitSettings;
  /** The id of the person, key or channel. */
  readonly id: string;
  readonly measure: LimitMeasure;
  /** Of `cost`, in millionths of a dollar. */
  readonly used: number;
  /** With what was allowed besides for today. */
  readonly limit: number;
  /** The limit of every day. */
  readonly daily: number;
  /** The number of the next question whether to extend it today, from 1. */
  readonly question: number;
  /** The last of what was allowed besides for today and not taken back; null if nothing was. */
  readonly allowed: Allowed | null;
}

/** Tokens of a model that were used. */
export interface TokensSpent {
  readonly model: 'main' | 'router';
  readonly tokens: TokenUse;
  /** In millionths of a dollar; 0 where no price is known. */
  readonly cost: number;
}

/** A person, key or channel whose use is counted. */
export interface Subject {
  readonly kind: keyof LimitSettings;
  readonly id: string;
  readonly limits: DailyLimits;
}

/** Whose limits count for the account: those that have any. */
export function listSubjects(
  settings: LimitSettings,
  { kind, owner, channel, person }: Account,
): readonly Subject[] {
  const subjects: readonly Subject[] = [
    { kind, id: owner, limits: settings[kind] },
    ...(person === undefined ? [] : [{ kind: 'person' as const, id: person, limits: settings.person }]),
    ...(channel === null ? [] : [{ kind: 'channel' as const, id: channel, limits: settings.channel }]),
  ];
  return subjects.filter(({ limits }) => hasLimits(limits));
}

/** What is limited by the day. */
export const MEASURES = ['runs', 'calls', 'tokens', 'cost'] as const;

const MICROS = 1_000_000;

/** The share of a limit from which it counts as nearly used up. */
const NEARLY = 0.8;

/** Whether so much of a limit has been used that whoever it is for should know. */
export function isNearlyUsedUp({ used, limit }: Pick<LimitUse, 'used' | 'limit'>): boolean {
  return used >= limit * NEARLY;
}

/** Orders limits, the fullest first, and among those as full by whose they are, so that no two are the same. */
export function compareFullness(one: LimitFullness, other: LimitFullness): number {
  const [a, b] = [nameLimit(one), nameLimit(other)];
  return other.used / other.limit - one.used / one.limit || (a === b ? 0 : a < b ? -1 : 1);
}

function nameLimit({ kind, id, measure }: LimitId): string {
  return `${kind} ${measure} ${id}`;
}

type LimitFullness = Pick<LimitUse, 'kind' | 'id' | 'measure' | 'used' | 'limit'>;

/** Whether anything is limited. */
export function hasLimits(limits: DailyLimits): boolean {
  return MEASURES.some((measure) => readLimit(limits, measure) !== null);
}

/** A day's limit, as it's counted: dollars in millionths. */
export function readLimit(limits: DailyLimits, measure: LimitMeasure): number | null {
  const limit = limits[`${measure}_per_day`] ?? null;
  return limit !== null && measure === 'cost' ? Math.round(limit * MICROS) : limit;
}

/** A limit of one person, key or channel. */
export type LimitId = Pick<LimitReached, 'kind' | 'id' | 'measure'>;

/** A limit by its subject. */
export function identifyLimit({ kind, id, measure }: LimitId): SubjectLimit {
  return { subject: toKey({ kind, id }), measure };
}

/** A subject, as its use is counted. */
export function toKey({ kind, id }: { readonly kind: string; readonly id: string }): string {
  return `${kind} ${id}`;
}

/** A limit of today, with the number of a question whether to extend it. */
export interface AskedLimit extends Omit<LimitReached, 'waitMs'> {
  readonly question: number;
}

/** A call that was counted when it was made. */
export interface CountedCall {
  /** It's not to be sent, and doesn't count. */
  readonly giveBack: () => void;
}

/** Shows people the questions about limits that are used up, each asked once until it is answered, and the answers. */
export interface LimitListener {
  /**
   * The writes that show a question as it is recorded by then, for the commit that asks it (`by` is null) or answers it,
   * wherever that was done.
   */
  announce(asked: AskedLimit, by: Actor | null): readonly Put[];
  /** Called after that commit: a hint, which can be lost. Must not throw. */
  notify(asked: AskedLimit, by: Actor | null): void;
}
