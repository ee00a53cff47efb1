import type { Gate } from '../gate/index.ts';
import { type CallRecord, type ElicitationAnswer, type Need, recordKey } from '../gate/types.ts';

/**
 * Longest time that a form of a running call stays open, in milliseconds. Servers give up much sooner; this
 * covers one that neither gives up nor ends.
 */
const FORM_LIFETIME_MS = 60 * 60_000;

export interface AskPersonPorts {
  readonly gate: Pick<Gate, 'elicitation' | 'calls'>;
  /** Aborted when the process is about to end. Open forms are cancelled, so that their calls can end. */
  readonly stopping?: AbortSignal;
}

/**
 * Opens a form for the requester of a running call, and waits for the answer. A cancellation if nobody
 * answers while the server waits (`gone`), the call runs (`stopped`) and the form is open.
 */
export async function askPerson(
  { gate, stopping }: AskPersonPorts,
  call: CallRecord,
  need: Need,
  { gone, stopped }: { readonly gone: AbortSignal; readonly stopped: AbortSignal },
): Promise<ElicitationAnswer> {
  const time = AbortSignal.timeout(FORM_LIFETIME_MS);
  const over = AbortSignal.any([gone, stopped, time, ...(stopping ? [stopping] : [])]);
  await gate.elicitation.requestForm(call, need);
  const key = recordKey(call);
  while (!over.aborted) {
    // Listen before reading, so that an answer in between isn't missed.
    const changed = gate.calls.waitForChange(key, over);
    const record = await gate.calls.get(key);
    const answer = record?.elicitationAnswer;
    // Earlier versions stored answers without an id. Only one question is open at a time, so it's this one's.
    if (answer && (answer.elicitationId ?? need.elicitationId) === need.elicitationId) return answer;
    if (record?.state !== 'executing') break;
    await changed;
  }
  const isStopped = stopped.aborted || stopping?.aborted === true;
  const why = isStopped ? 'stopped' : time.aborted ? 'time' : 'server';
  await gate.elicitation.close(call, { elicitationId: need.elicitationId, why });
  return { action: 'cancel', content: null };
}
