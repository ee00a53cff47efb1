import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { channels } from '../../../../src/slack/outbox/collections.ts';
import {
  type RateLimit,
  spend,
  timeUntilPost,
  toRateLimit,
} from '../../../../src/slack/outbox/rate-limit.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { fakeTimers } from '../../../helpers/fake-timers.ts';
import { openPaced } from '../../../helpers/paced-outbox.ts';
import { call, openOutbox, said } from '../../../helpers/slack-outbox.ts';

const SLACK = toRateLimit(1);

describe('the rate limit of a channel', () => {
  it('is a burst of four, and then one a second, unless more are allowed', () => {
    expect(SLACK).toEqual({ burst: 4, everyMs: 1_000 });
    expect(toRateLimit(50)).toEqual({ burst: 50, everyMs: 20 });
  });

  const paces = fc.record({
    burst: fc.integer({ min: 1, max: 8 }),
    everyMs: fc.integer({ min: 1, max: 2_000 }),
  });

  it('never lets through more than the burst and what the time allows', () => {
    const tries = fc.array(fc.nat(3_000), { maxLength: 60 });
    fc.assert(
      fc.property(paces, tries, (limit, gaps) => {
        const posts = postsOf(limit, gaps);
        for (const [first, from] of posts.entries()) {
          for (const [after, until] of posts.slice(first).entries()) {
            expect(after + 1).toBeLessThanOrEqual(limit.burst + Math.floor((until - from) / limit.everyMs));
          }
        }
      }),
    );
  });

  it('has no post wait for longer than one takes, whatever another clock wrote', () => {
    fc.assert(
      fc.property(paces, fc.nat(10 ** 13), fc.nat(10 ** 13), (limit, spentUntil, now) => {
        const waitMs = timeUntilPost(limit, spentUntil, now);
        expect(waitMs).toBeGreaterThanOrEqual(0);
        expect(waitMs).toBeLessThanOrEqual(limit.everyMs);
      }),
    );
  });
});

/** When each of the posts is made, of which one is wanted after each gap. */
function postsOf(limit: RateLimit, gaps: readonly number[]): number[] {
  let now = 0;
  let spentUntil = 0;
  return gaps.map((gap) => {
    now += gap;
    now += timeUntilPost(limit, spentUntil, now);
    spentUntil = spend(limit, spentUntil, now);
    return now;
  });
}

describe('the outbox', () => {
  beforeEach(() => {
    fakeTimers(0);
  });

  it('posts four at once in a channel, and then one a second', async () => {
    const scene = openPaced();
    await scene.announce('C1', 10);
    scene.start().wake('C1');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(scene.postedAt('C1')).toEqual([0, 0, 0, 0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000]);
  });

  it('does not hold up one channel for another', async () => {
    const scene = openPaced();
    await scene.announce('C1', 10);
    await scene.announce('C2', 4);
    const outbox = scene.start();
    outbox.wake('C1');
    outbox.wake('C2');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(scene.postedAt('C2')).toEqual([0, 0, 0, 0]);
  });

  it('brings messages up to date at once, though the channel takes no post now', async () => {
    const scene = openPaced();
    const outbox = scene.start();
    await scene.announce('C1', 4);
    outbox.wake('C1');
    await vi.advanceTimersByTimeAsync(0);
    scene.say('later');
    await scene.announce('C1', 4);
    outbox.wake('C1');
    await vi.advanceTimersByTimeAsync(0);
    expect(scene.api.of('chat.update')).toHaveLength(4);
    expect(scene.postedAt('C1')).toHaveLength(4);
  });

  it('hands over to the next process how much of the burst is left', async () => {
    const scene = openPaced();
    const first = scene.start();
    await scene.announce('C1', 3);
    first.wake('C1');
    await vi.advanceTimersByTimeAsync(0);
    await first.stop();
    await scene.announce('C1', 3, 'more');
    scene.start().wake('C1');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(scene.postedAt('C1')).toEqual([0, 0, 0, 0, 1_000, 2_000]);
  });

  it('stops in the middle of a wait, and leaves the rest to the next process at the same pace', async () => {
    const scene = openPaced();
    const first = scene.start();
    await scene.announce('C1', 6);
    first.wake('C1');
    await vi.advanceTimersByTimeAsync(500);
    await first.stop();
    expect(scene.postedAt('C1')).toEqual([0, 0, 0, 0]);
    expect(scene.logged).toEqual([]);
    scene.start().wake('C1');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(scene.postedAt('C1')).toEqual([0, 0, 0, 0, 1_000, 2_000]);
  });

  it('has no burst left after Slack asked for a rest', async () => {
    const scene = openPaced();
    scene.refuseNext();
    await scene.announce('C1', 3);
    scene.start().wake('C1');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(scene.postedAt('C1')).toEqual([2_000, 3_000, 4_000]);
  });

  it('leaves an answer to the process that may have streamed it, however long it waits behind others', async () => {
    const scene = openPaced();
    const other = scene.start(scene.store, 'other');
    await scene.announce('C1', 40);
    await scene.announce('C1', 1, 'the answer', { by: 'owner' });
    other.wake('C1');
    await vi.advanceTimersByTimeAsync(50_000);
    expect(scene.postedAt('C1')).toHaveLength(40);
    scene.start(scene.store, 'owner').wake('C1');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(scene.postedAt('C1')).toHaveLength(41);
  });

  it('shows an answer in the place of a process that has had its turn and did not', async () => {
    const scene = openPaced();
    await scene.announce('C1', 40);
    await scene.announce('C1', 1, 'the answer', { by: 'owner' });
    scene.start(scene.store, 'other').wake('C1');
    await vi.advanceTimersByTimeAsync(70_000);
    expect(scene.postedAt('C1').at(-1)).toBeGreaterThanOrEqual(66_000);
    expect(scene.postedAt('C1')).toHaveLength(41);
  });

  it('notes what was posted with the write that gives the channel back, and costs no other', async () => {
    const scene = openPaced();
    const touching: number[] = [];
    const commit: Store['commit'] = (change) => {
      if (change.put?.some(({ collection }) => collection === channels.name)) {
        touching.push(change.delete?.length ?? 0);
      }
      return scene.store.commit(change);
    };
    await scene.announce('C1', 10);
    scene.start({ ...scene.store, commit }).wake('C1');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(touching).toEqual([1]);
    expect((await scene.store.get(channels, 'C1'))?.value).toEqual({
      restUntil: 0,
      restMs: 0,
      served: 'slack:T1:C1:1.0',
      spentUntil: 10_000,
    });
  });
});

describe('the outbox against the rates of Slack', () => {
  it('is never told to wait', async () => {
    const scene = await openOutbox({ rateLimit: SLACK, rates: 'strict' });
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    for (const name of names) scene.show(call(name), said(name));
    await scene.deliver('general', ...names.map(call));
    expect(scene.shown('general')).toEqual(names);
    expect(scene.driver.calls('chat.postMessage').map(({ error }) => error)).toEqual(names.map(() => null));
    expect(scene.logged).toEqual([]);
  });
});
