import type { Actor, Change, Channel, Message, Person, View, Workspace } from '../workspace/types.ts';
import { directChannel } from '../workspace/workspace.ts';
import type { PageChannel, PageEvent, PageMessage, PageUser, PageView, WorkspaceState } from './page-api.ts';

/** Everything the page shows when it opens, as one person sees it in one tab. */
export function stateFor(
  workspace: Workspace,
  me: Person,
  client: string | null,
  appConnected: boolean,
): WorkspaceState {
  const people = [...workspace.people.values()].filter((it) => !it.deleted);
  const bot = workspace.people.get(workspace.app.botUserId);
  const home = workspace.homes.get(me.id);
  return {
    team: { id: workspace.team.id, name: workspace.team.name },
    me: pageUser(me),
    users: people.filter((it) => !it.isBot).map(pageUser),
    bot:
      bot === undefined
        ? { id: workspace.app.botUserId, name: '', realName: '', isBot: true }
        : pageUser(bot),
    directUnread: Object.fromEntries(
      people.flatMap(({ id }) => {
        const channel = directChannel(workspace, id);
        const unread = channel === undefined ? 0 : unreadIn(workspace, id, channel.id);
        return unread === 0 ? [] : [[id, unread]];
      }),
    ),
    channels: [...workspace.channels.values()]
      .filter((it) => it.members.includes(me.id))
      .map((it) => pageChannel(workspace, it, me.id)),
    usergroups: [...workspace.usergroups.values()].map(({ id, handle }) => ({ id, handle })),
    home: home === undefined ? null : pageView(home),
    modals: modalsFor(workspace, { user: me.id, client }),
    appConnected,
    commands: [...workspace.app.commands],
    texts: workspace.app.pageTexts,
    notices: workspace.notices,
  };
}

/** The messages of a channel that one person sees, threads included. */
export function historyFor(workspace: Workspace, channel: Channel, user: string): PageMessage[] {
  const list = workspace.messages.get(channel.id) ?? [];
  return list.filter((it) => isVisible(workspace, it, user)).map((it) => pageMessage(workspace, it));
}

/** What a tab of one person is told about a change, or null when it does not concern it. */
export function pageEvent(workspace: Workspace, change: Change, actor: Actor): PageEvent | null {
  const { user } = actor;
  switch (change.type) {
    case 'posted':
    case 'changed':
      return isVisible(workspace, change.message, user)
        ? { type: 'message', message: pageMessage(workspace, change.message) }
        : null;
    case 'deleted': {
      const { channel, ts } = change.message;
      return isVisible(workspace, change.message, user) ? { type: 'message_deleted', channel, ts } : null;
    }
    case 'status': {
      const { channel, threadTs, status } = change.record;
      return workspace.channels.get(channel)?.members.includes(user) === true
        ? { type: 'status', channel, threadTs, status }
        : null;
    }
    case 'modals':
      return change.user === user ? { type: 'modals', modals: modalsFor(workspace, actor) } : null;
    case 'home': {
      const home = workspace.homes.get(user);
      return change.user === user && home !== undefined ? { type: 'home', home: pageView(home) } : null;
    }
    case 'unread': {
      const { channel } = change;
      const unread = unreadIn(workspace, change.user, channel);
      if (change.user === user) return { type: 'unread', channel, unread };
      const isDirect = workspace.channels.get(channel)?.kind === 'im';
      return isDirect ? { type: 'direct_unread', user: change.user, unread } : null;
    }
    case 'app':
      return { type: 'app', connected: change.connected };
    case 'notices':
      return { type: 'notices', notices: workspace.notices };
    case 'file_deleted':
    case 'file_changed':
    case 'called':
    case 'delivered':
      return null;
  }
}

/** The modals of this tab, and those that a script has opened, which belong to none. */
function modalsFor(workspace: Workspace, { user, client }: Actor): PageView[] {
  return (workspace.modals.get(user) ?? [])
    .filter((it) => it.client === client || it.client === null)
    .map(pageView);
}

function isVisible(workspace: Workspace, message: Message, user: string): boolean {
  if (workspace.channels.get(message.channel)?.members.includes(user) !== true) return false;
  return message.ephemeralFor === null || message.ephemeralFor === user;
}

function pageMessage(workspace: Workspace, message: Message): PageMessage {
  return {
    channel: message.channel,
    ts: message.ts,
    threadTs: message.threadTs,
    user: message.user,
    text: message.text,
    blocks: message.blocks,
    edited: message.edited !== null,
    ephemeral: message.ephemeralFor !== null,
    streaming: message.stream !== null,
    reactions: message.reactions,
    files: message.files.flatMap((id) => {
      const file = workspace.files.get(id);
      if (file === undefined) return [];
      const { name, title, mimetype, size, isDeleted, user } = file;
      return [{ id, name, title, mimetype, size, isDeleted, user }];
    }),
  };
}

function pageChannel(workspace: Workspace, channel: Channel, user: string): PageChannel {
  const bot = workspace.people.get(workspace.app.botUserId);
  const name = channel.kind === 'im' ? (bot?.realName ?? '') : channel.name;
  return {
    id: channel.id,
    name,
    kind: channel.kind,
    unread: unreadIn(workspace, user, channel.id),
  };
}

function unreadIn(workspace: Workspace, user: string, channel: string): number {
  return workspace.unread.get(user)?.get(channel) ?? 0;
}

function pageView(view: View): PageView {
  const { id, type, title, submit, close, blocks, hash } = view;
  return { id, type, title, submit, close, blocks, hash };
}

function pageUser({ id, name, realName, isBot }: Person): PageUser {
  return { id, name, realName, isBot };
}
