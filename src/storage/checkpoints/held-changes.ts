import type {
  ChannelVersions,
  Checkpoint,
  CheckpointMetadata,
  PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { FencedError } from '../../lib/errors.ts';
import type { Along, CommitResult } from '../store.ts';
import type { CheckpointKey, Send } from './types.ts';

/** A checkpoint as a graph gives it. */
export interface GivenCheckpoint {
  readonly kind: 'checkpoint';
  readonly key: CheckpointKey;
  readonly parentId: string | null;
  readonly checkpoint: Checkpoint;
  readonly metadata: CheckpointMetadata;
  /** The channels whose values aren't stored with an earlier checkpoint. */
  readonly newVersions: ChannelVersions;
  /** Whether its small values are inside of it, rather than shared with its neighbours. */
  readonly isCompact: boolean;
}

/** The writes of a task as a graph gives them. */
export interface GivenWrites {
  readonly kind: 'writes';
  readonly at: CheckpointKey;
  readonly writes: readonly PendingWrite[];
  readonly taskId: string;
  readonly taskPath: string;
}

export type Given = GivenCheckpoint | GivenWrites;

/**
 * What was sent to the storage, and when it is durable; rejects with what the driver rejects with. Resolves with what became
 * of the commit that went along; null if none did.
 */
export interface Sent {
  readonly durable: Promise<CommitResult | null>;
}

interface HeldThread {
  readonly fence: number | null;
  changes: readonly Given[];
  sending: (Sent & { readonly sent: Promise<void> }) | null;
}

/** Serialises the changes; what it resolves to sends them, at once and in order. */
type Prepare = (threadId: string, changes: readonly Given[], fence: number | null) => Promise<Send>;

/**
 * The changes of threads that aren't written yet, because nothing outside depends on them. They're kept as the graph
 * gave them, so that what a later step replaces is never serialised.
 */
export class HeldChanges {
  readonly #threads = new Map<string, HeldThread>();
  readonly #prepare: Prepare;

  constructor(prepare: Prepare) {
    this.#prepare = prepare;
  }

  add(threadId: string, change: Given, fence: number | null): void {
    const thread = this.#threads.get(threadId);
    // Of a lease that is over: whoever works on the thread now has read what is stored.
    if (thread && thread.fence === fence) thread.changes = [...thread.changes, change];
    else this.#threads.set(threadId, { fence, changes: [change], sending: null });
  }

  /**
   * Sends what is held of a thread. Resolves when that and what was sent before are on their way, so that what is sent
   * afterwards comes after them; with null if there is nothing. What couldn't be written is held again, unless another
   * worker has the thread. The commit goes along with what is held now, if nothing of the thread is on its way.
   */
  async send(threadId: string, along?: Along): Promise<Sent | null> {
    for (;;) {
      const thread = this.#threads.get(threadId);
      if (!thread) return null;
      if (along && !thread.sending) {
        const { durable, sent } = this.#begin(threadId, thread, along);
        await sent;
        return { durable };
      }
      const sending = thread.sending ?? this.#begin(threadId, thread);
      await sending.sent;
      if (thread.changes.length === 0) return { durable: withoutCommit(sending.durable) };
      // If it fails, its changes come before those that were added since.
      await sending.durable;
    }
  }

  /** Forgets what is held of a thread. Resolves when none of it is on its way any more. */
  async drop(threadId: string): Promise<void> {
    const sending = this.#threads.get(threadId)?.sending;
    this.#threads.delete(threadId);
    await sending?.durable.catch(() => undefined);
  }

  #begin(threadId: string, thread: HeldThread, along?: Along): NonNullable<HeldThread['sending']> {
    const sent = Promise.withResolvers<void>();
    const changes = withoutReplaced(thread.changes);
    thread.changes = [];
    const durable = this.#write(threadId, { changes, fence: thread.fence, along, onSent: sent.resolve })
      .catch((error: unknown) => {
        if (!(error instanceof FencedError)) thread.changes = [...changes, ...thread.changes];
        throw error;
      })
      .finally(() => {
        thread.sending = null;
        const isCurrent = this.#threads.get(threadId) === thread;
        if (isCurrent && thread.changes.length === 0) this.#threads.delete(threadId);
        sent.resolve();
      });
    // Whoever asked for it hears of a failure.
    durable.catch(() => undefined);
    thread.sending = { sent: sent.promise, durable };
    return thread.sending;
  }

  async #write(
    threadId: string,
    {
      changes,
      fence,
      along,
      onSent,
    }: {
      readonly changes: readonly Given[];
      readonly fence: number | null;
      readonly along: Along | undefined;
      readonly onSent: () => void;
    },
  ): Promise<CommitResult | null> {
    const send = await this.#prepare(threadId, changes, fence);
    const written = send(along);
    onSent();
    return written;
  }
}

/** For others than the one whose commit it was. */
function withoutCommit(durable: Sent['durable']): Sent['durable'] {
  const written = durable.then(() => null);
  written.catch(() => undefined);
  return written;
}

/**
 * The changes without the checkpoints that a later one goes on from, and without the writes that led to it: nothing
 * goes back to them. The later one has their values too. Where values are spread over the earlier checkpoints, all
 * stay.
 */
export function withoutReplaced(changes: readonly Given[]): readonly Given[] {
  let left: Given[] = [];
  for (const change of changes) {
    if (change.kind === 'writes' || isSpread(change.metadata) || change.parentId === null) {
      left.push(change);
      continue;
    }
    const parent = { ...change.key, checkpointId: change.parentId };
    const replaced = left.find(
      (earlier): earlier is GivenCheckpoint => earlier.kind === 'checkpoint' && isSame(earlier.key, parent),
    );
    left = left.filter((earlier) => !isSame(earlier.kind === 'writes' ? earlier.at : earlier.key, parent));
    left.push(
      replaced
        ? {
            ...change,
            parentId: replaced.parentId,
            newVersions: { ...replaced.newVersions, ...change.newVersions },
          }
        : change,
    );
  }
  return left;
}

/** Whether values of the thread are spread over its earlier checkpoints, so that none may be forgotten. */
export function isSpread({ counters_since_delta_snapshot: counters }: CheckpointMetadata): boolean {
  return counters !== undefined;
}

function isSame(one: CheckpointKey, other: CheckpointKey): boolean {
  return one.checkpointId === other.checkpointId && one.namespace === other.namespace;
}
