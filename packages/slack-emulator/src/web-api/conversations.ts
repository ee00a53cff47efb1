import { SlackRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { findMessage, findReplies } from '../workspace/messages.ts';
import type { Channel, Message, Workspace } from '../workspace/types.ts';
import { directChannel, isExternallyShared } from '../workspace/workspace.ts';
import { type Arguments, count, flag, optional, required } from './arguments.ts';
import { page } from './cursor.ts';
import { messageToJson } from './message-json.ts';
import { channelFor, joinedChannel, type Methods, scopeByKind } from './method.ts';

export const conversationMethods: Methods = {
  'conversations.info': {
    token: 'bot',
    scope: scopeByKind('read'),
    run: ({ workspace }, args) => {
      const channel = channelFor(workspace, required(args, 'channel', 'channel_not_found'));
      return { channel: channelToJson(workspace, channel) };
    },
  },
  'conversations.history': {
    token: 'bot',
    scope: scopeByKind('history'),
    run: ({ workspace }, args) => {
      const channel = joinedChannel(workspace, required(args, 'channel', 'channel_not_found'));
      const all = workspace.messages.get(channel.id) ?? [];
      const top = all.filter(
        (it) =>
          it.ephemeralFor === null &&
          (it.threadTs === null || it.threadTs === it.ts || it.subtype === 'thread_broadcast'),
      );
      return messagePage(workspace, within(top, args).toReversed(), args, 100);
    },
  },
  'conversations.replies': {
    token: 'bot',
    scope: scopeByKind('history'),
    run: ({ workspace }, args) => {
      const channel = joinedChannel(workspace, required(args, 'channel', 'channel_not_found'));
      const message = findMessage(workspace, channel.id, required(args, 'ts', 'thread_not_found'));
      if (message === undefined || message.ephemeralFor !== null) throw new SlackRefusal('thread_not_found');
      const parent = findMessage(workspace, channel.id, message.threadTs ?? message.ts);
      const thread = [
        ...(parent === undefined ? [] : [parent]),
        ...findReplies(workspace, channel.id, message.threadTs ?? message.ts),
      ];
      return messagePage(workspace, within(thread, args), args, 1000);
    },
  },
  'conversations.open': {
    token: 'bot',
    scope: 'im:write',
    run: ({ workspace }, args) => {
      const known = optional(args, 'channel');
      const users = (optional(args, 'users') ?? '').split(',').filter((it) => it !== '');
      if (known === undefined && users.length === 0) throw new SlackRefusal('users_list_not_supplied');
      if (users.length > 1) throw new SlackRefusal('missing_scope', { needed: 'mpim:write' });
      const channel =
        known === undefined ? directChannel(workspace, users[0] ?? '') : channelFor(workspace, known);
      if (channel === undefined) throw new SlackRefusal('user_not_found');
      const full = flag(args, 'return_im') ? channelToJson(workspace, channel) : { id: channel.id };
      return { no_op: true, already_open: true, channel: full };
    },
  },
  'conversations.members': {
    token: 'bot',
    scope: scopeByKind('read'),
    run: ({ workspace }, args) => {
      const channel = channelFor(workspace, required(args, 'channel', 'channel_not_found'));
      const { items, next } = page(channel.members, optional(args, 'cursor'), count(args, 'limit', 100));
      return { members: items, response_metadata: { next_cursor: next } };
    },
  },
  'users.conversations': {
    token: 'bot',
    scope: (_, args) => SCOPES_BY_TYPE[(optional(args, 'types') ?? 'public_channel').split(',')[0] ?? ''],
    run: ({ workspace }, args) => {
      const user = optional(args, 'user') ?? workspace.app.botUserId;
      if (!workspace.people.has(user)) throw new SlackRefusal('user_not_found');
      const types = (optional(args, 'types') ?? 'public_channel').split(',');
      const kinds = new Set(types.map((it) => (it === 'public_channel' ? 'channel' : it)));
      // Of what isn't public, only where both are in.
      const channels = [...workspace.channels.values()].filter(
        ({ kind, members }) =>
          kinds.has(kind) &&
          members.includes(user) &&
          (kind === 'channel' || members.includes(workspace.app.botUserId)),
      );
      const { items, next } = page(channels, optional(args, 'cursor'), count(args, 'limit', 100));
      return {
        channels: items.map((it) => channelToJson(workspace, it)),
        response_metadata: { next_cursor: next },
      };
    },
  },
  'conversations.list': {
    token: 'bot',
    scope: (_, args) => (optional(args, 'types') === 'im' ? 'im:read' : 'channels:read'),
    run: ({ workspace }, args) => {
      const types = (optional(args, 'types') ?? 'public_channel').split(',');
      const kinds = new Set(
        types.map((it) => (it === 'im' ? 'im' : it === 'public_channel' ? 'channel' : it)),
      );
      const channels = [...workspace.channels.values()].filter((it) => kinds.has(it.kind));
      const { items, next } = page(channels, optional(args, 'cursor'), count(args, 'limit', 100));
      return {
        channels: items.map((it) => channelToJson(workspace, it)),
        response_metadata: { next_cursor: next },
      };
    },
  },
};

/** The scope that listing conversations of a type takes; the first type stands for all. */
const SCOPES_BY_TYPE: Readonly<Record<string, string>> = {
  public_channel: 'channels:read',
  private_channel: 'groups:read',
  mpim: 'mpim:read',
  im: 'im:read',
};

/** A channel as `conversations.info` describes it. */
function channelToJson(workspace: Workspace, channel: Channel): JsonObject {
  const common = {
    id: channel.id,
    created: 0,
    is_archived: channel.isArchived,
    context_team_id: workspace.team.id,
  };
  if (channel.kind === 'im') {
    const user = channel.members.find((it) => it !== workspace.app.botUserId) ?? '';
    return { ...common, is_im: true, is_channel: false, is_open: true, user };
  }
  return {
    ...common,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'mpim',
    is_im: false,
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind === 'mpim',
    is_general: channel.name === 'general',
    is_member: channel.members.includes(workspace.app.botUserId),
    is_ext_shared: isExternallyShared(workspace, channel),
    num_members: channel.members.length,
  };
}

function messagePage(
  workspace: Workspace,
  messages: readonly Message[],
  args: Arguments,
  usual: number,
): JsonObject {
  const { items, next } = page(messages, optional(args, 'cursor'), count(args, 'limit', usual));
  const withMetadata = flag(args, 'include_all_metadata');
  return {
    messages: items.map((it) => messageToJson(workspace, it, { withMetadata })),
    has_more: next !== '',
    ...(next !== '' && { response_metadata: { next_cursor: next } }),
  };
}

function within(messages: readonly Message[], args: Arguments): Message[] {
  const oldest = optional(args, 'oldest') ?? '0';
  const latest = optional(args, 'latest') ?? '9999999999.999999';
  const inclusive = flag(args, 'inclusive');
  return messages.filter(({ ts, threadTs }) => {
    if (threadTs === ts && optional(args, 'ts') === ts) return true;
    const [at, from, to] = [Number(ts), Number(oldest), Number(latest)];
    return inclusive ? at >= from && at <= to : at > from && at < to;
  });
}
