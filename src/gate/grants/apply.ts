import { canonicalJson } from '../../lib/canonical-json.ts';
import { scanReadable } from '../../storage/scan.ts';
import { type Expectation, type Put, put, type Stored, unchanged } from '../../storage/store.ts';
import { ownEligibility } from '../approval/eligibility.ts';
import { StandingUnknownError } from '../approval/people.ts';
import { approvalTerms } from '../approval/tally.ts';
import type { AuditNote } from '../audit/note.ts';
import { SYSTEM } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import { finalState } from '../call/lifecycle.ts';
import { type Proposer, previewCall } from '../call/propose.ts';
import type { CallRecord, ProposedCall } from '../call/record.ts';
import { DEFAULT_GRANT_LIMITS, type GrantLimits } from '../policy/limits.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import type { Verdict } from '../policy/verdict.ts';
import type { GatePorts } from '../ports.ts';
import { type ReadSession, readSession, withCall } from '../store/session-risk.ts';
import { grantLapsed, grantNotProven, grantVoidedByChange, grantVoidedByStanding } from '../texts/notices.ts';
import { grantCovers, grantScopes, isGrantActive, notGrantableReason } from './match.ts';
import { grantNote, proveGrant } from './notes.ts';
import { type Grant, grants, scopeKey } from './record.ts';

/** The limits on grants that apply here, by default 90 days and 1,000 uses. */
export function effectiveGrantLimits({ grantLimits }: Pick<GatePorts, 'grantLimits'>): GrantLimits {
  return grantLimits ?? DEFAULT_GRANT_LIMITS;
}

/** A call that a grant allows, with the preconditions and writes of the same commit. */
export interface GrantedCall {
  readonly call: CallRecord;
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  readonly notes: readonly AuditNote[];
}

/**
 * A new call that people would be asked about, as an active grant allows it; null if none does. The use is
 * counted in the same commit, so that two concurrent calls never share the last one.
 */
export async function applyGrant(ports: GatePorts, call: CallRecord): Promise<GrantedCall | null> {
  const stored = await grantFor(ports, call);
  if (!stored) return null;
  const after = { ...stored.value, used: stored.value.used + 1, usedAt: ports.clock() };
  return {
    call: withGrant(call, after),
    expect: [unchanged(grants, stored)],
    put: [put(grants, stored.id, after)],
    notes: [grantNote(after, 'grant_used', SYSTEM)],
  };
}

/**
 * Whether people would be asked about each of these calls now, which are of one answer: the policy asks, or what the
 * session has read does, and no grant allows it. Calls that are let through count for those after them. A preview
 * without a promise: the call is evaluated and its arguments checked for its record, and the grant counted, when
 * it is opened or begun.
 */
export function planApprovals(
  ports: GatePorts,
  from: Proposer,
): (proposed: ProposedCall) => Promise<boolean> {
  let session: ReadSession | null | undefined;
  return async (proposed) => {
    session ??= await readSession(ports, from);
    const call = previewCall(ports, from, proposed, session);
    const isAsked = call.verdict.action === 'ask' && (await grantFor(ports, call)) === null;
    if (session && !isAsked && finalState(call) === null) session = withCall(session, call, ports.clock());
    return isAsked;
  };
}

/**
 * The calls of a plan as active grants allow them, in its order, so that none is promised more uses than it has left. A use
 * is counted when its step begins, where {@link grantAgain} looks at it once more: what never runs uses nothing up.
 */
export async function grantSteps(
  ports: GatePorts,
  steps: readonly CallRecord[],
): Promise<readonly CallRecord[]> {
  const promised = new Map<string, number>();
  const granted: CallRecord[] = [];
  for (const call of steps) {
    const stored = await grantFor(ports, call, promised);
    granted.push(stored ? withGrant({ ...call, risk: undefined }, stored.value) : call);
    if (stored) promised.set(stored.id, (promised.get(stored.id) ?? 0) + 1);
  }
  return granted;
}

/** What grants do to a call that begins: the use to count, or the call as people are asked about it, since none allows it any more. */
interface GrantAtBegin {
  readonly use: GrantedCall | null;
  readonly lapsed: CallRecord | null;
}

/** As {@link applyGrant}, for a new call. */
export async function grantNow(ports: GatePorts, call: CallRecord): Promise<GrantAtBegin> {
  return { use: await applyGrant(ports, call), lapsed: null };
}

/**
 * The same of a step that a grant allowed when its plan was made, and of which no use is counted yet; nothing for any other
 * recorded call. `today`: the policy's verdict on it now.
 */
export async function grantAgain(
  ports: GatePorts,
  { grant, ...call }: CallRecord,
  today: Verdict,
): Promise<GrantAtBegin> {
  // Of any other call that waits with a grant, such as a program's, the use was counted when it was proposed.
  const isStep = call.state === 'allowed' && call.after !== undefined && call.attempt === 0;
  if (!isStep || grant === undefined || today.action === 'deny') return { use: null, lapsed: null };
  const asked: CallRecord = { ...call, state: 'pending', verdict: stricterVerdict(call.verdict, today) };
  const use = await applyGrant(ports, asked);
  return { use, lapsed: use ? null : { ...asked, askedAgain: grantLapsed(grant.by.name) } };
}

function withGrant(call: CallRecord, { grantId, by, until, patterns }: Grant): CallRecord {
  return { ...call, state: 'allowed', grant: { grantId, by, until, patterns } };
}

/** @param promised uses of grants that are promised to other calls, by grant. */
async function grantFor(
  ports: GatePorts,
  call: CallRecord,
  promised: ReadonlyMap<string, number> = new Map(),
): Promise<Stored<Grant> | null> {
  const limits = effectiveGrantLimits(ports);
  if (call.state !== 'pending' || notGrantableReason(call, limits) !== null) return null;
  const now = ports.clock();
  const covers = ({ id, value }: Stored<Grant>) => {
    const grant = { ...value, used: value.used + (promised.get(id) ?? 0) };
    return grantCovers(ports.people, grant, call, { now, limits });
  };
  for await (const stored of liveFor(ports, call)) {
    if (!covers(stored) || !(await stillCounts(ports, call, stored.value.by))) continue;
    const proven = await proveGrant(ports, stored);
    if (proven && covers(proven)) return proven;
  }
  return null;
}

/** Active grants for this tool, in the scopes that the call is in. */
async function* liveFor(ports: GatePorts, call: CallRecord): AsyncGenerator<Stored<Grant>> {
  const { server, name } = call.tool;
  const scans = grantScopes(ports.people, call).map((scope) => {
    const prefix = [server, name, scopeKey(scope)];
    return scanReadable(ports, grants, 'live', { prefix, from: [...prefix, ports.clock()] });
  });
  // The first pages are asked for together.
  const first = await Promise.all(scans.map((scan) => scan.next()));
  for (const [place, scan] of scans.entries()) {
    const next = first[place];
    if (!next || next.done) continue;
    yield next.value;
    yield* scan;
  }
}

/** Whether this person's approval alone is still enough for the call; no, if that can't be found out. */
async function stillCounts(ports: GatePorts, call: CallRecord, by: Actor): Promise<boolean> {
  try {
    return (await ownEligibility(ports.people, call, by)).may;
  } catch (error) {
    if (error instanceof StandingUnknownError) return false;
    throw error;
  }
}

/**
 * A call that a grant allowed and that wasn't sent yet, now pending because the grant no longer holds; null
 * if the grant holds, and for any other call. `today`: the policy's verdict on it now.
 */
export async function revalidateGrant(
  ports: GatePorts,
  call: CallRecord,
  today: Verdict,
): Promise<CallRecord | null> {
  if (call.state !== 'allowed' || call.grant === undefined) return null;
  const { grant: use, ...rest } = call;
  const stored = await ports.store.get(grants, use.grantId);
  // The rule may have become stricter since the grant allowed the call: the grant must still suffice.
  const asked: CallRecord = { ...rest, state: 'pending', verdict: stricterVerdict(call.verdict, today) };
  const limits = effectiveGrantLimits(ports);
  // This very call was counted as a use.
  const grant = stored && { ...stored.value, used: stored.value.used - 1 };
  const holds =
    stored !== null &&
    grant !== null &&
    grantCovers(ports.people, grant, call, { now: ports.clock(), limits }) &&
    notGrantableReason(asked, limits) === null &&
    (await stillCounts(ports, asked, use.by)) &&
    (await proveGrant(ports, stored)) !== null;
  if (holds) return null;
  return { ...asked, askedAgain: grantLapsed(use.by.name) };
}

/** Grants that end, and the notices about it for the people who are asked instead. */
interface VoidedGrants {
  /** One sentence by `call_id`. */
  readonly notices: ReadonlyMap<string, string>;
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  readonly notes: readonly AuditNote[];
}

/**
 * Finds the grants that end with these new calls, which people are asked about: grants for another definition
 * of the tool, and those of somebody who may no longer decide such calls.
 */
export async function findVoidedGrants(
  ports: GatePorts,
  asked: readonly CallRecord[],
): Promise<VoidedGrants> {
  const ending = new Map<string, { readonly stored: Stored<Grant>; readonly grant: Grant }>();
  const notices = new Map<string, string>();
  const now = ports.clock();
  const limits = effectiveGrantLimits(ports);
  for (const call of asked.filter(({ kind, state }) => kind === 'tool' && state === 'pending')) {
    for await (const stored of liveFor(ports, call)) {
      const why = isGrantActive(stored.value, now, limits) ? await voidReason(ports, stored, call) : null;
      if (why === null) continue;
      ending.set(stored.id, { stored, grant: { ...stored.value, ended: { at: now, why } } });
      notices.set(call.callId, voidNotice(why, stored.value));
    }
  }
  const all = [...ending.values()];
  return {
    notices,
    expect: all.map(({ stored }) => unchanged(grants, stored)),
    put: all.map(({ grant }) => put(grants, grant.grantId, grant)),
    notes: all.map(({ grant }) => grantNote(grant, 'grant_ended', SYSTEM)),
  };
}

type VoidReason = Exclude<NonNullable<Grant['ended']>['why'], 'revoked'>;

function voidNotice(why: VoidReason, { by, tool }: Grant): string {
  switch (why) {
    case 'definition':
      return grantVoidedByChange(by.name, tool.server);
    case 'standing':
      return grantVoidedByStanding(by.name);
    case 'unproven':
      return grantNotProven(by.name);
  }
}

async function voidReason(
  ports: GatePorts,
  stored: Stored<Grant>,
  call: CallRecord,
): Promise<VoidReason | null> {
  if (!(await proveGrant(ports, stored))) return 'unproven';
  const grant = stored.value;
  if (grant.definitionHash !== call.tool.definitionHash) return 'definition';
  const { approval } = call.verdict;
  // Under another rule, or for another requester, an approval that isn't enough says nothing about their
  // standing.
  const isSameRule =
    grant.approval !== undefined &&
    approval !== undefined &&
    canonicalJson(grant.approval) === canonicalJson(approval) &&
    !approvalTerms(call).steps.some(({ from }) => from.includes('requester'));
  if (!isSameRule) return null;
  try {
    return (await ownEligibility(ports.people, call, grant.by)).may ? null : 'standing';
  } catch (error) {
    if (error instanceof StandingUnknownError) return null;
    throw error;
  }
}
