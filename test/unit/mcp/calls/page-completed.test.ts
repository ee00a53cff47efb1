import { McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import type { PageCompleted } from '../../../../src/gate/elicitation/page-completed.ts';
import { testHub } from '../../../fixtures/mcp/harness.ts';
import {
  ANA,
  BOB,
  emptyStore,
  type OAuthInstance,
  oauthInstance,
  said,
  tasksServer,
} from '../../../fixtures/oauth/instance.ts';
import type { TasksServer } from '../../../fixtures/oauth/tasks-server.ts';

/**
 * Has the server say over each of its connections, in the order in which they were made, that a page is done, until so
 * many different things were heard: a connection may not listen yet when it is made. Returns what was heard.
 */
async function heard(server: TasksServer, instance: OAuthInstance, count: number): Promise<string[]> {
  const words = () => {
    const all = instance.pagesDone.map(({ elicitationId, personId }) => `${elicitationId} of ${personId}`);
    return [...new Set(all)].toSorted();
  };
  await vi.waitUntil(async () => {
    for (const [index, transport] of [...server.sessions.values()].entries()) {
      const params = { elicitationId: `page ${index}` };
      await transport.send({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params });
    }
    return words().length >= count;
  });
  return words();
}

test('what a server says of a page by a connection that all share is told as nobody’s', async () => {
  const server = new McpServer({ name: 'locker', version: '1.0.0' });
  const told: PageCompleted[] = [];
  const inProcess = new Map([['locker', () => server]]);
  const { hub } = testHub(
    { lockers: { in_process: 'locker' } },
    { inProcess, onPageDone: (done) => void told.push(done) },
  );
  await hub.start();
  for (const id of ['x'.repeat(501), 'x'.repeat(500)]) {
    await server.server.createElicitationCompletionNotifier(id)();
  }
  await vi.waitUntil(() => told.length > 0);
  // A longer name is never kept, so nothing can wait by it.
  expect(told).toEqual([{ server: 'lockers', elicitationId: 'x'.repeat(500), personId: null }]);
});

test('where everybody has a connection, it is told as that person’s alone', async () => {
  const server = await tasksServer();
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  for (const [person, login] of [[ANA, 'ana'] as const, [BOB, 'bob'] as const]) {
    await instance.signIn(person, login);
    expect(said(await instance.send('list_tasks', person))).toBe(`the tasks of ${login}: none`);
  }
  expect(await heard(server, instance, 2)).toEqual([`page 0 of ${ANA.id}`, `page 1 of ${BOB.id}`]);
  expect(instance.pagesDone).toContainEqual({ server: 'tasks', elicitationId: 'page 0', personId: ANA.id });
});

test('where everybody has a connection, what is said by the one that only lists tools is told to nobody', async () => {
  const server = await tasksServer({ openList: true });
  const instance = oauthInstance(server, { store: await emptyStore() });
  await instance.hub.start();
  expect(await heard(server, instance, 1)).toEqual(['page 0 of null']);
  expect(said(await instance.send('list_tasks', ANA))).toContain('blocked');
  await instance.signIn(ANA, 'ana');
  expect(said(await instance.send('list_tasks', ANA))).toBe('the tasks of ana: none');
  instance.pagesDone.length = 0;
  expect(await heard(server, instance, 1)).toEqual([`page 1 of ${ANA.id}`]);
});
