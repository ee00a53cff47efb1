import { PersonRefusal } from '../errors.ts';
import { stateAfter, toAction } from '../interactions/action-input.ts';
import { actOnMessage, actOnView, mergeState } from '../interactions/click.ts';
import { deliver, type InteractionContext } from '../interactions/context.ts';
import {
  changeOwnFile,
  deleteMessage,
  deleteOwnFile,
  type FileChange,
  openHome,
  postMessage,
  runCommand,
  stopSession,
} from '../interactions/messages.ts';
import { interactionFrame, messageSource } from '../interactions/payloads.ts';
import { closeView, submitView } from '../interactions/submit.ts';
import type { Json, JsonObject } from '../json.ts';
import { storeFile } from '../workspace/files.ts';
import { findMessage } from '../workspace/messages.ts';
import { initialValues } from '../workspace/state-values.ts';
import type { Message, View } from '../workspace/types.ts';
import { putView } from '../workspace/views.ts';
import { directChannel } from '../workspace/workspace.ts';
import { findElement, toInput } from './find.ts';
import { waitUntil } from './wait.ts';

/** Plain values for elements, by action id or by the words on them. */
export type Values = Readonly<Record<string, Json>>;

export interface PostedFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Whether it's a snippet, whose content can be changed. */
  readonly isSnippet?: boolean;
}

/** One person of the workspace, as a test uses them. What the workspace refuses throws PersonRefusal. */
export interface PersonDriver {
  readonly id: string;
  /** The channel of this person's direct messages with the app. */
  readonly dmChannel: string;
  /** Writes into a channel (by id or name); answers the message's ts. */
  post(
    channel: string,
    text: string,
    options?: { readonly threadTs?: string; readonly files?: readonly PostedFile[] },
  ): string;
  dm(text: string, options?: { readonly threadTs?: string; readonly files?: readonly PostedFile[] }): string;
  /** Deletes a message of their own, by its channel and ts. */
  deleteMessage(channel: string, ts: string): void;
  /** Deletes a file of their own, by its id. */
  deleteFile(fileId: string): void;
  /** Gives a file of their own another title, or a snippet another content. */
  changeFile(fileId: string, change: FileChange): void;
  /** Shares a file that is in Slack already, by its id, once more; answers the message's ts. */
  shareFile(channel: string, fileId: string): string;
  /** Presses a button of a message, by action id or label. Resolves when the app has acknowledged. */
  click(message: Message | string, element: string): Promise<void>;
  /** Chooses in a menu of a message: the option's label or value, a date, a person's id. */
  select(message: Message | string, element: string, value: Json): Promise<void>;
  /** Sends the click on a message as it was then, whatever it looks like now. */
  clickStale(message: Message, element: string): Promise<void>;
  modals(): readonly View[];
  /** The top modal. Throws when none is open. */
  modal(): View;
  /** Waits for a modal that fits. */
  waitForModal(fits?: (view: View) => boolean, timeoutMs?: number): Promise<View>;
  home(): View | undefined;
  /** Opens the Home and waits until the app has published it anew. */
  openHome(timeoutMs?: number): Promise<View>;
  /** Uses an element of a view: the top modal unless another is given. */
  useElement(element: string, value?: Json, view?: View): Promise<void>;
  /** Fills the top modal in, without sending anything. */
  fill(values: Values): void;
  /** Fills the top modal in and submits it; answers the errors by block id, empty when it went through. */
  submit(values?: Values): Promise<{ readonly errors: Record<string, string> }>;
  /** Closes the top modal. */
  close(): Promise<void>;
  /** Types `/command …`; answers what only this person was shown until the app acknowledged. */
  command(line: string, channel?: string): Promise<readonly string[]>;
  /** What only this person sees, in order. */
  ephemerals(): readonly Message[];
  /** Presses "stop" in a thread. */
  stop(channel: string, threadTs: string): void;
}

export function createPersonDriver(context: InteractionContext, id: string): PersonDriver {
  const { workspace } = context;
  const actor = { user: id, client: null };
  const dmChannel = directChannel(workspace, id)?.id ?? '';
  const modals = (): readonly View[] => workspace.modals.get(id) ?? [];
  const modal = (): View => {
    const top = modals().at(-1);
    if (top === undefined) throw new PersonRefusal('view_not_found', 'No modal is open.');
    return top;
  };
  const requireMessage = (message: Message | string): Message => {
    const ts = typeof message === 'string' ? message : message.ts;
    const channels = typeof message === 'string' ? [...workspace.channels.keys()] : [message.channel];
    const found = channels
      .map((channel) => findMessage(workspace, channel, ts))
      .find((it) => it !== undefined);
    if (found === undefined)
      throw new PersonRefusal('message_not_found', 'That message does not exist any more.');
    return found;
  };
  const ephemerals = (): Message[] =>
    [...workspace.messages.values()].flat().filter((it) => it.ephemeralFor === id);
  const post: PersonDriver['post'] = (channel, text, options = {}) =>
    postMessage(context, id, channel, text, {
      threadTs: options.threadTs,
      files: (options.files ?? []).map(
        ({ content, ...file }) =>
          storeFile(workspace, { ...file, user: id, content: Buffer.from(content) }).id,
      ),
    }).ts;
  const select: PersonDriver['select'] = async (target, name, value) => {
    const message = requireMessage(target);
    const found = findElement(message.blocks, name);
    const where = {
      channel: message.channel,
      ts: message.ts,
      blockId: String(found.block.block_id),
      actionId: String(found.element.action_id),
    };
    await actOnMessage(context, actor, where, toInput(found, value));
  };
  const fill = (values: Values): void => {
    const view = modal();
    const filled = mergeState(initialValues(view.blocks), view.values, undefined);
    for (const [name, value] of Object.entries(values)) {
      const found = findElement(view.blocks, name);
      const state = stateAfter(found.element, toInput(found, value));
      const blockId = String(found.block.block_id);
      if (state !== undefined)
        filled[blockId] = { ...filled[blockId], [String(found.element.action_id)]: state };
    }
    putView(workspace, { ...view, values: filled });
  };
  return {
    id,
    dmChannel,
    post,
    dm: (text, options) => post(dmChannel, text, options),
    deleteMessage: (channel, ts) => deleteMessage(context, id, channel, ts),
    deleteFile: (fileId) => deleteOwnFile(context, id, fileId),
    changeFile: (fileId, change) => changeOwnFile(context, id, fileId, change),
    shareFile: (channel, fileId) => postMessage(context, id, channel, '', { files: [fileId] }).ts,
    // A label may also be that of an option of an overflow menu or of a feedback button: then it is the choice.
    click: (message, name) => select(message, name, name),
    select,
    clickStale: async (message, name) => {
      const person = workspace.people.get(id);
      if (person === undefined) throw new PersonRefusal('no_such_person', 'There is no such person.');
      const { block, element } = findElement(message.blocks, name);
      const target = {
        user: id,
        channel: message.channel,
        threadTs: message.threadTs,
        messageTs: message.ts,
      };
      await deliver(context, 'interactive', {
        type: 'block_actions',
        ...interactionFrame(workspace, person),
        ...messageSource(workspace, message, context.responseUrls.issue(target)),
        trigger_id: context.triggers.issue(actor),
        actions: [toAction(block, element, toInput({ block, element }, name), workspace.nextTs())],
      });
    },
    modals,
    modal,
    waitForModal: (fits = () => true, timeoutMs = context.waitMs) => {
      const look = () => modals().findLast(fits);
      return waitUntil(
        workspace,
        look,
        () => `No such modal opened; open are ${modals().length}.`,
        timeoutMs,
      );
    },
    home: () => workspace.homes.get(id),
    openHome: (timeoutMs = context.waitMs) => {
      const before = workspace.homes.get(id)?.hash;
      openHome(context, id);
      const look = (): View | undefined => {
        const home = workspace.homes.get(id);
        return home?.hash === before ? undefined : home;
      };
      return waitUntil(workspace, look, () => 'The app did not publish the Home.', timeoutMs);
    },
    useElement: async (name, value, view = modal()) => {
      const found = findElement(view.blocks, name);
      const where = {
        viewId: view.id,
        blockId: String(found.block.block_id),
        actionId: String(found.element.action_id),
      };
      await actOnView(context, actor, where, toInput(found, value ?? name));
    },
    fill,
    submit: async (values) => {
      if (values !== undefined) fill(values);
      const view = modal();
      const state: JsonObject = { values: view.values };
      return { errors: await submitView(context, id, view.id, state) };
    },
    close: () => closeView(context, id, modal().id),
    command: async (line, channel = 'general') => {
      const [command = '', ...words] = line.split(' ');
      const before = new Set(ephemerals());
      await runCommand(context, actor, channel, command, words.join(' '));
      return ephemerals()
        .filter((it) => !before.has(it))
        .map((it) => it.text);
    },
    ephemerals,
    stop: (channel, threadTs) => stopSession(context, id, channel, threadTs),
  };
}
