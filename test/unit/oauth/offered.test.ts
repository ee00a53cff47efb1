import { beforeEach, describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/lib/schedule.ts';
import { ownToolLists } from '../../../src/mcp/tools/collections.ts';
import { createToolListCache } from '../../../src/mcp/tools/list-cache.ts';
import type { Store } from '../../../src/storage/store.ts';
import {
  ANA,
  BOB,
  emptyStore,
  newKey,
  type OAuthInstance,
  oauthInstance,
  said,
  tasksServer,
} from '../../fixtures/oauth/instance.ts';
import type { TasksServer, TasksServerOptions } from '../../fixtures/oauth/tasks-server.ts';

const CAROL = { id: 'slack:T1:U3', name: 'Carol' };
const keys = [newKey('k1')];
let store: Store;
beforeEach(async () => {
  store = await emptyStore();
});

/** A server that says something else to everybody. */
function personalServer(options: TasksServerOptions = {}): Promise<TasksServer> {
  return tasksServer({ describe: (login) => `Lists what ${login} has to do.`, ...options });
}

/** A process on the one store, started. */
async function started(server: TasksServer, schedule?: Schedule): Promise<OAuthInstance> {
  const instance = oauthInstance(server, { store, keys, ...(schedule && { schedule }) });
  await instance.hub.start();
  return instance;
}

async function listTasks(instance: OAuthInstance, person?: typeof ANA) {
  return (await instance.hub.tools(person)).find(({ name }) => name === 'list_tasks');
}

const description = async (instance: OAuthInstance, person?: typeof ANA) =>
  (await listTasks(instance, person))?.description;

const names = async (instance: OAuthInstance, person?: typeof ANA) =>
  (await instance.hub.tools(person)).map(({ modelName }) => modelName);

/** Ana and Bob have both signed in and been listed their tools, Ana last. */
async function bothListed(server: TasksServer): Promise<OAuthInstance> {
  const instance = await started(server);
  await instance.signIn(BOB, 'bob');
  await instance.send('list_tasks', BOB);
  await instance.signIn(ANA, 'ana');
  await instance.send('list_tasks', ANA);
  await expect.poll(() => store.get(ownToolLists, `tasks:${ANA.id}`)).not.toBeNull();
  return instance;
}

describe('who is signed in', () => {
  it('is offered what is listed for them, also when another person was listed theirs before', async () => {
    const instance = await started(await personalServer());
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    await instance.signIn(BOB, 'bob');
    expect(await description(instance, BOB)).toBe('Lists what bob has to do.');
    expect(await description(instance, ANA)).toBe('Lists what ana has to do.');
  });

  it('is not asked again about a call that was proposed by it', async () => {
    const instance = await started(await personalServer());
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    await instance.signIn(BOB, 'bob');
    const offered = await listTasks(instance, BOB);
    expect(said(await instance.send('list_tasks', BOB, {}, offered?.definitionHash))).toBe(
      'the tasks of bob: none',
    );
  });

  it('is offered what was listed for them last as long as there is no connection', async () => {
    const server = await personalServer();
    await bothListed(server);
    const restarted = await started(server);
    const sessions = server.sessions.size;
    expect(await description(restarted, BOB)).toBe('Lists what bob has to do.');
    expect(await description(restarted, ANA)).toBe('Lists what ana has to do.');
    expect(server.sessions.size).toBe(sessions);
  });

  it('is connected where nothing is known of what is listed for them', async () => {
    const instance = await started(await personalServer());
    await instance.signIn(ANA, 'ana');
    expect(await description(instance, ANA)).toBe('Lists what ana has to do.');
  });

  it('is offered nothing that was listed under an earlier sign-in, also where that is still connected', async () => {
    const server = await personalServer();
    const instance = await bothListed(server);
    const other = await started(server);
    await other.send('list_tasks', ANA);
    await instance.signIn(ANA, 'boss');
    expect(await store.get(ownToolLists, `tasks:${ANA.id}`)).toBeNull();
    expect(await description(instance, ANA)).toBe('Lists what boss has to do.');
    expect(await description(other, ANA)).toBe('Lists what boss has to do.');
  });

  it('is offered no list of others by a server that does not answer, and waits for it once', async () => {
    const server = await personalServer();
    const due: (() => void)[] = [];
    const instance = await started(server, (run) => {
      due.push(run);
      return () => void due.splice(due.indexOf(run), 1);
    });
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    await instance.signIn(BOB, 'bob');
    const { promise, resolve } = Promise.withResolvers<void>();
    server.holdListsUntil(promise);
    const before = due.length;
    const offered = names(instance, BOB);
    await expect.poll(() => due.length).toBe(before + 1);
    due.at(-1)?.();
    expect(await offered).toEqual(['countersign__connect_tasks']);
    expect(await names(instance, BOB)).toEqual(['countersign__connect_tasks']);
    resolve();
    await expect.poll(() => description(instance, BOB)).toBe('Lists what bob has to do.');
  });

  it('is offered no list of others by a server that is away', async () => {
    const server = await personalServer();
    const instance = await started(server);
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    await instance.signIn(BOB, 'bob');
    await server.stop();
    expect(await names(instance, BOB)).toEqual(['countersign__connect_tasks']);
  });
});

describe('who is not signed in', () => {
  it('is offered the tools that anybody saw, without what the server said of them there', async () => {
    const server = await personalServer();
    const instance = await bothListed(server);
    const restarted = await started(server);
    for (const it of [instance, restarted]) {
      for (const person of [CAROL, undefined]) {
        expect(await names(it, person)).toEqual(['tasks__add_task', 'tasks__list_tasks']);
        const [add, list] = await it.hub.tools(person);
        expect(list?.description).toMatch(
          /^tasks describes this tool only to people who have connected it\./,
        );
        expect(add?.inputSchema).toEqual({
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
        });
      }
    }
  });

  it('is no more after they disconnected, and nothing is kept of what was listed for them', async () => {
    const instance = await bothListed(await personalServer());
    await instance.oauth.personal.disconnect('tasks', ANA);
    expect(await store.get(ownToolLists, `tasks:${ANA.id}`)).toBeNull();
    expect(await description(instance, ANA)).toMatch(/^tasks describes/);
    expect(await description(instance, BOB)).toBe('Lists what bob has to do.');
  });

  it('has a call that was proposed by it done after signing in, where the same is listed for them', async () => {
    const instance = await started(await tasksServer({ describe: () => 'Lists what there is to do.' }));
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    const offered = await listTasks(instance, BOB);
    expect(offered?.description).toMatch(/^tasks describes/);
    await instance.signIn(BOB, 'bob');
    expect(said(await instance.send('list_tasks', BOB, {}, offered?.definitionHash))).toBe(
      'the tasks of bob: none',
    );
  });

  it('is told all that the server says to whoever asks', async () => {
    const instance = await started(await personalServer({ openList: true }));
    expect(said(await instance.send('list_tasks', ANA))).toMatch(/^blocked/);
    expect(await description(instance, BOB)).toBe('Lists what nobody has to do.');
    await instance.signIn(ANA, 'ana');
    await instance.send('list_tasks', ANA);
    await expect.poll(() => description(instance, BOB)).toMatch(/^tasks describes/);
    const add = (await instance.hub.tools(BOB)).find(({ name }) => name === 'add_task');
    expect(add?.title).toBe('Add task');
  });
});

it('lists of people are let go of after a while', async () => {
  const instance = await bothListed(await personalServer());
  const memory = createToolListCache({ store, clock: Date.now });
  expect(await memory.forget(0, 10)).toBe(0);
  expect(await memory.forget(Date.now() + 1, 10)).toBe(2);
  expect(await store.get(ownToolLists, `tasks:${BOB.id}`)).toBeNull();
  expect(await description(instance, BOB)).toBe('Lists what bob has to do.');
});
