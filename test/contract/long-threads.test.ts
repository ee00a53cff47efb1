import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { expect, it, onTestFinished, vi } from 'vitest';
import { graphContender } from '../../bench/graph.ts';
import { SqliteSaver } from '../../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../../src/storage/sqlite/file.ts';

/** A graph on SQLite, and what each turn of one thread reads and writes there. */
function openThread() {
  const file = openSqliteFile(':memory:');
  const saver = new SqliteSaver(file);
  onTestFinished(() => file.close());
  const counts = { dumped: 0, loaded: 0 };
  const { dumpsTyped, loadsTyped } = JsonPlusSerializer.prototype;
  vi.spyOn(JsonPlusSerializer.prototype, 'dumpsTyped').mockImplementation(async function (
    this: JsonPlusSerializer,
    value,
  ) {
    const dumped = await dumpsTyped.call(this, value);
    counts.dumped += dumped[1].length;
    return dumped;
  });
  vi.spyOn(JsonPlusSerializer.prototype, 'loadsTyped').mockImplementation(async function (
    this: JsonPlusSerializer,
    type,
    bytes,
  ) {
    counts.loaded += bytes.length;
    return loadsTyped.call(this, type, bytes);
  });
  const tables = ['checkpoints', 'checkpoint_values', 'checkpoint_parts', 'checkpoint_writes'];
  const now = () => ({
    ...counts,
    rows: Number(file.database.prepare('SELECT total_changes() AS rows').get()?.rows),
    stored: tables
      .map((table) => file.database.prepare(`SELECT sum(length(bytes)) AS sum FROM ${table}`).get()?.sum)
      .reduce((sum: number, bytes) => sum + Number(bytes ?? 0), 0),
  });
  const graph = graphContender('graph', saver);
  async function turn() {
    const before = now();
    await graph.propose('t');
    await graph.approve('t');
    const after = now();
    return {
      dumped: after.dumped - before.dumped,
      loaded: after.loaded - before.loaded,
      rows: after.rows - before.rows,
      stored: after.stored - before.stored,
    };
  }
  return { turn, now };
}

it('turn 100 of a thread reads and writes as much as turn 10', async () => {
  const { turn, now } = openThread();
  for (let number = 1; number < 10; number++) await turn();
  const early = await turn();
  for (let number = 11; number < 100; number++) await turn();
  const late = await turn();
  expect(late.rows).toBe(early.rows);
  // Versions have fractions of any length.
  expect(Math.abs(late.dumped - early.dumped)).toBeLessThan(200);
  expect(Math.abs(late.loaded - early.loaded)).toBeLessThan(200);
  expect(Math.abs(late.stored - early.stored)).toBeLessThan(200);
  expect(now().stored).toBeLessThan(100 * 2_000);
});
