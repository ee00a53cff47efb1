import { allBlocks } from '../blocks/walk.ts';
import { PersonRefusal, SlackRefusal } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { initialValues } from '../workspace/state-values.ts';
import type { View, Workspace } from '../workspace/types.ts';
import { closeModals, modalStack, pushModal, putView, replaceView, viewToJson } from '../workspace/views.ts';
import { mergeState, openView } from './click.ts';
import { deliver, type InteractionContext, requireActor } from './context.ts';
import { inputErrors } from './input-checks.ts';
import { viewFrame } from './payloads.ts';
import { REFUSED } from './texts.ts';

/**
 * A person submits a modal. Answers the errors to show beside the fields, by block id: Slack's own, then the app's.
 * Throws when the view is closed, the app does not acknowledge, or answers what Slack does not take.
 */
export async function submitView(
  context: InteractionContext,
  user: string,
  viewId: string,
  state: unknown,
): Promise<Record<string, string>> {
  const { workspace } = context;
  const person = requireActor(context, user);
  const known = openView(workspace, person.id, viewId);
  if (known.type !== 'modal' || known.submit === null)
    throw new PersonRefusal('no_submit', REFUSED.nothingToSubmit);
  const view: View = { ...known, values: mergeState(initialValues(known.blocks), known.values, state) };
  putView(workspace, view);
  const errors = inputErrors(view);
  if (Object.keys(errors).length > 0) return errors;
  const ack = await deliver(context, 'interactive', {
    type: 'view_submission',
    ...viewFrame(workspace, person),
    trigger_id: context.triggers.issue(view),
    view: viewToJson(workspace, view),
    response_urls: [],
  });
  try {
    return respondTo(workspace, view, ack.body ?? {});
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error;
    throw new PersonRefusal('bad_response', REFUSED.appAnswered(error.code, JSON.stringify(error.details)));
  }
}

/** A person closes a modal and what lies on it, or all of the stack where the modal says so; the app hears of those that ask for it. */
export async function closeView(context: InteractionContext, user: string, viewId: string): Promise<void> {
  const { workspace } = context;
  const person = requireActor(context, user);
  const view = openView(workspace, person.id, viewId);
  const stack = modalStack(workspace, view);
  const at = stack.findIndex((it) => it.id === view.id);
  const closed = view.clearOnClose ? stack : stack.slice(at);
  closeModals(workspace, person.id, closed);
  for (const it of closed.filter((one) => one.notifyOnClose)) {
    await deliver(context, 'interactive', {
      type: 'view_closed',
      ...viewFrame(workspace, person),
      view: viewToJson(workspace, it),
      is_cleared: view.clearOnClose,
    });
  }
}

function respondTo(workspace: Workspace, view: View, body: JsonObject): Record<string, string> {
  switch (body.response_action) {
    case undefined:
      closeModals(workspace, view.user, [view]);
      return {};
    case 'clear':
      closeModals(workspace, view.user, modalStack(workspace, view));
      return {};
    case 'update':
      replaceView(workspace, view, body.view ?? null);
      return {};
    case 'push':
      pushModal(workspace, view, body.view ?? null);
      return {};
    case 'errors':
      return checkedErrors(view, body.errors);
    default:
      throw new SlackRefusal('invalid_response_action');
  }
}

/** Slack takes errors only for input blocks of that view. */
function checkedErrors(view: View, errors: unknown): Record<string, string> {
  const inputs = new Set(
    allBlocks(view.blocks)
      .filter((it) => it.type === 'input')
      .map((it) => it.block_id),
  );
  if (!isJsonObject(errors) || Object.keys(errors).length === 0) throw new SlackRefusal('invalid_errors');
  const result: Record<string, string> = {};
  for (const [blockId, text] of Object.entries(errors)) {
    if (!inputs.has(blockId) || typeof text !== 'string' || text === '')
      throw new SlackRefusal('invalid_errors', { block_id: blockId });
    result[blockId] = text;
  }
  return result;
}
