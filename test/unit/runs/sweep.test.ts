import { beforeEach, describe, expect, it, vi } from 'vitest';
import { callKey, recordKey } from '../../../src/gate/call/digest.ts';
import { calls, requests } from '../../../src/gate/store/collections.ts';
import { work } from '../../../src/runs/collections.ts';
import { fences, leases } from '../../../src/storage/lease/collections.ts';
import { LEASE_MS } from '../../../src/storage/lease/lease.ts';
import { put, ref } from '../../../src/storage/store.ts';
import { damage } from '../../helpers/damage.ts';
import { createFakeHub, ended, slowTool } from '../../helpers/fake-hub.ts';
import { type Network, openNetwork } from '../../helpers/network.ts';
import { THREAD } from '../../helpers/people.ts';

const CREATE = [{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }];
const LIFETIME_MS = 60 * 60_000;

const time = { now: 0 };
let network: Network;
beforeEach(() => {
  time.now = Date.UTC(2026, 10, 23, 8);
});

/** A network that no wake-up reaches: it was never started, so only a sweep finds anything to do. */
function openDeaf(options: Parameters<typeof openNetwork>[0] = {}): void {
  network = openNetwork({
    clock: () => time.now,
    requestLifetimeMs: LIFETIME_MS,
    othersAreGone: false,
    ...options,
  });
}

async function sweep(): Promise<void> {
  await network.runs.sweep();
  await network.runs.idle();
}

async function asked(): Promise<string> {
  network.model.script(CREATE);
  const itemId = await network.send('make a standup', { itemId: 'm1' });
  await sweep();
  expect(await network.isPending('c1')).toBe(true);
  return itemId;
}

/** Another process has the thread, until its lease is over. */
async function takenByAnother(): Promise<void> {
  const value = { owner: 'another', until: time.now + LEASE_MS };
  await network.disk.commit({
    put: [put(leases, THREAD, value), put(fences, THREAD, { owner: 'another', at: time.now })],
  });
}

it('a part of the sweep that fails is told of, and keeps no thread from being taken up', async () => {
  openDeaf();
  network.model.script('Hello.');
  const itemId = await network.send('hello');
  const broken = () => Promise.reject(new Error('out of order'));
  Object.assign(network.gate.requests, { expire: broken, escalate: broken });
  Object.assign(network.gate.calls, { unfinishedThreads: broken });
  await sweep();
  expect((await network.item(itemId)).response).toBe('Hello.');
  expect(network.errors).toHaveLength(3);
});

it('a call that cannot be read keeps no other thread from being taken up after a crash', async () => {
  openDeaf();
  const itemId = await asked();
  await network.decide('c1');
  const call = await network.call('c1');
  const lost = { ...call, threadId: 'slack:T1:C0:1.0' };
  const id = recordKey(lost);
  await network.disk.commit({ put: [put(calls, id, lost)] });
  await damage(network.disk, calls, id);
  await network.disk.commit({ delete: [ref(work, THREAD)] });
  network.model.script('Done.');
  await sweep();
  expect((await network.item(itemId)).response).toBe('Done.');
  expect(network.errors).toEqual([]);
});

describe('without a wake-up, the sweep finds', () => {
  it('a message that was received', async () => {
    openDeaf();
    network.model.script('Hello.');
    const itemId = await network.send('hello');
    expect((await network.item(itemId)).state).toBe('queued');
    await sweep();
    expect((await network.item(itemId)).response).toBe('Hello.');
  });

  it('a call that was approved and not sent', async () => {
    openDeaf();
    const itemId = await asked();
    network.model.script('Done.');
    await network.decide('c1');
    expect((await network.call('c1')).state).toBe('approved');
    await sweep();
    expect(network.hub.count('create_event')).toBe(1);
    expect((await network.item(itemId)).response).toBe('Done.');
    await network.expectWhole();
  });

  it('a call that was approved so long ago that people are asked again', async () => {
    openDeaf();
    const itemId = await asked();
    await network.decide('c1');
    time.now += 25 * 60 * 60_000;
    await sweep();
    expect(network.hub.count('create_event')).toBe(0);
    expect(await network.call('c1')).toMatchObject({
      state: 'pending',
      askedAgain: 'Ana approved this more than 1 day ago, which is too long. It did not run.',
    });
    network.model.script('Done.');
    await network.decide('c1');
    await sweep();
    expect(network.hub.count('create_event')).toBe(1);
    expect((await network.item(itemId)).response).toBe('Done.');
  });

  it('a call that was approved, though the mark of it is lost as well', async () => {
    openDeaf();
    await asked();
    network.model.script('Done.');
    await network.decide('c1');
    await network.disk.commit({ delete: [ref(work, THREAD)] });
    await sweep();
    expect((await network.call('c1')).state).toBe('succeeded');
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
    await network.decide('c1');
    await sweep();
    expect(await network.isInDoubt('c1')).toBe(true);
    network.model.script('I see.');
    await network.settle('c1', 'not_happened');
    expect((await network.item(itemId)).state).toBe('running');
    await sweep();
    expect((await network.item(itemId)).response).toBe('I see.');
  });

  it('a request whose deadline has passed', async () => {
    openDeaf();
    const itemId = await asked();
    network.model.script('Nobody answered.');
    time.now += LIFETIME_MS - 1;
    await sweep();
    expect(await network.isPending('c1')).toBe(true);
    time.now += 1;
    await sweep();
    expect((await network.call('c1')).state).toBe('expired');
    expect((await network.item(itemId)).response).toBe('Nobody answered.');
  });

  it('the thread of a worker that is gone, when its lease is over and not before', async () => {
    openDeaf();
    network.model.script('Hello.');
    const itemId = await network.send('hello');
    await takenByAnother();
    time.now += LEASE_MS - 1;
    await sweep();
    expect((await network.item(itemId)).state).toBe('queued');
    time.now += 1;
    await sweep();
    expect((await network.item(itemId)).response).toBe('Hello.');
  });

  it('a call that such a worker was sending', async () => {
    const hub = createFakeHub(slowTool('calendar', 'create_event', new Promise(() => {})));
    openDeaf({ hub });
    await asked();
    await network.decide('c1');
    await network.runs.sweep();
    await hub.sentTimes('create_event', 1);
    network.kill();

    openDeaf({ hub, path: network.path });
    await network.disk.commit({ delete: [ref(work, THREAD)] });
    await sweep();
    expect((await network.call('c1')).state).toBe('executing');
    time.now += LEASE_MS;
    await sweep();
    expect(await network.isInDoubt('c1')).toBe(true);
    expect(hub.count('create_event')).toBe(1);
  });
});

describe('a sweep', () => {
  /** Requests that wait, in threads of their own. */
  async function fill(count: number): Promise<void> {
    const call = await network.call('c1');
    const request = await network.gate.requests.openIn(THREAD);
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
      await network.disk.commit({ put: puts.flat() });
    }
  }

  async function storeCallsOfASweep(): Promise<number> {
    const spies = (['get', 'getMany', 'query', 'commit'] as const).map((name) =>
      vi.spyOn(network.disk, name),
    );
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
    network.model.script('Nobody answered.');
    time.now += LIFETIME_MS;
    await sweep();
    expect((await network.disk.query(calls, 'notEnded', {}, 1)).items).toEqual([]);
  }, 30_000);
});
