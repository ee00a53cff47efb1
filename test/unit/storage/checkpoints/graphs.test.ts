import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Annotation, Command, DeltaChannel, END, START, StateGraph } from '@langchain/langgraph';
import { type BaseCheckpointSaver, MemorySaver } from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SqliteSaver } from '../../../../src/storage/checkpoints/sqlite/saver.ts';
import { all, askingGraph, LogState, thread } from './fixture.ts';

let folder: string;
let path: string;
let saver: SqliteSaver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-graphs-'));
  path = join(folder, 'checkpoints.db');
  saver = new SqliteSaver(path);
});
afterEach(async () => {
  await saver.close();
  rmSync(folder, { recursive: true });
});

/** Adds one line each time it runs. */
function countingGraph(checkpointer: BaseCheckpointSaver) {
  return new StateGraph(LogState)
    .addNode('count', ({ log }) => ({ log: [`line ${log.length}`] }))
    .addEdge(START, 'count')
    .addEdge('count', END)
    .compile({ checkpointer });
}

/** Like {@link countingGraph}, with a channel whose value is spread over the checkpoints. */
function deltaGraph(checkpointer: BaseCheckpointSaver) {
  const append = (log: string[], writes: string[][]) => [...log, ...writes.flat()];
  const DeltaState = Annotation.Root({
    log: () =>
      new DeltaChannel<string[], string[]>(append, { snapshotFrequency: 4, initialValueFactory: () => [] }),
  });
  return new StateGraph(DeltaState)
    .addNode('count', ({ log }) => ({ log: [`seen ${log.length}`] }))
    .addEdge(START, 'count')
    .addEdge('count', END)
    .compile({ checkpointer });
}

describe('a graph', () => {
  test('goes on from its interrupt after the saver was closed and reopened', async () => {
    const config = thread('slack:T1:C1:1700000000.000100');
    const stopped = await askingGraph(saver).invoke({ log: [] }, { ...config, durability: 'sync' });
    expect(stopped).toMatchObject({ log: ['begun'], __interrupt__: [{ value: 'Go on?' }] });
    await saver.close();

    saver = new SqliteSaver(path);
    const graph = askingGraph(saver);
    const waiting = (await graph.getState(config)).tasks.flatMap((task) => task.interrupts);
    expect(waiting).toMatchObject([{ value: 'Go on?' }]);
    const id = waiting[0]?.id ?? '';
    const ended = await graph.invoke(new Command({ resume: { [id]: 'yes' } }), config);
    expect(ended.log).toEqual(['begun', 'heard yes']);
  });

  test('has the same history as with the reference saver', async () => {
    const histories = [];
    for (const checkpointer of [saver, new MemorySaver()]) {
      const graph = countingGraph(checkpointer);
      for (let turn = 0; turn < 3; turn++) await graph.invoke({ log: ['turn'] }, thread('t'));
      const history = await all(graph.getStateHistory(thread('t')));
      histories.push(history.map(({ values, next, metadata }) => ({ values, next, metadata })));
    }
    expect(histories[0]).toEqual(histories[1]);
  });

  test('keeps two branches of one thread apart though their versions count alike', async () => {
    const graph = countingGraph(saver);
    await graph.invoke({ log: ['root'] }, thread('t'));
    const fork = (await graph.getState(thread('t'))).config;
    const left = await graph.updateState(fork, { log: ['left'] });
    const right = await graph.updateState(fork, { log: ['right'] });
    expect((await graph.getState(left)).values.log).toEqual(['root', 'line 1', 'left']);
    expect((await graph.getState(right)).values.log).toEqual(['root', 'line 1', 'right']);
  });

  test('can copy a checkpoint', async () => {
    const graph = countingGraph(saver);
    await graph.invoke({ log: ['root'] }, thread('t'));
    const copied = await graph.updateState((await graph.getState(thread('t'))).config, null, '__copy__');
    expect((await graph.getState(copied)).values.log).toEqual(['root', 'line 1']);
  });

  test('with a delta channel finds its value again', async () => {
    const graph = deltaGraph(saver);
    for (let turn = 0; turn < 7; turn++) await graph.invoke({ log: [`turn ${turn}`] }, thread('t'));
    const { log } = (await graph.getState(thread('t'))).values;
    expect(log).toEqual(
      Array.from({ length: 7 }, (_, turn) => [`turn ${turn}`, `seen ${turn * 2 + 1}`]).flat(),
    );
  });
});

describe('prune', () => {
  const count = (table: string) => {
    const database = new DatabaseSync(path);
    const row = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get();
    database.close();
    return row?.rows;
  };

  test('leaves the newest checkpoints, and the thread goes on as before', async () => {
    const logs = [];
    for (const pruning of [true, false]) {
      const id = `pruning ${pruning}`;
      const graph = countingGraph(saver);
      for (let turn = 0; turn < 6; turn++) {
        await graph.invoke({ log: [`turn ${turn}`] }, thread(id));
        if (pruning) await saver.prune(id, 2);
      }
      expect(await all(saver.list(thread(id)))).toHaveLength(pruning ? 2 : 18);
      logs.push((await graph.getState(thread(id))).values.log);
    }
    expect(logs[0]).toHaveLength(12);
    expect(logs[0]).toEqual(logs[1]);
  });

  test('removes what no checkpoint needs any more, and nothing of other threads', async () => {
    const graph = countingGraph(saver);
    await graph.invoke({ log: ['other'] }, thread('other'));
    const before = ['checkpoints', 'checkpoint_values', 'checkpoint_parts', 'checkpoint_writes'].map(count);
    for (let turn = 0; turn < 6; turn++) {
      await graph.invoke({ log: [`turn ${turn}`] }, thread('t'));
      await saver.prune('t', 1);
    }
    await saver.deleteThread('other');
    expect(count('checkpoints')).toBe(1);
    expect(count('checkpoint_values')).toBeLessThanOrEqual(3);
    expect(count('checkpoint_writes')).toBe(0);
    await graph.invoke({ log: ['other'] }, thread('other'));
    await saver.deleteThread('t');
    expect(['checkpoints', 'checkpoint_values', 'checkpoint_parts', 'checkpoint_writes'].map(count)).toEqual(
      before,
    );
  });

  test('leaves a thread that waits for a person able to go on', async () => {
    const graph = askingGraph(saver);
    await graph.invoke({ log: [] }, thread('t'));
    await saver.prune('t', 1);
    const ended = await graph.invoke(new Command({ resume: 'yes' }), thread('t'));
    expect(ended.log).toEqual(['begun', 'heard yes']);
  });

  test('does nothing to a thread with delta channels', async () => {
    const graph = deltaGraph(saver);
    for (let turn = 0; turn < 3; turn++) await graph.invoke({ log: [`turn ${turn}`] }, thread('t'));
    const before = (await graph.getState(thread('t'))).values;
    await saver.prune('t', 1);
    expect(count('checkpoints')).toBeGreaterThan(1);
    expect((await graph.getState(thread('t'))).values).toEqual(before);
  });

  test('keeps one checkpoint at least', async () => {
    await expect(saver.prune('t', 0)).rejects.toThrow(RangeError);
  });
});
