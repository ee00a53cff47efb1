import { z } from 'zod';
import { scanIndex } from '../../storage/scan.ts';
import { absent, put, type Stored, unchanged } from '../../storage/store.ts';
import { ownEligibility } from '../approval/eligibility.ts';
import type { Actor } from '../call/actor.ts';
import type { DecisionInput } from '../call/decision.ts';
import { callKey } from '../call/digest.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError, unknownCall } from '../call/refusal.ts';
import { decide } from '../decisions/decide.ts';
import { type GrantPattern, grantPatternSchema } from '../policy/limits.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import type { GatePorts, PrepareExtraWrites } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { commitChange } from '../store/commit.ts';
import { evaluateToday } from '../store/session-risk.ts';
import {
  GRANT_IS_FOR_ONCE,
  GRANT_MISFIT,
  GRANT_OUT_OF_LIMITS,
  GRANT_OVER,
  GRANT_TOO_WIDE,
  NOT_YOUR_GRANT,
  nothingDone,
} from '../texts/refusals.ts';
import { effectiveGrantLimits } from './apply.ts';
import { matchesArguments, notGrantableReason, splitArguments, toGrantScope } from './match.ts';
import { grantNote } from './notes.ts';
import { type Grant, type GrantScope, grants } from './record.ts';

/** How long an ended grant stays listed, in milliseconds. */
const LISTED_AFTER_MS = 86_400_000;
/** The most grants listed for one person. */
const LISTED = 100;

/** What a grant is to allow, besides the call that is approved with it. */
export interface GrantTerms {
  /** Arguments that must keep their value, or stay absent; the others may vary. */
  readonly fixed: readonly string[];
  /** Arguments limited by a pattern instead; the call at hand matches it. */
  readonly patterns?: readonly GrantPattern[];
  readonly scope: GrantScope['kind'];
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly limit: number;
}

/**
 * Approves a call and issues a grant for similar ones, in one commit: both, or neither.
 * @throws RefusalError when this person may not, or not on these terms; nothing has changed then.
 */
export async function approveWithGrant(
  ports: GatePorts,
  key: string,
  actor: Actor,
  {
    digest,
    place,
    news,
    terms,
  }: Pick<DecisionInput, 'digest' | 'place' | 'news'> & { readonly terms: GrantTerms },
): Promise<Grant> {
  let given: Grant | null = null;
  const also: PrepareExtraWrites = async () => {
    const call = await findGrantableCall(ports, key, actor);
    given = createGrant(ports, call, terms, actor);
    const { grantId } = given;
    return {
      expect: [absent(grants, grantId)],
      put: [put(grants, grantId, given)],
      notes: [grantNote(given, 'granted', actor)],
      notify: () => undefined,
    };
  };
  const { until } = terms;
  const input = { callKey: key, digest, place, news, type: 'approve', remembered: { until } } as const;
  await decide(ports, [input], actor, { also });
  if (!given) throw new Error('the decision was committed without its grant');
  return given;
}

/**
 * The call, if this person can issue a grant with its approval.
 * @throws RefusalError when they can't.
 */
export async function findGrantableCall(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  const stored = await ports.store.get(calls, key);
  if (!stored) throw unknownCall();
  // A grant outlives this call, so what the policy says now counts too, not only the verdict of record.
  const now = await evaluateToday(ports, stored.value);
  const call: CallRecord = { ...stored.value, verdict: stricterVerdict(stored.value.verdict, now) };
  const why = notGrantableReason(call, effectiveGrantLimits(ports));
  if (why !== null) throw new RefusalError('not_applicable', nothingDone(why), stored.value);
  // Without its timing, the call is as a new one would be: nobody was added by an escalation.
  const { timing: _asked, ...anew } = call;
  if (!(await ownEligibility(ports.people, anew, actor)).may) {
    throw new RefusalError('not_applicable', GRANT_IS_FOR_ONCE, stored.value);
  }
  return call;
}

function createGrant(ports: GatePorts, call: CallRecord, terms: GrantTerms, actor: Actor): Grant {
  const { forAtMostMs, usesAtMost } = effectiveGrantLimits(ports);
  const now = ports.clock();
  const place = toGrantScope(ports.people, terms.scope, call);
  const isInTime = terms.until > now && terms.until <= now + forAtMostMs;
  const isInNumber = Number.isInteger(terms.limit) && terms.limit >= 1 && terms.limit <= usesAtMost;
  if (place === null || !isInTime || !isInNumber) {
    throw new RefusalError('not_applicable', GRANT_OUT_OF_LIMITS, call);
  }
  const patterns = z.array(grantPatternSchema).safeParse(terms.patterns ?? []).data;
  const limits = patterns && splitArguments(call, terms.fixed, patterns);
  if (!limits || !matchesArguments(limits, call.arguments)) {
    throw new RefusalError('not_applicable', GRANT_MISFIT, call);
  }
  const { server, name, title, definitionHash } = call.tool;
  const isLimited = Object.keys(limits.fixed).length > 0 || limits.patterns !== undefined;
  if (call.tool.destructive && !isLimited && limits.free.length > 0) {
    throw new RefusalError('not_applicable', GRANT_TOO_WIDE, call);
  }
  return {
    grantId: callKey(call.threadId, `grant:${call.callId}:${now}`),
    by: actor,
    tool: { server, name, title },
    definitionHash,
    ...limits,
    place,
    approval: call.verdict.approval,
    threadId: call.threadId,
    callId: call.callId,
    at: now,
    until: terms.until,
    limit: terms.limit,
    used: 0,
    usedAt: null,
    ended: null,
  };
}

/**
 * Revokes one's own grant. Calls that it already allowed aren't undone.
 * @throws RefusalError when there is no such grant, or it has ended.
 */
export async function revokeGrant(ports: GatePorts, grantId: string, actor: Actor): Promise<Grant> {
  for (;;) {
    const stored = await ports.store.get(grants, grantId);
    if (stored?.value.by.id !== actor.id) {
      throw new RefusalError('not_allowed', NOT_YOUR_GRANT);
    }
    if (isOver(stored, ports.clock())) {
      throw new RefusalError('already_decided', GRANT_OVER);
    }
    const grant: Grant = { ...stored.value, ended: { at: ports.clock(), why: 'revoked' } };
    const isCommitted = await commitChange(ports, {
      expect: [unchanged(grants, stored)],
      put: [put(grants, grantId, grant)],
      event: null,
      notes: [grantNote(grant, 'grant_ended', actor)],
    });
    if (isCommitted) return grant;
  }
}

function isOver({ value }: Stored<Grant>, now: number): boolean {
  return value.ended !== null || value.until <= now || value.used >= value.limit;
}

/** A person's grants, the next to expire first. An ended grant stays listed for a day. */
export async function listGrants(ports: GatePorts, actorId: string): Promise<readonly Grant[]> {
  const since = ports.clock() - LISTED_AFTER_MS;
  const listed: Grant[] = [];
  const range = { prefix: [actorId], from: [actorId, since] };
  for await (const { value } of scanIndex(ports.store, grants, 'byPerson', range)) {
    const overAt = value.ended?.at ?? (value.used >= value.limit ? value.usedAt : null);
    if (overAt === null || overAt > since) listed.push(value);
    if (listed.length >= LISTED) break;
  }
  return listed;
}
