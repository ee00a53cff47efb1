import type { Gate } from '../../gate/index.ts';
import { type CallRecord, recordKey } from '../../gate/types.ts';
import { isHalfOfAnswer } from '../text/answer-pair.ts';

/** The meeting that was drafted together with a reply to a mail, or the reply with a meeting; null where there is none. */
export async function findOtherHalf(
  gate: Pick<Gate, 'requests' | 'calls'>,
  call: CallRecord,
): Promise<CallRecord | null> {
  const { requestId, threadId, isAlone } = call;
  if (!isHalfOfAnswer(call) || isAlone || requestId === null) return null;
  const request = await gate.requests.get(requestId);
  const calls = request ? await gate.calls.inThread(threadId, request.callIds) : [];
  const others = calls.filter((one) => one !== null && isHalfOfAnswer(one));
  return others.findLast((one) => one?.tool.modelName !== call.tool.modelName) ?? null;
}

/** The card of a call's other half, as what is to be shown, while that waits; null elsewhere. */
export async function findOtherCard(
  gate: Pick<Gate, 'requests' | 'calls'>,
  callKey: string,
): Promise<{ readonly kind: 'call'; readonly callKey: string } | null> {
  const call = await gate.calls.get(callKey);
  const other = call && (await findOtherHalf(gate, call));
  return other?.state === 'pending' ? { kind: 'call', callKey: recordKey(other) } : null;
}
