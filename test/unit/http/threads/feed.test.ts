import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createThreadFeed, FEED_START } from '../../../../src/http/threads/feed.ts';
import type { ThreadRecord } from '../../../../src/runs/collections.ts';
import type { RunEvent } from '../../../../src/runs/ports.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { openGate, opening, proposed } from '../../../helpers/gate.ts';

const THREAD: ThreadRecord = {
  threadId: 'http:ci:t1',
  surface: { kind: 'http', keyName: 'ci', name: 't1' },
  graph: 'assistant',
  createdAt: 0,
};

let store: Store;
let count = 0;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

function feedAt(now: number) {
  return createThreadFeed({ store, clock: () => now, ids: () => `event ${count++}` });
}

function answered(response: string, threadId = THREAD.threadId): RunEvent {
  const item = {
    itemId: 'i',
    threadId,
    actor: { id: 'api:ci', name: 'ci' },
    text: '',
    at: 0,
    receivedAt: 0,
    state: 'answered',
    runId: 'r',
    stoppedBy: null,
    response,
  } as const;
  return { type: 'answered', item };
}

async function responses(after = FEED_START) {
  const events = await feedAt(0).eventsAfter(THREAD.threadId, after);
  return events.map(({ event }) => (event.event === 'done' ? event.data.response : event.event));
}

describe('the feed of a thread', () => {
  it('goes by commits, whatever the clocks of the processes say', async () => {
    await store.commit({ put: feedAt(50_000).announceRun(THREAD, answered('first')) });
    await store.commit({ put: feedAt(20_000).announceRun(THREAD, answered('second')) });
    expect(await responses()).toEqual(['first', 'second']);
  });

  it('tells a listener of what a slower clock wrote after what it has heard', async () => {
    await store.commit({ put: feedAt(150_000).announceRun(THREAD, answered('first')) });
    const [heard] = await feedAt(0).eventsAfter(THREAD.threadId, FEED_START);
    await store.commit({ put: feedAt(120_000).announceRun(THREAD, answered('second')) });
    expect(heard).toBeDefined();
    expect(await responses(heard)).toEqual(['second']);
  });

  it('tells a listener that heard one event of what shared its commit', async () => {
    const feed = feedAt(0);
    const changes = ['first', 'second', 'third'].map((text) => feed.announceRun(THREAD, answered(text)));
    await store.commit({ put: changes.flat() });
    const [heard] = await feed.eventsAfter(THREAD.threadId, FEED_START);
    expect(await responses(heard)).toEqual(['second', 'third']);
  });

  it('has more than a page of events', async () => {
    const many = Array.from({ length: 1_201 }, (_, index) => String(index));
    for (const [index, text] of many.entries()) {
      await store.commit({ put: feedAt(index).announceRun(THREAD, answered(text)) });
    }
    expect(await responses()).toEqual(many);
  });

  it('forgets what was written before a time, of all threads, the oldest first and so many at a time', async () => {
    const other = { ...THREAD, threadId: 'http:ci:t2' };
    for (const [at, thread] of [
      [1, THREAD],
      [2, other],
      [3, THREAD],
      [4, THREAD],
    ] as const) {
      await store.commit({ put: feedAt(at).announceRun(thread, answered(String(at), thread.threadId)) });
    }
    const { forget, eventsAfter } = feedAt(0);
    expect(await forget(4, 2)).toBe(2);
    expect(await responses()).toEqual(['3', '4']);
    expect(await eventsAfter(other.threadId, FEED_START)).toEqual([]);
    expect(await forget(4, 2)).toBe(1);
    expect(await forget(4, 2)).toBe(0);
    expect(await responses()).toEqual(['4']);
  });
});

describe('waiting for a change', () => {
  const never = new AbortController().signal;

  it('ends when the thread has changed', async () => {
    const feed = feedAt(0);
    const change = feed.nextChange(THREAD.threadId, 60_000, never);
    feed.notifyRun(THREAD);
    await expect(change.promise).resolves.toBeUndefined();
  });

  it('does not end for another thread, or for a word of an answer', async () => {
    const feed = feedAt(0);
    const change = feed.nextChange(THREAD.threadId, 60_000, never);
    feed.notifyRun({ ...THREAD, threadId: 'http:ci:t2' });
    feed.observe(THREAD, null, { type: 'token', text: 'x' });
    const first = await Promise.race([change.promise.then(() => 'changed'), Promise.resolve('waiting')]);
    expect(first).toBe('waiting');
    change.cancel();
  });

  it('ends at once when there is nobody to wait any more', async () => {
    const change = feedAt(0).nextChange(THREAD.threadId, 60_000, AbortSignal.abort());
    await expect(change.promise).resolves.toBeUndefined();
  });
});

it('a decision about calls of two threads is told to each of its own call alone', async () => {
  const gate = openGate();
  await gate.gate.requests.open(opening(await gate.fence(), proposed('c1')));
  const call = await gate.call('c1');
  const calls = ['http:ci:t1', 'http:ci:t2'].map((threadId, index) => ({
    ...call,
    state: 'approved' as const,
    threadId,
    callId: `c${index}`,
  }));
  const puts = feedAt(1).announceGate({ type: 'decided', calls }, ['http:ci:t1', 'http:ci:t2']);
  const told = puts.map(({ json }): { threadId: string; event: { data: { call_id?: string } } } =>
    JSON.parse(json),
  );
  expect(told.map(({ threadId, event }) => `${threadId} ${event.data.call_id}`)).toEqual([
    'http:ci:t1 c0',
    'http:ci:t2 c1',
  ]);
});
