import { byRequester } from './journal.ts';
import type { GatePorts } from './ports.ts';
import type { Actor, CallRecord, Outcome } from './types.ts';

/**
 * A person has looked, and says whether a call in doubt happened. The call is not sent again: the run has
 * gone on, so whoever still wants it asks anew.
 * @throws RefusalError when it is not in doubt, or not theirs to say.
 */
export async function settleDoubt(
  ports: GatePorts,
  key: string,
  happened: boolean,
  actor: Actor,
): Promise<CallRecord> {
  return byRequester(ports, key, actor, (call) => {
    if (call.state !== 'in_doubt') return null;
    const words = `${actor.name} says that it ${happened ? 'happened' : 'did not happen'}.`;
    const outcome: Outcome = happened
      ? { status: 'succeeded', content: [{ type: 'text', text: words }], structured: null }
      : { status: 'failed', message: words, content: [] };
    return { ...call, state: outcome.status, outcome, endedAt: ports.clock() };
  });
}
