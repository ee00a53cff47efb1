import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createConnections } from '../../../src/app/compose-connections.ts';
import { readEnv } from '../../../src/config/env.ts';
import { callKey } from '../../../src/gate/call/digest.ts';
import type { Need } from '../../../src/gate/call/need.ts';
import { StoreError } from '../../../src/lib/errors.ts';
import { OwnAddress } from '../../../src/lib/net/own-address.ts';
import { createSend } from '../../../src/mcp/calls/send.ts';
import { mcpServersSchema } from '../../../src/mcp/config/schema.ts';
import { createToolHub } from '../../../src/mcp/hub/hub.ts';
import { withoutIsolation } from '../../../src/mcp/isolation/isolation.ts';
import type { Store } from '../../../src/storage/store.ts';
import { callOptions, collectingLogger } from '../../fixtures/mcp/harness.ts';
import { consent, emptyStore, said, tasksServer } from '../../fixtures/oauth/instance.ts';
import type { TasksServer } from '../../fixtures/oauth/tasks-server.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';
import { beginning, openGate, opening, proposed } from '../../helpers/gate.ts';
import { ana, THREAD } from '../../helpers/people.ts';
import { type CutAt, createPower, poweredStore, puts } from '../../helpers/power.ts';

const KEY = callKey(THREAD, 'c1');
const env = readEnv({
  PUBLIC_URL: 'http://127.0.0.1:4000',
  TOKEN_ENCRYPTION_KEY: `k1:${randomBytes(32).toString('base64')}`,
});
const signInNeeded: Need = {
  kind: 'oauth_url',
  elicitationId: 'e1',
  url: 'http://127.0.0.1:4000/oauth/start',
  message: 'Connect tasks',
  connect: { server: 'tasks', scope: null, resourceMetadataUrl: null },
};

let server: TasksServer;
beforeEach(async () => {
  server = await tasksServer();
});

/** One process with its gate and what people have signed in to. */
async function processOn(store: Store) {
  const log = collectingLogger();
  const fixture = openGate({ store });
  const { oauth, signingIn } = createConnections({
    env,
    store,
    clock: Date.now,
    auditKeys,
    log,
    gate: fixture.gate,
    address: new OwnAddress(null, 'http://127.0.0.1:4000'),
  });
  const servers = mcpServersSchema.parse({ tasks: { url: server.url } });
  const hub = createToolHub({ servers, logger: log, signingIn, isolation: withoutIsolation });
  onTestFinished(() => hub.stop());
  await hub.start();
  const send = createSend(hub.connections);
  return {
    ...fixture,
    oauth,
    state: async () => (await fixture.call('c1')).state,
    tasks: async () =>
      said(await send({ server: 'tasks', name: 'list_tasks', arguments: {}, person: ana }, callOptions())),
    /** Ana signs in, as this login there; what the last page says. */
    async signIn(login: string): Promise<string> {
      const link = await oauth.personal.link({ server: 'tasks', person: ana, callKey: KEY });
      const begun = await oauth.pages.begin(new URL(link).searchParams.get('link') ?? '');
      if (!begun.ok) return begun.problem;
      const finished = await oauth.pages.finish({
        parameters: await consent(begun.url, login),
        browser: (name) => (name === begun.browser.name ? begun.browser.value : null),
      });
      return finished.ok ? 'connected' : finished.problem;
    },
  };
}

/** Ana has signed in, and a call of hers waits until she has done so once more. */
async function waitingCall(): Promise<Store> {
  const store = await emptyStore();
  const fixture = await processOn(store);
  expect(await fixture.signIn('ana')).toBe('connected');
  const fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, proposed('c1', { server: 'tasks' })));
  const { digest } = await fixture.call('c1');
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  const { call } = await fixture.gate.journal.begin(beginning(fence, proposed('c1', { server: 'tasks' })));
  await fixture.gate.elicitation.block(call, signInNeeded);
  return store;
}

/** The same with a process that loses its power while she signs in; null where it did not. */
async function cutShort(cutAt: CutAt): Promise<Store | null> {
  const store = await waitingCall();
  let signsIn = false;
  let before = 0;
  const power = createPower((write) => {
    if (!signsIn) before = write.number;
    return signsIn ? cutAt({ ...write, number: write.number - before }) : null;
  });
  const dying = await processOn(poweredStore(store, power));
  signsIn = true;
  const end = await Promise.race([dying.signIn('again'), power.cut]);
  return end === undefined ? store : null;
}

it.each(['before', 'after'] as const)(
  'a sign-in whose process ends %s any of its writes has connected its person, and what waits goes on; or it has done nothing, and they sign in again',
  async (when) => {
    const connected: boolean[] = [];
    for (let at = 1; ; at += 1) {
      const store = await cutShort(({ number }) => (number === at ? when : null));
      if (store === null) break;
      const process = await processOn(store);
      await process.oauth.finishSignIns();
      const isConnected = (await process.tasks()) === 'the tasks of again: none';
      expect([at, await process.state()]).toEqual([at, isConnected ? 'approved' : 'blocked']);
      // What was good before is good for nothing any more.
      if (isConnected) expect([at, server.authorization.live()]).toEqual([at, 1]);
      expect(await process.signIn('anew')).toBe('connected');
      expect(await process.state()).toBe('approved');
      expect(await process.tasks()).toBe('the tasks of anew: none');
      connected.push(isConnected);
      server = await tasksServer();
    }
    expect(connected.length).toBeGreaterThanOrEqual(5);
    expect(new Set(connected)).toEqual(new Set([false, true]));
  },
  60_000,
);

/** The store with an answer that is lost: to the write of the tokens, which is done or not. */
function losing(store: Store, isDone: boolean): Store {
  return {
    ...store,
    get: store.get.bind(store),
    getMany: store.getMany.bind(store),
    query: store.query.bind(store),
    close: () => store.close(),
    async commit(change) {
      if (!puts(change, 'oauth_connections')) return store.commit(change);
      if (isDone) await store.commit(change);
      throw new StoreError('lost', undefined, { outcomeUnknown: true });
    },
  };
}

it.each([
  ['was done', true, 'connected', 'approved', 'the tasks of again: none'],
  ['was not', false, 'failed', 'blocked', 'the tasks of ana: none'],
] as const)(
  'of a sign-in whose tokens’ write %s, and was not answered, the page says what is so',
  async (_what, isDone, page, state, tasks) => {
    const store = await waitingCall();
    const process = await processOn(losing(store, isDone));
    expect(await process.signIn('again')).toBe(page);
    expect(await process.state()).toBe(state);
    expect(await (await processOn(store)).tasks()).toBe(tasks);
  },
);
