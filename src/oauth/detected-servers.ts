import type { Actor } from '../gate/types.ts';
import type { Store } from '../storage/store.ts';
import { connectionId, connections } from './collections.ts';
import type { ToolListRecords } from './ports.ts';
import type { OAuthServer } from './server.ts';

/**
 * The servers that people sign in to. A process remembers what it found out. Other processes, and later ones,
 * infer it from records about the server at its current address: a tool list that a signed-in person got, or
 * this person's connection.
 */
export function createDetectedServers({
  store,
  toolLists,
}: {
  readonly store: Store;
  readonly toolLists: Pick<ToolListRecords, 'addresses'>;
}) {
  const known = new Set<string>();

  async function find(servers: readonly OAuthServer[], person: Pick<Actor, 'id'> | undefined): Promise<void> {
    const names = servers.map(({ name }) => name);
    const [lists, own] = await Promise.all([
      toolLists.addresses(names),
      person
        ? store.getMany(
            connections,
            names.map((name) => connectionId(name, person.id)),
          )
        : [],
    ]);
    for (const [index, { name, url }] of servers.entries()) {
      if (lists[index] === url || own[index]?.value.url === url) known.add(name);
    }
  }

  return {
    add: (name: string): void => void known.add(name),

    /** Those of the given servers that people sign in to. */
    async among(
      servers: readonly OAuthServer[],
      person: Pick<Actor, 'id'> | undefined,
    ): Promise<readonly OAuthServer[]> {
      const others = servers.filter(({ name }) => !known.has(name));
      if (others.length > 0) await find(others, person);
      return servers.filter(({ name }) => known.has(name));
    },
  };
}
export type DetectedServers = ReturnType<typeof createDetectedServers>;
