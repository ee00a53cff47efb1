import { canonicalJson } from '../../lib/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { PeopleDirectory } from '../approval/people.ts';
import { approvalTerms } from '../approval/tally.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { type GrantLimits, type GrantPattern, matchesGrantPattern } from '../policy/limits.ts';
import type { Grant, GrantScope } from './record.ts';

/** Says which channel a thread is in. */
type Channels = Pick<PeopleDirectory, 'groupOf'>;

/** Whether a grant covers a call, by what the two say; that its giver may still decide is checked apart. */
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

/** Whether it may still be used. What operators allow less of by now counts for grants of before, too. */
export function isGrantActive(grant: Grant, now: number, limits: GrantLimits): boolean {
  const { at, until, limit, used, ended } = grant;
  const isInTime = now < Math.min(until, at + limits.forAtMostMs);
  return ended === null && isInTime && used < Math.min(limit, limits.usesAtMost);
}

/** What a grant says of arguments. */
export type ArgumentLimits = Pick<Grant, 'fixed' | 'free' | 'patterns'>;

/**
 * Whether every argument that the grant does not leave open is like its pattern, or else just as it was: the same
 * JSON value, inner values and types included, and where none was given, none.
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
 * The arguments of a grant of this call in which those named stay as they are, those with a pattern are like it, and
 * the others may vary.
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
    ...(patterns.length === 0 ? {} : { patterns: [...patterns] }),
  };
}

/** Every argument that the tool knows or the call gives. */
export function argumentNames({ properties }: JsonObject, args: JsonObject): readonly string[] {
  return [...new Set([...(isJsonObject(properties) ? Object.keys(properties) : []), ...Object.keys(args)])];
}

/** The scopes that a call is in; a grant for any of them covers it. */
export function grantScopes(
  people: Channels,
  call: Pick<CallRecord, 'threadId' | 'requester'>,
): readonly GrantScope[] {
  return (['thread', 'requester', 'channel'] as const).flatMap(
    (kind) => toGrantScope(people, kind, call) ?? [],
  );
}

/** The scope of this kind that a call is in; null where it has none: not every thread is in a channel. */
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
 * Why nobody can approve such calls once and for all, in a sentence; null where somebody can. A grant stands for
 * one person's word, so that it is given and used only where one person's word is enough.
 */
export function notGrantableReason(call: CallRecord, limits: GrantLimits): string | null {
  const { steps, excludeRequester } = approvalTerms(call);
  if (call.kind !== 'tool' || limits.usesAtMost === 0) return 'Approvals are not remembered here.';
  if (call.verdict.remember === 'never')
    return `The rule ${call.verdict.rule} has every such action asked about.`;
  if (call.verdict.confirmByTyping?.length) return 'It takes a value that is typed each time.';
  if (call.verdict.decideOn === 'web') return 'It takes a sign-in on the web page each time.';
  if (call.tool.destructive) return 'It may delete or overwrite something, so it is asked about every time.';
  if (steps.length !== 1 || steps.some(({ quorum }) => quorum > 1))
    return 'It needs several people each time.';
  return excludeRequester ? 'It needs somebody other than whoever asks each time.' : null;
}
