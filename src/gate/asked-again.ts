import { isDeepStrictEqual } from 'node:util';
import { lapsed } from './grants.ts';
import { stricter } from './policy-strictness.ts';
import type { GatePorts } from './ports.ts';
import { staleApproval } from './stale-approval.ts';
import { type CallRecord, nameOfVoice } from './types.ts';
import { fallen } from './voices.ts';

/**
 * The call as people are asked about it once more, at the moment when it would be sent: the approval was too long
 * ago, the policy asks for more by now, one who approved left the group or the workspace, or the grant that let it
 * through holds no more. Null when it may run.
 */
export async function askedAgain(ports: GatePorts, call: CallRecord): Promise<CallRecord | null> {
  if (call.state !== 'approved') return lapsed(ports, call);
  const stale = staleApproval(call, ports.clock()) ?? outgrown(ports, call);
  if (stale) return stale;
  const gone = await fallen(ports, call);
  if (gone.length === 0) return null;
  const votes = (call.votes ?? []).filter((vote) => !gone.some((one) => one.vote === vote));
  const names = [...new Set(gone.map(({ vote }) => nameOfVoice(vote)))].join(' and ');
  const why = `${names} approved it, and may not any more. It was not run.`;
  return { ...call, state: 'pending', decision: null, votes, askedAgain: why };
}

/** Other rules hold than when it was approved, and they ask for more: whatever was said, was said to less. */
function outgrown(ports: GatePorts, call: CallRecord): CallRecord | null {
  const { server, name } = call.tool;
  const now = ports.evaluate({ server, tool: name, arguments: call.arguments });
  if (now.policyVersion === call.verdict.policyVersion || now.action !== 'ask') return null;
  const verdict = stricter(call.verdict, now);
  const isSame =
    isDeepStrictEqual(verdict.approval, call.verdict.approval) &&
    isDeepStrictEqual(verdict.confirmByTyping, call.verdict.confirmByTyping);
  if (isSame) return null;
  const why = 'The policy asks for more than when this was approved. It was not run.';
  return { ...call, verdict, state: 'pending', decision: null, votes: [], askedAgain: why };
}
