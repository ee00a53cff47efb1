import type { Redis } from 'ioredis';
import { z } from 'zod';
import { crashCanLose, DURABILITY_UNKNOWN, LOSS, lossSinceSnapshot } from '../texts.ts';
import { refusalCode, sendRead } from './client.ts';

interface Durability {
  /** What a crash of the server can lose, in one sentence for its operator. */
  readonly summary: string;
  /** Whether a commit that has returned survives a crash of the server, and nothing is evicted. */
  readonly strict: boolean;
}

interface Settings {
  readonly appendonly: string;
  readonly appendfsync: string;
  readonly save: string;
  readonly policy: string;
}

/**
 * Reads from the server's settings how durable its data is. Managed servers may forbid
 * that; then nothing is promised. Rejects with StoreError if the server can't be reached.
 */
export async function readDurability(client: Redis): Promise<Durability> {
  const settings = await readSettings(client);
  if (settings === null) {
    return { summary: DURABILITY_UNKNOWN, strict: false };
  }
  const evicts = settings.policy !== 'noeviction';
  return {
    summary: crashCanLose(describeLoss(settings), evicts ? settings.policy : null),
    strict: settings.appendonly === 'yes' && settings.appendfsync === 'always' && !evicts,
  };
}

/** https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/ */
function describeLoss({ appendonly, appendfsync, save }: Settings): string {
  if (appendonly === 'yes') {
    return appendfsync === 'always' || appendfsync === 'everysec' ? LOSS[appendfsync] : LOSS.never;
  }
  return save === '' ? LOSS.everything : lossSinceSnapshot(save);
}

/** Null when the server does not let them be read. */
async function readSettings(client: Redis): Promise<Settings | null> {
  const read = (name: string) => readSetting(client, name);
  const [appendonly, appendfsync, save, policy] = await Promise.all(
    ['appendonly', 'appendfsync', 'save', 'maxmemory-policy'].map(read),
  );
  if (appendonly == null || appendfsync == null || save == null || policy == null) return null;
  return { appendonly, appendfsync, save, policy };
}

/** The name that was asked for, and its value; nothing where the server has no such setting. */
const settingSchema = z.tuple([z.string(), z.string()]);

async function readSetting(client: Redis, name: string): Promise<string | null> {
  const reply = await sendRead(client, async () => {
    try {
      return await client.config('GET', name);
    } catch (error) {
      // The command is forbidden or renamed, but the server did reply.
      if (refusalCode(error) === null) throw error;
      return null;
    }
  });
  const setting = settingSchema.safeParse(reply);
  return setting.success ? setting.data[1] : null;
}
