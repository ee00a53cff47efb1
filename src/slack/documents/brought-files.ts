import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import { scanIndex } from '../../storage/scan.ts';
import { absent, put, type Store, type Stored, unchanged } from '../../storage/store.ts';
import { parseSlackPlace } from '../ids.ts';
import { rows } from '../outbox/rows.ts';
import { type Brought, brought, broughtId, isOpen } from './collections.ts';

/** How long after a file came or went it's first told that it is being read, or deleted, in milliseconds: most are done sooner. */
const MOMENT_MS = 1_500;
/** What came longer ago isn't waited for any more: it takes long, or Slack doesn't give it. In milliseconds. */
const RECENT_MS = 10_000;
const POLL_MS = 100;
/** How many files of one drop are kept on record. */
export const MOST_NAMED = 25;

interface BroughtPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Shows what waits to be shown in a channel. */
  readonly wake: (channel: string) => void;
}

type Named = Pick<Brought, 'dropId' | 'place'>;
/** What a record is next; null where it stays. */
type ToNext = (record: Brought) => Brought | null;

/** The records of files that people brought. Whatever changes one shows it, by the same commit. */
export class BroughtFiles {
  readonly #ports: BroughtPorts;

  constructor(ports: BroughtPorts) {
    this.#ports = ports;
  }

  /** Puts the files of a drop on record; false where they are there already. */
  async add(files: readonly Brought[]): Promise<boolean> {
    const first = files.find(isOpen) ?? files[0];
    if (first === undefined) return false;
    const { committed } = await this.#ports.store.commit({
      expect: files.slice(0, 1).map((file) => absent(brought, broughtId(file))),
      put: [...files.map((file) => put(brought, broughtId(file), file)), ...this.#shown(first)],
    });
    if (committed) this.#wake(first);
    return committed;
  }

  /** Changes what is on record of a file, and shows it; null where `toNext` has nothing to change. */
  async change(file: Named, toNext: ToNext): Promise<Brought | null> {
    const [changed = null] = await this.changeAll([file], toNext);
    return changed;
  }

  /**
   * As {@link BroughtFiles.change}, of several at once or of none. `beside`: only while this one is as `isStill` says; else nothing
   * is changed.
   */
  async changeAll(
    files: readonly Named[],
    toNext: ToNext,
    beside?: { readonly file: Named; readonly isStill: (record: Brought) => boolean },
  ): Promise<readonly Brought[]> {
    const { store } = this.#ports;
    const ids = [...files, ...(beside ? [beside.file] : [])].map(broughtId);
    for (;;) {
      const stored = (await store.getMany(brought, ids)).filter((one) => one !== null);
      const other = beside && stored.find(({ id }) => id === broughtId(beside.file));
      if (beside && !(other && beside.isStill(other.value))) return [];
      const changes = stored.flatMap((one) => {
        const next = one === other ? null : toNext(one.value);
        return next === null ? [] : [{ one, next }];
      });
      if (changes.length === 0) return [];
      const read = [...changes.map(({ one }) => one), ...(other ? [other] : [])];
      const { committed } = await store.commit({
        expect: read.map((one) => unchanged(brought, one)),
        put: [
          ...changes.map(({ one, next }) => put(brought, one.id, next)),
          ...new Map(
            changes.flatMap(({ next }) => this.#shown(next).map((row) => [row.id, row] as const)),
          ).values(),
        ],
      });
      if (!committed) continue;
      for (const { next } of changes) this.#wake(next);
      return changes.map(({ next }) => next);
    }
  }

  /** Whether nothing is on record of a file any more. */
  async isGone(file: Pick<Brought, 'dropId' | 'place'>): Promise<boolean> {
    return (await this.#ports.store.get(brought, broughtId(file))) === null;
  }

  /** Resolves when nothing that came into a thread a moment ago is open any more, whichever process learns it, or at `signal`. */
  async arrived(threadId: string, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#ports;
    while (!signal.aborted) {
      const range = { prefix: [threadId], from: [threadId, clock() - RECENT_MS] };
      const { items } = await store.query(brought, 'byThread', range, 1);
      if (items.length === 0) return;
      await delay(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** The files of a drop, in the order of its message. */
  async ofDrop(dropId: string): Promise<readonly Brought[]> {
    const { items } = await this.#ports.store.query(brought, 'byDrop', { prefix: [dropId] }, MOST_NAMED);
    return items.map(({ value }) => value);
  }

  /** All that was brought of a document, or of a file in Slack; the oldest first. */
  async findBy(index: 'byDocument' | 'byFile', id: string): Promise<readonly Brought[]> {
    const found: Brought[] = [];
    for await (const { value } of scanIndex(this.#ports.store, brought, index, { prefix: [id] }))
      found.push(value);
    return found;
  }

  /** By which readers somebody's own are found. */
  async placesOf(actorId: string): Promise<readonly string[]> {
    const readers = new Set<string>();
    const { store } = this.#ports;
    for await (const { value } of scanIndex(store, brought, 'byOwner', { prefix: [actorId] }))
      readers.add(value.reader);
    return [...readers];
  }

  /** Those with which there's something to do, and that are due. */
  due(): AsyncIterable<Stored<Brought>> {
    return scanIndex(this.#ports.store, brought, 'byOpen', { before: [this.#ports.clock() + 1] });
  }

  #shown(record: Brought) {
    const now = this.#ports.clock();
    const isQuiet = isOpen(record) && record.progress === null;
    const dueInMs =
      record.state === 'forgetting' ? MOMENT_MS : isQuiet ? Math.max(0, record.at + MOMENT_MS - now) : 0;
    return rows(record, () => now, [{ kind: 'drop', dropId: record.dropId }], { dueInMs });
  }

  #wake({ threadId }: Brought): void {
    const place = parseSlackPlace(threadId);
    if (place) this.#ports.wake(place.channel);
  }
}
