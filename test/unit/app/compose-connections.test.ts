import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createConnections } from '../../../src/app/compose-connections.ts';
import { readEnv } from '../../../src/config/env.ts';
import { callKey } from '../../../src/gate/call/digest.ts';
import { OwnAddress } from '../../../src/lib/net/own-address.ts';
import { createSend } from '../../../src/mcp/calls/send.ts';
import { mcpServersSchema } from '../../../src/mcp/config/schema.ts';
import { createToolHub } from '../../../src/mcp/hub/hub.ts';
import { withoutIsolation } from '../../../src/mcp/isolation/isolation.ts';
import { callOptions, collectingLogger } from '../../fixtures/mcp/harness.ts';
import { consent, tasksServer } from '../../fixtures/oauth/instance.ts';
import type { TasksServerOptions } from '../../fixtures/oauth/tasks-server.ts';
import { auditKeys } from '../../helpers/audit-keys.ts';
import { beginning, openGate, opening, proposed } from '../../helpers/gate.ts';
import { ana, THREAD } from '../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const call = proposed('c1', { server: 'tasks', name: 'add_task' }, { title: 'rest' });
const env = readEnv({
  PUBLIC_URL: 'http://127.0.0.1:4000',
  TOKEN_ENCRYPTION_KEY: `k1:${randomBytes(32).toString('base64')}`,
});

/** An approved call of Ana's at a server that she has to sign in to. */
async function approvedCall(options?: TasksServerOptions) {
  const server = await tasksServer(options);
  const fixture = openGate();
  const log = collectingLogger();
  const connections = createConnections({
    env,
    store: fixture.store,
    // It stands still: that a sign-in is another one must not hang on the time.
    clock: fixture.ports.clock,
    auditKeys,
    log,
    gate: fixture.gate,
    address: new OwnAddress(null, 'http://127.0.0.1:4000'),
  });
  const hub = createToolHub({
    isolation: withoutIsolation,
    servers: mcpServersSchema.parse({ tasks: { url: server.url } }),
    logger: log,
    signingIn: connections.signingIn,
  });
  onTestFinished(async () => {
    await hub.stop();
  });
  await hub.start();
  const { oauth } = connections;
  const send = createSend(hub.connections);
  const fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, call));
  const { digest } = await fixture.call('c1');
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);

  /** Has the call sent; done when it has an end on record, or waits for a person there. */
  async function attempt(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const begun = await fixture.gate.journal.begin(beginning(fence, call));
    if (begun.kind !== 'ready') throw new Error(`it is not sent: ${begun.call.state}`);
    const args = { title: 'rest' };
    const result = await send(
      { server: 'tasks', name: 'add_task', arguments: args, person: ana },
      callOptions(),
    );
    await meanwhile();
    if (result.kind === 'blocked')
      await fixture.gate.elicitation.block(begun.call, result.need, result.input);
    if (result.kind === 'ended') await fixture.gate.journal.finish(begun.call, result.outcome);
  }

  /** Ana signs in, with these rights. */
  async function signIn(scope: string | null = null): Promise<void> {
    const link = await oauth.personal.link({ server: 'tasks', person: ana, callKey: null, scope });
    const begun = await oauth.pages.begin(new URL(link).searchParams.get('link') ?? '');
    if (!begun.ok) throw new Error(begun.problem);
    const finished = await oauth.pages.finish({
      parameters: await consent(begun.url, 'ana'),
      browser: (name) => (name === begun.browser.name ? begun.browser.value : null),
    });
    if (!finished.ok) throw new Error(finished.problem);
  }

  return {
    server,
    connections,
    attempt,
    signIn,
    call: () => fixture.call('c1'),
    state: async () => (await fixture.call('c1')).state,
  };
}

it('a call that comes to wait just as its sign-in ends goes on when that is on record', async () => {
  const { connections, attempt, signIn, call, state } = await approvedCall();
  await attempt(signIn);
  expect(await state()).toBe('blocked');
  await connections.oauth.resumeIfSignedIn(await call());
  expect(await state()).toBe('approved');
  await attempt();
  expect(await state()).toBe('succeeded');
});

it('where nobody looked then, the sweep lets it go on', async () => {
  const { connections, attempt, signIn, state } = await approvedCall();
  await attempt(signIn);
  await connections.oauth.sweep.runNow();
  expect(await state()).toBe('approved');
});

it('a call without a sign-in waits, however often it is looked at', async () => {
  const { connections, attempt, call, state } = await approvedCall();
  await attempt();
  await connections.oauth.resumeIfSignedIn(await call());
  await connections.oauth.sweep.runNow();
  expect(await state()).toBe('blocked');
});

it('a call that is refused with the present sign-in waits for the next one', async () => {
  const { server, connections, attempt, signIn, call, state } = await approvedCall();
  await attempt();
  server.refuseAll(true);
  await signIn();
  await attempt();
  await connections.oauth.resumeIfSignedIn(await call());
  await connections.oauth.sweep.runNow();
  expect(await state()).toBe('blocked');
  server.refuseAll(false);
  await signIn();
  await attempt();
  expect(await state()).toBe('succeeded');
});

it.each([
  ['a call that needs', true],
  ['a call at a server that wants, before it is connected,', 'to connect'],
] as const)('%s more rights than the present sign-in gives waits for the next one', async (_what, stepUp) => {
  const { connections, attempt, signIn, call, state } = await approvedCall({ stepUp });
  await attempt(signIn);
  await connections.oauth.sweep.runNow();
  await attempt();
  expect((await call()).need?.message).toMatch(/^tasks wants more rights for this/);
  await connections.oauth.resumeIfSignedIn(await call());
  await connections.oauth.sweep.runNow();
  expect(await state()).toBe('blocked');
  await signIn('tasks:read tasks:write');
  await attempt();
  expect(await state()).toBe('succeeded');
});

it('a refusal that comes after the person has signed in anew ends nothing, and the call goes on', async () => {
  const { server, connections, attempt, signIn, call, state } = await approvedCall();
  await signIn();
  server.refuseAll(true);
  const { oauth } = connections;
  const { invalidateSignIn } = oauth;
  // The server takes its time with the refusal; she connects it anew in her Home meanwhile.
  oauth.invalidateSignIn = async (...about) => {
    oauth.invalidateSignIn = invalidateSignIn;
    server.refuseAll(false);
    await signIn();
    await invalidateSignIn(...about);
  };
  await attempt();
  expect(await oauth.personal.list(ana)).toMatchObject([{ state: 'connected' }]);
  await connections.oauth.resumeIfSignedIn(await call());
  expect(await state()).toBe('approved');
  await attempt();
  expect(await state()).toBe('succeeded');
});
