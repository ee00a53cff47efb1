import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';

/**
 * An approved call with it found out whether what its approver wrote is wanted besides it or instead of it; as it
 * is where they wrote nothing. Wanted instead, the call is turned back: it ends without having been sent, and
 * whatever the agent makes of the words is asked for anew.
 */
export async function resolveInstruction(ports: GatePorts, call: CallRecord): Promise<CallRecord> {
  const { decision } = call;
  const wanted = decision?.instruction;
  if (call.state !== 'approved' || !decision || !wanted || wanted.kind !== null) return call;
  const kind = await classify(ports, call, wanted.text);
  const instruction = { ...wanted, kind };
  if (kind === 'enhance') return { ...call, decision: { ...decision, instruction } };
  const turnedBack = { ...decision, type: 'reject' as const, feedback: wanted.text, instruction };
  return { ...call, state: 'rejected', decision: turnedBack, endedAt: ports.clock() };
}

async function classify({ classifyInstruction }: GatePorts, call: CallRecord, text: string) {
  try {
    return await classifyInstruction(call, text);
  } catch {
    // What was shown was approved, so it runs; nothing that nobody saw does.
    return 'enhance';
  }
}
