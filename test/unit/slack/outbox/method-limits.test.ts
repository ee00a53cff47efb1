import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LimitedClient } from '../../../../src/slack/client/limited-client.ts';
import { StatusLine } from '../../../../src/slack/live/status-line.ts';
import { channels, outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import { MethodLimits } from '../../../../src/slack/outbox/method-limits.ts';
import { createOutbox } from '../../../../src/slack/outbox/outbox.ts';
import { PostedMessages } from '../../../../src/slack/outbox/posted-messages.ts';
import { spend, timeUntilPost, toRateLimit } from '../../../../src/slack/outbox/rate-limit.ts';
import { rowId } from '../../../../src/slack/outbox/rows.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put, type Store } from '../../../../src/storage/store.ts';
import { fakeTimers } from '../../../helpers/fake-timers.ts';
import { createNudges } from '../../../helpers/nudges.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { call, said } from '../../../helpers/slack-outbox.ts';
import { quiet } from '../../../helpers/workspace.ts';

let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
});

describe('the limits of methods', () => {
  let now = 1_000_000;
  const clock = () => now;
  const open = () => new MethodLimits({ store, postsPerSecond: 1, clock, log: quiet });
  /** How many calls may be sent now. */
  const taken = (limits: MethodLimits, method: string, most = 200) => {
    let count = 0;
    while (count < most && limits.take(method) === 0) count += 1;
    return count;
  };
  /** Until the counts have been added up. */
  const shared = () => new Promise((resolve) => setImmediate(resolve));

  it('are those of the tiers: a burst of half a minute’s calls, and then as many a minute', () => {
    const limits = open();
    expect(taken(limits, 'chat.update')).toBe(25);
    expect(limits.room('chat.update')).toBe(0);
    expect(taken(limits, 'chat.appendStream')).toBe(50);
    now += 6_000;
    expect(taken(limits, 'chat.update')).toBe(5);
    now += 15_000;
    expect(limits.room('chat.update')).toBeCloseTo(0.5);
  });

  it('are larger where Slack, or what stands in for it, allows more', () => {
    const limits = new MethodLimits({ store, postsPerSecond: 3, clock, log: quiet });
    expect(taken(limits, 'chat.update')).toBe(75);
  });

  it('do not hold back what people wait for', () => {
    const limits = open();
    expect(taken(limits, 'views.open')).toBe(200);
    expect(taken(limits, 'views.publish')).toBe(200);
    expect(limits.room('views.publish')).toBe(0);
  });

  it('are shared by all processes', async () => {
    const [one, other] = [open(), open()];
    taken(one, 'chat.update', 10);
    await shared();
    now += 1_000;
    taken(one, 'chat.update', 1);
    await shared();
    now += 1_000;
    taken(other, 'chat.update', 1);
    await shared();
    expect(taken(other, 'chat.update')).toBeLessThanOrEqual(16);
  });

  it('of all methods are added up at once', async () => {
    const [one, other] = [open(), open()];
    const commits = vi.spyOn(store, 'commit');
    for (const method of ['chat.postMessage', 'chat.update', 'agents.sessions.setStatus']) one.take(method);
    await shared();
    now += 1_000;
    taken(one, 'chat.update', 9);
    taken(one, 'agents.sessions.setStatus', 9);
    await shared();
    expect(commits.mock.calls.length).toBeLessThanOrEqual(2);
    for (const method of ['chat.update', 'agents.sessions.setStatus']) {
      now += 1_000;
      taken(other, method, 1);
      await shared();
      expect(taken(other, method)).toBeLessThanOrEqual(17);
    }
  });

  it('are not read again while nobody else writes them, and are as soon as somebody does', async () => {
    const [one, other] = [open(), open()];
    const reads = vi.spyOn(store, 'getMany');
    const pass = async (limits: MethodLimits) => {
      now += 1_000;
      reads.mockClear();
      limits.take('chat.update');
      await vi.waitFor(async () => expect((await spentUntil()) ?? 0).toBeGreaterThan(spentBefore));
      spentBefore = (await spentUntil()) ?? 0;
      return reads.mock.calls.length;
    };
    let spentBefore = 0;
    const spentUntil = async () => (await store.get(channels, 'method:chat.update'))?.value.spentUntil;
    expect([await pass(one), await pass(one), await pass(one), await pass(one)]).toEqual([1, 1, 0, 0]);
    taken(other, 'chat.update', 10);
    await shared();
    expect(await pass(other)).toBe(1);
    expect(await pass(one)).toBe(1);
    expect(taken(one, 'chat.update')).toBeLessThanOrEqual(16);
    expect([await pass(other), await pass(one), await pass(other)]).toEqual([1, 1, 1]);
  });

  it('are kept by the only process without a store', async () => {
    const limits = new MethodLimits({ store: null, postsPerSecond: 1, clock, log: quiet });
    expect(taken(limits, 'chat.update')).toBe(25);
    limits.rest('chat.appendStream', 30_000);
    await shared();
    expect(limits.take('chat.appendStream')).toBe(30_000);
    now += 30_001;
    expect(limits.take('chat.appendStream')).toBe(0);
    expect(taken(limits, 'chat.update')).toBe(25);
  });

  it('hold every process to a Retry-After, for that method only', async () => {
    const [one, other] = [open(), open()];
    one.rest('chat.update', 30_000);
    await shared();
    expect(other.take('chat.update')).toBe(0);
    await vi.waitFor(() => expect(other.timeUntilCall('chat.update')).toBe(30_000));
    expect(one.take('chat.update')).toBe(30_000);
    expect(one.take('views.publish')).toBe(0);
    now += 30_001;
    expect(one.take('chat.update')).toBe(0);
  });

  it('do not believe a clock that is far ahead', async () => {
    const ahead = new MethodLimits({ store, postsPerSecond: 1, clock: () => now + 3_600_000, log: quiet });
    ahead.rest('chat.update', 30_000);
    await shared();
    const limits = open();
    limits.take('chat.update');
    await vi.waitFor(() => expect(limits.timeUntilCall('chat.update')).toBe(30_000));
    now += 30_001;
    expect(limits.take('chat.update')).toBe(0);
  });

  it('end as late as they would have where the clock is set back meanwhile', async () => {
    const limits = open();
    taken(limits, 'chat.update');
    limits.rest('chat.appendStream', 30_000);
    await shared();
    now -= 3_600_000;
    expect(limits.timeUntilCall('chat.update')).toBe(1_200);
    expect(limits.timeUntilCall('chat.appendStream')).toBe(30_000);
    now += 30_001;
    expect(limits.take('chat.update')).toBe(0);
    expect(limits.take('chat.appendStream')).toBe(0);
  });
});

/** Calls a minute that Slack grants the workspace, with as many at once: docs.slack.dev/apis/web-api/rate-limits */
const SLACK: Readonly<Record<string, number>> = {
  'agents.sessions.setStatus': 50,
  'chat.postMessage': 300,
  'chat.update': 50,
};

it('sixty approvals in a minute stay within the tiers, and no card waits for more than a few seconds', async () => {
  fakeTimers(1_000_000);
  const api = createFakeApi();
  const spent = new Map<string, number>();
  const counts = new Map<string, number>();
  const refused: string[] = [];
  const doneAt = new Map<string, number>();
  const working = new Set<unknown>();
  for (const [method, perMinute] of Object.entries(SLACK)) {
    const limit = { burst: perMinute, everyMs: 60_000 / perMinute };
    api.answers.set(method, (args) => {
      const before = spent.get(method) ?? 0;
      if (timeUntilPost(limit, before, Date.now()) > 0) {
        refused.push(method);
        return { ok: false, error: 'ratelimited' };
      }
      spent.set(method, spend(limit, before, Date.now()));
      counts.set(method, (counts.get(method) ?? 0) + 1);
      if (args.status === 'processing') working.add(args.thread_ts);
      else if (args.status !== undefined) working.delete(args.thread_ts);
      doneAt.set(String(args.text), Date.now());
      return { ok: true, ts: `9.${api.calls.length}` };
    });
  }
  const limits = new MethodLimits({ store, postsPerSecond: 1, clock: Date.now, log: quiet });
  const client = new LimitedClient('xoxb-test', api.ownOptions, limits);
  const statuses = new StatusLine({ client, log: quiet, room: limits.room });
  onTestFinished(() => statuses.stop());
  const words = new Map<string, string>();
  const outbox = createOutbox({
    store,
    clock: Date.now,
    holder: { owner: 'one', isGone: () => false },
    nudges: createNudges().join(),
    posts: new PostedMessages({ store, client }),
    files: { show: async () => {} },
    rateLimit: toRateLimit(1),
    timeUntilCall: limits.timeUntilCall,
    render: async ({ show }) => ({ messages: [said(words.get(rowId(show)) ?? '')], onlyUpdate: false }),
    renderRefused: async () => null,
    direct: { refused: async () => {}, mayHaveCopies: async () => false, shown: async () => {} },
    raiseList: async () => () => null,
    onShown: () => undefined,
    finishStream: async () => null,
    log: quiet,
  });
  onTestFinished(() => outbox.stop());
  const places = Array.from({ length: 60 }, (_, index) => ({
    channel: `C${index % 12}`,
    threadId: `slack:T1:C${index % 12}:${index}.0`,
  }));
  const show = async (index: number, what: string, text: string) => {
    const place = places[index] ?? { channel: '', threadId: '' };
    const it = call(`${index} ${what}`);
    words.set(rowId(it), `${index} ${text}`);
    await store.commit({ put: [put(rows, rowId(it), { ...place, at: Date.now(), show: it })] });
    outbox.wake(place.channel);
  };
  const endedAt: number[] = [];
  for (let second = 0; second < 100; second += 1) {
    const [asked, decided] = [places[second], places[second - 10]];
    if (asked) statuses.set(asked.threadId, { state: 'processing', words: '', title: '' });
    if (asked) await show(second, 'card', 'waits');
    await vi.advanceTimersByTimeAsync(500);
    if (asked) statuses.set(asked.threadId, { state: 'suspended' });
    if (decided) {
      endedAt.push(Date.now());
      await show(second - 10, 'card', 'done');
      await show(second - 10, 'answer', 'answer');
      statuses.set(decided.threadId, { state: 'active' });
    }
    await vi.advanceTimersByTimeAsync(500);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  expect(refused).toEqual([]);
  expect(Object.fromEntries(counts)).toMatchObject({ 'chat.postMessage': 120, 'chat.update': 60 });
  const delays = endedAt.map((ended, index) => (doneAt.get(`${index} done`) ?? Number.NaN) - ended);
  expect(Math.max(...delays)).toBeLessThan(3_000);
  expect(working).toEqual(new Set());
  expect(counts.get('agents.sessions.setStatus')).toBeGreaterThan(40);
});
