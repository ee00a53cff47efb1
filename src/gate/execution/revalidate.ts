import { formatDuration } from '../../lib/duration.ts';
import { deadlineTerms } from '../approval/deadline.ts';
import { standingRefusal } from '../approval/texts.ts';
import { actorLabel } from '../call/decision.ts';
import { evaluateCall } from '../call/evaluate-call.ts';
import type { CallRecord } from '../call/record.ts';
import { findLapsedVotes } from '../delegation/on-behalf-of.ts';
import { revalidateGrant } from '../grants/apply.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import { requiresNewApproval, type Verdict } from '../policy/verdict.ts';
import type { GatePorts } from '../ports.ts';

const MORE = 'The policy asks for more than when this was approved. It was not run.';

/**
 * The call as people are asked about it once more, at the moment when it would be sent: the approval was too long
 * ago, the policy asks for more by now, one who approved left the group or the workspace, or the grant that let it
 * through holds no more. Null when it may run.
 */
export async function revalidate(ports: GatePorts, call: CallRecord): Promise<CallRecord | null> {
  if (call.state === 'allowed') return (await revalidateGrant(ports, call)) ?? noLongerAllowed(ports, call);
  if (call.state !== 'approved') return null;
  const verdict = currentVerdict(ports, call);
  const stale = staleApproval({ ...call, verdict }, ports.clock());
  if (stale) return stale;
  if (requiresNewApproval(call.verdict, verdict)) {
    return { ...call, verdict, state: 'pending', decision: null, votes: [], askedAgain: MORE };
  }
  const gone = await findLapsedVotes(ports, call);
  if (gone.length === 0) return requesterLeft(ports, call);
  const votes = (call.votes ?? []).filter((vote) => !gone.some((one) => one.vote === vote));
  const names = [...new Set(gone.map(({ vote }) => actorLabel(vote)))].join(' and ');
  const why = `${names} approved it, and may not any more. It was not run.`;
  return { ...call, state: 'pending', decision: null, votes, askedAgain: why };
}

/** A click on a card of so many milliseconds ago is itself proof of an account that is open; a session on the web is none. */
const JUST_NOW_MS = 10_000;

/**
 * A call that whoever asked approved alone, as people are asked about it once more because that account decides
 * nothing any more: it was closed since.
 */
async function requesterLeft(ports: GatePorts, call: CallRecord): Promise<CallRecord | null> {
  const { decision, threadId } = call;
  const isAlone = call.verdict.approval === undefined && decision?.for === undefined;
  if (decision === null || !isAlone) return null;
  if (decision.via !== 'web' && ports.clock() - decision.at < JUST_NOW_MS) return null;
  const standing = await ports.people.standing(decision.actor, threadId, { fresh: true });
  if (standingRefusal(standing) === null) return null;
  const why = `${decision.actor.name} approved it, and may not any more. It was not run.`;
  return { ...call, state: 'pending', decision: null, askedAgain: why };
}

/** Whether what let an attempt through, that was sent once, would not let it through now. */
export async function needsReapproval(ports: GatePorts, call: CallRecord): Promise<boolean> {
  const state = call.decision === null ? 'allowed' : 'approved';
  return (await revalidate(ports, { ...call, state })) !== null;
}

/**
 * The verdict of record, made stricter by the policy's of now: the policy may have been changed between the approval
 * and the dispatch. A denial is left to the journal, which ends the call.
 */
function currentVerdict(ports: GatePorts, call: CallRecord): Verdict {
  const now = evaluateCall(ports, call);
  const isSame = now.policyVersion === call.verdict.policyVersion || now.action !== 'ask';
  return isSame ? call.verdict : stricterVerdict(call.verdict, now);
}

/** A call that nobody had to be asked about, and that the policy asks about by now. */
function noLongerAllowed(ports: GatePorts, call: CallRecord): CallRecord | null {
  if (call.grant !== undefined) return null;
  // Nobody approved it: if the policy asks by now, its permission of then does not stand for theirs.
  const verdict = evaluateCall(ports, call);
  if (verdict.action !== 'ask') return null;
  const why = 'The policy let this run, and asks people about it by now. It was not run.';
  return { ...call, verdict, state: 'pending', askedAgain: why };
}

/**
 * An approved call as people are asked about it once more, because it was not sent for so long that the approval
 * counts no more: nothing ran meanwhile, or a sign-in was missing. Null when it may be sent.
 */
function staleApproval(call: CallRecord, now: number): CallRecord | null {
  const { runWithinMs } = deadlineTerms(call);
  if (call.decision === null || runWithinMs === null || now - call.decision.at <= runWithinMs) return null;
  const voices = call.votes?.filter(({ type }) => type !== 'reject') ?? [];
  const names = [...new Set((voices.length > 0 ? voices : [call.decision]).map(actorLabel))].join(' and ');
  return {
    ...call,
    state: 'pending',
    decision: null,
    ...(call.votes ? { votes: [] } : {}),
    askedAgain: `${names} approved it more than ${formatDuration(runWithinMs)} ago, which is too long. It was not run.`,
  };
}
