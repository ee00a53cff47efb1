import { randomUUID } from 'node:crypto';
import { agentSessionStopped, appHomeOpened } from '../delivery/events.ts';
import { PersonRefusal } from '../errors.ts';
import { changeFile, deleteFile, shareFiles } from '../workspace/files.ts';
import { parseTypedText } from '../workspace/message-text.ts';
import {
  addMessage,
  changeMessage,
  findMessage,
  findReplies,
  removeMessage,
  setUnread,
} from '../workspace/messages.ts';
import type { Actor, Channel, Message, Workspace } from '../workspace/types.ts';
import { addMember, findChannel, findPerson } from '../workspace/workspace.ts';
import { deliver, type InteractionContext, requireActor } from './context.ts';
import { showAnswer } from './response-urls.ts';
import { POSTED, REFUSED } from './texts.ts';

/** What a person changes of a file. */
export interface FileChange {
  readonly title?: string;
  readonly content?: string | Uint8Array;
}

interface PostOptions {
  readonly threadTs?: string | undefined;
  /** Chosen by who sends it, so that what is sent again for want of an answer is one message. @default a new one */
  readonly clientMsgId?: string | undefined;
  /** Ids of files that are already stored. */
  readonly files?: readonly string[];
}

/** A person writes into a channel or thread. Throws when they cannot. */
export function postMessage(
  context: InteractionContext,
  user: string,
  channelName: string,
  typed: string,
  options: PostOptions = {},
): Message {
  const { workspace } = context;
  const person = requireActor(context, user);
  const channel = memberChannel(workspace, person.id, channelName);
  const files = options.files ?? [];
  if (typed.trim() === '' && files.length === 0) throw new PersonRefusal('no_text', REFUSED.nothingToSend);
  const parent =
    options.threadTs === undefined ? undefined : findMessage(workspace, channel.id, options.threadTs);
  if (options.threadTs !== undefined && parent === undefined) {
    throw new PersonRefusal('thread_not_found', REFUSED.threadGone);
  }
  const clientMsgId = options.clientMsgId ?? randomUUID();
  const known = workspace.messages.get(channel.id)?.find((it) => it.clientMsgId === clientMsgId);
  if (known !== undefined) return known;
  if (files.some((id) => workspace.files.get(id)?.isDeleted !== false))
    throw new PersonRefusal('file_not_found', REFUSED.noFile);
  shareFiles(workspace, files, channel.id);
  const message = addMessage(workspace, {
    channel: channel.id,
    user: person.id,
    ...parseTypedText(workspace, typed),
    threadTs: parent === undefined ? null : (parent.threadTs ?? parent.ts),
    clientMsgId,
    files,
    subtype: files.length > 0 ? 'file_share' : null,
  });
  tellOfAbsence(workspace, channel, message);
  return message;
}

/**
 * A person deletes a message of theirs. One with replies stays as a tombstone, which the app is told by `message_changed`
 * (slack-edge/slack-edge#10, openclaw/openclaw#22035). Throws when they cannot.
 */
export function deleteMessage(
  { workspace }: InteractionContext,
  user: string,
  channelName: string,
  ts: string,
): void {
  const channel = memberChannel(workspace, user, channelName);
  const message = findMessage(workspace, channel.id, ts);
  if (message?.user !== user) throw new PersonRefusal('message_not_found', REFUSED.notYours);
  if (findReplies(workspace, channel.id, ts).length === 0) {
    removeMessage(workspace, message);
    return;
  }
  const emptied = { subtype: 'tombstone', text: POSTED.deleted, user: 'USLACKBOT', files: [], blocks: [] };
  changeMessage(workspace, message, emptied);
}

/** A person deletes a file of theirs, wherever it was shared. Throws when they cannot. */
export function deleteOwnFile({ workspace }: InteractionContext, user: string, fileId: string): void {
  const file = workspace.files.get(fileId);
  if (file?.user !== user || file.isDeleted) throw new PersonRefusal('file_not_found', REFUSED.noFile);
  deleteFile(workspace, file);
}

/**
 * A person changes a file of theirs: gives it another title, or, of a snippet, another content. Throws when they cannot: what
 * was uploaded stays as it is.
 */
export function changeOwnFile(
  { workspace }: InteractionContext,
  user: string,
  fileId: string,
  { title, content }: FileChange,
): void {
  const file = workspace.files.get(fileId);
  if (file?.user !== user || file.isDeleted) throw new PersonRefusal('file_not_found', REFUSED.noFile);
  if (content !== undefined && !file.isSnippet) throw new PersonRefusal('file_not_found', REFUSED.noSnippet);
  const bytes = content === undefined ? null : Buffer.from(content);
  changeFile(workspace, file, {
    ...(title !== undefined && { title }),
    ...(bytes !== null && { content: bytes.toString('base64'), size: bytes.length }),
  });
}

/** Tells whoever mentioned the app where it is not, as Slackbot does: the app hears nothing of it. */
function tellOfAbsence(workspace: Workspace, channel: Channel, { user, text, threadTs }: Message): void {
  const { botUserId } = workspace.app;
  if (!text.includes(`<@${botUserId}>`) || channel.members.includes(botUserId)) return;
  const name = workspace.people.get(botUserId)?.name ?? '';
  addMessage(workspace, {
    channel: channel.id,
    user: botUserId,
    text: POSTED.appNotInChannel(name, channel.name),
    threadTs,
    ephemeralFor: user,
  });
}

/** A person types a slash command; `/invite` is Slack's own, the others are the app's. Throws when it fails. */
export async function runCommand(
  context: InteractionContext,
  actor: Actor,
  channelName: string,
  command: string,
  text: string,
): Promise<void> {
  const { workspace } = context;
  const person = requireActor(context, actor.user);
  const channel = memberChannel(workspace, person.id, channelName);
  if (command === '/invite') {
    invite(workspace, channel, text);
    return;
  }
  if (!workspace.app.commands.some((it) => it.command === command)) {
    throw new PersonRefusal('unknown_command', REFUSED.noCommand(command));
  }
  const target = { user: person.id, channel: channel.id, threadTs: null, messageTs: null };
  const { enterpriseId, isOrgWide } = workspace.installation;
  const ack = await deliver(context, 'slash_commands', {
    token: workspace.app.verificationToken,
    team_id: workspace.team.id,
    team_domain: workspace.team.domain,
    channel_id: channel.id,
    channel_name: channel.kind === 'im' ? 'directmessage' : channel.name,
    user_id: person.id,
    user_name: person.name,
    command,
    text,
    api_app_id: workspace.app.appId,
    ...(enterpriseId !== null && { enterprise_id: enterpriseId, enterprise_name: 'Organisation' }),
    is_enterprise_install: String(isOrgWide),
    response_url: context.responseUrls.issue(target),
    trigger_id: context.triggers.issue(actor),
  });
  if (ack.body !== null) showAnswer(workspace, target, ack.body);
}

/** A person opens the app's Home. */
export function openHome(context: InteractionContext, user: string): void {
  appHomeOpened(context.workspace, context.queue, requireActor(context, user).id);
}

/** A person presses "stop" in a thread. */
export function stopSession(
  context: InteractionContext,
  user: string,
  channelName: string,
  threadTs: string,
): void {
  const channel = memberChannel(context.workspace, requireActor(context, user).id, channelName);
  agentSessionStopped(context.workspace, context.queue, user, channel.id, threadTs);
}

/** A person has seen everything in a channel. */
export function markRead(context: InteractionContext, user: string, channelName: string): void {
  const channel = memberChannel(context.workspace, requireActor(context, user).id, channelName);
  setUnread(context.workspace, user, channel.id, 0);
}

/** A channel that the person is in. Throws otherwise. */
export function memberChannel(workspace: Workspace, user: string, channelName: string): Channel {
  const channel = findChannel(workspace, channelName);
  if (channel === undefined || !channel.members.includes(user)) {
    throw new PersonRefusal('channel_not_found', REFUSED.notInChannel);
  }
  return channel;
}

function invite(workspace: Workspace, channel: Channel, text: string): void {
  const name = text.trim().replace(/^<@|>$/g, '');
  const person = findPerson(workspace, name);
  if (person === undefined) throw new PersonRefusal('no_such_person', REFUSED.nobodyCalled(text));
  addMember(workspace, channel, person.id);
  addMessage(workspace, {
    channel: channel.id,
    user: person.id,
    text: POSTED.joined(person.id),
    subtype: 'channel_join',
  });
}
