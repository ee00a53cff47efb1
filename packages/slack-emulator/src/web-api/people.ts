import { SlackRefusal } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Person, Usergroup } from '../workspace/types.ts';
import { count, flag, optional, required } from './arguments.ts';
import { page } from './cursor.ts';
import { personToJson } from './message-json.ts';
import type { Methods } from './method.ts';

export const peopleMethods: Methods = {
  'users.info': {
    token: 'bot',
    scope: 'users:read',
    run: ({ workspace }, args) => {
      const person = workspace.people.get(required(args, 'user', 'user_not_found'));
      if (person === undefined) throw new SlackRefusal('user_not_found');
      return { user: personToJson(workspace, person) };
    },
  },
  /** By the address of their profile, which differs from others' by more than its case (docs.slack.dev/reference/methods/users.lookupByEmail). */
  'users.lookupByEmail': {
    token: 'bot',
    scope: 'users:read.email',
    run: ({ workspace }, args) => {
      const email = required(args, 'email').toLowerCase();
      const person = [...workspace.people.values()].find((it) => toEmail(it) === email && !it.deleted);
      if (person === undefined) throw new SlackRefusal('users_not_found');
      return { user: personToJson(workspace, person) };
    },
  },
  'users.list': {
    token: 'bot',
    scope: 'users:read',
    run: ({ workspace }, args) => {
      const people = [...workspace.people.values()];
      const { items, next } = page(people, optional(args, 'cursor'), count(args, 'limit', 1000));
      return {
        members: items.map((it) => personToJson(workspace, it)),
        cache_ts: Math.floor(workspace.clock.now() / 1000),
        response_metadata: { next_cursor: next },
      };
    },
  },
  'usergroups.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run: ({ workspace }, args) => ({
      usergroups: [...workspace.usergroups.values()].map((it) =>
        groupToJson(it, workspace.team.id, { withUsers: flag(args, 'include_users') }),
      ),
    }),
  },
  'usergroups.users.list': {
    token: 'bot',
    scope: 'usergroups:read',
    run: ({ workspace }, args) => {
      const group = workspace.usergroups.get(required(args, 'usergroup'));
      if (group === undefined) throw new SlackRefusal('no_such_subteam');
      return { users: [...group.users] };
    },
  },
  'bots.info': {
    token: 'bot',
    scope: 'users:read',
    run: ({ workspace }, args) => {
      const { appId, botId, botUserId } = workspace.app;
      if ((optional(args, 'bot') ?? botId) !== botId) throw new SlackRefusal('bot_not_found');
      const name = workspace.people.get(botUserId)?.realName ?? '';
      return {
        bot: { id: botId, app_id: appId, user_id: botUserId, name, deleted: false, updated: 0, icons: {} },
      };
    },
  },
};

/** Of the people of the local workspace; a bot has none. */
function toEmail({ name, isBot }: Person): string | null {
  return isBot ? null : `${name.toLowerCase()}@example.com`;
}

function groupToJson(
  group: Usergroup,
  teamId: string,
  { withUsers }: { readonly withUsers: boolean },
): JsonObject {
  return {
    id: group.id,
    team_id: teamId,
    is_usergroup: true,
    name: group.name,
    handle: group.handle,
    description: '',
    date_delete: 0,
    user_count: group.users.length,
    ...(withUsers && { users: [...group.users] }),
  };
}
