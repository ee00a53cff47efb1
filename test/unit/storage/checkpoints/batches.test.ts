import { describe, expect, it } from 'vitest';
import { createBatches } from '../../../../src/storage/checkpoints/batches.ts';
import type { CheckpointChange } from '../../../../src/storage/checkpoints/types.ts';

const writes = (taskId: string): CheckpointChange => ({
  kind: 'writes',
  at: { threadId: 't', namespace: '', checkpointId: 'c' },
  taskId,
  taskPath: '',
  writes: [],
});
const named = (change: CheckpointChange) => (change.kind === 'writes' ? change.taskId : 'checkpoint');

/** Commits that end when they are told to. */
function open() {
  const commits: {
    thread: string;
    changes: string[];
    fence: number | null;
    end: PromiseWithResolvers<void>;
  }[] = [];
  const batches = createBatches((thread, changes, fence) => {
    const end = Promise.withResolvers<void>();
    commits.push({ thread, changes: changes.map(named), fence, end });
    return end.promise;
  });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { commits, batches, turn };
}

describe('what is written to a thread', () => {
  it('in one turn of the event loop is committed together, in its order', async () => {
    const { commits, batches, turn } = open();
    const both = [batches.add('t', writes('a'), 7), batches.add('t', writes('b'), 7)];
    await turn();
    expect(commits).toMatchObject([{ thread: 't', changes: ['a', 'b'], fence: 7 }]);
    commits[0]?.end.resolve();
    await expect(Promise.all(both)).resolves.toBeDefined();
  });

  it('waits for the commit before it, and what gathers meanwhile is one commit', async () => {
    const { commits, batches, turn } = open();
    const first = batches.add('t', writes('a'), null);
    await turn();
    const later = [batches.add('t', writes('b'), null), batches.add('t', writes('c'), null)];
    await turn();
    expect(commits).toHaveLength(1);
    commits[0]?.end.resolve();
    await first;
    await turn();
    expect(commits.map(({ changes }) => changes)).toEqual([['a'], ['b', 'c']]);
    commits[1]?.end.resolve();
    await Promise.all(later);
  });

  it('under another token is a commit of its own', async () => {
    const { commits, batches, turn } = open();
    const all = [batches.add('t', writes('a'), 1), batches.add('t', writes('b'), 2)];
    await turn();
    commits[0]?.end.resolve();
    await turn();
    commits[1]?.end.resolve();
    await Promise.all(all);
    expect(commits.map(({ changes, fence }) => [changes, fence])).toEqual([
      [['a'], 1],
      [['b'], 2],
    ]);
  });

  it('does not wait for another thread', async () => {
    const { commits, batches, turn } = open();
    const all = [batches.add('t', writes('a'), null), batches.add('u', writes('b'), null)];
    await turn();
    expect(commits.map(({ thread }) => thread)).toEqual(['t', 'u']);
    for (const { end } of commits) end.resolve();
    await Promise.all(all);
  });

  it('and cannot be committed fails for all of that commit, and for none after it', async () => {
    const { commits, batches, turn } = open();
    const both = Promise.allSettled([
      batches.add('t', writes('a'), null),
      batches.add('t', writes('b'), null),
    ]);
    await turn();
    const after = batches.add('t', writes('c'), null);
    commits[0]?.end.reject(new Error('away'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    commits[1]?.end.resolve();
    await expect(after).resolves.toBeUndefined();
  });

  it('is settled when all of it has ended, however', async () => {
    const { commits, batches, turn } = open();
    const lost = batches.add('t', writes('a'), null).catch(() => 'lost');
    await turn();
    let settled = false;
    const waiting = batches.settled('t').then(() => {
      settled = true;
    });
    await turn();
    expect(settled).toBe(false);
    commits[0]?.end.reject(new Error('away'));
    await waiting;
    await expect(lost).resolves.toBe('lost');
    await expect(batches.settled('t')).resolves.toBeUndefined();
  });
});
