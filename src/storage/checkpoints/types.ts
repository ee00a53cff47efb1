import type { Along, CommitResult } from '../store.ts';

/** Serialised data, with the serializer's name for its type. */
export interface Typed {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface CheckpointKey {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string;
}

/** A filter for checkpoints; null matches any. */
export type Address = { readonly [Part in keyof CheckpointKey]: string | null };

interface ChannelValue {
  readonly channel: string;
  readonly value: Typed;
}

export interface PendingWriteRow extends ChannelValue {
  readonly taskId: string;
}

export interface SavedCheckpoint extends CheckpointKey {
  readonly parentId: string | null;
  readonly checkpoint: Typed;
  readonly metadata: Typed;
  /** Without those in the versions that the reader knows. */
  readonly values: readonly ChannelValue[];
  /** The channels that are as the reader knows them. */
  readonly asKnown: readonly string[];
  /** In the order in which a running graph applies them: by task path, task, place. */
  readonly writes: readonly PendingWriteRow[];
}

export interface CheckpointHead extends CheckpointKey {
  readonly metadata: Typed;
}

/** A channel's value in a new version. */
export interface NewValue extends ChannelValue {
  readonly version: string;
  /**
   * Null where `value` is all of it. Otherwise `value` is what follows this version of the channel less
   * its last `dropped` bytes.
   */
  readonly after: { readonly version: string; readonly dropped: number } | null;
  /** All of it, for a driver that cannot go on from that version. */
  whole(): Promise<Typed>;
}

export interface NewCheckpoint extends CheckpointKey {
  readonly parentId: string | null;
  /** The version of each channel that the checkpoint has, as `values` write it. */
  readonly versions: Readonly<Record<string, string>>;
  readonly checkpoint: Typed;
  readonly metadata: Typed;
  readonly values: readonly NewValue[];
  /** Whether values of the thread are spread over its earlier checkpoints, so that none may be forgotten. */
  readonly isSpread: boolean;
}

interface NewWrite extends ChannelValue {
  /** The index of the write in its task; below 0 for the special channels. */
  readonly place: number;
}

/** The pending writes of one task. */
export interface NewWrites {
  readonly at: CheckpointKey;
  readonly taskId: string;
  readonly taskPath: string;
  readonly writes: readonly NewWrite[];
}

/**
 * Sends what was prepared. Where the storage can, a commit is made in the same moment, after it and only if it was written:
 * resolves with what that came to, or with null where it wasn't tried.
 */
export type Send = (along?: Along) => Promise<CommitResult | null>;

/** One change of a thread. */
export type CheckpointChange =
  | { readonly kind: 'checkpoint'; readonly checkpoint: NewCheckpoint }
  | ({ readonly kind: 'writes' } & NewWrites)
  /**
   * Leaves the newest `keep` checkpoints of each of the thread's namespaces, and what they need; all of a
   * thread that is spread.
   */
  | { readonly kind: 'prune'; readonly keep: number };

/** A channel's version that the reader already has. */
type KnownVersions = ReadonlyMap<string, string>;

/** A driver's result, synchronous or not. */
type Awaitable<T> = T | Promise<T>;

/** A driver's operations for a checkpointer. All fail with StoreError if the store can't be used. */
export interface CheckpointRows {
  /** One state of a checkpoint with all that belongs to it; the latest where `checkpointId` is null. */
  read(
    at: Address & { readonly threadId: string; readonly namespace: string },
    known: KnownVersions,
  ): Awaitable<SavedCheckpoint | null>;
  /** Keys and metadata, newest first, of the checkpoints whose id is before `before`. */
  heads(
    at: Address,
    options: { readonly before: string | null; readonly limit: number },
  ): Awaitable<CheckpointHead[]>;
  writes(at: CheckpointKey): Awaitable<readonly PendingWriteRow[]>;
  /**
   * Prepares a commit: what it resolves to sends that at once, and resolves when it is durable. All of it is written,
   * in this order: nothing is there without what comes before it. A write that is there already stays, but for one at
   * a place below 0, which is replaced. `fence` is the token of whoever writes, null for one without; see
   * {@link CheckpointRows.claim}.
   */
  prepare(threadId: string, changes: readonly CheckpointChange[], fence: number | null): Promise<Send>;
  /** Whether what is sent comes before what is sent to the store afterwards, also if nobody waits for it. */
  readonly isOrdered: boolean;
  /**
   * From now on, what comes with a lower token is refused with FencedError, and nothing of it is written:
   * a worker that was held up past its lease must not move a thread that another one has. A write with a
   * token claims too.
   */
  claim(threadId: string, fence: number): Awaitable<void>;
  /**
   * Deletes a thread; where other processes write, its fence stays for a while: what one of them still holds must not
   * come back.
   */
  deleteThread(threadId: string): Awaitable<void>;
}
