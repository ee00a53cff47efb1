import { randomInt } from 'node:crypto';
import type { WorkspaceClock } from './clock.ts';
import { seedChannels, seedPeople, seedUsergroups, TEAM } from './seed.ts';
import type { AppIdentity, Change, Channel, Person, Workspace } from './types.ts';

const ID_LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

interface WorkspaceOptions {
  readonly app: AppIdentity;
  readonly clock: WorkspaceClock;
  readonly botName: string;
  /** IANA name of the zone of everybody. */
  readonly tz: string;
  /** Names of channels besides the usual three. */
  readonly channels: readonly string[];
  /** Where the server answers; known once it listens. */
  readonly baseUrl: () => string;
}

/** A fresh workspace: three people, three channels and those that were asked for, a direct message channel each, and the app's bot. */
export function createWorkspace({ app, clock, botName, tz, channels, baseUrl }: WorkspaceOptions): Workspace {
  const listeners = new Set<(change: Change) => void>();
  const messages: Workspace['messages'] = new Map();
  let lastMicroseconds = 0;
  return {
    team: TEAM,
    app,
    installation: { enterpriseId: null, isOrgWide: false, eventTeam: { team_id: TEAM.id } },
    clock,
    people: byId(seedPeople(botName, tz)),
    channels: byId(seedChannels(channels)),
    messages,
    files: new Map(),
    usergroups: byId(seedUsergroups()),
    homes: new Map(),
    modals: new Map(),
    undelivered: new Set(),
    messageValues: new Map(),
    unread: new Map(),
    statuses: [],
    threadTitles: new Map(),
    sessions: new Map(),
    notices: [],
    isInstalled: true,
    baseUrl,
    nextTs: () => {
      const newest = Math.max(
        lastMicroseconds,
        ...[...messages.values()].map((list) => microseconds(list.at(-1)?.ts)),
      );
      lastMicroseconds = Math.max(newest + 1, clock.now() * 1000);
      const seconds = Math.floor(lastMicroseconds / 1_000_000);
      return `${seconds}.${String(lastMicroseconds % 1_000_000).padStart(6, '0')}`;
    },
    newId: (prefix) =>
      prefix + Array.from({ length: 10 }, () => ID_LETTERS.charAt(randomInt(ID_LETTERS.length))).join(''),
    emit: (change) => {
      for (const listener of [...listeners]) listener(change);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A person by id or by name; undefined when there is none. */
export function findPerson(workspace: Workspace, idOrName: string): Person | undefined {
  const name = idOrName.replace(/^@/, '').toLowerCase();
  return (
    workspace.people.get(idOrName) ?? [...workspace.people.values()].find((person) => person.name === name)
  );
}

/** A channel by id or by name, with or without `#`; undefined when there is none. */
export function findChannel(workspace: Workspace, idOrName: string): Channel | undefined {
  const name = idOrName.replace(/^#/, '');
  const channels = [...workspace.channels.values()];
  return workspace.channels.get(idOrName) ?? channels.find((it) => it.kind === 'channel' && it.name === name);
}

/** The direct message channel between a person and the app's bot. */
export function directChannel(workspace: Workspace, user: string): Channel | undefined {
  return [...workspace.channels.values()].find((it) => it.kind === 'im' && it.members.includes(user));
}

/** Whether the account belongs to another organisation than the app. */
export function isExternal({ team, installation }: Workspace, person: Person): boolean {
  return person.teamId !== team.id && (installation.enterpriseId === null || person.workspaces === null);
}

/** Whether people of another organisation are in the channel. */
export function isExternallyShared(workspace: Workspace, channel: Channel): boolean {
  return channel.members.some((id) => {
    const person = workspace.people.get(id);
    return person !== undefined && isExternal(workspace, person);
  });
}

export function addMember(workspace: Workspace, channel: Channel, user: string): void {
  const others = channel.members.filter((it) => it !== user);
  workspace.channels.set(channel.id, { ...channel, members: [...others, user] });
}

export function removeMember(workspace: Workspace, channel: Channel, user: string): void {
  const members = channel.members.filter((it) => it !== user);
  workspace.channels.set(channel.id, { ...channel, members });
}

function microseconds(ts: string | undefined): number {
  return ts === undefined ? 0 : Math.round(Number(ts.replace('.', '')));
}

function byId<T extends { readonly id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}
