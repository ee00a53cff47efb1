import type { Actor } from '../gate/types.ts';
import type { Logger } from '../lib/logger.ts';
import { revocableTokens } from './credentials.ts';
import type { DetectedServers } from './detected-servers.ts';
import { SIGN_IN_LIFETIME_MS } from './pending-sign-ins.ts';
import type { PersonalConnection, PersonalConnections } from './ports.ts';
import { revokeQuietly } from './revoke.ts';
import type { OAuthSetup } from './setup.ts';

interface PersonalConnectionsPorts {
  readonly setup: OAuthSetup;
  readonly detected: DetectedServers;
  /** Called when a person's connection to a server was removed. */
  readonly changed: (server: string, person: Pick<Actor, 'id'>) => void;
  readonly log: Logger;
}

/** A person's own connections: listed, connected by a link, and ended. */
export function createPersonalConnections({
  setup,
  detected,
  changed,
  log,
}: PersonalConnectionsPorts): PersonalConnections {
  return {
    async list(person) {
      const records = (await setup.services?.tokens.list(person.id)) ?? [];
      const wanted = await detected.among(setup.servers(), person);
      const found = wanted.map(async (server): Promise<PersonalConnection> => {
        const about = {
          server: server.name,
          servers: server.servers,
          since: null,
          account: null,
          isOver: false,
          missing: setup.missing(server),
          isClientRefused: setup.isClientRefused(server.name),
        };
        if (about.missing.length > 0) return { ...about, state: 'setup_required' };
        // Decrypted, not only looked up: tokens that no key opens connect nobody.
        const value = (await setup.services?.tokens.find(server, person))?.stored.value;
        if (value && !value.refused) {
          const { connectedAt: since, account } = value;
          return { ...about, state: 'connected', since, account: account?.name ?? null };
        }
        const isOver = records.some((it) => it.server === server.name);
        return { ...about, state: 'sign_in_required', isOver };
      });
      return Promise.all(found);
    },

    link: (wanted) => setup.link(wanted),
    linkLifetimeMs: SIGN_IN_LIFETIME_MS,

    async disconnect(name, person, by = person) {
      const server = setup.server(name);
      const { tokens } = setup.ready();
      const connected = await tokens.find(server, person);
      await tokens.remove(server, person, by);
      changed(name, person);
      log.info({ server: name, person: person.id, by: by.id }, 'disconnected');
      if (connected) await revokeQuietly(server, person, revocableTokens(connected), log);
    },
  };
}
