import { evaluateCall } from '../call/evaluate-call.ts';
import type { CallRecord } from '../call/record.ts';
import { clearServerInput } from '../call/server-input.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import type { GatePorts } from '../ports.ts';
import { readSession } from '../store/session-risk.ts';
import { APPROVAL_NOT_PROVEN, VOTES_NOT_PROVEN } from '../texts/notices.ts';

/**
 * A call whose record the audit doesn't prove, as people decide it: without the votes and the people who were added
 * to it, and under a verdict that is no laxer than today's.
 */
export async function dropUnproven(ports: GatePorts, call: CallRecord): Promise<CallRecord> {
  const { handOvers: _added, timing, ...rest } = call;
  const hadVotes = (call.votes?.length ?? 0) > 0;
  return {
    ...rest,
    verdict: await askVerdict(ports, call),
    timing: timing && { ...timing, climbed: [] },
    votes: call.votes && [],
    decision: call.state === 'pending' ? null : call.decision,
    askedAgain: hadVotes ? VOTES_NOT_PROVEN : call.askedAgain,
  };
}

/** A call whose approval the audit doesn't prove, as people are asked about it anew. */
export async function askAnew(ports: GatePorts, call: CallRecord): Promise<CallRecord> {
  const { grant: _unproven, ...rest } = await dropUnproven(ports, clearServerInput(call));
  return { ...rest, state: 'pending', decision: null, need: null, askedAgain: APPROVAL_NOT_PROVEN };
}

async function askVerdict(ports: GatePorts, call: CallRecord): Promise<CallRecord['verdict']> {
  if (call.kind === 'question') return call.verdict;
  const today = evaluateCall(ports, call, await readSession(ports, call));
  // A denial is for whoever approves, or sends, to find.
  const verdict = today.action === 'deny' ? call.verdict : stricterVerdict(call.verdict, today);
  return { ...verdict, action: 'ask' };
}
