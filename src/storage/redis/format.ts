import type { Redis } from 'ioredis';
import { z } from 'zod';
import { StoreError } from '../../lib/errors.ts';
import { REDIS_FOREIGN, REDIS_NEWER } from '../texts.ts';
import { runScript, type Script, type ScriptArgument, sendRead, sendWrite } from './client.ts';
import { END_FORMAT_2, MOVE_ENTRIES, RENAME, SET_FORMAT } from './scripts.ts';

/** Number of the records' shape, kept beside them. */
const FORMAT_VERSION = 3;

/** How many rows are moved by one script, during which Redis answers nobody else; about 3 ms. */
const MOVED_AT_ONCE = 100;

/** How many of the server's keys one SCAN looks at. */
const SCANNED_AT_ONCE = 1_000;

/**
 * Makes what an earlier version wrote into this version's format. Several processes may do so at the same time, and one
 * that is interrupted leaves it to the next start. A process of format 2 that is still connected can't write from then
 * on. Rejects with StoreError when a later version wrote there.
 */
export async function takeOverFormat(client: Redis, prefix: string): Promise<void> {
  const format = `${prefix}format`;
  const run = (script: Script, keys: readonly string[], args: readonly ScriptArgument[] = []) =>
    sendWrite(client, () => runScript(client, script, { keys, args }));
  const found = Number(await sendRead(client, () => client.get(format)));
  if (found === FORMAT_VERSION) return;
  if (!(found < FORMAT_VERSION)) throw new StoreError(REDIS_NEWER);

  await run(END_FORMAT_2, [`${prefix}commits`]);
  for (const name of await collectionsIn(client, `${prefix}records:`)) {
    const keys = ['records', 'entries', 'rows', 'moving'].map((kind) => `${prefix}${kind}:${name}`);
    await run(RENAME, keys);
  }
  for (const name of await collectionsIn(client, `${prefix}moving:`)) {
    let cursor = '0';
    do {
      const keys = [`${prefix}rows:${name}`, `${prefix}moving:${name}`];
      cursor = cursorIn(await run(MOVE_ENTRIES, keys, [cursor, MOVED_AT_ONCE]));
    } while (cursor !== '0');
  }
  await run(SET_FORMAT, [format], [FORMAT_VERSION]);
}

const cursorSchema = z.string().regex(/^\d+$/);

function cursorIn(reply: unknown): string {
  const cursor = cursorSchema.safeParse(reply);
  if (!cursor.success) throw new StoreError(REDIS_FOREIGN);
  return cursor.data;
}

/** What stands behind `prefix` in the names of the server's keys. */
async function collectionsIn(client: Redis, prefix: string): Promise<ReadonlySet<string>> {
  const pattern = `${prefix.replace(/[*?[\]\\^]/g, '\\$&')}*`;
  const names = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await sendRead(client, () =>
      client.scan(cursor, 'MATCH', pattern, 'COUNT', SCANNED_AT_ONCE),
    );
    for (const key of keys) names.add(key.slice(prefix.length));
    cursor = next;
  } while (cursor !== '0');
  return names;
}
