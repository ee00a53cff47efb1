import type { Actor } from '../gate/types.ts';

/** One person's results in one thread, as far as they were withheld from somebody there. */
export interface ResultShare {
  readonly threadId: string;
  readonly owner: Actor;
  /** The last person from whose run they were withheld; the owner: from a program that worked for them. */
  readonly asker: Actor;
  /** Since when the owner shares them, in milliseconds since the epoch; null: they don't. */
  readonly sharedAt: number | null;
}

/** Who shares their own results with everybody in a thread. Nobody does until they say so. */
export interface ResultShares {
  /** Those of these people, by their ids, who share their results in this thread. */
  sharing(threadId: string, ownerIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Records that these people's results were withheld from `asker`, and tells them; at most once an hour. */
  noteWithheld(threadId: string, owners: readonly Actor[], asker: Actor): Promise<void>;
  /**
   * Shares all results of the owner in this thread with everybody in it, later ones too, until they stop. Audited.
   * @throws RefusalError if nothing of theirs was withheld there.
   */
  share(threadId: string, owner: Actor): Promise<void>;
  /** Withholds them again. What the assistant has said from them stays said. */
  stopSharing(threadId: string, owner: Actor): Promise<void>;
  /** The threads in which this person's results were withheld or are shared, newest first. */
  list(ownerId: string): Promise<readonly ResultShare[]>;
  /** Calls `listener` when an owner is to be told. Returns how to unsubscribe. */
  onWithheld(listener: (share: ResultShare) => void): () => void;
  /** Deletes at most `limit` records from before `before`; resolves with how many. They are withheld then. */
  forget(before: number, limit: number): Promise<number>;
}
