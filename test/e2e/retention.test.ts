import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { recordRetention } from '../../src/app/record-retention.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { FencedError } from '../../src/lib/errors.ts';
import { mailbox } from '../../src/runs/collections.ts';
import { takeLease } from '../../src/storage/lease/lease.ts';
import { put } from '../../src/storage/store.ts';
import { problemsOf } from '../helpers/audit.ts';
import { type CoreOptions, openNetworkOn } from '../helpers/network.ts';
import { THREAD } from '../helpers/people.ts';
import { countRecords, createTestRemoval } from '../helpers/removal.ts';
import { type Reply, ScriptedModel } from '../helpers/scripted-model.ts';
import { ON_REDIS, openTestStorage } from '../helpers/storage.ts';

const DAY = 86_400_000;
const KEEP = 30 * DAY;
const paused = { owner: 'a worker that was paused', isGone: () => false };
const CREATE: Reply = [{ id: 'c1', name: 'create_event', args: { title: 'Lunch' } }];

/** A network whose clock the test sets, and the retention of its records. */
async function open(replies: readonly Reply[], options: CoreOptions = {}) {
  const storage = await openTestStorage();
  const { store, checkpoints } = storage;
  const { saver } = checkpoints;
  const time = { now: 1_000 * DAY };
  const clock = () => time.now;
  const model = new ScriptedModel(replies);
  const network = openNetworkOn({ store, checkpoints, close: storage.close }, { ...options, model, clock });
  network.runs.start();
  const rule = recordRetention(store, createTestRemoval({ store, checkpoints, clock }), KEEP);
  const sweep = async () => {
    // Twice, so that it has gone through all threads and begun again.
    return (await rule.forget(time.now - KEEP, 200)) + (await rule.forget(time.now - KEEP, 200));
  };
  return { ...network, saver, time, sweep };
}

describe('records.keep_for', () => {
  it('removes a conversation that is over with all that belongs to it, and leaves a whole audit', async () => {
    const network = await open([CREATE, 'Done.']);
    await network.say('make it');
    await network.decide('c1');
    const { audit, ...before } = await countRecords(network.store);
    expect(before).toEqual({ threads: 1, messages: 1, calls: 1, requests: 1 });
    network.time.now += KEEP + DAY;
    await network.sweep();
    expect(await countRecords(network.store)).toEqual({
      threads: 0,
      messages: 0,
      calls: 0,
      requests: 0,
      audit,
    });
    expect(audit).toBeGreaterThan(3);
    expect(await network.messages()).toEqual([]);
    expect(await problemsOf(network.store)).toEqual([]);
  });

  it('leaves everything for as long as it says', async () => {
    const network = await open([CREATE, 'Done.']);
    await network.say('make it');
    await network.decide('c1');
    const before = await countRecords(network.store);
    network.time.now += KEEP - DAY;
    expect(await network.sweep()).toBe(0);
    expect(await countRecords(network.store)).toEqual(before);
    expect(await network.messages()).not.toEqual([]);
  });

  it('removes nothing of a thread in which a call waits, however old it is', async () => {
    const network = await open(['Hello.', CREATE, 'Done.']);
    await network.say('hello');
    await network.say('make it');
    const before = await countRecords(network.store);
    network.time.now += 2 * KEEP;
    expect(await network.sweep()).toBe(0);
    expect(await countRecords(network.store)).toEqual(before);
    await network.decide('c1');
    await network.expectWhole();
  });

  it('removes nothing of a thread in which a call is in doubt that nobody has settled', async () => {
    const network = await open([CREATE, 'Done.']);
    await network.say('make it');
    const call = await network.call('c1');
    const key = network.keyOf('c1');
    await network.store.commit({ put: [put(calls, key, { ...call, state: 'in_doubt', endedAt: null })] });
    network.time.now += 2 * KEEP;
    expect(await network.sweep()).toBe(0);
    expect((await network.call('c1')).state).toBe('in_doubt');
  });

  it('keeps a call that was asked about long ago and has ended lately', async () => {
    const network = await open([CREATE, 'Done.']);
    await network.say('make it');
    network.time.now += KEEP + DAY;
    await network.decide('c1');
    await network.sweep();
    expect((await network.call('c1')).state).toBe('succeeded');
    network.time.now += KEEP + DAY;
    await network.sweep();
    expect(await countRecords(network.store)).toMatchObject({ threads: 0, calls: 0, requests: 0 });
  });

  it('removes what is old of a conversation that goes on, and keeps the rest', async () => {
    const network = await open([CREATE, 'Done.', 'And hello.', 'Still here.']);
    await network.say('make it');
    await network.decide('c1');
    network.time.now += KEEP + DAY;
    await network.say('hello again');
    await network.sweep();
    expect(await countRecords(network.store)).toMatchObject({
      threads: 1,
      messages: 1,
      calls: 0,
      requests: 0,
    });
    expect(await network.say('are you there?')).toMatchObject({ state: 'answered', response: 'Still here.' });
  });

  it('lets a new conversation begin where an old one was', async () => {
    const network = await open(['Hello.', 'Who are you?']);
    await network.say('hello');
    network.time.now += KEEP + DAY;
    await network.sweep();
    expect(await network.say('hello')).toMatchObject({ state: 'answered', response: 'Who are you?' });
    expect((await network.messages()).map(({ text }) => text)).toEqual(['hello', 'Who are you?']);
  });

  it.runIf(ON_REDIS)('lets nothing come back that a worker held when it was taken over', async () => {
    const network = await open(['Hello.']);
    const lease = await takeLease({ ...network, clock: () => 0, holder: paused }, THREAD);
    await network.say('hello');
    network.time.now += KEEP + DAY;
    await network.sweep();
    const fence = lease?.fence.token;
    const put = () =>
      network.saver.put(
        { configurable: { thread_id: THREAD, fence } },
        { ...emptyCheckpoint(), channel_values: { said: 'hello' }, channel_versions: { said: 1 } },
        { source: 'loop', step: 0, parents: {} },
        { said: 1 },
      );
    await expect(put()).rejects.toThrow(FencedError);
    expect(await network.saver.getTuple({ configurable: { thread_id: THREAD } })).toBeUndefined();
  });

  it('takes many threads a few at a time, and goes on where it stopped', async () => {
    const network = await open(Array.from({ length: 60 }, () => 'Hello.'));
    for (let index = 0; index < 60; index += 1) {
      await network.say('hello', { threadId: `${THREAD}${index}`, surface: { kind: 'slack' } });
    }
    network.time.now += KEEP + DAY;
    expect(await network.sweep()).toBe(50);
    expect(await countRecords(network.store)).toMatchObject({ threads: 10, messages: 10 });
    expect(await network.sweep()).toBe(10);
    expect(await countRecords(network.store)).toMatchObject({ threads: 0, messages: 0 });
  });

  it('removes nothing while a message comes in, which then starts the thread anew', async () => {
    const network = await open(['Hello.', 'And again.']);
    await network.say('hello');
    const [old] = (await network.store.query(mailbox, 'byThread', { prefix: [THREAD] }, 1)).items;
    network.time.now += KEEP + DAY;
    await Promise.all([network.sweep(), network.send('again')]);
    await network.runs.idle();
    // Whether it came before or after, it was answered.
    await expect.poll(() => network.runs.openItems(THREAD), { timeout: 20_000 }).toEqual([]);
    const items = (await network.store.query(mailbox, 'byThread', { prefix: [THREAD] }, 10)).items;
    const again = items.filter(({ id }) => id !== old?.id);
    expect(again.map(({ value }) => value.response)).toEqual(['And again.']);
  });
});
