import type { ApprovalStatus, ApproverRef, CallRecord } from '../../gate/types.ts';
import {
  type Actor,
  actorLabel,
  barredReason,
  findVote,
  formatApproverRef,
  joinApproverNames,
  parseApproverRef,
} from '../../gate/types.ts';
import { readSlackUser } from '../ids.ts';
import { approverWords } from '../text/answered-mail.ts';
import { PROGRESS } from '../texts/people.ts';
import { type ApproverNames, approverLabel, butNot } from './approver-names.ts';
import { type ApproverPorts, actorIdIn, type ResolvedApprover, resolveApprover } from './approvers.ts';
import { slackIdentity } from './identity.ts';
import type { ApproverSummary } from './types.ts';

/** A call with its approval status. */
interface CallApproval {
  readonly call: CallRecord;
  readonly approval: ApprovalStatus;
}

/** Summarises who can decide the call now, with names looked up; null once it is decided. */
export async function summarizeApprovers(
  { call, approval }: CallApproval,
  ports: ApproverNames,
): Promise<ApproverSummary | null> {
  if (call.state !== 'pending') return null;
  const { step, from, needed, approved, rejected } = approval;
  const { steps } = approval.terms;
  const approvers = await resolveAll(from, call, ports);
  const lack = await describeMissing({ call, approval }, approvers, ports);
  const names = await Promise.all(
    approvers.map(async (approver) => {
      const pieces = await approverLabel(approver, call, ports);
      return pieces.map(({ name }) => name).join('');
    }),
  );
  const who = joinApproverNames(from, names, needed);
  const words = approverWords(call);
  const parts = [
    ...(lack === null ? [] : [lack]),
    ...(steps.length > 1 && needed > 0 ? [PROGRESS.step(step + 1, steps.length)] : []),
    ...(needed > 1 ? [`${PROGRESS.approved(approved.length, needed)}${joinNames(approved)}`] : []),
    // Whoever is among the approvers is already named there, with their delegate.
    ...(call.handOvers ?? [])
      .filter((one) => one.from.id !== call.requester.id && !isNamed(from, one.from.id))
      .map((one) => actorLabel({ actor: one.to, for: one.from })),
    ...(rejected.length > 0 ? [PROGRESS.rejectedBy(rejected.join(', '))] : []),
  ];
  return {
    who: `${who}${butNot(call)}`,
    isOnly: names.length === 1 && isOnePerson(from[0]) && names[0]?.includes('(') === false,
    verb: needed > 1 ? words.mustApprove : words.canApprove,
    progress: parts.length === 0 ? null : parts.join('; '),
  };
}

function resolveAll(
  from: readonly ApproverRef[],
  call: CallRecord,
  ports: ApproverPorts,
): Promise<readonly ResolvedApprover[]> {
  return Promise.all(from.map((ref) => resolveApprover(ref, call, ports)));
}

/**
 * The warning that a step has too few eligible approvers; null as far as there are known to be enough.
 * `current`: the approvers of the step that the call waits for.
 */
async function describeMissing(
  { call, approval }: CallApproval,
  current: readonly ResolvedApprover[],
  ports: ApproverPorts,
): Promise<string | null> {
  const { step, terms } = approval;
  const left = terms.steps.slice(step);
  for (const [index, asked] of left.entries()) {
    const approvers = index === 0 ? current : await resolveAll(asked.from, call, ports);
    const count = countEligible(approvers, step + index, { call, approval });
    if (count === 0) return PROGRESS.nobodyDecides;
    if (count < asked.quorum) return PROGRESS.tooFew(asked.quorum, count);
  }
  return null;
}

/** How many people these are at most, without those who may not approve this step. */
function countEligible(
  approvers: readonly ResolvedApprover[],
  step: number,
  { call, approval }: CallApproval,
): number {
  const people = new Set<Actor['id']>();
  for (const approver of approvers) {
    const ids = accountIds(approver, call);
    if (ids === null) return Number.POSITIVE_INFINITY;
    for (const id of ids) people.add(id);
  }
  const { excludeRequester } = approval.terms;
  const mayApprove = (id: Actor['id']): boolean => {
    if (excludeRequester && slackIdentity.samePerson({ id }, call.requester)) return false;
    const vote = findVote(slackIdentity, call, { id });
    const isUsed = vote !== undefined && vote.step !== step;
    return !isUsed && barredReason(slackIdentity, call, { step, actor: { id } }) === null;
  };
  return [...people].filter(mayApprove).length;
}

/** The actor ids of an approver; null where they aren't known. */
function accountIds(approver: ResolvedApprover, call: CallRecord): readonly Actor['id'][] | null {
  switch (approver.kind) {
    case 'channel':
      return null;
    case 'api':
      return [formatApproverRef(approver)];
    case 'group':
      return approver.group.members?.map((user) => actorIdIn(call, user)) ?? null;
    default:
      return [approver.id];
  }
}

function joinNames(people: readonly string[]): string {
  return people.length === 0 ? '' : `: ${people.join(', ')}`;
}

function isNamed(from: readonly ApproverRef[], actorId: string): boolean {
  return from.some((ref) => ref === `user:${readSlackUser(actorId) ?? ''}`);
}

function isOnePerson(ref: ApproverRef | undefined): boolean {
  if (ref === undefined) return false;
  const { kind } = parseApproverRef(ref);
  return kind === 'requester' || kind === 'user';
}
