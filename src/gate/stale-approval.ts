import { timeTermsOf } from './call-timing.ts';
import { lengthInWords } from './policy-duration.ts';
import { type CallRecord, nameOfVoice } from './types.ts';

/**
 * An approved call as people are asked about it once more, because it was not sent for so long that the approval
 * counts no more: nothing ran meanwhile, or a sign-in was missing. Null when it may be sent.
 */
export function staleApproval(call: CallRecord, now: number): CallRecord | null {
  const { runWithinMs } = timeTermsOf(call);
  if (call.decision === null || runWithinMs === null || now - call.decision.at <= runWithinMs) return null;
  const voices = call.votes?.filter(({ type }) => type !== 'reject') ?? [];
  const names = [...new Set((voices.length > 0 ? voices : [call.decision]).map(nameOfVoice))].join(' and ');
  return {
    ...call,
    state: 'pending',
    decision: null,
    ...(call.votes ? { votes: [] } : {}),
    askedAgain: `${names} approved it more than ${lengthInWords(runWithinMs)} ago, which is too long. It was not run.`,
  };
}
