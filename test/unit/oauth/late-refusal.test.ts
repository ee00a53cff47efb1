import { expect, test } from 'vitest';
import { createAuditLog } from '../../../src/gate/index.ts';
import { createToolListRecords } from '../../../src/mcp/index.ts';
import { createClientStore } from '../../../src/oauth/client-registrations.ts';
import { createPendingSignIns } from '../../../src/oauth/pending-sign-ins.ts';
import { TokenRefresher } from '../../../src/oauth/refresh.ts';
import type { OAuthServer } from '../../../src/oauth/server.ts';
import { TokenStore } from '../../../src/oauth/token-store.ts';
import { createVault } from '../../../src/oauth/token-vault.ts';
import { collectingLogger } from '../../fixtures/mcp/harness.ts';
import { ANA, emptyStore, newKey, oauthInstance, said, tasksServer } from '../../fixtures/oauth/instance.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';

/** Ana is connected to a server whose next refusal comes only after she has connected it anew. */
async function refusedLate({ isUp }: { readonly isUp: boolean }) {
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  if (isUp) await instance.send('list_tasks', ANA);
  server.refuseAll(true);
  const { invalidateSignIn } = instance.oauth;
  instance.oauth.invalidateSignIn = async (...about) => {
    instance.oauth.invalidateSignIn = invalidateSignIn;
    server.refuseAll(false);
    await instance.signIn(ANA, 'ana');
    await invalidateSignIn(...about);
  };
  return instance;
}

test.each([
  ['a call', true],
  ['a connection that is made', false],
])('a late refusal of %s leaves the sign-in that was made meanwhile', async (_what, isUp) => {
  const instance = await refusedLate({ isUp });
  const result = await instance.send('list_tasks', ANA);
  if (result.kind !== 'blocked' || result.need.kind !== 'oauth_url') throw new Error(said(result));
  expect(await instance.oauth.personal.list(ANA)).toMatchObject([{ state: 'connected' }]);
  // What waits need not wait: it was refused with the one before.
  expect(await instance.oauth.hasSignedIn('tasks', ANA, result.need.tried ?? null)).toBe(true);
  expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
});

test('a refresh that fails once the person has signed in anew gives the tokens of that sign-in', async () => {
  const store = await emptyStore();
  const log = collectingLogger();
  const vault = createVault([newKey('k1')]);
  const ports = {
    store,
    vault,
    clock: Date.now,
    log,
    audit: createAuditLog({ store, auditKeys, clock: Date.now }),
    toolLists: createToolListRecords(store),
  };
  const tokens = new TokenStore(ports);
  const signIns = createPendingSignIns(ports);
  const server: OAuthServer = {
    name: 'tasks',
    servers: ['tasks'],
    url: 'https://tasks.example/mcp',
    oauth: {},
    async fetch(url) {
      if (!String(url).endsWith('/token')) return new Response('', { status: 404 });
      await connect('new');
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    },
    metadata: null,
    missing: [],
    revokesAll: false,
    identify: [],
  };

  async function connect(token: string): Promise<void> {
    const wanted = { server: 'tasks', person: ANA, callKey: null, scope: null, resourceMetadataUrl: null };
    const from = await signIns.byTicket(await signIns.offer(wanted));
    if (!from) throw new Error('there is no sign-in');
    const given = {
      tokens: { access_token: token, refresh_token: `to renew ${token}`, token_type: 'bearer' },
      client: { client_id: 'us' },
      issuer: 'https://tasks.example',
      authorizationServer: 'https://tasks.example',
      resource: null,
      account: null,
    };
    await tokens.connect(server, ANA, given, () => signIns.advancing(from, { state: 'connected' }));
  }

  await connect('old');
  const clients = createClientStore({ ...ports, redirectUrl: () => 'https://us.example/back' });
  const refresh = new TokenRefresher({ ...ports, tokens, clients });
  expect((await refresh.currentTokens(server, ANA, 'old'))?.tokens.access_token).toBe('new');
  expect((await tokens.find(server, ANA))?.stored.value).toMatchObject({ refused: false });
});
