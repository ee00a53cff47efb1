import type { JsonObject } from '../json.ts';
import { messageToJson } from '../web-api/message-json.ts';
import { changeMessage } from '../workspace/messages.ts';
import type { Change, Channel, Message, StoredFile, Workspace } from '../workspace/types.ts';
import { viewToJson } from '../workspace/views.ts';
import { directChannel, isExternallyShared } from '../workspace/workspace.ts';
import type { EventQueue } from './event-queue.ts';

/** Turns what happens in the workspace into the events that the app is subscribed to. */
export function forwardEvents(workspace: Workspace, queue: EventQueue): () => void {
  return workspace.subscribe((change) => {
    for (const event of toEvents(workspace, change)) sendEvent(workspace, queue, event);
  });
}

/** The Home or the messages tab of the app was opened by a person. */
export function appHomeOpened(workspace: Workspace, queue: EventQueue, user: string): void {
  const home = workspace.homes.get(user);
  sendEvent(workspace, queue, {
    type: 'app_home_opened',
    user,
    channel: directChannel(workspace, user)?.id ?? '',
    tab: 'home',
    ...(home !== undefined && { view: viewToJson(workspace, home) }),
    event_ts: workspace.nextTs(),
  });
}

/**
 * A person pressed "stop" in a thread. Slack ends the streams in it, and leaves the session's status to the
 * app: https://docs.slack.dev/reference/events/agent_session_stopped
 */
export function agentSessionStopped(
  workspace: Workspace,
  queue: EventQueue,
  user: string,
  channel: string,
  threadTs: string,
): void {
  const streaming = (workspace.messages.get(channel) ?? []).filter(
    (it) => it.threadTs === threadTs && it.stream !== null,
  );
  for (const message of streaming) changeMessage(workspace, message, { stream: null });
  sendEvent(workspace, queue, {
    type: 'agent_session_stopped',
    user,
    channel,
    thread_ts: threadTs,
    streaming_message_ts: streaming.map((it) => it.ts),
    event_ts: workspace.nextTs(),
  });
}

/** The outer body that Slack puts around every event. */
function eventEnvelope(workspace: Workspace, event: JsonObject): JsonObject {
  const { app, team, installation } = workspace;
  const { enterpriseId, isOrgWide } = installation;
  const channel = workspace.channels.get(String(event.channel));
  return {
    token: app.verificationToken,
    ...installation.eventTeam,
    context_team_id: team.id,
    context_enterprise_id: enterpriseId,
    ...(enterpriseId !== null && { enterprise_id: enterpriseId }),
    api_app_id: app.appId,
    event,
    type: 'event_callback',
    event_id: workspace.newId('Ev'),
    event_time: Math.floor(workspace.clock.now() / 1000),
    authorizations: [
      {
        // An installation in a whole organisation names no team (an event in bolt-python's tests of org-wide apps).
        enterprise_id: enterpriseId,
        team_id: isOrgWide ? null : team.id,
        user_id: app.botUserId,
        is_bot: true,
        is_enterprise_install: isOrgWide,
      },
    ],
    is_ext_shared_channel: channel !== undefined && isExternallyShared(workspace, channel),
    event_context: workspace.newId('4-'),
  };
}

function sendEvent(workspace: Workspace, queue: EventQueue, event: JsonObject): void {
  const name = subscriptionName(event);
  const { subscriptions, scopes } = workspace.app;
  // A subscription needs its scope: docs.slack.dev/reference/events/message.mpim.
  if (name === 'message.mpim' && !scopes.includes('mpim:history')) return;
  if (name.startsWith('file_') && !scopes.includes('files:read')) return;
  if (subscriptions.includes(name)) queue.push(eventEnvelope(workspace, event));
}

/** Messages are subscribed to by kind of channel: `message.im`, `message.channels`. */
function subscriptionName(event: JsonObject): string {
  if (event.type !== 'message') return String(event.type);
  if (event.channel_type === 'im' || event.channel_type === 'mpim') return `message.${event.channel_type}`;
  return 'message.channels';
}

function toEvents(workspace: Workspace, change: Change): JsonObject[] {
  if (change.type === 'file_deleted') return [fileDeleted(workspace, change.file)];
  if (change.type === 'file_changed') return [fileChanged(change.file)];
  if (change.type !== 'posted' && change.type !== 'changed' && change.type !== 'deleted') return [];
  const { message } = change;
  const channel = workspace.channels.get(message.channel);
  if (channel === undefined || message.ephemeralFor !== null) return [];
  if (!channel.members.includes(workspace.app.botUserId)) return [];
  const where = { channel: channel.id, channel_type: channel.kind, event_ts: message.ts };
  if (change.type === 'posted') {
    const json = messageToJson(workspace, message);
    const mention = { ...json, type: 'app_mention', channel: channel.id, event_ts: message.ts };
    const mentionsApp =
      isMentionedIn(workspace, channel) &&
      !message.byApp &&
      message.text.includes(`<@${workspace.app.botUserId}>`);
    return [{ ...json, ...where }, ...(mentionsApp ? [mention] : [])];
  }
  if (change.type === 'changed') return changedEvents(workspace, message, change.previous, where);
  const ts = workspace.nextTs();
  return [
    {
      type: 'message',
      subtype: 'message_deleted',
      hidden: true,
      ...where,
      ts,
      event_ts: ts,
      deleted_ts: message.ts,
      previous_message: messageToJson(workspace, message),
    },
  ];
}

/**
 * Whether a mention there is also an `app_mention`: not in direct messages. From group DMs some got it beside
 * `message.mpim` (openclaw/openclaw#115463), some only the message (lidge-jun/cli-jaw#651). It names no kind of
 * channel.
 */
function isMentionedIn({ app }: Workspace, { kind }: Channel): boolean {
  return kind === 'channel' || (kind === 'mpim' && app.groupMentions);
}

/** The id, and not the file: docs.slack.dev/reference/events/file_deleted. */
function fileDeleted(workspace: Workspace, { id, channels }: StoredFile): JsonObject {
  return { type: 'file_deleted', file_id: id, channel_ids: [...channels], event_ts: workspace.nextTs() };
}

/** The id, and neither the file nor what has changed: docs.slack.dev/reference/events/file_change. */
function fileChanged({ id }: StoredFile): JsonObject {
  return { type: 'file_change', file_id: id, file: { id } };
}

/** Somebody removed the app from the workspace: its tokens end, and it is told by both events, in any order. */
export function appUninstalled(workspace: Workspace, queue: EventQueue): void {
  const tokens = { oauth: [], bot: [workspace.app.botUserId] };
  sendEvent(workspace, queue, { type: 'tokens_revoked', tokens, event_ts: workspace.nextTs() });
  sendEvent(workspace, queue, { type: 'app_uninstalled', event_ts: workspace.nextTs() });
}

function changedEvents(
  workspace: Workspace,
  message: Message,
  previous: Message,
  where: JsonObject,
): JsonObject[] {
  const isReaction = message.reactions !== previous.reactions;
  const isStillStreaming = message.stream !== null;
  if (isReaction || isStillStreaming) return [];
  const ts = workspace.nextTs();
  return [
    {
      type: 'message',
      subtype: 'message_changed',
      hidden: true,
      ...where,
      ts,
      event_ts: ts,
      message: messageToJson(workspace, message),
      previous_message: messageToJson(workspace, previous),
    },
  ];
}
