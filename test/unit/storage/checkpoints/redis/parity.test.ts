import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type BaseCheckpointSaver,
  type CheckpointTuple,
  emptyCheckpoint,
  INTERRUPT,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RedisSaver } from '../../../../../src/storage/checkpoints/redis/saver.ts';
import { SqliteSaver } from '../../../../../src/storage/checkpoints/sqlite/saver.ts';
import { sendWrite } from '../../../../../src/storage/redis/client.ts';
import { runs } from '../../../../helpers/property-runs.ts';
import { hasRedis } from '../../../../helpers/redis.ts';
import { redisForSuite } from '../fixture.ts';

/** `at` and `parent` choose among the checkpoints that were put so far. */
type Step =
  | { readonly kind: 'put'; readonly namespace: string; readonly parent: number; readonly edit: Edit }
  | { readonly kind: 'writes'; readonly at: number; readonly task: string; readonly values: number[] }
  | { readonly kind: 'prune'; readonly keep: number }
  | { readonly kind: 'delete' };

/** How a checkpoint's list differs from its parent's. */
interface Edit {
  /** Not at all: the parent's version of it stays. */
  readonly carried: boolean;
  readonly dropped: number;
  readonly added: readonly number[];
}

const lengths = fc.integer({ min: 0, max: 600 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      namespace: fc.constantFrom('', '', 'a'),
      // Mostly the newest: branches are the exception.
      parent: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5)),
      edit: fc.record({
        carried: fc.boolean(),
        dropped: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(2)),
        added: fc.array(lengths, { maxLength: 3 }),
      }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('writes' as const),
      at: fc.nat(3),
      task: fc.constantFrom('task', 'task-b'),
      values: fc.array(lengths, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('prune' as const), keep: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
);

interface Put {
  readonly config: RunnableConfig;
  readonly namespace: string;
  readonly lines: readonly string[];
  readonly version: number;
}

/** One thread in one saver, driven by steps. Ids and times come from the steps' numbers alone. */
function threadIn(saver: BaseCheckpointSaver) {
  let put: Put[] = [];
  const thread = (namespace: string) => ({ configurable: { thread_id: 't', checkpoint_ns: namespace } });

  const take = async (number: number, id: string, taken: Step, prune: (keep: number) => Promise<void>) => {
    if (taken.kind === 'delete') {
      await saver.deleteThread('t');
      put = [];
    } else if (taken.kind === 'prune') {
      await prune(taken.keep);
    } else if (taken.kind === 'writes') {
      const at = put.at(-1 - taken.at);
      if (at === undefined) return;
      const writes = taken.values.map((length, place): [string, unknown] =>
        place === 1 ? [INTERRUPT, `${number}`] : ['lines', text(number, length)],
      );
      await saver.putWrites(at.config, writes, taken.task, `path ${taken.task}`);
    } else {
      const { namespace, edit } = taken;
      const parent = put.filter((other) => other.namespace === namespace).at(-1 - taken.parent);
      const carried = parent !== undefined && edit.carried;
      const lines = carried ? parent.lines : edited(parent?.lines ?? [], edit, number);
      const version = carried ? parent.version : number;
      const config = await saver.put(
        parent?.config ?? thread(namespace),
        {
          ...emptyCheckpoint(),
          id,
          ts: '2026-01-01T00:00:00.000Z',
          channel_values: { lines, step: number },
          channel_versions: { lines: version, step: number },
        },
        { source: 'loop', step: number, parents: {} },
        carried ? { step: number } : { lines: number, step: number },
      );
      put.push({ config, namespace, lines, version });
    }
  };
  return { take, put: () => put };
}

function edited(lines: readonly string[], { dropped, added }: Edit, seed: number): string[] {
  const kept = lines.slice(0, lines.length - dropped);
  return [...kept, ...added.map((length, place) => text(seed + place / 10, length))];
}

function text(seed: number, length: number): string {
  return `${seed} ${'lorem ipsum é '.repeat(50)}`.slice(0, length);
}

async function everythingIn(saver: BaseCheckpointSaver, configs: readonly RunnableConfig[]) {
  const listed: CheckpointTuple[] = [];
  for await (const tuple of saver.list({ configurable: { thread_id: 't' } })) listed.push(tuple);
  const read = [];
  for (const config of configs) read.push(await saver.getTuple(config));
  const latest = [];
  for (const checkpoint_ns of ['', 'a']) {
    latest.push(await saver.getTuple({ configurable: { thread_id: 't', checkpoint_ns } }));
  }
  return { listed, read, latest };
}

describe.skipIf(!hasRedis('the checkpoints on Redis'))('RedisSaver and SqliteSaver', () => {
  const redis = redisForSuite();

  test('give the same back whatever was put, written, pruned and deleted', { timeout: 120_000 }, async () => {
    const run = async (steps: Step[]) => {
      await sendWrite(redis.client, () => redis.client.flushall());
      const onRedis = new RedisSaver(redis.client);
      const sqlite = new SqliteSaver(':memory:');
      const threads = [onRedis, sqlite].map((saver) => ({ saver, ...threadIn(saver) }));
      for (const [number, taken] of steps.entries()) {
        const id = uuid6(0);
        const results = [];
        for (const { saver, take, put } of threads) {
          await take(number, id, taken, (keep) => saver.prune('t', keep));
          results.push(
            await everythingIn(
              saver,
              put().map(({ config }) => config),
            ),
          );
        }
        expect(results[0]).toEqual(results[1]);
      }
      await sqlite.close();
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), run), runs(150));
  });
});
