import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runScript, script, sendRead, sendWrite } from '../../../../src/storage/redis/client.ts';
import { collection, put, ref, type Store } from '../../../../src/storage/store.ts';
import { hasRedis } from '../../../helpers/redis.ts';
import { connected, counter, counters, open, start } from './fixture.ts';

/** With what programs of format 2 commit. */
const COMMIT_2 = script(`
local argument = 0
local function take()
  argument = argument + 1
  return ARGV[argument]
end
local function keysOf(collection)
  local first = 3 * tonumber(collection)
  return KEYS[first - 1], KEYS[first], KEYS[first + 1]
end

for place = 1, tonumber(take()) do
  local records = keysOf(take())
  local row = redis.call('HGET', records, take())
  local version = row and string.match(row, '^%d+') or ''
  if version ~= take() then return {0, tostring(place)} end
end

local number
local function nextNumber()
  local last = tonumber(redis.call('GET', KEYS[1]) or '0')
  local time = redis.call('TIME')
  -- The clock keeps numbers from coming again when the server has lost its last commits in a crash.
  number = string.format('%.0f', math.max(last + 1, tonumber(time[1]) * 1000000 + tonumber(time[2])))
  redis.call('SET', KEYS[1], number)
end
local function removeEntries(entries, index, id)
  local members = redis.call('HGET', entries, id)
  if not members then return end
  for _, member in ipairs(cmsgpack.unpack(members)) do redis.call('ZREM', index, member) end
  redis.call('HDEL', entries, id)
end

local deletions, puts = tonumber(take()), tonumber(take())
if puts > 0 then nextNumber() end
for _ = 1, deletions do
  local records, entries, index = keysOf(take())
  local id = take()
  removeEntries(entries, index, id)
  redis.call('HDEL', records, id)
end
if puts == 0 then nextNumber() end
for _ = 1, puts do
  local records, entries, index = keysOf(take())
  local id, json = take(), take()
  removeEntries(entries, index, id)
  redis.call('HSET', records, id, number .. '\\n' .. json)
  local members = {}
  for place = 1, tonumber(take()) do
    members[place] = take()
    redis.call('ZADD', index, 0, members[place])
  end
  if #members > 0 then redis.call('HSET', entries, id, cmsgpack.pack(members)) end
end
return {1, number}
`);

const notes = collection({ name: 'notes', schema: z.object({ text: z.string() }), indexes: {} });

const keysOf = (name: string) => ['records', 'entries', 'index'].map((kind) => `{cs}:${kind}:${name}`);

/** Commits as such a program does, behind no expectation. */
function commit2(
  client: Redis,
  change: { put?: readonly ReturnType<typeof put>[]; delete?: readonly string[] },
) {
  const { put: puts = [], delete: ids = [] } = change;
  const names = [counters.name, notes.name];
  const args = [
    ...[0, ids.length, puts.length],
    ...ids.flatMap((id) => [1, id]),
    ...puts.flatMap(({ collection: name, id, json, keys }) => {
      const members = Object.entries(keys).map(([index, key]) => [index, key, id].join('\u0000'));
      return [names.indexOf(name) + 1, id, json, members.length, ...members];
    }),
  ];
  const keys = ['{cs}:commits', ...names.flatMap(keysOf)];
  return sendWrite(client, () => runScript(client, COMMIT_2, { keys, args }));
}

const COUNT = 600;

/** A server with what such a program wrote, and a connection of its own. */
async function writtenBefore(format: string) {
  const { url } = await start();
  const client = connected(url);
  await sendWrite(client, () => client.set('{cs}:format', format));
  const puts = Array.from({ length: COUNT }, (_, count) => counter(`id ${count}`, count));
  await commit2(client, { put: [...puts, put(notes, 'a', { text: '1\n2' })] });
  return { url, client };
}

async function expectAll(store: Store): Promise<void> {
  const { items } = await store.query(counters, 'byCount', {}, 2 * COUNT);
  expect(items.map(({ id, value }) => [id, value.count])).toEqual(
    Array.from({ length: COUNT }, (_, count) => [`id ${count}`, count]),
  );
  expect((await store.get(notes, 'a'))?.value).toEqual({ text: '1\n2' });
}

/** Nothing of what was taken over is left in an index once it is gone. */
async function expectNothingLeft(store: Store, client: Redis): Promise<void> {
  const refs = Array.from({ length: COUNT }, (_, count) => ref(counters, `id ${count}`));
  await store.commit({ delete: [...refs, ref(notes, 'a')] });
  const keys = await sendRead(client, () => client.keys('*'));
  expect(keys.toSorted()).toEqual(['{cs}:commits', '{cs}:format']);
}

describe.skipIf(!hasRedis('a store of format 2'))('a store of an earlier format', () => {
  test.each(['1', '2'])(
    'is taken over whole from format %s, which earlier versions refuse then',
    async (format) => {
      const { url, client } = await writtenBefore(format);
      const store = await open(url);
      expect(await sendRead(client, () => client.get('{cs}:format'))).toBe('3');
      await expectAll(store);
      await store.commit({ put: [counter('id 7', 7_000)] });
      const { items } = await store.query(counters, 'byCount', { descending: true }, 1);
      expect(items.map(({ id }) => id)).toEqual(['id 7']);
      expect((await store.query(counters, 'byCount', { prefix: [7] }, 1)).items).toEqual([]);
      await expectNothingLeft(store, client);
    },
  );

  test('is taken over once by several processes that start together', async () => {
    const { url, client } = await writtenBefore('2');
    const stores = await Promise.all([open(url), open(url), open(url)]);
    for (const store of stores) await expectAll(store);
    for (const store of stores.slice(1)) await expectNothingLeft(store, client);
  });

  test('is taken over to the end by the next start when the first was interrupted', async () => {
    const { url, client } = await writtenBefore('2');
    await sendWrite(client, () => client.rename('{cs}:records:counters', '{cs}:rows:counters'));
    await sendWrite(client, () => client.rename('{cs}:entries:counters', '{cs}:moving:counters'));
    const store = await open(url);
    await expectAll(store);
    await expectNothingLeft(store, client);
  });

  test('is changed no more by a program of format 2 that still runs', async () => {
    const { url, client } = await writtenBefore('2');
    const store = await open(url);
    const change = { put: [counter('id 1', 100), put(notes, 'b', { text: '' })] };
    await expect(commit2(client, change)).rejects.toThrow('Redis');
    await expect(commit2(client, { delete: ['id 2'] })).rejects.toThrow('Redis');
    await store.commit({ put: [put(notes, 'c', { text: '' })] });
    await expect(commit2(client, change)).rejects.toThrow('Redis');
    await expectAll(store);
    expect(await store.get(notes, 'b')).toBeNull();
  });
});
