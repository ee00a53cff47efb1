import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers';
import { StoreError } from '../../lib/errors.ts';
import { DISK_NOT_WRITTEN } from '../texts.ts';
import { inWriteTransaction } from './database.ts';

/** The longest that one transaction holds up the event loop, in milliseconds; the rest goes into the next. */
const SLICE_MS = 10;

/** Puts what was written so far on the disk, without holding up the event loop. */
type SyncToDisk = () => Promise<void>;

/** Writes of one process to one database file. */
export interface GroupWriter {
  /**
   * Runs `work`, which only reads and writes the database, inside a transaction. Resolves with its result once
   * that is on the disk; rejects with what it throws, or with StoreError, and then nothing of it was written. If it
   * `mayBeLost`, it resolves once it's in the file before all that is asked for afterwards.
   * @default mayBeLost false
   */
  write<T>(work: () => T, options?: { readonly mayBeLost: boolean }): Promise<T>;
  /** Resolves when everything that was written before is on the disk; at once where nothing is on its way. */
  synced(): Promise<void>;
}

interface Waiting {
  /** Runs the work inside a transaction; what it returns settles the caller's promise. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
  /** Whether the caller doesn't wait for the disk. */
  readonly mayBeLost: boolean;
}

/** A write that is in the file. */
interface Written extends Pick<Waiting, 'reject' | 'mayBeLost'> {
  readonly settle: () => void;
}

/**
 * Shares transactions and syncs. What one turn of the event loop asks for is written in one transaction, in order;
 * work that throws is taken out of it, and what SQLite can't write, with all that was asked for after it. What is written while a sync is under way shares the next one. So the
 * price of durability is paid once for everybody who waits at the same time. docs/decisions/0053 explains what is on
 * the disk when.
 */
export function createGroupWriter(database: DatabaseSync, syncToDisk: SyncToDisk): GroupWriter {
  const syncs = createSyncs(syncToDisk);
  const waiting: Waiting[] = [];

  function flush(): void {
    const endsAt = performance.now() + SLICE_MS;
    const group: Waiting[] = [];
    let written: Written[] = [];
    try {
      inWriteTransaction(database, () => {
        do {
          const [next] = waiting.splice(0, 1);
          if (!next) break;
          group.push(next);
          written.push({ ...next, settle: next.run() });
        } while (performance.now() < endsAt);
      });
    } catch (error) {
      // The transaction couldn't begin: another process holds the file.
      if (group.length === 0) {
        rejectAll(waiting.splice(0), error);
        return;
      }
      written = runApart(group);
    }
    settleAll(written);
    if (waiting.length > 0) setImmediate(flush);
  }

  /** Each in a transaction of its own; what comes after one that SQLite couldn't write may rest on it. */
  function runApart(group: readonly Waiting[]): Written[] {
    const written: Written[] = [];
    for (const [place, one] of group.entries()) {
      try {
        written.push({ ...one, settle: inWriteTransaction(database, one.run) });
      } catch (error) {
        one.reject(error);
        if (!(error instanceof StoreError)) continue;
        rejectAll([...group.slice(place + 1), ...waiting.splice(0)], error);
        break;
      }
    }
    return written;
  }

  function rejectAll(group: readonly Pick<Waiting, 'reject'>[], error: unknown): void {
    for (const { reject } of group) reject(error);
  }

  function settleAll(written: readonly Written[]): void {
    for (const { settle, mayBeLost } of written) if (mayBeLost) settle();
    const others = written.filter(({ mayBeLost }) => !mayBeLost);
    syncs.afterNext().then(
      () => {
        for (const { settle } of others) settle();
      },
      (error: unknown) => rejectAll(others, error),
    );
  }

  return {
    write(work, { mayBeLost } = { mayBeLost: false }) {
      return new Promise((resolve, reject) => {
        const run = () => {
          const result = work();
          return () => resolve(result);
        };
        if (waiting.push({ run, reject, mayBeLost }) === 1) setImmediate(flush);
      });
    },
    synced: () => syncs.afterAll(),
  };
}

/** Syncs one after the other, each for all who asked before it began. */
function createSyncs(syncToDisk: SyncToDisk) {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let failure: StoreError | null = null;

  function begin(): Promise<void> {
    next = null;
    const sync = trySync().finally(() => {
      if (running === sync) running = null;
    });
    running = sync;
    return sync;
  }

  async function trySync(): Promise<void> {
    // The system may have dropped what it couldn't write, and says so only once: from then on nothing is sure.
    if (failure) throw failure;
    try {
      await syncToDisk();
    } catch (error) {
      failure = new StoreError(DISK_NOT_WRITTEN, error, { outcomeUnknown: true });
      throw failure;
    }
  }

  return {
    afterNext(): Promise<void> {
      if (next) return next;
      if (!running) return begin();
      next = running.then(begin, begin);
      return next;
    },
    async afterAll(): Promise<void> {
      await (next ?? running);
      if (failure) throw failure;
    },
  };
}
