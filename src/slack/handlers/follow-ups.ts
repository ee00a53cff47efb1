import {
  type Actor,
  type CallRecord,
  companionArguments,
  type ProposedCall,
  RefusalError,
  resultOwner,
} from '../../gate/types.ts';
import { ACTIONS } from '../cards/action-ids.ts';
import { FOLLOW_UP, onlyForRequester } from '../texts/refusals.ts';
import { findCallView, referenceIn } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import type { Click } from './payloads.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshView } from './refusals.ts';
import { onClick } from './register.ts';

/** Handles Undo and Try again, which propose another call on a card of its own, as a request of whoever clicked. */
export function registerFollowUps(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.tryAgain, async (click, actor) => {
    const { call } = await findCallView(ports, referenceIn(click).callKey);
    if (call.outcome?.status !== 'failed' || !call.outcome.isPassing) throw notApplicable(call);
    const { tool, arguments: args } = call;
    await propose(click, actor, call, toProposal(`again\n${call.callId}`, tool, args));
  });

  onClick(on, ports, ACTIONS.undo, async (click, actor) => {
    const { call } = await findCallView(ports, referenceIn(click).callKey);
    await propose(click, actor, call, await toInverse(ports, call, actor));
  });

  async function propose(click: Click, actor: Actor, { threadId }: CallRecord, call: ProposedCall) {
    const [request, items] = await Promise.all([
      ports.gate.requests.openIn(threadId),
      ports.runs.openItems(threadId),
    ]);
    // A run that has yet to end would wait for this request, too.
    if (request !== null || items.length > 0) throw new RefusalError('not_applicable', FOLLOW_UP.busy);
    const runId = `follow-up:${call.callId}`;
    const proposed = await ports.gate.requests.followUp({ threadId, runId, requester: actor, call });
    if (proposed.state === 'pending') return refreshView(ports, click, ...FOLLOW_UP.asked);
    const { outcome, verdict } = proposed;
    const why = outcome?.status === 'failed' ? outcome.message : FOLLOW_UP.denied(verdict.reason);
    throw new RefusalError('not_applicable', why);
  }
}

/** The call that takes this one back, with what its server returned. */
async function toInverse(ports: HandlerPorts, call: CallRecord, actor: Actor): Promise<ProposedCall> {
  const { outcome, tool } = call;
  const undo = tool.card?.undo;
  if (undo === undefined || outcome?.status !== 'succeeded') throw notApplicable(call);
  const owner = resultOwner(call);
  // Its arguments may be of the result.
  if (owner !== null && owner.id !== actor.id) {
    throw new RefusalError('not_allowed', onlyForRequester(owner.name), call);
  }
  const tools = await ports.tools();
  const inverse = tools.find(({ server, name }) => server === undo.server && name === undo.name);
  const result = outcome.structured ?? {};
  const values = { ...result, ...call.arguments, result };
  const args = inverse && companionArguments(undo, inverse.inputSchema, values);
  if (!inverse || !args) throw new RefusalError('not_applicable', FOLLOW_UP.noInverse, call);
  return toProposal(`undo\n${call.callId}`, inverse, args);
}

/** No model's call can have such an id: theirs hold no line feed. */
function toProposal(callId: string, tool: CallRecord['tool'], args: CallRecord['arguments']): ProposedCall {
  return { callId, kind: 'tool', tool, modelName: tool.modelName, arguments: args };
}

function notApplicable(call: CallRecord): RefusalError {
  return new RefusalError('not_applicable', FOLLOW_UP.over, call);
}
