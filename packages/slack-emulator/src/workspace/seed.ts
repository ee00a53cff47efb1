import type { Channel, Person, Usergroup } from './types.ts';

export const TEAM = { id: 'T0LOCAL001', name: 'Local workspace', domain: 'local' } as const;
export const APP_ID = 'A0LOCAL001';
export const BOT_ID = 'B0LOCAL001';
export const BOT_USER = 'U0BOT00001';
export const ANA = 'U0ANA00001';
export const BOB = 'U0BOB00001';
export const CAROL = 'U0CAROL001';

/** The scopes that the app asks for when it is installed. */
export const DEFAULT_SCOPES = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'mpim:history',
  'mpim:read',
  'usergroups:read',
  'users:read',
  'users:read.email',
] as const;

export const DEFAULT_SUBSCRIPTIONS = [
  'agent_session_stopped',
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'file_change',
  'file_deleted',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'tokens_revoked',
] as const;

export function seedPeople(botName: string, tz: string): Person[] {
  const person = (id: string, name: string, realName: string, isBot = false): Person => ({
    id,
    teamId: TEAM.id,
    name,
    realName,
    isBot,
    tz,
    deleted: false,
    isAdmin: id === ANA,
    isRestricted: false,
    isUltraRestricted: false,
    workspaces: null,
  });
  return [
    person(ANA, 'ana', 'Ana Almeida'),
    person(BOB, 'bob', 'Bob Berger'),
    person(CAROL, 'carol', 'Carol Costa'),
    person(BOT_USER, botName.toLowerCase(), botName, true),
  ];
}

/**
 * The app has been invited to #general and #ops, not to #random.
 *
 * @param further names of further channels that it's in, whose ids are made of them.
 */
export function seedChannels(further: readonly string[]): Channel[] {
  const people = [ANA, BOB, CAROL];
  const channel = (id: string, name: string, members: readonly string[]): Channel => ({
    id,
    name,
    kind: 'channel',
    members,
    isArchived: false,
  });
  const direct = (id: string, user: string): Channel => ({
    id,
    name: user,
    kind: 'im',
    members: [user, BOT_USER],
    isArchived: false,
  });
  return [
    channel('C0GENERAL1', 'general', [...people, BOT_USER]),
    channel('C0RANDOM01', 'random', people),
    channel('C0OPS00001', 'ops', [...people, BOT_USER]),
    ...further.map((name) => channel(`C0${name.toUpperCase()}`.padEnd(10, '0'), name, [...people, BOT_USER])),
    direct('D0ANA00001', ANA),
    direct('D0BOB00001', BOB),
    direct('D0CAROL001', CAROL),
  ];
}

export function seedUsergroups(): Usergroup[] {
  return [{ id: 'S0OPS00001', handle: 'ops-team', name: 'Operations', users: [ANA, BOB] }];
}
