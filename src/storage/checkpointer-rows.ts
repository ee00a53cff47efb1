import { isDeepStrictEqual } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import type { Address, CheckpointKey, CheckpointRows, SavedCheckpoint, Typed } from './checkpoint-types.ts';

/**
 * Checkpoints in a driver's rows: what a graph needs to go on where it stopped. A channel's value is stored
 * once per version and shared by all checkpoints that carry it on. Every method rejects with StoreError when
 * the store cannot be used, and `put` and `putWrites` with TypeError when the config names no thread.
 */
export abstract class RowsSaver extends BaseCheckpointSaver {
  readonly #rows: CheckpointRows;
  readonly #random: () => number;

  /** `random` gives numbers from 0 up to 1, like Math.random. */
  constructor(rows: CheckpointRows, serde: SerializerProtocol | undefined, random: () => number) {
    super(serde);
    this.#rows = rows;
    this.#random = random;
  }

  /**
   * The next version of a channel. Its whole part counts; its fraction is random, because two branches of
   * one thread count alike, and the value of one must not be taken for that of the other.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.floor(this.#random() * FRACTIONS) / FRACTIONS;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace, checkpointId } = addressOf(config);
    if (threadId === null) return undefined;
    const saved = await this.#rows.read({ threadId, namespace: namespace ?? '', checkpointId });
    return saved === null ? undefined : this.#tuple(saved);
  }

  /** Newest first. Without a `thread_id` in `config`, the checkpoints of all threads. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { before, filter = {}, limit = Number.POSITIVE_INFINITY } = options;
    const wanted = Object.entries(filter);
    const heads = await this.#rows.heads(addressOf(config), {
      before: before === undefined ? null : addressOf(before).checkpointId,
      // What a filter looks at may be encrypted, so it is applied here and not by the database.
      limit: wanted.length === 0 ? limit : Number.POSITIVE_INFINITY,
    });
    let left = limit;
    for (const head of heads) {
      if (left <= 0) return;
      const metadata: Record<string, unknown> = await this.#load(head.metadata);
      if (!wanted.every(([name, value]) => isDeepStrictEqual(metadata[name], value))) continue;
      const saved = await this.#rows.read(head);
      // Deleted since the heads were read.
      if (saved === null) continue;
      left -= 1;
      yield await this.#tuple(saved);
    }
  }

  /** Stores the values of the channels in `newVersions` only; the others are stored with an earlier checkpoint. */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, namespace, checkpointId } = addressOf(config);
    if (threadId === null) throw new TypeError('A checkpoint is put with a thread_id in its config.');
    const key = { threadId, namespace: namespace ?? '', checkpointId: checkpoint.id };
    const changed = Object.entries(newVersions).filter(([name]) =>
      Object.hasOwn(checkpoint.channel_values, name),
    );
    const values = await Promise.all(
      changed.map(async ([channel, version]) => ({
        channel,
        version: String(version),
        value: await this.#dump(checkpoint.channel_values[channel]),
      })),
    );
    const row = {
      ...key,
      parentId: checkpointId,
      versions: Object.fromEntries(
        Object.entries(checkpoint.channel_versions).map(([channel, version]) => [channel, String(version)]),
      ),
      checkpoint: await this.#dump({ ...checkpoint, channel_values: {} }),
      metadata: await this.#dump(metadata),
      values,
    };
    await this.#rows.put(row, fenceOf(config));
    return configOf(key);
  }

  /**
   * A write is identified by its task and place: one that is there already stays as it is, but for those
   * of the special channels (errors, interrupts, resumes), of which the latest counts.
   */
  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const { threadId, namespace, checkpointId } = addressOf(config);
    if (threadId === null || checkpointId === null) {
      throw new TypeError('Writes are put with a thread_id and a checkpoint_id in their config.');
    }
    const rows = writes.map(async ([channel, value], place) => ({
      taskId,
      taskPath,
      place: WRITES_IDX_MAP[channel] ?? place,
      channel,
      value: await this.#dump(value),
    }));
    await this.#rows.putWrites(
      { threadId, namespace: namespace ?? '', checkpointId },
      await Promise.all(rows),
      fenceOf(config),
    );
  }

  /**
   * Takes the thread for the holder of this fencing token: what is put with a lower one in `configurable.fence`
   * is refused from now on, with FencedError.
   */
  async claim(threadId: string, fence: number): Promise<void> {
    await this.#rows.claim(threadId, fence);
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#rows.deleteThread(threadId);
  }

  /**
   * Forgets all but the newest `keep` checkpoints (1 or more) of each of the thread's namespaces: the
   * thread goes on as before, but cannot go back further. Does nothing to a thread with delta channels, whose
   * values are spread over all earlier checkpoints.
   */
  async prune(threadId: string, keep: number): Promise<void> {
    if (!Number.isInteger(keep) || keep < 1)
      throw new RangeError(`At least 1 checkpoint is kept, not ${keep}.`);
    const everywhere = { threadId, namespace: null, checkpointId: null };
    for (const head of await this.#rows.heads(everywhere, {
      before: null,
      limit: Number.POSITIVE_INFINITY,
    })) {
      const metadata: CheckpointMetadata = await this.#load(head.metadata);
      if (metadata.counters_since_delta_snapshot !== undefined) return;
    }
    await this.#rows.prune(threadId, keep);
  }

  async #tuple(saved: SavedCheckpoint): Promise<CheckpointTuple> {
    const checkpoint: Checkpoint = await this.#load(saved.checkpoint);
    const values = saved.values.map(async ({ channel, value }) => [channel, await this.#load(value)]);
    checkpoint.channel_values = Object.fromEntries(await Promise.all(values));
    const parent = saved.parentId === null ? null : { ...saved, checkpointId: saved.parentId };
    if (parent !== null && checkpoint.v < 4) await this.#movePendingSends(checkpoint, parent);
    return {
      config: configOf(saved),
      checkpoint,
      metadata: await this.#load(saved.metadata),
      pendingWrites: await Promise.all(
        saved.writes.map(
          async ({ taskId, channel, value }): Promise<CheckpointPendingWrite> => [
            taskId,
            channel,
            await this.#load(value),
          ],
        ),
      ),
      ...(parent === null ? {} : { parentConfig: configOf(parent) }),
    };
  }

  /** Before format 4 the sends of a step were the parent's pending writes; since then they are a channel. */
  async #movePendingSends(checkpoint: Checkpoint, parent: CheckpointKey): Promise<void> {
    const sends = (await this.#rows.writes(parent)).filter(({ channel }) => channel === TASKS);
    checkpoint.channel_values[TASKS] = await Promise.all(sends.map(({ value }) => this.#load(value)));
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] =
      versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
  }

  async #dump(value: unknown): Promise<Typed> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    return { type, bytes };
  }

  #load({ type, bytes }: Typed) {
    return this.serde.loadsTyped(type, bytes);
  }
}

/** Thirty bits of fraction leave a version exact for some eight million steps of a thread. */
const FRACTIONS = 2 ** 30;

/** What a config says of where a checkpoint is; null for what it leaves open. Throws TypeError for what is no text. */
function addressOf(config: RunnableConfig): Address {
  const { thread_id: threadId, checkpoint_ns: namespace } = config.configurable ?? {};
  return {
    threadId: textOrNull(threadId),
    namespace: textOrNull(namespace),
    checkpointId: textOrNull(getCheckpointId(config) || null),
  };
}

/** The fencing token of whoever writes; null for one that has none. */
function fenceOf(config: RunnableConfig): number | null {
  const fence: unknown = config.configurable?.fence;
  return typeof fence === 'number' ? fence : null;
}

function textOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  // Taken for "left open", a number would make `list` show all threads.
  if (typeof value !== 'string')
    throw new TypeError(`thread_id, checkpoint_ns and checkpoint_id are text, not ${typeof value}.`);
  return value;
}

function configOf({ threadId, namespace, checkpointId }: CheckpointKey): RunnableConfig {
  return { configurable: { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId } };
}
