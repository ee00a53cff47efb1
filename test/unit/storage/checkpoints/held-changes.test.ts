import type { CheckpointMetadata } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { FencedError, StoreError } from '../../../../src/lib/errors.ts';
import {
  type Given,
  HeldChanges,
  withoutReplaced,
} from '../../../../src/storage/checkpoints/held-changes.ts';
import { checkpoint, metadata } from './fixture.ts';

const at = (checkpointId: string, namespace = '') => ({ threadId: 't', namespace, checkpointId });

const step = (id: string, parentId: string | null, changed: string[] = [], more: object = {}): Given => ({
  kind: 'checkpoint',
  key: at(id),
  parentId,
  checkpoint: checkpoint(),
  metadata: { ...metadata, ...more } satisfies CheckpointMetadata,
  newVersions: Object.fromEntries(changed.map((channel) => [channel, id])),
  isCompact: true,
});

const writes = (id: string): Given => ({
  kind: 'writes',
  at: at(id),
  writes: [],
  taskId: `task of ${id}`,
  taskPath: '',
});

const names = (changes: readonly Given[]) =>
  changes.map((change) => (change.kind === 'writes' ? change.taskId : change.key.checkpointId));

describe('of the changes of a thread', () => {
  it('only the last checkpoint is left, with all values that are new and the writes to it', () => {
    const left = withoutReplaced([
      writes('stored'),
      step('a', 'stored', ['x', 'y']),
      writes('a'),
      step('b', 'a', ['y']),
      writes('b'),
    ]);
    expect(names(left)).toEqual(['b', 'task of b']);
    expect(left[0]).toMatchObject({ parentId: 'stored', newVersions: { x: 'a', y: 'b' } });
  });

  it('what belongs to a checkpoint that nothing goes on from stays', () => {
    expect(names(withoutReplaced([step('a', null), writes('a'), step('b', null), writes('b')]))).toEqual([
      'a',
      'task of a',
      'b',
      'task of b',
    ]);
  });

  it('all stay where values are spread over them', () => {
    const spread = { counters_since_delta_snapshot: { x: [1, 1] } };
    expect(names(withoutReplaced([step('a', null), writes('a'), step('b', 'a', [], spread)]))).toEqual([
      'a',
      'task of a',
      'b',
    ]);
  });
});

/** Changes that are prepared at once, and written when they're told to. */
function open() {
  const sends: { readonly changes: string[]; readonly end: PromiseWithResolvers<null> }[] = [];
  const held = new HeldChanges(async (_thread, changes) => () => {
    const end = Promise.withResolvers<null>();
    sends.push({ changes: names(changes), end });
    return end.promise;
  });
  return { held, sends };
}

describe('what is held back of a thread', () => {
  it('is sent once, and whoever asks meanwhile waits for the same', async () => {
    const { held, sends } = open();
    held.add('t', writes('a'), 1);
    const [one, other] = await Promise.all([held.send('t'), held.send('t')]);
    expect(sends.map(({ changes }) => changes)).toEqual([['task of a']]);
    sends[0]?.end.resolve(null);
    await Promise.all([one?.durable, other?.durable]);
    expect(await held.send('t')).toBeNull();
  });

  it('is held again when it can’t be written, and comes before what was added since', async () => {
    const { held, sends } = open();
    held.add('t', writes('a'), 1);
    const first = await held.send('t');
    held.add('t', writes('b'), 1);
    const later = held.send('t');
    sends[0]?.end.reject(new StoreError('away'));
    await expect(first?.durable).rejects.toThrow(StoreError);
    await expect(later).rejects.toThrow(StoreError);
    const again = await held.send('t');
    expect(sends.at(-1)?.changes).toEqual(['task of a', 'task of b']);
    sends.at(-1)?.end.resolve(null);
    await again?.durable;
  });

  it('is given up when another worker has the thread', async () => {
    const { held, sends } = open();
    held.add('t', writes('a'), 1);
    const sent = await held.send('t');
    sends[0]?.end.reject(new FencedError());
    await expect(sent?.durable).rejects.toThrow(FencedError);
    expect(await held.send('t')).toBeNull();
  });

  it('of an earlier lease is given up for what a later one adds', async () => {
    const { held, sends } = open();
    held.add('t', writes('a'), 1);
    held.add('t', writes('b'), 2);
    await held.send('t');
    expect(sends.map(({ changes }) => changes)).toEqual([['task of b']]);
  });

  it('is forgotten once what is on its way has ended', async () => {
    const { held, sends } = open();
    held.add('t', writes('a'), 1);
    await held.send('t');
    held.add('t', writes('b'), 1);
    const dropped = held.drop('t');
    sends[0]?.end.resolve(null);
    await dropped;
    expect(await held.send('t')).toBeNull();
  });
});
