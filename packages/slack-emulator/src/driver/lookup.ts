import { PersonRefusal } from '../errors.ts';
import type { Channel, Person, Workspace } from '../workspace/types.ts';
import { findChannel, findPerson } from '../workspace/workspace.ts';

/** The person with this id or name. Throws when there is none. */
export function requirePerson(workspace: Workspace, user: string): Person {
  const person = findPerson(workspace, user);
  if (person === undefined) throw new PersonRefusal('no_such_person', `There is nobody called ${user}.`);
  return person;
}

/** The channel with this id or name. Throws when there is none. */
export function requireChannel(workspace: Workspace, name: string): Channel {
  const channel = findChannel(workspace, name);
  if (channel === undefined) throw new PersonRefusal('channel_not_found', `There is no channel ${name}.`);
  return channel;
}

/** The name behind the id of a person, channel or user group. */
export function findName(workspace: Workspace, id: string): string | undefined {
  return (
    workspace.people.get(id)?.name ?? workspace.channels.get(id)?.name ?? workspace.usergroups.get(id)?.handle
  );
}
