import { expect, it, onTestFinished, vi } from 'vitest';
import { memories } from '../../../src/memory/collections.ts';
import type { Memory } from '../../../src/memory/index.ts';
import type { AskModel, FirstLearned } from '../../../src/memory/ports.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/store.ts';
import { createTestMemory, finds, said } from '../../helpers/memory.ts';

const ANA = 'slack:T1:U1';
const BOB = 'slack:T1:U2';
const NAME = { key: 'user_name', text: 'Ana', evidence: 'my name is Ana' };

function open(options: Parameters<typeof createTestMemory>[1] = {}) {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const memory = createTestMemory(store, options);
  const texts = async (personId = ANA) => (await memory.read(personId)).items.map(({ text }) => text);
  return { memory, store, texts };
}

/** A model that answers once it's let. */
function waits(answer: AskModel) {
  const { promise: let_, resolve } = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const ask: AskModel = async (request, signal) => {
    asked.resolve();
    await let_;
    return answer(request, signal);
  };
  return { ask, answer: resolve, asked: asked.promise };
}

it('learns what somebody says of themselves, and of nobody else', async () => {
  const { memory, texts } = open();
  memory.learn(said('Hello, my name is Ana.'), finds(NAME));
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  expect(await texts(BOB)).toEqual([]);
  expect(await memory.recall(ANA, null)).toEqual({ critical_facts: { user_name: 'Ana' }, preferences: {} });
  expect(await memory.recall(BOB, null)).toBeNull();
});

it('asks with the own words alone, and learns nothing of what is quoted, though the model finds it', async () => {
  const { memory, texts } = open();
  const asked: string[] = [];
  const ask: AskModel = async (request, signal) => {
    asked.push(request.text);
    return finds(NAME)(request, signal);
  };
  memory.learn(said('What does she mean?\n> my name is Ana'), ask);
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  memory.learn(said('my name is Ana, too'), ask);
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  expect(asked[0]).not.toContain('Ana');
});

it('asks nothing where somebody wrote nothing of their own', async () => {
  const { memory, texts } = open();
  const ask = vi.fn<AskModel>();
  memory.learn(said('> my name is Ana'), ask);
  memory.learn(said('my name is Ana'), finds(NAME));
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  expect(ask).not.toHaveBeenCalled();
});

it('tells a person once, with what was learned, and again only where that failed', async () => {
  const { memory, store, texts } = open();
  const told: FirstLearned[] = [];
  let works = false;
  memory.tellFirstBy(async (learned) => {
    told.push(learned);
    return works;
  });
  memory.learn(said('my name is Ana'), finds(NAME));
  await vi.waitFor(() => expect(told).toHaveLength(1));
  works = true;
  memory.learn(said('thanks', { threadId: 'slack:T1:C1:2.0' }), finds());
  await vi.waitFor(async () => expect((await store.get(memories, ANA))?.value.isTold).toBe(true));
  expect(told.at(-1)).toMatchObject({ personId: ANA, threadId: 'slack:T1:C1:2.0', items: [{ text: 'Ana' }] });
  memory.learn(said('I work at Acme'), finds({ key: 'company_name', text: 'Acme', evidence: 'Acme' }));
  await vi.waitFor(async () => expect(await texts()).toContain('Acme'));
  expect(told).toHaveLength(2);
});

it('tells nobody that something is remembered “from now on” who has turned it off meanwhile', async () => {
  const { memory, store } = open();
  const told: FirstLearned[] = [];
  const commit = store.commit.bind(store);
  vi.spyOn(store, 'commit').mockImplementationOnce(async (change) => {
    const committed = await commit(change);
    await memory.turn(ANA, false);
    return committed;
  });
  memory.tellFirstBy(async (learned) => told.push(learned) > 0);
  memory.learn(said('my name is Ana'), finds(NAME));
  await vi.waitFor(async () => expect((await memory.read(ANA)).mode).toBe('turned_off'));
  // The next one of the same person begins when this one has ended.
  await memory.turn(ANA, true);
  const since = Date.now() + 1;
  memory.learn(said('thanks', { at: since, threadId: 'slack:T1:C1:2.0' }), finds());
  await vi.waitFor(async () => expect((await store.get(memories, ANA))?.value.isTold).toBe(true));
  expect(told.map(({ threadId }) => threadId)).toEqual(['slack:T1:C1:2.0']);
});

it('tells nobody of whom nothing was learned', async () => {
  const { memory, store } = open();
  const tell = vi.fn(async () => true);
  memory.tellFirstBy(tell);
  const slow = waits(finds());
  memory.learn(said('what is on tomorrow?'), slow.ask);
  slow.answer();
  await slow.asked;
  // The next one of the same person begins when this one has ended.
  const next = waits(finds());
  memory.learn(said('and on Friday?'), next.ask);
  await next.asked;
  expect(tell).not.toHaveBeenCalled();
  expect(await store.get(memories, ANA)).toBeNull();
});

it.each([
  ['all is forgotten', async (memory: Memory) => memory.forgetAll(ANA)],
  ['it is turned off', async (memory: Memory) => memory.turn(ANA, false)],
  [
    'it is turned off and on again',
    async (memory: Memory) => {
      await memory.turn(ANA, false);
      await memory.turn(ANA, true);
    },
  ],
])('learns nothing of what the model still reads when %s', async (_what, act) => {
  let now = 1;
  const { memory, texts } = open({ clock: () => now });
  const slow = waits(finds(NAME));
  memory.learn(said('my name is Ana', { at: now }), slow.ask);
  await slow.asked;
  now = 2;
  await act(memory);
  slow.answer();
  now = 3;
  await memory.turn(ANA, true);
  // One message of a person is read after the other.
  memory.learn(
    said('I work at Acme', { at: 4 }),
    finds({ key: 'company_name', text: 'Acme', evidence: 'Acme' }),
  );
  await vi.waitFor(async () => expect(await texts()).not.toEqual([]));
  expect(await texts()).toEqual(['Acme']);
});

it('learns nothing from a message again of which something was forgotten, and from another that says so', async () => {
  const { memory, texts } = open();
  const message = said('my name is Ana');
  memory.learn(message, finds(NAME));
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  const [item] = (await memory.read(ANA)).items;
  expect(await memory.forget(BOB, item?.id ?? '')).toBe(false);
  expect(await memory.forget(ANA, item?.id ?? '')).toBe(true);
  const ask = vi.fn(finds(NAME));
  memory.learn({ ...message, at: Date.now() + 1 }, ask);
  memory.learn(said('my name is Ana', { at: Date.now() + 1 }), finds(NAME));
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  expect(ask).not.toHaveBeenCalled();
});

it('changes what a person wants changed, of theirs alone', async () => {
  const { memory, texts } = open();
  memory.learn(said('my name is Ana'), finds(NAME));
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  const [item] = (await memory.read(ANA)).items;
  expect(await memory.change(BOB, item?.id ?? '', 'Eve')).toBe(false);
  expect(await memory.change(ANA, item?.id ?? '', ' \n')).toBe(false);
  expect(await memory.change(ANA, item?.id ?? '', `Anna\n${'x'.repeat(300)}`)).toBe(true);
  expect((await texts())[0]).toMatch(/^Anna x{195}$/);
});

it('learns and tells nothing where the operator wants nothing remembered', async () => {
  const { memory, store } = open();
  const off = createTestMemory(store, { isEnabled: false });
  const ask = vi.fn<AskModel>();
  off.learn(said('I work at Acme'), ask);
  memory.learn(said('my name is Ana'), finds(NAME));
  await vi.waitFor(async () => expect(await memory.recall(ANA, null)).not.toBeNull());
  expect(ask).not.toHaveBeenCalled();
  expect(await off.recall(ANA, null)).toBe('not_here');
  // Nobody can turn it on for themselves; what is there can still be seen, and forgotten.
  expect(await off.turn(ANA, true)).toBe(false);
  expect(await off.read(ANA)).toMatchObject({ mode: 'not_here', items: [{ text: 'Ana' }] });
  expect((await memory.read(ANA)).mode).toBe('on');
});

it('asks about one message of a person at a time, and of four people', async () => {
  const { memory } = open();
  const asked: string[] = [];
  const ask: AskModel = ({ text }) => {
    asked.push(text.split('\n').at(-1) ?? '');
    return new Promise(() => undefined);
  };
  for (const person of [1, 2, 3, 4, 5]) {
    for (const message of ['first', 'second']) {
      memory.learn(said(`${message} of ${person}`, { personId: `slack:T1:U${person}` }), ask);
    }
  }
  await vi.waitFor(() => expect(asked).toHaveLength(4));
  expect(asked).toEqual([1, 2, 3, 4].map((person) => `first of ${person}`));
});

it('ends at once when the process is asked to stop, and learns nothing of what is answered then', async () => {
  const stopping = new AbortController();
  const logged: string[] = [];
  const note = (_details: object, message: string) => void logged.push(message);
  const { memory, store, texts } = open({ stopping: stopping.signal, log: { debug: note, warn: note } });
  const slow = waits(finds(NAME));
  memory.learn(said('my name is Ana'), slow.ask);
  await slow.asked;
  stopping.abort();
  slow.answer();
  const ask = vi.fn<AskModel>();
  memory.learn(said('I am Ana'), ask);
  // Another process learns meanwhile, and takes longer than what is left to do here.
  const other = createTestMemory(store);
  const fromBob = said('I work at Acme', { personId: BOB });
  other.learn(fromBob, finds({ key: 'company_name', text: 'Acme', evidence: 'Acme' }));
  await vi.waitFor(async () => expect(await texts(BOB)).toEqual(['Acme']));
  expect(await texts()).toEqual([]);
  expect(ask).not.toHaveBeenCalled();
  expect(logged).toEqual([]);
});

it('says in the log where a model fails, and learns from the next message', async () => {
  const logged: string[] = [];
  const note = (_details: object, message: string) => void logged.push(message);
  const { memory, texts } = open({ log: { debug: note, warn: note } });
  memory.learn(said('my name is Ana'), async () => Promise.reject(new Error('down')));
  memory.learn(said('my name is Ana'), finds(NAME));
  await vi.waitFor(async () => expect(await texts()).toEqual(['Ana']));
  expect(logged).toEqual(['failed to learn from a message']);
});
