import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTasksServer } from '../fixtures/oauth/tasks-server.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { createBrowser } from '../helpers/browser.ts';
import { linkIn } from '../helpers/dialogue-connections.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const PERSON = 'U0ANA00001';

/** The gate with a server that wants a sign-in of each person, and a program of Ana's. */
async function startGate() {
  const tasks = await startTasksServer();
  onTestFinished(() => tasks.stop());
  const { app, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: 'C0GENERAL1' } },
      policy: { rules: [{ tools: 'tasks.list_*', action: 'allow' }] },
      mcpServers: { tasks: { url: tasks.url } },
    },
  });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  const ana = driver.as(PERSON);
  const card = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  return {
    tasks,
    ana,
    card,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args }),
    /** Ana follows the link that she is given in Slack. */
    async signIn() {
      await ana.click(await card('[Connect tasks…]'), 'Connect tasks…');
      const link = linkIn(await ana.waitForModal());
      if (link === undefined) throw new Error('there is no link');
      await createBrowser('ana', PERSON).signIn(link);
      return link;
    },
  };
}

test('a program sees a server’s tools once its person has signed in there, by a link that only they get, in Slack', async () => {
  const { names, call, card, signIn } = await startGate();
  expect(await names()).toEqual(['countersign__connect_tasks', 'countersign__await']);
  const connecting = call('countersign__connect_tasks');
  const asked = await card('[Connect tasks…]');
  expect(asked.channel).toBe('C0GENERAL1');
  const link = await signIn();
  const connected = await connecting;
  expect(JSON.stringify(connected)).toContain('tasks is connected');
  expect(JSON.stringify([connected, asked])).not.toContain(link);
  await vi.waitFor(async () => expect(await names()).toContain('tasks__add_task'));
  expect(await call('tasks__list_tasks')).toMatchObject({ content: [{ text: 'the tasks of ana: none' }] });
});

test('a sign-in that is withdrawn while a call waits is asked for once it is approved, and then the call runs', async () => {
  const { tasks, ana, names, call, card, signIn } = await startGate();
  const connecting = call('countersign__connect_tasks');
  await signIn();
  await connecting;
  await vi.waitFor(async () => expect(await names()).toContain('tasks__add_task'));

  const adding = call('tasks__add_task', { title: 'rest' });
  const waiting = await card('[Approve]');
  tasks.authorization.forgetAll();
  await ana.click(waiting, 'Approve');
  await signIn();
  expect(await adding).toMatchObject({ content: [{ text: 'ana has now to rest' }] });
  expect(tasks.tasks.get('ana')).toEqual(['rest']);
});
