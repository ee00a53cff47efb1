import { Command, interrupt } from '@langchain/langgraph';
import { finalState } from '../../gate/types.ts';
import type { AgentGate } from '../ports.ts';
import { closingMessages } from '../runtime/closing-messages.ts';
import type { InterruptValue } from '../runtime/interrupt.ts';
import type { Contexts } from '../runtime/run-contexts.ts';
import { openToolCalls } from '../shared/tool-calls.ts';
import { toToolMessage } from '../shared/tool-messages.ts';
import type { State, Update } from './state.ts';

/**
 * Pauses until people have decided. The decision isn't in the resume value but in the gate's record, where it
 * was claimed once. This node only reads it, so running it again changes nothing. See
 * docs/decisions/0003-decisions-live-in-the-record.md.
 *
 * @param modelNode the node that asks the model, which goes on where all have an end.
 */
export function humanConfirmation(gate: AgentGate, contexts: Contexts, modelNode: string) {
  return async (
    state: State,
    config: { configurable?: Record<string, unknown> },
  ): Promise<Command<unknown, Update>> => {
    const value: InterruptValue = { callIds: [...state.awaiting] };
    interrupt(value);
    const { threadId, fence } = contexts.of(config);
    const records = (await gate.getCalls(threadId, state.awaiting, fence)).filter((call) => call !== null);
    const notRun = records.filter((call) => finalState(call) === 'not_run');
    const answered = records.filter((call) => call.kind === 'question' && call.state === 'succeeded');
    // If one of several calls was withdrawn, the others still need their messages; a superseding request
    // leaves nothing.
    const withdrawn =
      notRun.some((call) => call.state === 'superseded') ||
      (records.length > 0 && records.every((call) => call.state === 'cancelled'));
    const ignored = notRun.some((call) => call.state === 'ignored');
    const ending = withdrawn ? 'withdrawn' : ignored ? 'ignored' : null;
    if (ending !== null) {
      const reason = 'Not run: the request that it came with was ended.';
      const messages = await closingMessages(gate, threadId, state.messages, reason);
      return new Command({
        update: { messages, awaiting: [], ending },
        goto: 'response_formatter',
      });
    }
    const messages = [...notRun, ...answered].map(toToolMessage);
    // Approved siblings still have results to collect, and allowed ones have yet to run.
    const isOpen = openToolCalls([...state.messages, ...messages]).length > 0;
    return new Command({
      update: { messages, awaiting: [] },
      goto: isOpen ? 'use_tools' : modelNode,
    });
  };
}
