import type { Redis } from 'ioredis';
import { z } from 'zod';
import { StoreError } from '../../lib/errors.ts';
import { createTimeSlices } from '../../lib/time-slices.ts';
import { type Bounds, encodeCursor, type Row, toBounds } from '../driver-support.ts';
import { KnownRecords } from '../known-records.ts';
import { type Collection, checkId, type Store, type Stored } from '../store.ts';
import { STORE_CLOSED } from '../texts.ts';
import { checkClient, closeRedis, connectRedis, runScript, sendWrite } from './client.ts';
import { BETWEEN, collectionKeys, createCommitter, noteCommitter, unexpectedReply } from './commits.ts';
import { takeOverFormat } from './format.ts';
import { JoinedReads } from './joined-reads.ts';
import { packedText, unpackJson } from './packed-json.ts';
import { COMMIT } from './scripts.ts';

/** The prefix of every key. The braces put all keys into one slot of a Redis Cluster. */
export const DEFAULT_PREFIX = '{cs}:';

type RedisStoreOptions = {
  /** In front of every key; with a hash tag in braces, or a Redis Cluster will refuse. Default `{cs}:`. */
  readonly prefix?: string;
} & (
  | { readonly url: string }
  /** Made by `connectRedis`; it stays open when the store is closed. */
  | { readonly client: Redis }
);

/**
 * The store in Redis 6 or later, or Valkey. The server's own settings decide which crashes a
 * commit survives: see `readDurability`. Rejects with StoreError when the server cannot be reached within 2 seconds, or
 * holds what a later version of the program wrote.
 */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { prefix = DEFAULT_PREFIX } = options;
  if ('client' in options) {
    checkClient(options.client);
    await takeOverFormat(options.client, prefix);
    return createStore(options.client, prefix, async () => undefined);
  }
  const client = connectRedis(options.url);
  try {
    await takeOverFormat(client, prefix);
  } catch (error) {
    await closeRedis(client);
    throw error;
  }
  return createStore(client, prefix, () => closeRedis(client));
}

function createStore(client: Redis, prefix: string, release: () => Promise<void>): Store {
  let closed = false;
  const reads = new JoinedReads(client);
  const known = new KnownRecords();
  // Many answers can come in one packet.
  const giveWay = createTimeSlices();
  const checkOpen = (): void => {
    if (closed) throw new StoreError(STORE_CLOSED);
  };
  const committer = createCommitter(client, prefix, checkOpen);

  async function readRecords<T>(
    collection: Collection<T>,
    ids: readonly string[],
  ): Promise<(Stored<T> | null)[]> {
    for (const id of ids) checkId(id);
    await giveWay();
    checkOpen();
    if (ids.length === 0) return [];
    const { rows } = collectionKeys(prefix, collection.name);
    const args = [ids.length, ...ids];
    const found = rowsReplySchema.safeParse(await reads.ask({ kind: 'records', keys: [rows], args }));
    if (!found.success) throw unexpectedReply();
    return ids.map((id, place) => {
      const row = found.data[place] ?? null;
      return row === null ? null : known.read(collection, parseRow(id, row), unpackJson);
    });
  }

  const store: Store = {
    async get(collection, id) {
      const [record = null] = await readRecords(collection, [id]);
      return record;
    },

    getMany: readRecords,

    async query(collection, index, range, limit) {
      const bounds = toBounds(collection, index, range, limit);
      await giveWay();
      checkOpen();
      const { rows, index: members } = collectionKeys(prefix, collection.name);
      // One more row than asked for shows whether there is a next page.
      const args = [...lexicalRange(index, bounds), limit + 1];
      const entries = parsePage(await reads.ask({ kind: 'page', keys: [rows, members], args }));
      const shown = entries.slice(0, limit);
      const last = entries.length > limit ? shown.at(-1) : undefined;
      return {
        items: shown.map(({ row }) => known.read(collection, row, unpackJson)),
        next: last === undefined ? null : encodeCursor({ key: last.key, id: last.row.id }),
      };
    },

    async count(collection, index, range, atMost) {
      const bounds = toBounds(collection, index, range, atMost);
      // Redis counts upwards only.
      const [, first, past] = lexicalRange(index, { ...bounds, descending: false });
      await giveWay();
      checkOpen();
      const { index: members } = collectionKeys(prefix, collection.name);
      const reply = await reads.ask({ kind: 'count', keys: [members], args: [first, past] });
      return Math.min(parseCount(reply), atMost);
    },

    async commit(change) {
      await giveWay();
      const part = committer.toPart(change);
      return part.parse(await sendWrite(client, () => runScript(client, COMMIT, part)));
    },

    reclaim: async () => false,

    async close() {
      if (closed) return;
      closed = true;
      await release();
    },
  };
  return noteCommitter(store, committer);
}

type LexicalRange = readonly [direction: 'up' | 'down', begin: string, end: string];

/** Direction, beginning and end, as PAGE takes them; `[` includes the bound and `(` leaves it out. */
function lexicalRange(index: string, { lower, upper, descending, after }: Bounds): LexicalRange {
  const first = `[${index}${BETWEEN}${lower}`;
  const past = `(${index}${BETWEEN}${upper}`;
  const seen = after === null ? null : `(${[index, after.key, after.id].join(BETWEEN)}`;
  return descending ? ['down', seen ?? past, first] : ['up', seen ?? first, past];
}

/** In a page, null is a record that was deleted, but that the index still has. */
const rowsReplySchema = z.array(z.instanceof(Buffer).nullable());

function parsePage(reply: unknown): { readonly key: string; readonly row: Row }[] {
  const page = rowsReplySchema.safeParse(reply);
  if (!page.success) throw unexpectedReply();
  const entries: { key: string; row: Row }[] = [];
  for (let place = 0; place < page.data.length; place += 2) {
    const [member, row] = page.data.slice(place, place + 2);
    const [, key = '', ...id] = member?.toString().split(BETWEEN) ?? [];
    entries.push({ key, row: parseRow(id.join(BETWEEN), row ?? Buffer.of()) });
  }
  return entries;
}

function parseCount(reply: unknown): number {
  const count = z.int().safeParse(reply);
  if (!count.success) throw unexpectedReply();
  return count.data;
}

/** Its JSON still packed. A foreign row is read as one that fits no collection, so that it damages no other record. */
function parseRow(id: string, row: Buffer): Row {
  const end = row.indexOf('\n');
  const version = Number(row.toString('latin1', 0, end));
  if (end < 1 || !Number.isSafeInteger(version)) return { id, version: 0, json: '' };
  return { id, version, json: packedText(row.subarray(end + 1)) };
}
