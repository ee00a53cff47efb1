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
  type OAuthHouse,
  oauthHouse,
  said,
  tasksServer,
} from '../../fixtures/oauth/house.ts';
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
async function started(server: TasksServer, schedule?: Schedule): Promise<OAuthHouse> {
  const house = oauthHouse(server, { store, keys, ...(schedule && { schedule }) });
  await house.hub.start();
  return house;
}

async function listTasks(house: OAuthHouse, person?: typeof ANA) {
  return (await house.hub.tools(person)).find(({ name }) => name === 'list_tasks');
}

const description = async (house: OAuthHouse, person?: typeof ANA) =>
  (await listTasks(house, person))?.description;

const names = async (house: OAuthHouse, person?: typeof ANA) =>
  (await house.hub.tools(person)).map(({ modelName }) => modelName);

/** Ana and Bob have both signed in and been listed their tools, Ana last. */
async function bothListed(server: TasksServer): Promise<OAuthHouse> {
  const house = await started(server);
  await house.signIn(BOB, 'bob');
  await house.send('list_tasks', BOB);
  await house.signIn(ANA, 'ana');
  await house.send('list_tasks', ANA);
  await expect.poll(() => store.get(ownToolLists, `tasks:${ANA.id}`)).not.toBeNull();
  return house;
}

describe('who is signed in', () => {
  it('is offered what is listed for them, also when another person was listed theirs before', async () => {
    const house = await started(await personalServer());
    await house.signIn(ANA, 'ana');
    await house.send('list_tasks', ANA);
    await house.signIn(BOB, 'bob');
    expect(await description(house, BOB)).toBe('Lists what bob has to do.');
    expect(await description(house, ANA)).toBe('Lists what ana has to do.');
  });

  it('is not asked again about a call that was proposed by it', async () => {
    const house = await started(await personalServer());
    await house.signIn(ANA, 'ana');
    await house.send('list_tasks', ANA);
    await house.signIn(BOB, 'bob');
    const offered = await listTasks(house, BOB);
    expect(said(await house.send('list_tasks', BOB, {}, offered?.definitionHash))).toBe(
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
    const house = await started(await personalServer());
    await house.signIn(ANA, 'ana');
    expect(await description(house, ANA)).toBe('Lists what ana has to do.');
  });

  it('is offered nothing that was listed under an earlier sign-in, also where that is still connected', async () => {
    const server = await personalServer();
    const house = await bothListed(server);
    const other = await started(server);
    await other.send('list_tasks', ANA);
    await house.signIn(ANA, 'boss');
    expect(await store.get(ownToolLists, `tasks:${ANA.id}`)).toBeNull();
    expect(await description(house, ANA)).toBe('Lists what boss has to do.');
    expect(await description(other, ANA)).toBe('Lists what boss has to do.');
  });

  it('is offered no list of others by a server that does not answer, and waits for it once', async () => {
    const server = await personalServer();
    const due: (() => void)[] = [];
    const house = await started(server, (run) => {
      due.push(run);
      return () => void due.splice(due.indexOf(run), 1);
    });
    await house.signIn(ANA, 'ana');
    await house.send('list_tasks', ANA);
    await house.signIn(BOB, 'bob');
    const { promise, resolve } = Promise.withResolvers<void>();
    server.holdListsUntil(promise);
    const before = due.length;
    const offered = names(house, BOB);
    await expect.poll(() => due.length).toBe(before + 1);
    due.at(-1)?.();
    expect(await offered).toEqual(['countersign__connect_tasks']);
    expect(await names(house, BOB)).toEqual(['countersign__connect_tasks']);
    resolve();
    await expect.poll(() => description(house, BOB)).toBe('Lists what bob has to do.');
  });

  it('is offered no list of others by a server that is away', async () => {
    const server = await personalServer();
    const house = await started(server);
    await house.signIn(ANA, 'ana');
    await house.send('list_tasks', ANA);
    await house.signIn(BOB, 'bob');
    await server.stop();
    expect(await names(house, BOB)).toEqual(['countersign__connect_tasks']);
  });
});

describe('who is not signed in', () => {
  it('is offered the tools that anybody saw, without what the server said of them there', async () => {
    const server = await personalServer();
    const house = await bothListed(server);
    const restarted = await started(server);
    for (const it of [house, restarted]) {
      for (const person of [CAROL, undefined]) {
        expect(await names(it, person)).toEqual(['tasks__add_task', 'tasks__list_tasks']);
        const [add, list] = await it.hub.tools(person);
        expect(list?.description).toMatch(/^tasks tells what this does to those who have connected it\./);
        expect(add?.inputSchema).toEqual({
          type: 'object',
          properties: { title: { type: 'string' } },
          required: ['title'],
        });
      }
    }
  });

  it('is no more after they disconnected, and nothing is kept of what was listed for them', async () => {
    const house = await bothListed(await personalServer());
    await house.oauth.personal.disconnect('tasks', ANA);
    expect(await store.get(ownToolLists, `tasks:${ANA.id}`)).toBeNull();
    expect(await description(house, ANA)).toMatch(/^tasks tells/);
    expect(await description(house, BOB)).toBe('Lists what bob has to do.');
  });

  it('has a call that was proposed by it done after signing in, where the same is listed for them', async () => {
    const house = await started(await tasksServer({ describe: () => 'Lists what there is to do.' }));
    await house.signIn(ANA, 'ana');
    await house.send('list_tasks', ANA);
    const offered = await listTasks(house, BOB);
    expect(offered?.description).toMatch(/^tasks tells/);
    await house.signIn(BOB, 'bob');
    expect(said(await house.send('list_tasks', BOB, {}, offered?.definitionHash))).toBe(
      'the tasks of bob: none',
    );
  });

  it('is told all that the server says to whoever asks', async () => {
    const house = await started(await personalServer({ openList: true }));
    expect(said(await house.send('list_tasks', ANA))).toMatch(/^blocked/);
    expect(await description(house, BOB)).toBe('Lists what nobody has to do.');
    await house.signIn(ANA, 'ana');
    await house.send('list_tasks', ANA);
    await expect.poll(() => description(house, BOB)).toMatch(/^tasks tells/);
    const add = (await house.hub.tools(BOB)).find(({ name }) => name === 'add_task');
    expect(add?.title).toBe('Add task');
  });
});

it('lists of people are let go of after a while', async () => {
  const house = await bothListed(await personalServer());
  const memory = createToolListCache({ store, clock: Date.now });
  expect(await memory.forget(0, 10)).toBe(0);
  expect(await memory.forget(Date.now() + 1, 10)).toBe(2);
  expect(await store.get(ownToolLists, `tasks:${BOB.id}`)).toBeNull();
  expect(await description(house, BOB)).toBe('Lists what bob has to do.');
});
