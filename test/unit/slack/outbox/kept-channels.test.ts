import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SETTLE_MS } from '../../../../src/slack/outbox/channel-holds.ts';
import { outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import { leases } from '../../../../src/storage/lease/collections.ts';
import { noNudges } from '../../../../src/storage/lease/nudges.ts';
import { type Change, put, type Store } from '../../../../src/storage/store.ts';
import { fakeTimers } from '../../../helpers/fake-timers.ts';
import { createNudges } from '../../../helpers/nudges.ts';
import { openPaced } from '../../../helpers/paced-outbox.ts';

const LEASE = 'outbox:C1';
/** Longer than a quiet channel is kept, in milliseconds. */
const A_WHILE_MS = 9_000;
/** Longer than a lease holds that isn't renewed, in milliseconds. */
const LEASE_OVER_MS = 31_000;

/** The store, and what was committed about the lease. */
function watched(store: Store) {
  const commits: ('taken' | 'renewed' | 'released' | 'other')[] = [];
  const kindOf = ({ put = [], delete: removed = [] }: Change) => {
    if (removed.some(({ collection }) => collection === leases.name)) return 'released';
    if (!put.some(({ collection }) => collection === leases.name)) return 'other';
    return put.length > 1 ? 'taken' : 'renewed';
  };
  const commit: Store['commit'] = (change) => {
    commits.push(kindOf(change));
    return store.commit(change);
  };
  const ofLease = () => commits.filter((kind) => kind !== 'other');
  return { over: { ...store, commit }, commits, ofLease };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  fakeTimers(0);
});

describe('a channel that this process delivers to', () => {
  it('is taken once for several rows, and costs a commit for each of them', async () => {
    const scene = openPaced();
    const { over, commits, ofLease } = watched(scene.store);
    const outbox = scene.start(over);
    for (const name of ['a', 'b', 'c']) {
      await scene.announce('C1', 1, name);
      outbox.wake('C1');
      await pass(2_000);
    }
    expect(scene.texts()).toHaveLength(3);
    expect(ofLease()).toEqual(['taken']);
    expect(commits).toHaveLength(4);
  });

  it('is given back after a quiet while', async () => {
    const scene = openPaced();
    const { over, ofLease } = watched(scene.store);
    const outbox = scene.start(over);
    await scene.announce('C1', 1);
    outbox.wake('C1');
    await pass(A_WHILE_MS);
    expect(ofLease()).toEqual(['taken', 'released']);
    expect(await scene.store.get(leases, LEASE)).toBeNull();
    await scene.announce('C1', 1, 'more');
    outbox.wake('C1');
    await pass(0);
    expect(scene.texts()).toHaveLength(2);
    expect(scene.api.of('conversations.replies')).toEqual([]);
  });

  it('is kept, and not renewed, for as long as a process runs that is alone; it gives it back when it stops', async () => {
    const scene = openPaced();
    const { over, ofLease } = watched(scene.store);
    const outbox = scene.start(over, 'alone', noNudges);
    for (const name of ['a', 'b']) {
      await scene.announce('C1', 1, name);
      outbox.wake('C1');
      await pass(60_000);
    }
    expect(scene.texts()).toHaveLength(2);
    expect(ofLease()).toEqual(['taken']);
    await outbox.stop();
    expect(ofLease()).toEqual(['taken', 'released']);
  });

  it('is given back at once where Slack takes nothing now: another process may be luckier', async () => {
    const scene = openPaced();
    const { over, ofLease } = watched(scene.store);
    const outbox = scene.start(over);
    scene.refuseNext();
    await scene.announce('C1', 1);
    outbox.wake('C1');
    await pass(0);
    expect(ofLease()).toEqual(['taken', 'released']);
  });
});

describe('a row of another process', () => {
  /** One process holds the channel, quietly; the other has something for it. */
  async function openTwo({ isCutOff = false } = {}) {
    const scene = openPaced();
    const nudges = createNudges();
    const holder = scene.start(scene.store, 'holder', nudges.join());
    const other = scene.start(scene.store, 'other', isCutOff ? createNudges().join() : nudges.join());
    await Promise.all([holder.start(), other.start()]);
    await scene.announce('C1', 1, 'before');
    holder.wake('C1');
    await pass(0);
    const owner = async () => (await scene.store.get(leases, LEASE))?.value.owner ?? null;
    expect(await owner()).toBe('holder');
    return { scene, other, owner, nudges };
  }

  it('is shown at once by the one that holds the channel, which hears of it', async () => {
    const { scene, other, owner, nudges } = await openTwo();
    await scene.announce('C1', 1, 'after');
    other.wake('C1');
    await pass(0);
    expect(scene.texts()).toHaveLength(2);
    expect(nudges.sent).toEqual([LEASE]);
    expect(await owner()).toBe('holder');
  });

  it('that only that process may show gets it the channel at once', async () => {
    const { scene, other, owner } = await openTwo();
    await scene.announce('C1', 1, 'the answer', { by: 'other' });
    other.wake('C1');
    await pass(0);
    expect(scene.texts()).toHaveLength(2);
    expect(await owner()).toBe('other');
  });

  it('is shown when the channel is given back, though nobody hears anything', async () => {
    const { scene, other } = await openTwo({ isCutOff: true });
    await scene.announce('C1', 1, 'after');
    other.wake('C1');
    await pass(A_WHILE_MS);
    expect(scene.texts()).toHaveLength(2);
    expect((await scene.store.query(rows, 'byTurn', {}, 10)).items).toEqual([]);
  });
});

it('the channels of a process that died are taken over when their leases are over', async () => {
  const scene = openPaced();
  const dead = scene.start(
    {
      ...scene.store,
      commit: async (change) => (Date.now() > 0 ? new Promise(() => {}) : scene.store.commit(change)),
    },
    'dead',
  );
  await scene.announce('C1', 1, 'before');
  dead.wake('C1');
  await pass(1);
  await scene.announce('C1', 1, 'after');
  const next = scene.start(scene.store, 'next');
  next.wake('C1');
  await pass(LEASE_OVER_MS - 2_000);
  expect(scene.texts()).toHaveLength(1);
  await pass(2_000 + SETTLE_MS);
  expect(scene.texts()).toHaveLength(2);
});

it('what may still be on its way from a process that looks dead is waited for, and then looked for', async () => {
  const scene = openPaced();
  // By a clock that is ahead of its own: it isn't known to be gone.
  await scene.store.commit({ put: [put(leases, LEASE, { owner: 'slow clock', until: -1 })] });
  await scene.announce('C1', 1);
  scene.start(scene.store, 'next').wake('C1');
  await pass(SETTLE_MS - 1);
  expect(scene.texts()).toEqual([]);
  expect(scene.api.of('conversations.replies')).toEqual([]);
  await pass(1);
  expect(scene.api.of('conversations.replies')).toHaveLength(1);
  expect(scene.texts()).toHaveLength(1);
});
