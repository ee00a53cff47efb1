import { onTestFinished } from 'vitest';
import { createAuthorization } from '../../src/http/authorization/authorization.ts';
import { authorizationRoutes } from '../../src/http/authorization/routes.ts';
import { createBase } from '../../src/http/base.ts';
import type { WebPorts } from '../../src/http/web/ports.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { membersOnly } from './people.ts';
import { quiet } from './workspace.ts';

/** Where browsers reach it. */
export const PUBLIC_URL = 'https://countersign.test';

/** A web process of its own with the authorization server, on the store in this file. Everybody there is Ana. */
export async function startAuthorizationServer({
  path = ':memory:',
  clock = Date.now,
  publicUrl = PUBLIC_URL,
  fetch = async () => Promise.reject(new Error('nothing is fetched here')),
}: {
  readonly path?: string;
  readonly clock?: () => number;
  readonly publicUrl?: string;
  /** Reads descriptions of clients. */
  readonly fetch?: Parameters<typeof createAuthorization>[0]['fetch'];
} = {}) {
  const store = openSqliteStore({ path });
  const authorization = createAuthorization({
    store,
    clock,
    log: quiet,
    settings: { channel: null, holdMs: 1_000, tools: ['*'] },
    publicUrl: () => publicUrl,
    isMember: async () => true,
    fetch,
  });
  const web: WebPorts = {
    signIn: {
      slack: null,
      session: async (secret) => ({ secret, user: 'U0ANA00001', via: 'slack' }),
      offerLink: async () => '',
      previewLink: async () => null,
      useLink: async () => null,
      signInKey: async () => null,
      signOut: async () => undefined,
      forget: async () => 0,
    },
    isLinkEnough: false,
    publicUrl: () => publicUrl,
    samePerson: membersOnly.samePerson,
    actor: async (user) => ({ id: `slack:T1:${user}`, name: 'Ana' }),
    sheet: async () => null,
    plan: async () => null,
    headlines: async () => new Map(),
    place: async () => null,
    sheets: async () => [],
    onChange: () => () => undefined,
  };
  const { app, http } = createBase({ store, clock, ids: () => 'r', log: quiet, checks: {} });
  authorizationRoutes(app, { authorization, trustedProxies: [] }, web);
  const listening = await http.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await listening.close();
    await store.close();
  });
  return { url: `http://127.0.0.1:${listening.port}`, authorization, store };
}
