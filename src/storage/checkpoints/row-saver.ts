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
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
} from '@langchain/langgraph-checkpoint';
import { FencedError } from '../../lib/errors.ts';
import type { Along } from '../store.ts';
import { isCompact, mayBeHeld, readAddress, readFence, toConfig } from './address.ts';
import { type Batches, createBatches } from './batches.ts';
import { ChangeEncoder } from './encode.ts';
import { type Given, HeldChanges, type Sent } from './held-changes.ts';
import { LatestTuples } from './latest-tuples.ts';
import { MessageLists, type RecentList } from './message-lists.ts';
import type { CheckpointKey, CheckpointRows, SavedCheckpoint, Send, Typed } from './types.ts';

/**
 * Checkpoints in a driver's rows: what a graph needs to go on where it stopped. A channel's value is stored
 * once per version and shared by all checkpoints that carry it on. Every method rejects with StoreError when
 * the store cannot be used, and `put` and `putWrites` with TypeError when the config names no thread.
 *
 * What comes with `configurable.held` is held back until {@link RowsSaver.send}, or until somebody reads the thread here;
 * of such a thread only the latest checkpoint is kept. See docs/decisions/0058.
 */
export abstract class RowsSaver extends BaseCheckpointSaver {
  readonly #rows: CheckpointRows;
  readonly #batches: Batches;
  readonly #held: HeldChanges;
  readonly #encoder: ChangeEncoder;
  readonly #latest = new LatestTuples();
  /** Null with a serializer of the caller's: what it makes of a list is not known to grow with the list. */
  readonly #lists: MessageLists | null;
  readonly #random: () => number;

  /** `random` gives numbers from 0 up to 1, like Math.random. */
  constructor(rows: CheckpointRows, serde: SerializerProtocol | undefined, random: () => number) {
    super(serde);
    this.#rows = rows;
    this.#batches = createBatches(async (...batch) => (await rows.prepare(...batch))());
    this.#held = new HeldChanges((...held) => this.#prepareHeld(...held));
    this.#lists = serde === undefined ? new MessageLists((value) => this.#dump(value)) : null;
    this.#encoder = new ChangeEncoder((value) => this.#dump(value), this.#lists);
    this.#random = random;
  }

  /**
   * The next version of a channel. Its whole part counts; its fraction is random, because two branches of
   * one thread count alike, and the value of one must not be taken for that of the other.
   */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(current ?? 0) + 1 + Math.floor(this.#random() * FRACTIONS) / FRACTIONS;
  }

  /** Whether what is sent comes before what is sent to the store afterwards, also if nobody waits for it. */
  get isOrdered(): boolean {
    return this.#rows.isOrdered;
  }

  /** Sends what is held back of a thread; see {@link HeldChanges.send}. */
  send(threadId: string, along?: Along): Promise<Sent | null> {
    return this.#held.send(threadId, along);
  }

  /** Says that nothing was put into the thread before this lease, so that whoever has it need not look. */
  noteNew(threadId: string, fence: number): void {
    this.#latest.reading({ threadId, namespace: '' }, fence)({ tuple: undefined });
  }

  /** Resolves when nothing of the thread is held back or on its way. */
  async #settled(threadId: string): Promise<void> {
    await this.#writeHeld(threadId);
    await this.#batches.settled(threadId);
  }

  async #writeHeld(threadId: string): Promise<void> {
    try {
      await (await this.#held.send(threadId))?.durable;
    } catch (error) {
      // Another worker has the thread, so what was held isn't part of it.
      if (!(error instanceof FencedError)) throw error;
    }
  }

  async #prepareHeld(threadId: string, given: readonly Given[], fence: number | null): Promise<Send> {
    // As a whole if any of it fails: it's unknown then what is stored.
    const forget = () => {
      this.#latest.forget(threadId);
      for (const one of given) if (one.kind === 'checkpoint') this.#lists?.forget(one.key);
    };
    try {
      const changes = await Promise.all(given.map((one) => this.#encoder.encode(one)));
      const write = await this.#rows.prepare(threadId, [...changes, { kind: 'prune', keep: 1 }], fence);
      return (along) =>
        write(along).catch((error: unknown) => {
          forget();
          throw error;
        });
    } catch (error) {
      forget();
      throw error;
    }
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { threadId, namespace, checkpointId } = readAddress(config);
    if (threadId === null) return undefined;
    const place = { threadId, namespace: namespace ?? '' };
    const fence = mayBeHeld(config) && checkpointId === null ? readFence(config) : null;
    const latest = this.#latest.get(place, fence);
    if (latest !== null) return latest.tuple;
    const note = fence === null ? null : this.#latest.reading(place, fence);
    await this.#settled(threadId);
    const known = this.#lists?.at(place) ?? NOTHING;
    const versions = new Map([...known].map(([channel, { version }]) => [channel, version]));
    const saved = await this.#rows.read({ ...place, checkpointId }, versions);
    const tuple = saved === null ? undefined : await this.#tuple(saved, known);
    note?.({ tuple });
    return tuple;
  }

  /** Newest first. Without a `thread_id` in `config`, the checkpoints of all threads. */
  override async *list(
    config: RunnableConfig,
    options: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { before, filter = {}, limit = Number.POSITIVE_INFINITY } = options;
    const wanted = Object.entries(filter);
    const address = readAddress(config);
    if (address.threadId !== null) await this.#settled(address.threadId);
    const heads = await this.#rows.heads(address, {
      before: before === undefined ? null : readAddress(before).checkpointId,
      // The metadata may be encrypted, so the filter is applied here and not by the database.
      limit: wanted.length === 0 ? limit : Number.POSITIVE_INFINITY,
    });
    let left = limit;
    for (const head of heads) {
      if (left <= 0) return;
      const metadata: Record<string, unknown> = await this.#load(head.metadata);
      if (!wanted.every(([name, value]) => isDeepStrictEqual(metadata[name], value))) continue;
      const saved = await this.#rows.read(head, new Map());
      // Deleted since the heads were read.
      if (saved === null) continue;
      left -= 1;
      yield await this.#tuple(saved, NOTHING);
    }
  }

  /** Stores the values of the channels in `newVersions` only; the others are stored with an earlier checkpoint. */
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { threadId, namespace, checkpointId } = readAddress(config);
    if (threadId === null) throw new TypeError('A checkpoint is put with a thread_id in its config.');
    const key = { threadId, namespace: namespace ?? '', checkpointId: checkpoint.id };
    const given = {
      kind: 'checkpoint',
      key,
      parentId: checkpointId,
      checkpoint,
      metadata,
      newVersions,
      isCompact: isCompact(config),
    } as const;
    await this.#add(config, threadId, given);
    return toConfig(key);
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
    const { threadId, namespace, checkpointId } = readAddress(config);
    if (threadId === null || checkpointId === null) {
      throw new TypeError('Writes are put with a thread_id and a checkpoint_id in their config.');
    }
    const at = { threadId, namespace: namespace ?? '', checkpointId };
    await this.#add(config, threadId, { kind: 'writes', at, writes, taskId, taskPath });
  }

  async #add(config: RunnableConfig, threadId: string, given: Given): Promise<void> {
    const fence = readFence(config);
    if (mayBeHeld(config)) {
      this.#latest.note(threadId, given, fence);
      this.#held.add(threadId, given, fence);
      return;
    }
    this.#latest.forget(threadId);
    await this.#writeHeld(threadId);
    const change = await this.#encoder.encode(given);
    try {
      await this.#batches.add(threadId, change, fence);
    } catch (error) {
      if (given.kind === 'checkpoint') this.#lists?.forget(given.key);
      throw error;
    }
  }

  /**
   * Takes the thread for the holder of this fencing token: what is put with a lower one in `configurable.fence`
   * is refused from now on, with FencedError.
   */
  async claim(threadId: string, fence: number): Promise<void> {
    await this.#rows.claim(threadId, fence);
  }

  override async deleteThread(threadId: string): Promise<void> {
    this.#latest.forget(threadId);
    await this.#held.drop(threadId);
    await this.#batches.settled(threadId);
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
    await this.#settled(threadId);
    const write = await this.#rows.prepare(threadId, [{ kind: 'prune', keep }], null);
    await write();
  }

  async #tuple(saved: SavedCheckpoint, known: ReadonlyMap<string, RecentList>): Promise<CheckpointTuple> {
    const checkpoint: Checkpoint = await this.#load(saved.checkpoint);
    const values = await Promise.all(
      saved.values.map(
        async ({ channel, value }): Promise<[string, unknown]> => [channel, await this.#load(value)],
      ),
    );
    // Each reader gets its own copy of the list.
    const inMemory = saved.asKnown.map((channel) => [channel, known.get(channel)?.messages.slice()]);
    const inside = Object.entries(checkpoint.channel_values);
    checkpoint.channel_values = Object.fromEntries([...inside, ...values, ...inMemory]);
    for (const [channel, value] of values) {
      const version = checkpoint.channel_versions[channel];
      if (version !== undefined) this.#lists?.note(saved, channel, String(version), value);
    }
    const parent = saved.parentId === null ? null : { ...saved, checkpointId: saved.parentId };
    if (parent !== null && checkpoint.v < 4) await this.#movePendingSends(checkpoint, parent);
    return {
      config: toConfig(saved, { isCompact: inside.length > 0 }),
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
      ...(parent === null ? {} : { parentConfig: toConfig(parent) }),
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

const NOTHING: ReadonlyMap<string, RecentList> = new Map();

/** Thirty bits of fraction leave a version exact for some eight million steps of a thread. */
const FRACTIONS = 2 ** 30;
