import type { ApproverRef, CallRecord } from '../../gate/types.ts';
import {
  type Actor,
  actorLabel,
  approvalTally,
  approvalTerms,
  barredReason,
  joinApproverNames,
  parseApproverRef,
} from '../../gate/types.ts';
import { readSlackUser } from '../ids.ts';
import { CARD_LINE } from '../text/texts.ts';
import { type ApproverNames, actorIdIn, approverPieces, butNot } from './approver-names.ts';
import type { Directory } from './directory.ts';
import { slackIdentity } from './identity.ts';
import type { ApproverSummary } from './types.ts';

/** Summarises who can decide the call now, with names looked up. */
export async function summarizeApprovers(
  call: CallRecord,
  directory: Directory,
  gate: ApproverNames['gate'],
): Promise<ApproverSummary> {
  const { step, from, needed, approved, rejected } = approvalTally(call);
  const { steps } = approvalTerms(call);
  const names = await Promise.all(
    from.map(async (ref) => {
      const pieces = await approverPieces(ref, call, { directory, gate });
      return pieces.map(({ words }) => words).join('');
    }),
  );
  const who = joinApproverNames(from, names, needed);
  const lack = call.state === 'pending' ? await describeMissing(call, directory) : null;
  const parts = [
    ...(lack === null ? [] : [lack]),
    ...(steps.length > 1 && needed > 0 ? [`step ${step + 1} of ${steps.length}`] : []),
    ...(needed > 1 ? [`${approved.length} of ${needed} approved${joinNames(approved)}`] : []),
    // Whoever is among the approvers is already named there, with their delegate.
    ...(call.handOvers ?? [])
      .filter((one) => one.from.id !== call.requester.id && !isNamed(from, one.from.id))
      .map((one) => actorLabel({ actor: one.to, for: one.from })),
    ...(rejected.length > 0 ? [`rejected by ${rejected.join(', ')}`] : []),
  ];
  return {
    who: `${who}${butNot(call)}`,
    isOnly: names.length === 1 && isOnePerson(from[0]) && names[0]?.includes('(') === false,
    verb: needed > 1 ? CARD_LINE.mustApprove : CARD_LINE.canApprove,
    progress: parts.length === 0 ? null : parts.join(' · '),
  };
}

/** The warning that a step has too few eligible approvers; null as far as there are known to be enough. */
async function describeMissing(call: CallRecord, directory: Directory): Promise<string | null> {
  const { step, from } = approvalTally(call);
  const left = approvalTerms(call).steps.slice(step);
  for (const [index, asked] of left.entries()) {
    const count = await formatProgress(index === 0 ? from : asked.from, step + index, call, directory);
    if (count === 0) return 'nobody can decide this';
    if (count < asked.quorum)
      return `nobody can approve this: it needs ${asked.quorum}, and only ${count} may`;
  }
  return null;
}

/** How many people these are at most, without those who may not approve this step. */
async function formatProgress(
  from: readonly ApproverRef[],
  step: number,
  call: CallRecord,
  directory: Directory,
): Promise<number> {
  const requester = readSlackUser(call.requester.id) ?? call.requester.id;
  const people = new Set<string>();
  for (const ref of from) {
    const approver = parseApproverRef(ref);
    if (approver.kind === 'requester') people.add(requester);
    else if (approver.kind === 'user') people.add(approver.id);
    else if (approver.kind === 'api') people.add(ref);
    else {
      const members = approver.kind === 'group' ? await directory.membersOf(approver.id) : null;
      if (members === null) return Number.POSITIVE_INFINITY;
      for (const member of members) people.add(member);
    }
  }
  const terms = approvalTerms(call);
  if (terms.excludeRequester) people.delete(requester);
  const mayStill = (name: string): boolean => {
    const actor = { id: name.startsWith('api:') || name.includes(':') ? name : actorIdIn(call, name) };
    return (
      barredReason(slackIdentity, call, { step, actor }) === null && !hasSpokenElsewhere(call, step, actor)
    );
  };
  return [...people].filter(mayStill).length;
}

/** Whether somebody has already used their one approval in another step. */
function hasSpokenElsewhere({ votes = [] }: CallRecord, step: number, actor: Pick<Actor, 'id'>): boolean {
  return votes.some(
    (vote) =>
      !vote.earlier &&
      vote.step !== step &&
      (slackIdentity.samePerson(vote.actor, actor) ||
        (vote.for && slackIdentity.samePerson(vote.for, actor))),
  );
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
