import type { Actor } from '../../gate/types.ts';
import type { Store } from '../../storage/store.ts';
import { connectionId, connections, toolLists } from './records.ts';
import type { OAuthServer } from './servers.ts';

/**
 * To which servers people sign in. What a process has found out goes with it; what is on record of a server at its
 * address tells the others, and the next one: tools that somebody saw for themselves, or this person's connection.
 */
export function createAdoption({ store }: { readonly store: Store }) {
  const known = new Set<string>();

  async function find(servers: readonly OAuthServer[], person: Pick<Actor, 'id'> | undefined): Promise<void> {
    const names = servers.map(({ name }) => name);
    const [lists, own] = await Promise.all([
      store.getMany(toolLists, names),
      person
        ? store.getMany(
            connections,
            names.map((name) => connectionId(name, person.id)),
          )
        : [],
    ]);
    for (const [index, { name, url }] of servers.entries()) {
      if ([lists[index], own[index]].some((it) => it?.value.url === url)) known.add(name);
    }
  }

  return {
    adopt: (name: string): void => void known.add(name),

    /** Those of the servers that people sign in to, each for themselves. */
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
