import {
  type Actor,
  type CallRecord,
  companionArguments,
  namedArguments,
  type ProposedCall,
  RefusalError,
  recordKey,
  resultOwner,
  retriedId,
  retryId,
} from '../../gate/types.ts';
import { readProperties, titleUse } from '../../presentation/schema-labels.ts';
import { ACTIONS, MODALS } from '../cards/action-ids.ts';
import { callRun } from '../inbox/call-run.ts';
import { editModal } from '../modals/edit-arguments.ts';
import { isHalfOfAnswer } from '../text/answer-pair.ts';
import { FOLLOW_UP, onlyForRequester } from '../texts/refusals.ts';
import { readAnswer } from '../views/answer-pairs.ts';
import { bestEffort } from './best-effort.ts';
import { besideFields, readEdited } from './call-forms.ts';
import { findCallView, referenceIn, referenceInForm } from './call-modals.ts';
import type { Listeners } from './listeners.ts';
import type { HandlerPorts } from './ports.ts';
import { refreshView } from './refusals.ts';
import { fieldErrors, onClick, onSubmit } from './register.ts';

/**
 * Handles Undo, Try again, and Edit and try again, which propose another call on a card of its own, as a request of whoever clicked.
 * What failed while its run waits for others beside it is asked about again on its own card.
 */
export function registerFollowUps(on: Listeners, ports: HandlerPorts): void {
  onClick(on, ports, ACTIONS.tryAgain, async (click, actor) => {
    const { callKey: key, digest } = referenceIn(click);
    const { call } = await findCallView(ports, key, actor);
    if (call.outcome?.status !== 'failed' || !call.outcome.isPassing) throw notApplicable(call);
    const { tool, arguments: args } = call;
    const again =
      (await ports.gate.requests.retry({ key, digest, actor })) ??
      (await propose(actor, call, toProposal(retryId(call.callId), tool, args), 'by_policy'));
    const [title, words] = again.state === 'allowed' ? FOLLOW_UP.runs : FOLLOW_UP.asked;
    await refreshView(ports, click, title, words);
  });

  onClick(on, ports, ACTIONS.editAndTry, async (click, actor) => {
    const { callKey: key, digest } = referenceIn(click);
    const view = await findCallView(ports, key, actor);
    requireFailedForGood(view.call);
    if (!(await ports.gate.requests.checkRetry({ key, digest, actor })))
      await requireQuiet(view.call.threadId);
    await ports.client.views.open({ trigger_id: click.trigger_id, view: editModal(view, { use: 'ask' }) });
  });

  onSubmit(on, ports, MODALS.editAndTry, async (submission, actor) => {
    const { callKey: key, digest } = referenceInForm(submission.view);
    const view = await findCallView(ports, key, actor);
    const { call } = view;
    requireFailedForGood(call);
    const edited = readEdited(ports, view, submission.view.state?.values);
    if ('errors' in edited) return fieldErrors(edited.errors);
    try {
      const { arguments: args } = edited;
      const again = await ports.gate.requests.retry({ key, digest, actor, arguments: args });
      if (again === null)
        await propose(actor, call, toProposal(retryId(call.callId), call.tool, args), 'always');
    } catch (error) {
      return besideFields(error, view, submission.view.state?.values);
    }
    return null;
  });

  onClick(on, ports, ACTIONS.undo, async (click, actor) => {
    const { call } = await findCallView(ports, referenceIn(click).callKey, actor);
    await propose(actor, call, await toInverse(ports, call, actor), 'always');
    await refreshView(ports, click, ...FOLLOW_UP.asked);
  });

  async function requireQuiet(threadId: string): Promise<void> {
    const [request, items] = await Promise.all([
      ports.gate.requests.openIn(threadId),
      ports.runs.openItems(threadId),
    ]);
    // A run that has yet to end would wait for this request, too.
    if (request !== null || items.length > 0) throw new RefusalError('not_applicable', FOLLOW_UP.busy);
  }

  async function propose(
    actor: Actor,
    { threadId }: CallRecord,
    call: ProposedCall,
    asks: 'always' | 'by_policy',
  ): Promise<CallRecord> {
    // Whoever clicks again is told that it was asked for, and not that something else is in the way.
    const [known] = await ports.gate.calls.inThread(threadId, [call.callId]);
    if (!known) await requireQuiet(threadId);
    const runId = `follow-up:${call.callId}`;
    const proposed = await ports.gate.requests.followUp({ threadId, runId, requester: actor, call, asks });
    if (proposed.state === 'pending' || proposed.state === 'allowed') {
      await bestEffort(ports, followInInbox(ports, proposed));
      return proposed;
    }
    const { outcome, verdict } = proposed;
    const why = outcome?.status === 'failed' ? outcome.message : FOLLOW_UP.denied(verdict.reason);
    throw new RefusalError('not_applicable', why);
  }
}

/** Has a mail done once what failed of its answer is, unless more of that is missing. */
async function followInInbox({ gate, inbox }: HandlerPorts, again: CallRecord): Promise<void> {
  const [first] = await gate.calls.inThread(again.threadId, [retriedId(again.callId)]);
  if (!first || first.callId === again.callId || !isHalfOfAnswer(first)) return;
  const { isRestDone, messageId } = await readAnswer(gate, first);
  if (isRestDone) await inbox.retried(again.threadId, { run: callRun(recordKey(again)), messageId });
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
  // What the server returned counts before what the model gave, and that before what the server took by itself.
  const values = {
    ...readDefaults(tool),
    ...namedArguments(tool.inputSchema, call.arguments),
    ...result,
    result,
  };
  const args = inverse && companionArguments(undo, inverse.inputSchema, values);
  if (!inverse || !args) throw new RefusalError('not_applicable', FOLLOW_UP.noInverse, call);
  return toProposal(`undo\n${call.callId}`, inverse, args);
}

/** The arguments that the server takes where the model gives none, as its schema says. */
function readDefaults(tool: CallRecord['tool']): CallRecord['arguments'] {
  return Object.fromEntries(
    readProperties(tool.inputSchema, titleUse(tool)).flatMap(({ name, defaultValue }) =>
      defaultValue === undefined ? [] : [[name, defaultValue]],
    ),
  );
}

/** What a passing failure ended is tried again as it was. */
function requireFailedForGood(call: CallRecord): void {
  if (call.outcome?.status !== 'failed' || call.outcome.isPassing) throw notApplicable(call);
}

/** No model's call can have such an id: theirs hold no line feed. */
function toProposal(callId: string, tool: CallRecord['tool'], args: CallRecord['arguments']): ProposedCall {
  return { callId, kind: 'tool', tool, modelName: tool.modelName, arguments: args };
}

function notApplicable(call: CallRecord): RefusalError {
  return new RefusalError('not_applicable', FOLLOW_UP.over, call);
}
