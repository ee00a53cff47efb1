import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { AuthorizationServerOptions } from '../fixtures/oauth/authorization-server.ts';
import { ON_REDIS } from './storage.ts';

const FIXTURE = new URL(`../fixtures/data-of-03457cf/${ON_REDIS ? 'redis' : 'sqlite'}/`, import.meta.url)
  .pathname;

/** How long after the dialogues' beginning the data are opened, in milliseconds: all leases in them are over. */
export const OPENED_AFTER_MS = 60 * 60_000;
/** The key of the client whose thread is in the data. */
export const API_KEY = 'the-key-of-the-data-of-03457cf';
/** Where the server was that people signed in to: their tokens are for no other address. */
export const TASKS_PORT = ON_REDIS ? 21438 : 21437;

const tokensSchema = z.array(
  z.object({
    access: z.string(),
    refresh: z.string(),
    grant: z.object({ login: z.string(), clientId: z.string(), scope: z.string(), family: z.string() }),
  }),
);

/** The tokens that the authorization server had given out. */
export function earlierTokens(): NonNullable<AuthorizationServerOptions['given']> {
  return tokensSchema.parse(JSON.parse(readFileSync(join(FIXTURE, 'tokens.json'), 'utf8')));
}

interface EarlierPlaces {
  /** Where servers and the workspace keep what is theirs. */
  readonly folder: string;
  readonly dataDir: string;
  readonly redisUrl: string | null;
}

/** Puts the data of version 03457cf where an app and its workspace will look for theirs. */
export async function restoreEarlierData({ folder, dataDir, redisUrl }: EarlierPlaces): Promise<void> {
  await mkdir(dataDir);
  await copyFile(join(FIXTURE, 'effects.jsonl'), join(folder, 'effects.jsonl'));
  await writeFile(join(folder, 'workspace.json'), unpacked('workspace.json.gz'));
  if (redisUrl === null) await writeFile(join(dataDir, 'countersign.db'), unpacked('countersign.db.gz'));
  else await fillRedis(redisUrl);
}

function unpacked(name: string): Buffer {
  return gunzipSync(readFileSync(join(FIXTURE, name)));
}

const binarySchema = z
  .union([z.string(), z.object({ base64: z.base64() })])
  .transform((it) => (typeof it === 'string' ? Buffer.from(it) : Buffer.from(it.base64, 'base64')));
const lineSchema = z.intersection(
  z.object({ key: binarySchema, ttl: z.number() }),
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('string'), value: binarySchema }),
    z.object({ type: z.literal('hash'), value: z.array(z.tuple([z.string(), binarySchema])) }),
    z.object({ type: z.literal('set'), value: z.array(binarySchema) }),
    z.object({ type: z.literal('list'), value: z.array(binarySchema) }),
    z.object({ type: z.literal('zset'), value: z.array(binarySchema) }),
  ]),
);
type Line = z.infer<typeof lineSchema>;

/** One line of the dump for each key. */
async function fillRedis(url: string): Promise<void> {
  const lines = unpacked('redis.jsonl.gz').toString('utf8').trimEnd().split('\n');
  const redis = new Redis(url);
  for (const line of lines.map((it) => lineSchema.parse(JSON.parse(it)))) {
    await redis.call(...commandFor(line));
    if (line.ttl > 0) await redis.pexpire(line.key, line.ttl);
  }
  redis.disconnect();
}

function commandFor(line: Line): [string, ...Buffer[]] {
  switch (line.type) {
    case 'string':
      return ['SET', line.key, line.value];
    case 'hash':
      return ['HSET', line.key, ...line.value.flatMap(([field, value]) => [Buffer.from(field), value])];
    case 'set':
      return ['SADD', line.key, ...line.value];
    case 'list':
      return ['RPUSH', line.key, ...line.value];
    case 'zset': {
      // Read as member and score by turns; written the other way round.
      const pairs = line.value.flatMap((member, index, all) => {
        const score = all[index + 1];
        return index % 2 === 0 && score !== undefined ? [score, member] : [];
      });
      return ['ZADD', line.key, ...pairs];
    }
  }
}
