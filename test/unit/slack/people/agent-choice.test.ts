import { expect, it, onTestFinished } from 'vitest';
import type { AgentName } from '../../../../src/runs/ports.ts';
import { AgentChoice } from '../../../../src/slack/people/agent-choice.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';

const names: Readonly<Record<string, string>> = { C1: '#general', C2: '#simulations' };
const time = { now: 1_000_000 };

function openStore(): Store {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  return store;
}

function choice(routes: Readonly<Record<string, AgentName>>, store = openStore()): AgentChoice {
  const directory = { channelName: async (id: string) => names[id] ?? null };
  return new AgentChoice({ store, clock: () => time.now, directory, routes });
}

it.each<[string, Readonly<Record<string, AgentName>>, { channel: string; isDm: boolean }, AgentName]>([
  ['nothing is said', {}, { channel: 'C2', isDm: false }, 'assistant'],
  ['a channel is named', { '#simulations': 'planner' }, { channel: 'C2', isDm: false }, 'planner'],
  [
    'it is named without #, in capitals',
    { Simulations: 'planner' },
    { channel: 'C2', isDm: false },
    'planner',
  ],
  ['another channel is named', { simulations: 'planner' }, { channel: 'C1', isDm: false }, 'assistant'],
  ['Slack says no name', { simulations: 'planner' }, { channel: 'C9', isDm: false }, 'assistant'],
  ['its id is given', { C1: 'planner' }, { channel: 'C1', isDm: false }, 'planner'],
  ['direct messages are', { dm: 'planner' }, { channel: 'D1', isDm: true }, 'planner'],
  ['direct messages are, and it is none', { dm: 'planner' }, { channel: 'C1', isDm: false }, 'assistant'],
])('where %s', async (_what, routes, place, agent) => {
  expect(await choice(routes).find(place)).toBe(agent);
});

it('what people choose goes before what the operator says, in other processes within ten seconds', async () => {
  const store = openStore();
  const [here, there] = [choice({ C1: 'planner' }, store), choice({ C1: 'planner' }, store)];
  const place = { channel: 'C1', isDm: false };
  expect(await there.find(place)).toBe('planner');
  await here.choose('C1', 'assistant');
  expect(await here.find(place)).toBe('assistant');
  expect(await there.find(place)).toBe('planner');
  time.now += 10_001;
  expect(await there.find(place)).toBe('assistant');
});
