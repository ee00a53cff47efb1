import { expect, test } from 'vitest';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';
import { fakeSchedule } from '../../../fixtures/mcp/pausing.ts';
import { ANA, emptyStore, oauthInstance, said, tasksServer } from '../../../fixtures/oauth/instance.ts';
import { type BareServer, startBare } from '../../../fixtures/servers/bare-http.ts';

/** A connection that all share to a server that keeps sessions, and what was sent to end them. */
async function sharing(
  answerToEnd: NonNullable<BareServer['end']> = (response) => void response.writeHead(200).end(),
) {
  const ended: unknown[] = [];
  const url = await startBare({
    name: 'bare',
    tools: [{ name: 'read', inputSchema: { type: 'object' } }],
    session: () => 'the-session',
    call: (response) => void response.writeHead(404).end(),
    end(response, request) {
      ended.push(request.headers['mcp-session-id']);
      answerToEnd(response, request);
    },
  });
  const time = fakeSchedule();
  const { hub, send } = testHub({ it: { url } }, { schedule: time.schedule });
  await hub.start();
  const read = () => send({ server: 'it', name: 'read', arguments: {} }, callOptions());
  return { hub, time, ended, read };
}

test('the session of an idle connection is ended at its server', async () => {
  const { hub, time, ended } = await sharing();
  time.pass();
  expect(hub.status()).toMatchObject([{ state: 'idle' }]);
  await expect.poll(() => ended).toEqual(['the-session']);
});

test('sessions are ended before everything stops', async () => {
  const { hub, ended } = await sharing();
  await hub.stop();
  expect(ended).toEqual(['the-session']);
});

test.each([
  ['does not let sessions be ended', 405],
  ['knows of no such session', 404],
  ['breaks', 500],
])('a server that %s is left all the same', async (_what, status) => {
  const { hub, ended } = await sharing((response) => void response.writeHead(status).end());
  await hub.stop();
  expect(ended).toHaveLength(1);
});

test('a server that does not answer is not waited for for long', async () => {
  const { hub, ended } = await sharing(() => {});
  const before = Date.now();
  await hub.stop();
  expect(Date.now() - before).toBeGreaterThan(1_900);
  expect(ended).toHaveLength(1);
});

test('a session that its server does not know any more is not ended', async () => {
  const { hub, read, ended } = await sharing();
  expect(said(await read())).toMatch(/^failed: it rejected the call \(HTTP 404\)/);
  expect(ended).toEqual([]);
  // The one that was made since is.
  await hub.reconnect();
  await hub.stop();
  expect(ended).toHaveLength(1);
});

test('a person’s session is ended by the token that was used last, without one being renewed', async () => {
  const server = await tasksServer();
  let now = Date.now();
  const instance = oauthInstance(server, { store: await emptyStore(), clock: () => now });
  await instance.hub.start();
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  const [session] = server.sessions.keys();
  now += 2 * 3_600_000;
  await instance.oauth.personal.disconnect('tasks', ANA);
  await expect.poll(() => server.ended).toEqual([session]);
  expect(server.authorization.counts.refreshes).toBe(0);
});
