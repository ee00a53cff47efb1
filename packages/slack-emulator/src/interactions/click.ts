import { type FoundElement, findElements } from '../blocks/walk.ts';
import { PersonRefusal } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { findMessage } from '../workspace/messages.ts';
import { initialValues, keepValues } from '../workspace/state-values.ts';
import type { Actor, Message, StateValues, View, Workspace } from '../workspace/types.ts';
import { findView, putView } from '../workspace/views.ts';
import { stateAfter, toAction } from './action-input.ts';
import { deliver, type InteractionContext, requireActor } from './context.ts';
import { memberChannel } from './messages.ts';
import { interactionFrame, messageSource, viewFrame, viewSource } from './payloads.ts';
import { REFUSED } from './texts.ts';

interface ElementAddress {
  readonly blockId: string;
  readonly actionId: string;
}

/** A person uses an element of a message. Resolves when the app has acknowledged; throws when it is gone or refused. */
export async function actOnMessage(
  context: InteractionContext,
  actor: Actor,
  where: ElementAddress & { readonly channel: string; readonly ts: string },
  input: JsonObject,
): Promise<void> {
  const { workspace } = context;
  const person = requireActor(context, actor.user);
  const message = findVisibleMessage(workspace, person.id, where.channel, where.ts);
  const found = elementAt(message.blocks, where);
  const values = mergeState(
    initialValues(message.blocks),
    workspace.messageValues.get(`${message.channel}:${message.ts}`) ?? {},
    input.state,
  );
  setValue(values, found, input);
  workspace.messageValues.set(`${message.channel}:${message.ts}`, values);
  const responseUrl = context.responseUrls.issue({
    user: person.id,
    channel: message.channel,
    threadTs: message.threadTs,
    messageTs: message.ts,
  });
  await deliver(context, 'interactive', {
    type: 'block_actions',
    ...interactionFrame(workspace, person),
    ...messageSource(workspace, message, responseUrl),
    trigger_id: context.triggers.issue(actor),
    actions: [toAction(found.block, found.element, input, workspace.nextTs())],
  });
}

/** A person uses an element of a modal or of the Home. Resolves when the app has acknowledged. */
export async function actOnView(
  context: InteractionContext,
  actor: Actor,
  where: ElementAddress & { readonly viewId: string },
  input: JsonObject,
): Promise<void> {
  const { workspace } = context;
  const person = requireActor(context, actor.user);
  const view = openView(workspace, person.id, where.viewId);
  const found = elementAt(view.blocks, where);
  const values = mergeState(initialValues(view.blocks), view.values, input.state);
  setValue(values, found, input);
  const current: View = { ...view, values };
  putView(workspace, current);
  // What stands in an input block is told at once only if the app asked for it.
  if (found.block.type === 'input' && found.block.dispatch_action !== true) return;
  await deliver(context, 'interactive', {
    type: 'block_actions',
    ...viewFrame(workspace, person),
    ...viewSource(workspace, current),
    trigger_id: context.triggers.issue(actor),
    actions: [toAction(found.block, found.element, input, workspace.nextTs())],
  });
}

/** A view that this person has before them. Throws when it is closed. */
export function openView(workspace: Workspace, user: string, viewId: string): View {
  const view = findView(workspace, (it) => it.id === viewId && it.user === user);
  if (view === undefined) throw new PersonRefusal('view_not_found', REFUSED.viewGone);
  return view;
}

/** State as sent by the page (`{values}`), laid over what is known, for elements that exist. */
export function mergeState(initial: StateValues, known: StateValues, sent: unknown): StateValues {
  const merged = keepValues(initial, known);
  const values = isJsonObject(sent) && isJsonObject(sent.values) ? sent.values : {};
  for (const [blockId, actions] of Object.entries(values)) {
    for (const [actionId, value] of Object.entries(isJsonObject(actions) ? actions : {})) {
      const current = merged[blockId]?.[actionId];
      if (merged[blockId] === undefined || current === undefined || !isJsonObject(value)) continue;
      merged[blockId][actionId] = { ...current, ...value, type: current.type ?? null };
    }
  }
  return merged;
}

function findVisibleMessage(workspace: Workspace, user: string, channelName: string, ts: string): Message {
  const channel = memberChannel(workspace, user, channelName);
  const message = findMessage(workspace, channel.id, ts);
  if (message === undefined || (message.ephemeralFor !== null && message.ephemeralFor !== user)) {
    throw new PersonRefusal('message_not_found', REFUSED.messageGone);
  }
  return message;
}

function elementAt(blocks: readonly JsonObject[], { blockId, actionId }: ElementAddress): FoundElement {
  const found = findElements(blocks).find(
    (it) => it.block.block_id === blockId && it.element.action_id === actionId,
  );
  if (found === undefined) throw new PersonRefusal('element_gone', REFUSED.elementGone);
  return found;
}

function setValue(values: StateValues, { block, element }: FoundElement, input: JsonObject): void {
  const state = stateAfter(element, input);
  if (state === undefined) return;
  const blockId = String(block.block_id);
  values[blockId] = { ...values[blockId], [String(element.action_id)]: state };
}
