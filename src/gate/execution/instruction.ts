import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';

/**
 * Classifies what an approver wrote with their approval: wanted besides the call, or instead of it. Without
 * such text, the call stays as it is. If wanted instead, the call ends unsent, and whatever the agent does
 * about the text needs a new approval. docs/decisions/0016 explains why.
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
    // What was displayed was approved, so it runs; nothing else does.
    return 'enhance';
  }
}
