import type { Gate } from '../gate/index.ts';
import { callKey } from '../gate/index.ts';
import type { CallRecord, ElicitationAnswer, Need } from '../gate/types.ts';
import type { CallTool, GatedCall, SendCall } from './types.ts';

/** How long a form that a running call asks for stays open, in milliseconds. */
const FORM_LIFETIME_MS = 10 * 60_000;

/**
 * Resolves when the call's record may have changed, when the signal is aborted, and by itself now and
 * then, for what another process changed; never rejects.
 */
export type WaitForChange = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * Runs one call through the gate: what the policy allows or a person approved is sent, once, with its
 * intent recorded before and its outcome after; asked again, the recorded end is returned. Only what the
 * operator vouches for is sent again by itself, when the answer to it was lost. This is the
 * only place that sends tool calls. The record that comes back has ended, or waits for a person.
 */
export function createGatedCaller(ports: {
  readonly gate: Gate;
  readonly send: SendCall;
  readonly waitForChange: WaitForChange;
  /** Aborted when the process is about to end: a form that is open then is cancelled, so that the call has an end. */
  readonly stopping?: AbortSignal;
}): CallTool {
  return async function callTool(input) {
    const begun = await ports.gate.begin(input);
    if (begun.kind !== 'ready') return begun.call;
    return attempt(begun.call, input);
  };

  async function attempt(call: CallRecord, input: GatedCall): Promise<CallRecord> {
    const result = await ports.send(
      {
        server: call.tool.server,
        name: call.tool.name,
        arguments: call.arguments,
        definitionHash: call.tool.definitionHash,
      },
      {
        signal: input.signal,
        onProgress: input.onProgress,
        onElicit: (need) => elicit(call, need, input.signal),
      },
    );
    if (result.kind === 'blocked') return ports.gate.block(call, result.need);
    if (result.kind === 'redefined') return ports.gate.askAnew(call, result.tool);
    const isLost = result.outcome.status === 'in_doubt' && !input.signal.aborted;
    const again = isLost ? await ports.gate.sendAgain(call, input.fence) : null;
    return again ? attempt(again, input) : ports.gate.finish(call, result.outcome);
  }

  async function elicit(call: CallRecord, need: Need, signal: AbortSignal): Promise<ElicitationAnswer> {
    const deadline = AbortSignal.any([
      signal,
      AbortSignal.timeout(FORM_LIFETIME_MS),
      ...(ports.stopping ? [ports.stopping] : []),
    ]);
    await ports.gate.askPerson(call, need);
    const key = callKey(call.threadId, call.callId);
    while (!deadline.aborted) {
      // Listening begins before reading, so that an answer in between is not missed.
      const changed = ports.waitForChange(key, deadline);
      const record = await ports.gate.call(key);
      if (record?.elicitationAnswer) return record.elicitationAnswer;
      if (record?.state !== 'executing') break;
      await changed;
    }
    await ports.gate.stopAsking(call);
    return { action: 'cancel', content: null };
  }
}
