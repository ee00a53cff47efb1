import type { Actor } from '../src/gate/call/actor.ts';
import type { CallRecord, ProposedCall } from '../src/gate/call/record.ts';
import type { Verdict } from '../src/gate/policy/verdict.ts';
import type { ToolDefinition } from '../src/tools/ports.ts';
import { TOOL } from './model.ts';

export const ANA: Actor = { id: 'slack:T1:U1', name: 'Ana' };
export const RESULT = 'created Planning';

const tool: ToolDefinition = {
  server: 'calendar',
  name: TOOL,
  modelName: TOOL,
  title: 'Create event',
  description: 'Puts an event into the calendar.',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' }, start: { type: 'string' } },
    required: ['title'],
  },
  definitionHash: 'bench',
  asListed: {},
  destructive: false,
  toolType: 'calendar',
  outputSchema: null,
  readOnly: false,
};
export const tools: readonly ToolDefinition[] = [tool];

const allAsked: Verdict = { action: 'ask', rule: 'default', reason: null, policyVersion: 'bench' };

/** The record of a call that Ana approved and that has run, its result being there at once. */
export function recordOf(threadId: string, call: ProposedCall): CallRecord {
  const now = Date.now();
  return {
    callId: call.callId,
    threadId,
    runId: threadId,
    requestId: `request of ${call.callId}`,
    kind: 'tool',
    tool,
    arguments: call.arguments,
    proposedArguments: call.arguments,
    digest: 'bench',
    verdict: allAsked,
    state: 'succeeded',
    decision: { type: 'approve', actor: ANA, at: now, feedback: null },
    requester: ANA,
    proposedAt: now,
    attempt: 1,
    fence: 1,
    intentAt: now,
    endedAt: now,
    outcome: { status: 'succeeded', content: [{ type: 'text', text: RESULT }], structured: null },
    need: null,
    elicitationAnswer: null,
  };
}
