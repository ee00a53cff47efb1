import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import { calls, requests } from '../../../src/gate/store/collections.ts';
import { work } from '../../../src/runs/collections.ts';
import { fences, leases } from '../../../src/storage/lease/collections.ts';
import { LEASE_MS } from '../../../src/storage/lease/lease.ts';
import { put, ref } from '../../../src/storage/store.ts';
import { damage } from '../../helpers/damage.ts';
import { createFakeHub, ended, slowTool } from '../../helpers/fake-hub.ts';
import { type House, openHouse, THREAD } from '../../helpers/house.ts';

const CREATE = [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }];
const LIFETIME_MS = 60 * 60_000;

const time = { now: 0 };
let house: House;
beforeEach(() => {
  time.now = Date.UTC(2026, 10, 23, 8);
});
afterEach(() => house.close());

/** A house that no wake-up reaches: it was never started, so only a sweep finds anything to do. */
function openDeaf(options: Parameters<typeof openHouse>[0] = {}): void {
  house = openHouse({
    clock: () => time.now,
    requestLifetimeMs: LIFETIME_MS,
    othersAreGone: false,
    ...options,
  });
}

async function sweep(): Promise<void> {
  await house.runs.sweep();
  await house.runs.idle();
}

async function asked(): Promise<string> {
  house.model.script(CREATE);
  const itemId = await house.send('make a standup', { itemId: 'm1' });
  await sweep();
  expect(await house.isPending('c1')).toBe(true);
  return itemId;
}

/** Another process has the thread, until its lease is over. */
async function takenByAnother(): Promise<void> {
  const value = { owner: 'another', until: time.now + LEASE_MS };
  await house.disk.commit({
    put: [put(leases, THREAD, value), put(fences, THREAD, { owner: 'another', at: time.now })],
  });
}

it('a part of the sweep that fails is told of, and keeps no thread from being taken up', async () => {
  openDeaf();
  house.model.script('Hello.');
  const itemId = await house.send('hello');
  const broken = () => Promise.reject(new Error('out of order'));
  Object.assign(house.gate.requests, { expire: broken, escalate: broken });
  Object.assign(house.gate.calls, { unfinishedThreads: broken });
  await sweep();
  expect((await house.item(itemId)).response).toBe('Hello.');
  expect(house.errors).toHaveLength(3);
});

it('a call that cannot be read keeps no other thread from being taken up after a crash', async () => {
  openDeaf();
  const itemId = await asked();
  await house.decide('c1');
  const call = await house.call('c1');
  const lost = { ...call, threadId: 'slack:T1:C0:1.0' };
  const id = callKey(lost.threadId, lost.callId);
  await house.disk.commit({ put: [put(calls, id, lost)] });
  await damage(house.disk, calls, id);
  await house.disk.commit({ delete: [ref(work, THREAD)] });
  house.model.script('Done.');
  await sweep();
  expect((await house.item(itemId)).response).toBe('Done.');
  expect(house.errors).toEqual([]);
});

describe('without a wake-up, the sweep finds', () => {
  it('a message that was received', async () => {
    openDeaf();
    house.model.script('Hello.');
    const itemId = await house.send('hello');
    expect((await house.item(itemId)).state).toBe('queued');
    await sweep();
    expect((await house.item(itemId)).response).toBe('Hello.');
  });

  it('a call that was approved and not sent', async () => {
    openDeaf();
    const itemId = await asked();
    house.model.script('Done.');
    await house.decide('c1');
    expect((await house.call('c1')).state).toBe('approved');
    await sweep();
    expect(house.hub.count('create_event')).toBe(1);
    expect((await house.item(itemId)).response).toBe('Done.');
    await house.expectWhole();
  });

  it('a call that was approved so long ago that people are asked again', async () => {
    openDeaf();
    const itemId = await asked();
    await house.decide('c1');
    time.now += 25 * 60 * 60_000;
    await sweep();
    expect(house.hub.count('create_event')).toBe(0);
    expect(await house.call('c1')).toMatchObject({
      state: 'pending',
      askedAgain: 'Ana approved it more than 1 day ago, which is too long. It was not run.',
    });
    house.model.script('Done.');
    await house.decide('c1');
    await sweep();
    expect(house.hub.count('create_event')).toBe(1);
    expect((await house.item(itemId)).response).toBe('Done.');
  });

  it('a call that was approved, though the mark of it is lost as well', async () => {
    openDeaf();
    await asked();
    house.model.script('Done.');
    await house.decide('c1');
    await house.disk.commit({ delete: [ref(work, THREAD)] });
    await sweep();
    expect((await house.call('c1')).state).toBe('succeeded');
  });

  it('a rejection, and what a person said of a doubt', async () => {
    openDeaf({
      hub: createFakeHub({
        server: 'calendar',
        name: 'create_event',
        run: () => ended({ status: 'in_doubt', message: 'No answer came.' }),
      }),
    });
    const itemId = await asked();
    await house.decide('c1');
    await sweep();
    expect(await house.isInDoubt('c1')).toBe(true);
    house.model.script('I see.');
    await house.settle('c1', 'not_happened');
    expect((await house.item(itemId)).state).toBe('running');
    await sweep();
    expect((await house.item(itemId)).response).toBe('I see.');
  });

  it('a request whose deadline has passed', async () => {
    openDeaf();
    const itemId = await asked();
    house.model.script('Nobody answered.');
    time.now += LIFETIME_MS - 1;
    await sweep();
    expect(await house.isPending('c1')).toBe(true);
    time.now += 1;
    await sweep();
    expect((await house.call('c1')).state).toBe('expired');
    expect((await house.item(itemId)).response).toBe('Nobody answered.');
  });

  it('the thread of a worker that is gone, when its lease is over and not before', async () => {
    openDeaf();
    house.model.script('Hello.');
    const itemId = await house.send('hello');
    await takenByAnother();
    time.now += LEASE_MS - 1;
    await sweep();
    expect((await house.item(itemId)).state).toBe('queued');
    time.now += 1;
    await sweep();
    expect((await house.item(itemId)).response).toBe('Hello.');
  });

  it('a call that such a worker was sending', async () => {
    const hub = createFakeHub(slowTool('calendar', 'create_event', new Promise(() => {})));
    openDeaf({ hub });
    await asked();
    await house.decide('c1');
    await house.runs.sweep();
    await hub.sentTimes('create_event', 1);
    house.kill();

    const first = house;
    openDeaf({ hub, path: first.path });
    await house.disk.commit({ delete: [ref(work, THREAD)] });
    await sweep();
    expect((await house.call('c1')).state).toBe('executing');
    time.now += LEASE_MS;
    await sweep();
    expect(await house.isInDoubt('c1')).toBe(true);
    expect(hub.count('create_event')).toBe(1);
    await house.close();
    house = first;
  });
});

describe('a sweep', () => {
  /** Requests that wait, in threads of their own. */
  async function fill(count: number): Promise<void> {
    const call = await house.call('c1');
    const request = await house.gate.requests.openIn(THREAD);
    if (!request) throw new Error('there is no request to copy');
    for (let begin = 0; begin < count; begin += 500) {
      const puts = Array.from({ length: Math.min(500, count - begin) }, (_, index) => {
        const threadId = `slack:T1:C1:${begin + index}.9`;
        const requestId = `request ${begin + index}`;
        return [
          put(calls, callKey(threadId, 'c1'), { ...call, threadId, requestId }),
          put(requests, requestId, { ...request, threadId, requestId }),
        ];
      });
      await house.disk.commit({ put: puts.flat() });
    }
  }

  async function storeCallsOfASweep(): Promise<number> {
    const spies = (['get', 'getMany', 'query', 'commit'] as const).map((name) => vi.spyOn(house.disk, name));
    await sweep();
    const count = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
    for (const spy of spies) spy.mockRestore();
    return count;
  }

  it('asks the store four things when nothing is due, however many requests wait', async () => {
    openDeaf();
    await asked();
    expect(await storeCallsOfASweep()).toBe(4);
    await fill(3_000);
    expect(await storeCallsOfASweep()).toBe(4);
  });

  it('ends all that is due, over as many pages as it takes', async () => {
    openDeaf();
    await asked();
    await fill(450);
    house.model.script('Nobody answered.');
    time.now += LIFETIME_MS;
    await sweep();
    expect((await house.disk.query(calls, 'notEnded', {}, 1)).items).toEqual([]);
  }, 30_000);
});
