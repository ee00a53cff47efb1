import { expect, it } from 'vitest';
import { forgetPerson, runForget } from '../../src/app/forget-person.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { entriesOf, problemsOf } from '../helpers/audit.ts';
import { openNetworkOn } from '../helpers/network.ts';
import { ana, bob, THREAD } from '../helpers/people.ts';
import { countRecords, createTestRemoval } from '../helpers/removal.ts';
import { type Reply, ScriptedModel } from '../helpers/scripted-model.ts';
import { openTestStorage } from '../helpers/storage.ts';

const create = (id: string): Reply => [{ id, name: 'create_event', args: { title: 'Lunch' } }];
const ALONE = `${THREAD}1`;

/** Ana and Bob share one thread; Ana has another of her own. */
async function open() {
  const storage = await openTestStorage();
  const { store, checkpointer: saver } = storage;
  const checkpoints = { saver, prune: async () => {}, claim: async () => {} };
  const model = new ScriptedModel([create('c1'), 'Done.', 'Hello Bob.', 'Hello Ana.', create('c2'), 'New.']);
  const network = openNetworkOn({ store, checkpoints, close: storage.close }, { model });
  network.runs.start();
  await network.say('make it');
  await network.decide('c1');
  await network.say('hello', { actor: bob });
  await network.say('hi', { threadId: ALONE });
  const removal = createTestRemoval({ store, saver, clock: Date.now });
  const printed: string[] = [];
  const forget = (isConfirmed: boolean) =>
    forgetPerson({ store, removal, personId: ana.id, isConfirmed, print: (text) => void printed.push(text) });
  return { ...network, forget, printed };
}

it('deletes what a person said and asked for, and leaves others’ and a whole audit', async () => {
  const network = await open();
  const { store } = network;
  const entries = await entriesOf(store);
  expect(await network.forget(true)).toBe(true);
  const messages = (await store.query(mailbox, 'byThread', {}, 10)).items;
  expect(messages.map(({ value }) => value.actor.id)).toEqual([bob.id]);
  expect((await store.query(calls, 'byThread', {}, 10)).items).toEqual([]);
  expect(await network.messages()).toEqual([]);
  expect(await network.messages(ALONE)).toEqual([]);
  expect(await countRecords(store)).toMatchObject({ threads: 1, requests: 0 });
  expect(await entriesOf(store)).toEqual(entries);
  expect(await problemsOf(store)).toEqual([]);
  expect(network.printed.join('\n')).toMatch(
    /2 messages and 1 calls .* in 2 threads[\s\S]*This stays: the audit/,
  );
});

it('deletes nothing until it is confirmed, and says what it would', async () => {
  const network = await open();
  const before = await countRecords(network.store);
  await network.forget(false);
  expect(await countRecords(network.store)).toEqual(before);
  expect(network.printed.join('\n')).toMatch(
    /2 messages and 1 calls .* in 2 threads[\s\S]*Nothing was deleted/,
  );
});

it('leaves a thread in which something of theirs waits, and says so', async () => {
  const network = await open();
  await network.say('another one');
  expect(await network.forget(true)).toBe(false);
  expect((await network.call('c2')).state).toBe('pending');
  expect(network.printed.join('\n')).toContain(
    `Left as they are, because something in them waits, runs or is in doubt: ${THREAD}.`,
  );
});

it.each(['U012AB3CD', 'slack:U012AB3CD', '@ana'])(
  'says how a person is written, and not that nothing is known, of %s',
  async (person) => {
    const printed: string[] = [];
    const print = (text: string): void => void printed.push(text);
    expect(await runForget({}, { person, yes: true }, print)).toBe(false);
    expect(printed).toEqual([expect.stringMatching(/^Nothing was deleted\.\nUsage: .*slack:T012AB3CD/s)]);
  },
);
