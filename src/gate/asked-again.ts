import { isDeepStrictEqual } from 'node:util';
import { lapsed } from './grants.ts';
import { stricter } from './policy-strictness.ts';
import type { GatePorts } from './ports.ts';
import { staleApproval } from './stale-approval.ts';
import { type CallRecord, nameOfVoice, type Verdict } from './types.ts';
import { fallen } from './voices.ts';

const MORE = 'The policy asks for more than when this was approved. It was not run.';

/**
 * The call as people are asked about it once more, at the moment when it would be sent: the approval was too long
 * ago, the policy asks for more by now, one who approved left the group or the workspace, or the grant that let it
 * through holds no more. Null when it may run.
 */
export async function askedAgain(ports: GatePorts, call: CallRecord): Promise<CallRecord | null> {
  if (call.state === 'allowed') return (await lapsed(ports, call)) ?? notAllowedNow(ports, call);
  if (call.state !== 'approved') return null;
  const verdict = verdictNow(ports, call);
  const stale = staleApproval({ ...call, verdict }, ports.clock());
  if (stale) return stale;
  if (asksForMore(call.verdict, verdict)) {
    return { ...call, verdict, state: 'pending', decision: null, votes: [], askedAgain: MORE };
  }
  const gone = await fallen(ports, call);
  if (gone.length === 0) return null;
  const votes = (call.votes ?? []).filter((vote) => !gone.some((one) => one.vote === vote));
  const names = [...new Set(gone.map(({ vote }) => nameOfVoice(vote)))].join(' and ');
  const why = `${names} approved it, and may not any more. It was not run.`;
  return { ...call, state: 'pending', decision: null, votes, askedAgain: why };
}

/** Whether what let an attempt through, that was sent once, would not let it through now. */
export async function hasLapsed(ports: GatePorts, call: CallRecord): Promise<boolean> {
  const state = call.decision === null ? 'allowed' : 'approved';
  return (await askedAgain(ports, { ...call, state })) !== null;
}

/** Whether somebody who said yes to the one has not said yes to the other. */
export function asksForMore(before: Verdict, after: Verdict): boolean {
  return !(
    isDeepStrictEqual(before.approval, after.approval) &&
    isDeepStrictEqual(before.confirmByTyping, after.confirmByTyping)
  );
}

/** The verdict that the call was asked under, and what the policy asks for besides by now. */
function verdictNow(ports: GatePorts, call: CallRecord): Verdict {
  const { server, name } = call.tool;
  const now = ports.evaluate({ server, tool: name, arguments: call.arguments });
  const isSame = now.policyVersion === call.verdict.policyVersion || now.action !== 'ask';
  return isSame ? call.verdict : stricter(call.verdict, now);
}

/** A call that nobody had to be asked about, and that the policy asks about by now. */
function notAllowedNow(ports: GatePorts, call: CallRecord): CallRecord | null {
  if (call.grant !== undefined) return null;
  const { server, name } = call.tool;
  const verdict = ports.evaluate({ server, tool: name, arguments: call.arguments });
  if (verdict.action !== 'ask') return null;
  const why = 'The policy let this run, and asks people about it by now. It was not run.';
  return { ...call, verdict, state: 'pending', askedAgain: why };
}
