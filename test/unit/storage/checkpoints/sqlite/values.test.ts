import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteSaver } from '../../../../../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../../../../../src/storage/sqlite/file.ts';
import { checkpoint, metadata, thread } from '../fixture.ts';

const message = (id: number) => new HumanMessage({ id: `m${id}`, content: `words of ${id} `.repeat(20) });

/** The tables of values and checkpoints before values had logs, with a thread of two messages. */
const EARLIER = `
  CREATE TABLE checkpoints (
    thread_id TEXT NOT NULL, namespace TEXT NOT NULL, checkpoint_id TEXT NOT NULL, parent_id TEXT,
    versions TEXT NOT NULL, type TEXT NOT NULL, bytes BLOB NOT NULL, metadata_type TEXT NOT NULL,
    metadata_bytes BLOB NOT NULL, PRIMARY KEY (thread_id, namespace, checkpoint_id));
  CREATE TABLE checkpoint_values (
    thread_id TEXT NOT NULL, namespace TEXT NOT NULL, channel TEXT NOT NULL, version TEXT NOT NULL,
    type TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (thread_id, namespace, channel, version));
  INSERT INTO checkpoints VALUES ('t', '', '1f0c8c1e-0000-6000-8000-000000000001', NULL, '{"messages":"1.5"}', 'json',
    CAST('{"v":4,"id":"1f0c8c1e-0000-6000-8000-000000000001","ts":"2026-11-20T10:00:00.000Z","channel_values":{},"channel_versions":{"messages":1.5},"versions_seen":{}}' AS BLOB),
    'json', CAST('{"source":"loop","step":1,"parents":{}}' AS BLOB));
  INSERT INTO checkpoint_values VALUES ('t', '', 'messages', '1.5', 'json',
    CAST('[{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"id":"m1","content":"hello","additional_kwargs":{},"response_metadata":{}}},{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"id":"m2","content":"hi","tool_calls":[],"invalid_tool_calls":[],"additional_kwargs":{},"response_metadata":{}}}]' AS BLOB));
`;

function open(earlier = '') {
  const file = openSqliteFile(':memory:');
  onTestFinished(() => file.close());
  file.database.exec(earlier);
  const saver = new SqliteSaver(file);
  const parts = () => {
    const row = file.database
      .prepare(
        'SELECT count(*) AS count, count(DISTINCT log) AS logs, sum(length(bytes)) AS bytes FROM checkpoint_parts',
      )
      .get();
    return { count: Number(row?.count), logs: Number(row?.logs), bytes: Number(row?.bytes) };
  };
  let version = 1;
  return {
    file,
    saver,
    parts,
    /** Puts a version of the conversation, as what follows `config`. */
    async put(messages: readonly BaseMessage[], config: RunnableConfig = thread('t')) {
      version += 1;
      const next = checkpoint({ messages }, version);
      return saver.put(config, next, metadata, next.channel_versions);
    },
    async read(config: RunnableConfig = thread('t'), from = saver): Promise<string[]> {
      const values: unknown = (await from.getTuple(config))?.checkpoint.channel_values.messages;
      return Array.isArray(values) ? values.map(({ id }) => String(id)) : [];
    },
    /** A saver that has nothing in memory. */
    another: () => new SqliteSaver(file),
  };
}

describe('a conversation in SQLite', () => {
  it('is written once, and read whole by whoever has nothing of it in memory', async () => {
    const { saver, put, read, parts, another } = open();
    const messages: BaseMessage[] = [message(0)];
    for (let count = 1; count <= 20; count++) {
      await put(messages);
      messages.push(message(count));
      await saver.prune('t', 1);
    }
    expect(await read(thread('t'), another())).toEqual(messages.slice(0, 20).map(({ id }) => id));
    expect(parts().logs).toBe(1);
    expect(parts().bytes).toBeLessThan(20 * 700);
  });

  it('has parts of its own where it goes on from one version in two ways', async () => {
    const { put, read, another, saver } = open();
    const common = [message(1), message(2)];
    await put([message(1)]);
    const config = await put(common);
    const left = await put([...common, message(3)], config);
    await another().getTuple(config);
    await saver.getTuple(config);
    const right = await put([...common, message(4)], config);
    expect(await read(left, another())).toEqual(['m1', 'm2', 'm3']);
    expect(await read(right, another())).toEqual(['m1', 'm2', 'm4']);
  });

  it('leaves no parts behind when it begins anew, and when its thread goes', async () => {
    const { put, read, parts, saver } = open();
    const [first, third] = [message(1), message(3)];
    await put([first]);
    await put([first, message(2)]);
    expect(parts().count).toBe(1);
    await put([third]);
    await saver.prune('t', 1);
    expect(parts().count).toBe(0);
    expect(await read()).toEqual(['m3']);
    await put([third, message(4)]);
    expect(parts().count).toBe(1);
    await saver.deleteThread('t');
    expect(parts().count).toBe(0);
  });

  it('of a file of an earlier version is read, and goes on', async () => {
    const { put, read, saver, another } = open(EARLIER);
    const tuple = await saver.getTuple(thread('t'));
    const earlier: unknown = tuple?.checkpoint.channel_values.messages;
    if (!Array.isArray(earlier)) throw new Error('the conversation is gone');
    expect(earlier.map((it) => it.text)).toEqual(['hello', 'hi']);
    await put([...earlier, message(3)], tuple?.config);
    expect(await read(thread('t'), another())).toEqual(['m1', 'm2', 'm3']);
  });
});
