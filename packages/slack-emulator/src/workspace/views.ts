import { validateView } from '../blocks/validate.ts';
import { withIds } from '../blocks/walk.ts';
import { SlackRefusal } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { initialValues, keepValues } from './state-values.ts';
import type { Actor, View, Workspace } from './types.ts';

const MODAL_STACK = 3;

/** The modals that somebody has open in one place, the top one last. */
export function modalStack(workspace: Workspace, { user, client }: Actor): readonly View[] {
  return (workspace.modals.get(user) ?? []).filter((it) => it.client === client);
}

/** Puts a modal on top of a stack (at most three). Throws `push_limit_reached` and what `parseView` throws. */
export function pushModal(workspace: Workspace, { user, client }: Actor, json: Json): View {
  const stack = modalStack(workspace, { user, client });
  if (stack.length >= MODAL_STACK) throw new SlackRefusal('push_limit_reached');
  const id = workspace.newId('V');
  const top = stack.at(-1);
  const links = { id, user, client, rootId: stack[0]?.id ?? id, previousId: top?.id ?? null };
  const view = { ...parseView(workspace, json, 'modal'), ...links };
  refuseTakenExternalId(workspace, view);
  setModals(workspace, user, [...(workspace.modals.get(user) ?? []), view]);
  return view;
}

/**
 * Replaces an open modal or a Home, keeping what was entered where block and action ids stay the same.
 * Throws `hash_conflict` when `hash` is not that of the view as it is, and what `parseView` throws.
 */
export function replaceView(workspace: Workspace, current: View, json: Json, hash?: string): View {
  if (hash !== undefined && hash !== current.hash) throw new SlackRefusal('hash_conflict');
  const parsed = parseView(workspace, json, current.type);
  const view: View = {
    ...parsed,
    id: current.id,
    user: current.user,
    client: current.client,
    rootId: current.rootId,
    previousId: current.previousId,
    values: keepValues(parsed.values, current.values),
  };
  putView(workspace, view);
  return view;
}

/** Publishes a person's Home. Throws like `replaceView`. */
export function publishHome(workspace: Workspace, user: string, json: Json, hash?: string): View {
  const current = workspace.homes.get(user);
  if (current !== undefined) return replaceView(workspace, current, json, hash);
  const id = workspace.newId('V');
  const view = {
    ...parseView(workspace, json, 'home'),
    id,
    user,
    client: null,
    rootId: id,
    previousId: null,
  };
  putView(workspace, view);
  return view;
}

/** Stores a view's new state and tells its person. */
export function putView(workspace: Workspace, view: View): void {
  if (view.type === 'home') {
    workspace.homes.set(view.user, view);
    workspace.emit({ type: 'home', user: view.user });
    return;
  }
  const open = workspace.modals.get(view.user) ?? [];
  setModals(
    workspace,
    view.user,
    open.map((it) => (it.id === view.id ? view : it)),
  );
}

/** Takes modals off a person's stacks. */
export function closeModals(workspace: Workspace, user: string, closed: readonly View[]): void {
  const open = workspace.modals.get(user) ?? [];
  setModals(
    workspace,
    user,
    open.filter(({ id }) => !closed.some((it) => it.id === id)),
  );
}

function setModals(workspace: Workspace, user: string, open: readonly View[]): void {
  workspace.modals.set(user, open);
  workspace.emit({ type: 'modals', user });
}

/** An open modal or a published Home; undefined when there is no such view (any more). */
export function findView(workspace: Workspace, matches: (view: View) => boolean): View | undefined {
  return [...[...workspace.modals.values()].flat(), ...workspace.homes.values()].find(matches);
}

/** A view as Slack describes it to the app. */
export function viewToJson(workspace: Workspace, view: View): JsonObject {
  return {
    id: view.id,
    team_id: workspace.team.id,
    type: view.type,
    blocks: [...view.blocks],
    private_metadata: view.privateMetadata,
    callback_id: view.callbackId,
    state: { values: view.values },
    hash: view.hash,
    title: view.title,
    clear_on_close: view.clearOnClose,
    notify_on_close: view.notifyOnClose,
    close: view.close,
    submit: view.submit,
    previous_view_id: view.previousId,
    root_view_id: view.rootId,
    app_id: workspace.app.appId,
    external_id: view.externalId,
    app_installed_team_id: workspace.team.id,
    bot_id: workspace.app.botId,
  };
}

/** Throws `invalid_arguments` or `view_too_large`, naming every place that is wrong. */
function parseView(
  workspace: Workspace,
  json: Json,
  type: View['type'],
): Omit<View, 'id' | 'user' | 'client' | 'rootId' | 'previousId'> {
  const problems = validateView(json);
  if (problems !== null)
    throw new SlackRefusal(problems.error, { response_metadata: { messages: [...problems.messages] } });
  if (!isJsonObject(json) || json.type !== type || !Array.isArray(json.blocks)) {
    throw new SlackRefusal('invalid_arguments', {
      response_metadata: { messages: [`[ERROR] must be a ${type} [json-pointer:/view/type]`] },
    });
  }
  const blocks = withIds(json.blocks.filter(isJsonObject), () => workspace.newId(''));
  return {
    type,
    title: objectOrNull(json.title),
    submit: objectOrNull(json.submit),
    close: objectOrNull(json.close),
    blocks,
    callbackId: stringOrEmpty(json.callback_id),
    externalId: stringOrEmpty(json.external_id),
    privateMetadata: stringOrEmpty(json.private_metadata),
    hash: `${workspace.nextTs()}.${workspace.newId('').slice(0, 8).toLowerCase()}`,
    clearOnClose: json.clear_on_close === true,
    notifyOnClose: json.notify_on_close === true,
    values: initialValues(blocks),
  };
}

function refuseTakenExternalId(workspace: Workspace, view: View): void {
  if (
    view.externalId !== '' &&
    findView(workspace, (it) => it.externalId === view.externalId) !== undefined
  ) {
    throw new SlackRefusal('duplicate_external_id');
  }
}

function objectOrNull(value: Json | undefined): JsonObject | null {
  return isJsonObject(value) ? value : null;
}

function stringOrEmpty(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
