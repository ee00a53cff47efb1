import { compareWritesSortKeys, writesSortKey } from '@langchain/langgraph-checkpoint';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { FencedError, StoreError } from '../../../lib/errors.ts';
import { byteOrder } from '../../driver-support.ts';
import {
  runScript,
  runScriptForBytes,
  type Script,
  type ScriptArgument,
  sendRead,
  sendWrite,
} from '../../redis/client.ts';
import { type CommitPart, findPart } from '../../redis/commits.ts';
import { type CommitResult, encodeKey } from '../../store.ts';
import { REDIS_CHECKPOINTS_UNREADABLE } from '../../texts.ts';
import type {
  Address,
  CheckpointChange,
  CheckpointHead,
  CheckpointRows,
  NewCheckpoint,
  NewWrites,
  SavedCheckpoint,
  Send,
  Typed,
} from '../types.ts';
import { packed, toBuffer, unpacked } from './packed.ts';
import { CLAIM, COMMIT, COMMIT_BOTH, DELETE, HEADS, READ } from './scripts.ts';

interface RedisCheckpointOptions {
  readonly client: Redis;
  /** The prefix of every key. */
  readonly prefix: string;
  /** How long a thread's checkpoints are kept after the last write, in milliseconds; null: forever. */
  readonly timeToLive: number | null;
}

/** The checkpointer's rows in Redis: two keys per thread, one script per question. */
export function redisCheckpointRows({ client, prefix, timeToLive }: RedisCheckpointOptions): CheckpointRows {
  const dataPrefix = `${prefix}checkpoints:data:`;
  const listKeys = (threadId: string) => [
    `${dataPrefix}${threadId}`,
    `${prefix}checkpoints:index:${threadId}`,
  ];
  const run = (script: Script, threadId: string, args: readonly ScriptArgument[]) =>
    runScriptForBytes(client, script, { keys: listKeys(threadId), args });
  const keepFor = timeToLive ?? '';

  const read: CheckpointRows['read'] = async ({ threadId, namespace, checkpointId }, known) => {
    const field = encodeKey(checkpointId === null ? ['c', namespace] : ['c', namespace, checkpointId]);
    const versions = [...known].flatMap((version) => [encodeKey(version), version[0]]);
    const reply = await sendRead(client, () => run(READ, threadId, [field, ...versions]));
    return reply === null ? null : savedIn(threadId, parsed(savedSchema, reply));
  };

  const headsOfThread = async (threadId: string, at: Address, before: string | null, most: number) => {
    const reply = await sendRead(client, () => run(HEADS, threadId, [...headsRange(at, before), most]));
    return parsed(headsSchema, reply).map(
      ([namespace, checkpointId, type, bytes]): CheckpointHead => ({
        threadId,
        namespace: namespace.toString(),
        checkpointId: checkpointId.toString(),
        metadata: typed(type, bytes),
      }),
    );
  };

  return {
    read,

    async heads(at, { before, limit }) {
      if (limit <= 0) return [];
      const threads = at.threadId === null ? await threadIds(client, dataPrefix) : [at.threadId];
      // Across namespaces the newest are known only when all are there.
      const most = at.namespace === null || !Number.isFinite(limit) ? -1 : limit;
      const found = await Promise.all(threads.map((id) => headsOfThread(id, at, before, most)));
      return found
        .flat()
        .filter(
          ({ checkpointId, namespace }) =>
            matches(at.checkpointId, checkpointId) && matches(at.namespace, namespace),
        )
        .filter(({ checkpointId }) => before === null || byteOrder(checkpointId, before) < 0)
        .toSorted((a, b) => byteOrder(b.checkpointId, a.checkpointId))
        .slice(0, limit);
    },

    async writes(at) {
      return (await read(at, new Map()))?.writes ?? [];
    },

    isOrdered: false,

    prepare: (threadId, changes, fence) =>
      prepareChanges({ client, keys: listKeys(threadId), keepFor, fence }, changes),

    async claim(threadId, fence) {
      const call = { keys: listKeys(threadId), args: [keepFor, fence] };
      refuseFenced(await sendWrite(client, () => runScript(client, CLAIM, call)));
    },

    async deleteThread(threadId) {
      await sendWrite(client, () => run(DELETE, threadId, []));
    },
  };
}

async function prepareChanges(
  { client, keys, keepFor, fence }: ChangeOptions,
  changes: readonly CheckpointChange[],
): Promise<Send> {
  const first = await Promise.all(changes.map((change) => scriptArguments(change, false)));
  /** How many of the changes are done; or what became of the commit, which is made once all are. */
  const send = async (
    given: readonly (readonly ScriptArgument[])[],
    part: CommitPart | null,
  ): Promise<number | CommitResult> => {
    const args = [keepFor, ...given.flat(), fence ?? ''];
    const both = part && {
      keys: [...keys, ...part.keys],
      args: [given.length, args.length, ...args, ...part.args],
    };
    const reply = await sendWrite(client, () =>
      both ? runScript(client, COMMIT_BOTH, both) : runScript(client, COMMIT, { keys, args }),
    );
    refuseFenced(reply);
    return part && Array.isArray(reply) ? part.parse(reply) : parsed(z.number(), reply);
  };
  return async (along) => {
    const part = along ? findPart(client, along) : null;
    let left = changes;
    for (let args = first; ; ) {
      const answer = await send(args, part);
      if (typeof answer !== 'number') return answer;
      left = left.slice(answer);
      if (left.length === 0) return null;
      // The next change extends a version that is missing or different, so its value is sent whole.
      args = await Promise.all(left.map((change, index) => scriptArguments(change, index === 0)));
    }
  };
}

interface ChangeOptions extends Pick<RedisCheckpointOptions, 'client'> {
  /** Those of the thread. */
  readonly keys: readonly string[];
  readonly keepFor: number | '';
  /** The token of whoever writes; null for one that has none. */
  readonly fence: number | null;
}

function refuseFenced(reply: unknown): void {
  if (reply === 'FENCED') throw new FencedError();
}

/** A change as COMMIT takes it: its kind, how many arguments follow, and these. */
async function scriptArguments(change: CheckpointChange, isWhole: boolean): Promise<ScriptArgument[]> {
  const args = await changeArguments(change, isWhole);
  return [change.kind, args.length, ...args];
}

async function changeArguments(change: CheckpointChange, isWhole: boolean): Promise<ScriptArgument[]> {
  switch (change.kind) {
    case 'checkpoint':
      return checkpointArguments(change.checkpoint, isWhole);
    case 'writes':
      return writesArguments(change);
    case 'prune':
      return [encodeKey(['c']), change.keep];
  }
}

function writesArguments({ at, taskId, taskPath, writes }: NewWrites): ScriptArgument[] {
  const field = encodeKey(['c', at.namespace, at.checkpointId]);
  return [
    ...[field, taskId, taskPath],
    ...writes.flatMap(({ place, channel, value }) => [place, channel, ...packed(value)]),
  ];
}

async function checkpointArguments(saved: NewCheckpoint, isWhole: boolean): Promise<ScriptArgument[]> {
  const { namespace, checkpointId, parentId, checkpoint, metadata, versions, isSpread } = saved;
  const references = Object.entries(versions).map((version) => encodeKey(version));
  const values = await Promise.all(
    saved.values.map(async ({ channel, version, ...value }): Promise<ScriptArgument[]> => {
      const { type, bytes } = isWhole && value.after !== null ? await value.whole() : value.value;
      const after = isWhole ? null : value.after;
      return [
        encodeKey(['v', namespace, channel, version]),
        encodeKey(['l', namespace, channel]),
        channel,
        type,
        toBuffer(bytes),
        after === null ? '' : encodeKey(['v', namespace, channel, after.version]),
        after?.dropped ?? 0,
      ];
    }),
  );
  return [
    encodeKey(['c', namespace, checkpointId]),
    namespace,
    checkpointId,
    parentId ?? '',
    ...packed(checkpoint),
    metadata.type,
    toBuffer(metadata.bytes),
    isSpread ? 1 : 0,
    references.length,
    ...references,
    ...values.flat(),
  ];
}

function matches(wanted: string | null, found: string): boolean {
  return wanted === null || found === wanted;
}

/** Past the last and from the first field, as ZREVRANGEBYLEX takes them. */
function headsRange({ namespace }: Address, before: string | null): [string, string] {
  const all = encodeKey(namespace === null ? ['c'] : ['c', namespace]);
  const past =
    namespace === null || before === null ? `${all.slice(0, -1)}\u0002` : encodeKey(['c', namespace, before]);
  return [`(${past}`, `[${all}`];
}

/** How many keys SCAN looks at in one step. */
const SCAN_STEP = 1_000;

/** Scans all keys of the server; needed only to list the checkpoints of all threads. */
async function threadIds(client: Redis, dataPrefix: string): Promise<string[]> {
  const pattern = `${dataPrefix.replaceAll(/[\\*?[\]]/g, '\\$&')}*`;
  const found = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await sendRead(client, () =>
      client.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_STEP),
    );
    for (const key of keys) found.add(key.slice(dataPrefix.length));
    cursor = next;
  } while (cursor !== '0');
  return [...found];
}

const bytes = z.instanceof(Buffer);
const headsSchema = z.array(z.tuple([bytes, bytes, bytes, bytes]));
const savedSchema = z.tuple([
  bytes,
  bytes,
  bytes,
  bytes,
  bytes,
  bytes,
  bytes,
  z.array(z.tuple([bytes, bytes, bytes])),
  z.array(z.tuple([bytes, bytes, z.array(z.tuple([bytes, bytes, bytes, bytes]))])),
]);

function parsed<T>(schema: z.ZodType<T>, reply: unknown): T {
  const result = schema.safeParse(reply);
  if (!result.success) {
    throw new StoreError(REDIS_CHECKPOINTS_UNREADABLE);
  }
  return result.data;
}

function savedIn(threadId: string, saved: z.infer<typeof savedSchema>): SavedCheckpoint {
  const [namespace, checkpointId, parentId, type, checkpoint, metadataType, metadata, values, tasks] = saved;
  return {
    threadId,
    namespace: namespace.toString(),
    checkpointId: checkpointId.toString(),
    parentId: parentId.length === 0 ? null : parentId.toString(),
    checkpoint: typed(type, checkpoint),
    metadata: typed(metadataType, metadata),
    values: values.flatMap(([channel, type, bytes]) =>
      type.length === 0 ? [] : [{ channel: channel.toString(), value: typed(type, bytes) }],
    ),
    // A value that the reader already has comes without a type.
    asKnown: values.flatMap(([channel, type]) => (type.length === 0 ? [channel.toString()] : [])),
    writes: tasks.flatMap(writesOfTask).toSorted((a, b) => compareWritesSortKeys(a.key, b.key)),
  };
}

type SavedTask = z.infer<typeof savedSchema>[8][number];

function writesOfTask([task, path, writes]: SavedTask) {
  const taskId = task.toString();
  return writes.map(([place, channel, type, bytes]) => ({
    taskId,
    key: writesSortKey(path.toString(), taskId, Number(place.toString())),
    channel: channel.toString(),
    value: typed(type, bytes),
  }));
}

function typed(type: Buffer, bytes: Buffer): Typed {
  return unpacked({ type: type.toString(), bytes });
}
