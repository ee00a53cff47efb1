import { humanConfirmation } from '../nodes/human-confirmation.ts';
import type { State } from '../nodes/state.ts';
import type { AgentInbox, AgentPorts } from '../ports.ts';
import type { Contexts } from '../runtime/run-contexts.ts';

/**
 * Pauses until people have decided, and tells the inbox how, which may learn from it: here and not as they decide, since a
 * node is run again where the process ended, and nothing of it is lost.
 */
export function confirm(
  { gate }: Pick<AgentPorts, 'gate'>,
  { decided }: Pick<AgentInbox, 'decided'>,
  contexts: Contexts,
) {
  const confirmed = humanConfirmation(gate, contexts, 'responder');
  return async (state: State, config: { configurable?: Record<string, unknown> }) => {
    const command = await confirmed(state, config);
    const calls = await gate.getCalls(contexts.of(config).threadId, state.awaiting);
    await decided(calls.filter((call) => call !== null));
    return command;
  };
}
