import { evaluateCall } from '../call/evaluate-call.ts';
import type { CallRecord } from '../call/record.ts';
import { clearServerInput } from '../call/server-input.ts';
import { stricterVerdict } from '../policy/strictness.ts';
import type { GatePorts } from '../ports.ts';
import { APPROVAL_NOT_PROVEN, VOTES_NOT_PROVEN } from '../texts/notices.ts';

/**
 * A call whose record the audit doesn't prove, as people decide it: without the votes and the people who were added
 * to it, and under a verdict that is no laxer than today's.
 */
export function dropUnproven(ports: Pick<GatePorts, 'evaluate'>, call: CallRecord): CallRecord {
  const { handOvers: _added, timing, ...rest } = call;
  const hadVotes = (call.votes?.length ?? 0) > 0;
  return {
    ...rest,
    verdict: askVerdict(ports, call),
    timing: timing && { ...timing, climbed: [] },
    votes: call.votes && [],
    decision: call.state === 'pending' ? null : call.decision,
    askedAgain: hadVotes ? VOTES_NOT_PROVEN : call.askedAgain,
  };
}

/** A call whose approval the audit doesn't prove, as people are asked about it anew. */
export function askAnew(ports: Pick<GatePorts, 'evaluate'>, call: CallRecord): CallRecord {
  const { grant: _unproven, ...rest } = dropUnproven(ports, clearServerInput(call));
  return { ...rest, state: 'pending', decision: null, need: null, askedAgain: APPROVAL_NOT_PROVEN };
}

function askVerdict(ports: Pick<GatePorts, 'evaluate'>, call: CallRecord): CallRecord['verdict'] {
  if (call.kind === 'question') return call.verdict;
  const today = evaluateCall(ports, call);
  // A denial is for whoever approves, or sends, to find.
  const verdict = today.action === 'deny' ? call.verdict : stricterVerdict(call.verdict, today);
  return { ...verdict, action: 'ask' };
}
