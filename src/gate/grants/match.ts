import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { PeopleDirectory } from '../approval/people.ts';
import { approvalTerms } from '../approval/tally.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { type GrantLimits, type GrantPattern, matchesGrantPattern } from '../policy/limits.ts';
import { NO_GRANTS, NOT_GRANTABLE, neverRemembered } from '../texts/refusals.ts';
import type { Grant, GrantScope } from './record.ts';

/** Looks up the channel that a thread is in. */
type Channels = Pick<PeopleDirectory, 'groupOf'>;

/**
 * Whether a grant covers a call, by the two records; whether its giver may still decide is checked
 * separately.
 */
export function grantCovers(
  people: Channels,
  grant: Grant,
  call: CallRecord,
  { now, limits }: { readonly now: number; readonly limits: GrantLimits },
): boolean {
  return (
    isGrantActive(grant, now, limits) &&
    grant.tool.server === call.tool.server &&
    grant.tool.name === call.tool.name &&
    grant.definitionHash === call.tool.definitionHash &&
    isInScope(people, grant.place, call) &&
    matchesArguments(grant, call.arguments)
  );
}

/** Whether a grant can still be used. Limits that operators have tightened apply to earlier grants, too. */
export function isGrantActive(grant: Grant, now: number, limits: GrantLimits): boolean {
  const { at, until, limit, used, ended } = grant;
  const isInTime = now < Math.min(until, at + limits.forAtMostMs);
  return ended === null && isInTime && used < Math.min(limit, limits.usesAtMost);
}

/** A grant's limits on arguments. */
type ArgumentLimits = Pick<Grant, 'fixed' | 'free' | 'patterns'>;

/**
 * Whether every argument that the grant doesn't leave free matches its pattern or keeps its value: the same
 * JSON value, types and nested values included, and absent where it was absent.
 */
export function matchesArguments({ fixed, free, patterns = [] }: ArgumentLimits, args: JsonObject): boolean {
  const limited = patterns.map(({ argument }) => argument);
  const names = new Set([...Object.keys(fixed), ...Object.keys(args)]);
  const others = [...names].filter((name) => !free.includes(name) && !limited.includes(name));
  return (
    patterns.every((pattern) => matchesGrantPattern(pattern, givenIn(args, pattern.argument))) &&
    others.every((name) => isSame(fixed, args, name))
  );
}

function givenIn(args: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

function isSame(before: JsonObject, after: JsonObject, name: string): boolean {
  if (!Object.hasOwn(before, name) || !Object.hasOwn(after, name)) return false;
  return canonicalJson(before[name] ?? null) === canonicalJson(after[name] ?? null);
}

/**
 * The argument limits of a grant for this call: the named arguments keep their value, those with a pattern
 * must match it, and the others may vary.
 */
export function splitArguments(
  { tool, arguments: args }: Pick<CallRecord, 'tool' | 'arguments'>,
  stay: readonly string[],
  patterns: readonly GrantPattern[] = [],
): ArgumentLimits {
  const limited = patterns.map(({ argument }) => argument);
  const isKept = (name: string) => stay.includes(name) && !limited.includes(name);
  const free = argumentNames(tool.inputSchema, args).filter(
    (name) => !isKept(name) && !limited.includes(name),
  );
  const kept = Object.entries(args).filter(([name]) => isKept(name));
  return {
    fixed: Object.fromEntries<Json>(kept),
    free,
    patterns: patterns.length === 0 ? undefined : [...patterns],
  };
}

/** Every argument in the tool's schema or in the call. */
export function argumentNames({ properties }: JsonObject, args: JsonObject): readonly string[] {
  return [...new Set([...(isJsonObject(properties) ? Object.keys(properties) : []), ...Object.keys(args)])];
}

/** The scopes of a call; a grant for any of them covers it. */
export function grantScopes(
  people: Channels,
  call: Pick<CallRecord, 'threadId' | 'requester'>,
): readonly GrantScope[] {
  return (['thread', 'requester', 'channel'] as const).flatMap(
    (kind) => toGrantScope(people, kind, call) ?? [],
  );
}

/** The call's scope of this kind; null if it has none, as not every thread is in a channel. */
export function toGrantScope(
  people: Channels,
  kind: GrantScope['kind'],
  { threadId, requester }: { readonly threadId: string; readonly requester: Actor },
): GrantScope | null {
  if (kind === 'thread') return { kind, threadId };
  if (kind === 'requester') return { kind, requester };
  const channel = people.groupOf(threadId);
  return channel === null ? null : { kind, channel };
}

function isInScope(people: Channels, scope: GrantScope, call: CallRecord): boolean {
  switch (scope.kind) {
    case 'thread':
      return scope.threadId === call.threadId;
    case 'requester':
      return scope.requester.id === call.requester.id;
    case 'channel':
      return scope.channel === people.groupOf(call.threadId);
  }
}

/**
 * Why nobody can issue a grant for such calls, in a sentence; null if somebody can. A grant is one person's
 * approval (docs/decisions/0019), so it is issued and used only where one approval is enough.
 */
export function notGrantableReason(call: CallRecord, limits: GrantLimits): string | null {
  const { steps, excludeRequester } = approvalTerms(call);
  if (call.kind !== 'tool' || limits.usesAtMost === 0) return NO_GRANTS;
  if (call.verdict.remember === 'never') return neverRemembered(call.verdict.rule);
  if (call.verdict.confirmByTyping?.length) return NOT_GRANTABLE.typing;
  if (call.verdict.decideOn === 'web') return NOT_GRANTABLE.web;
  if (call.tool.destructive) return NOT_GRANTABLE.destructive;
  if (steps.length !== 1 || steps.some(({ quorum }) => quorum > 1)) return NOT_GRANTABLE.several;
  return excludeRequester ? NOT_GRANTABLE.somebodyElse : null;
}
