import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type CheckpointListOptions,
  ERROR,
  INTERRUPT,
  JsonPlusSerializer,
} from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StoreError } from '../../../../../src/lib/errors.ts';
import { SqliteSaver } from '../../../../../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../../../../../src/storage/sqlite/file.ts';
import { openSqliteStore } from '../../../../../src/storage/sqlite/store.ts';
import { all, checkpoint, putCarryingOn, putNew, thread } from '../fixture.ts';

let folder: string;
let path: string;
let saver: SqliteSaver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-checkpoints-'));
  path = join(folder, 'checkpoints.db');
  saver = new SqliteSaver(path);
});
afterEach(async () => {
  await saver.close();
  rmSync(folder, { recursive: true });
});

describe('putWrites', () => {
  const written = async (config: RunnableConfig) => (await saver.getTuple(config))?.pendingWrites;

  test('leaves a write that is there as it is', async () => {
    const config = await putNew(saver, 't');
    await saver.putWrites(
      config,
      [
        ['a', 1],
        ['b', 2],
      ],
      'task',
    );
    await saver.putWrites(
      config,
      [
        ['a', 3],
        ['b', 4],
        ['c', 5],
      ],
      'task',
    );
    expect(await written(config)).toEqual([
      ['task', 'a', 1],
      ['task', 'b', 2],
      ['task', 'c', 5],
    ]);
  });

  test('replaces an error or interrupt by the latest, also among other writes', async () => {
    const config = await putNew(saver, 't');
    await saver.putWrites(
      config,
      [
        [INTERRUPT, 'first'],
        ['a', 1],
      ],
      'task',
    );
    await saver.putWrites(
      config,
      [
        [INTERRUPT, 'second'],
        ['a', 2],
      ],
      'task',
    );
    await saver.putWrites(config, [[ERROR, 'broken']], 'task');
    expect(await written(config)).toEqual([
      ['task', INTERRUPT, 'second'],
      ['task', ERROR, 'broken'],
      ['task', 'a', 1],
    ]);
  });

  test('gives writes back in the order of task path, task and place, by code point', async () => {
    const config = await putNew(saver, 't');
    await saver.putWrites(config, [['x', 1]], 'task-a', 'path-🦊');
    await saver.putWrites(config, [['x', 2]], 'task-a2', 'path-\uffff');
    await saver.putWrites(
      config,
      Array.from({ length: 11 }, (_, place) => ['y', place]),
      'task-b',
      'path-1',
    );
    await saver.putWrites(config, [['x', 3]], 'task-z');
    const order = (await written(config))?.map(([task, , value]) => `${task} ${value}`);
    const tens = Array.from({ length: 11 }, (_, place) => `task-b ${place}`);
    expect(order).toEqual(['task-z 3', ...tens, 'task-a2 2', 'task-a 1']);
  });
});

describe('threads', () => {
  test('deleting one leaves those whose id begins with its id, in every table', async () => {
    const ids = ['slack:C1', 'slack:C12', 'slack:C1:1700000000.000100', 'slack:C1%', 'slack:c1'];
    for (const id of ids) await saver.putWrites(await putNew(saver, id, { x: id }), [['a', id]], 'task');
    await saver.deleteThread('slack:C1');
    expect(await saver.getTuple(thread('slack:C1'))).toBeUndefined();
    for (const id of ids.slice(1)) {
      const tuple = await saver.getTuple(thread(id));
      expect(tuple?.checkpoint.channel_values).toEqual({ x: id });
      expect(tuple?.pendingWrites).toEqual([['task', 'a', id]]);
    }
    const database = new DatabaseSync(path);
    for (const table of ['checkpoints', 'checkpoint_values', 'checkpoint_writes']) {
      const rows = database.prepare(`SELECT thread_id FROM ${table} ORDER BY thread_id`).all();
      expect(rows.map((row) => row.thread_id)).toEqual(ids.slice(1).toSorted());
    }
    database.close();
  });

  test('a put, its writes and its reading take as many statements among 300 threads as among 1', async () => {
    const spies = [
      vi.spyOn(StatementSync.prototype, 'run'),
      vi.spyOn(StatementSync.prototype, 'get'),
      vi.spyOn(StatementSync.prototype, 'all'),
      vi.spyOn(DatabaseSync.prototype, 'exec'),
    ];
    const statementsFor = async (id: string) => {
      for (const spy of spies) spy.mockClear();
      const config = await putNew(saver, id, { x: 1, y: 2 });
      await saver.putWrites(config, [['x', 1]], 'task');
      await saver.getTuple(thread(id));
      return spies.map((spy) => spy.mock.calls.length);
    };
    const alone = await statementsFor('first');
    for (let number = 0; number < 300; number++) await putNew(saver, `other ${number}`, { x: 1 });
    expect(await statementsFor('last')).toEqual(alone);
    expect(alone).toEqual([4, 1, 2, 6]);
    for (const spy of spies) spy.mockRestore();
  });

  test('a thread id that is no text is refused, and not taken for all threads', async () => {
    await putNew(saver, 't');
    const config = { configurable: { thread_id: 5 } };
    await expect(saver.getTuple(config)).rejects.toThrow(TypeError);
    await expect(all(saver.list(config))).rejects.toThrow(TypeError);
  });
});

describe('list', () => {
  test('is newest first, ends at its limit, and filters before it counts', async () => {
    let config: RunnableConfig = thread('t');
    for (let step = 0; step < 6; step++) {
      const source = step % 2 === 0 ? ('loop' as const) : ('input' as const);
      config = await saver.put(config, checkpoint(), { source, step, parents: {} }, {});
    }
    const steps = async (options: CheckpointListOptions) =>
      (await all(saver.list(thread('t'), options))).map((tuple) => tuple.metadata?.step);
    expect(await steps({})).toEqual([5, 4, 3, 2, 1, 0]);
    expect(await steps({ limit: 2 })).toEqual([5, 4]);
    expect(await steps({ limit: 0 })).toEqual([]);
    expect(await steps({ limit: 2, filter: { source: 'loop' } })).toEqual([4, 2]);
    expect(await steps({ limit: 1, before: config })).toEqual([4]);
    expect(await steps({ filter: { parents: {} }, limit: 1 })).toEqual([5]);
  });
});

describe('the database', () => {
  test('holds each channel value once, though many checkpoints carry it on', async () => {
    const first = checkpoint({ big: 'x'.repeat(100_000), step: 0 });
    const config = await putCarryingOn(saver, first);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({
      ...first.channel_values,
      step: 20,
    });
    const database = new DatabaseSync(path);
    const row = database.prepare('SELECT sum(length(bytes)) AS bytes FROM checkpoint_values').get();
    expect(row?.bytes).toBeLessThan(110_000);
    database.close();
  });

  test('can be the one that the store is in', async () => {
    const store = openSqliteStore({ path });
    await putNew(saver, 't', { x: 1 });
    expect((await saver.getTuple(thread('t')))?.checkpoint.channel_values).toEqual({ x: 1 });
    await store.close();
  });

  test('stays open when it was handed in', async () => {
    const file = openSqliteFile(':memory:');
    await new SqliteSaver(file).close();
    expect(file.database.isOpen).toBe(true);
    await file.close();
  });

  test('that is closed makes every method reject with a StoreError', async () => {
    const config = await putNew(saver, 't');
    await saver.close();
    await expect(saver.getTuple(config)).rejects.toThrow(StoreError);
    await expect(all(saver.list(config))).rejects.toThrow(StoreError);
    await expect(putNew(saver, 't')).rejects.toThrow(StoreError);
    await expect(saver.putWrites(config, [['a', 1]], 'task')).rejects.toThrow(StoreError);
    await expect(saver.deleteThread('t')).rejects.toThrow(StoreError);
  });

  test('holds nothing but what the serializer made of it', async () => {
    await saver.close();
    saver = new SqliteSaver(path, new ReversingSerializer());
    const config = await putNew(saver, 't', { x: 'a secret' });
    await saver.putWrites(config, [['a', 'a secret']], 'task');
    const tuple = await saver.getTuple(config);
    expect(tuple?.checkpoint.channel_values).toEqual({ x: 'a secret' });
    expect(tuple?.pendingWrites).toEqual([['task', 'a', 'a secret']]);
    expect(await all(saver.list(config, { filter: { source: 'loop' } }))).toHaveLength(1);
    const database = new DatabaseSync(path);
    for (const table of ['checkpoints', 'checkpoint_values', 'checkpoint_writes']) {
      for (const row of database.prepare(`SELECT * FROM ${table}`).all()) {
        for (const cell of Object.values(row)) {
          const text = cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell);
          expect(text).not.toContain('secret');
        }
      }
    }
    database.close();
  });

  test('holds nothing of a checkpoint of which one value cannot be serialised', async () => {
    await saver.close();
    saver = new SqliteSaver(path, new RefusingSerializer());
    await expect(putNew(saver, 't', { good: 1, bad: 'refused' })).rejects.toThrow('refused');
    expect(await saver.getTuple(thread('t'))).toBeUndefined();
    expect(await all(saver.list(thread('t')))).toEqual([]);
  });
});

/** Writes every byte reversed, and calls that a type of its own. */
class ReversingSerializer extends JsonPlusSerializer {
  override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    const [type, bytes] = await super.dumpsTyped(value);
    return [`reversed ${type}`, bytes.toReversed()];
  }

  override async loadsTyped(type: string, data: Uint8Array): Promise<unknown> {
    return super.loadsTyped(type.replace('reversed ', ''), data.toReversed());
  }
}

/** Cannot write the value `refused`. */
class RefusingSerializer extends JsonPlusSerializer {
  override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    if (value === 'refused') throw new Error('refused');
    return super.dumpsTyped(value);
  }
}
