import type { EventQueue } from '../delivery/event-queue.ts';
import { appUninstalled } from '../delivery/events.ts';
import type { Installation, Person, Usergroup, Workspace } from '../workspace/types.ts';
import { addMember, removeMember } from '../workspace/workspace.ts';
import { requireChannel, requirePerson } from './lookup.ts';

/** What an admin of the workspace changes: people, user groups and who is in a channel. */
export interface WorkspaceEdits {
  setUser(user: string, patch: Partial<Omit<Person, 'id'>>): void;
  setUsergroup(group: Usergroup): void;
  invite(channel: string, user: string): void;
  kick(channel: string, user: string): void;
  /** Installs the app in a whole Grid organisation, say, or changes which team events name. */
  setInstallation(patch: Partial<Installation>): void;
  archive(channel: string): void;
  /** Opens a group DM between these people and the app; answers its id. */
  openGroup(users: readonly string[]): string;
  /** Removes the app from the workspace, or installs it again with the same token. */
  install(isInstalled: boolean): void;
}

export function createWorkspaceEdits(workspace: Workspace, queue: EventQueue): WorkspaceEdits {
  return {
    setUser: (user, patch) => {
      const person = requirePerson(workspace, user);
      workspace.people.set(person.id, { ...person, ...patch });
    },
    setUsergroup: (group) => {
      workspace.usergroups.set(group.id, group);
    },
    invite: (channel, user) =>
      addMember(workspace, requireChannel(workspace, channel), requirePerson(workspace, user).id),
    kick: (channel, user) =>
      removeMember(workspace, requireChannel(workspace, channel), requirePerson(workspace, user).id),
    setInstallation: (patch) => {
      workspace.installation = { ...workspace.installation, ...patch };
    },
    archive: (channel) => {
      const found = requireChannel(workspace, channel);
      workspace.channels.set(found.id, { ...found, isArchived: true });
    },
    openGroup: (users) => {
      const members = [...users.map((user) => requirePerson(workspace, user).id), workspace.app.botUserId];
      // Group DMs have had ids like channels' since 2026 (openclaw/openclaw#115463).
      const id = workspace.newId('C');
      const names = members.map((member) => workspace.people.get(member)?.name ?? member);
      const name = `mpdm-${names.join('--')}-1`;
      workspace.channels.set(id, { id, name, kind: 'mpim', members, isArchived: false });
      return id;
    },
    install: (isInstalled) => {
      workspace.isInstalled = isInstalled;
      if (!isInstalled) appUninstalled(workspace, queue);
    },
  };
}

/** Adds a person with a channel for direct messages with the app. What isn't given is as usual. */
export function addPerson(workspace: Workspace, person: Pick<Person, 'id' | 'name'> & Partial<Person>): void {
  const { botUserId } = workspace.app;
  const usual = {
    teamId: workspace.team.id,
    realName: person.name,
    isBot: false,
    tz: requirePerson(workspace, botUserId).tz,
    deleted: false,
    isAdmin: false,
    isRestricted: false,
    isUltraRestricted: false,
    workspaces: null,
  };
  workspace.people.set(person.id, { ...usual, ...person });
  const id = workspace.newId('D');
  workspace.channels.set(id, {
    id,
    name: person.id,
    kind: 'im',
    members: [person.id, botUserId],
    isArchived: false,
  });
}
