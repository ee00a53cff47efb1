import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type Expectation, type Put, type Ref, refName, type Stored } from '../../storage/store.ts';
import { type AuditHead, type AuditPorts, type ChainHeads, extendChains, readHeads } from '../audit/chain.ts';
import type { AuditNote } from '../audit/note.ts';
import type { RecentRecords } from './recent-records.ts';

/** A change of the gate's records, and the audit entries of the same commit. */
interface AuditedChange {
  readonly expect: readonly Expectation[];
  readonly put: readonly Put[];
  readonly notes: readonly AuditNote[];
}

/** Commits a change; false, with nothing changed, if one of its own preconditions failed. */
export type GroupCommit = (change: AuditedChange) => Promise<boolean>;

interface GroupPorts extends AuditPorts {
  readonly recent: RecentRecords;
}

interface Waiting {
  readonly change: AuditedChange;
  readonly committed: PromiseWithResolvers<boolean>;
}

/**
 * The most changes in one commit. The store holds up everything else while it makes one: for some 30 ms with
 * this many.
 */
const MOST_IN_GROUP = 64;

/** Chains whose heads are remembered, some 300 bytes each. */
const KEPT_HEADS = 10_000;

/**
 * Commits together what comes together: all changes of one thread append to one chain of the audit, so that of
 * a hundred made apart at the same time, each would fail and start over up to ninety-nine times. What one turn
 * of the event loop asks for, or comes while a commit is under way, shares the next one. Each change still
 * stands or falls by its own preconditions: one that fails them leaves the group, and the others are committed
 * without it. docs/decisions/0050 explains the bounds.
 */
export function createGroupCommit(ports: GroupPorts): GroupCommit {
  const queues = new Map<string, Waiting[]>();
  // As this process wrote them: where another one has written since, the commit fails, and they are read.
  const known = new LRUCache<string, Stored<AuditHead>>({ max: KEPT_HEADS });

  /** A chain that isn't known is taken for new. */
  function getHeads(threadIds: readonly string[]): ChainHeads {
    const heads = threadIds.flatMap((threadId) => known.get(threadId) ?? []);
    return new Map(heads.map((head) => [head.id, head]));
  }

  async function work(threadId: string, queue: Waiting[]): Promise<void> {
    await nextTurn();
    while (queue.length > 0) {
      const group = takeGroup(queue);
      try {
        const heads = getHeads(threadsOfNotes(group));
        for (const head of await commitGroup(ports, group, heads)) known.set(head.id, head);
      } catch (error) {
        for (const { committed, change } of group) {
          ports.recent.forget(change.put);
          committed.reject(error);
        }
      }
    }
    queues.delete(threadId);
  }

  return async (change) => {
    const [first] = change.notes;
    if (!first) return (await ports.store.commit(change)).committed;
    const waiting: Waiting = { change, committed: Promise.withResolvers<boolean>() };
    const queue = queues.get(first.threadId) ?? [];
    queue.push(waiting);
    if (!queues.has(first.threadId)) {
      queues.set(first.threadId, queue);
      void work(first.threadId, queue);
    }
    return waiting.committed.promise;
  };
}

/**
 * Takes from the queue what may share a commit with its first change: no change that expects what another one
 * in the group writes, or another version of what it expects. Those fail, or succeed, after it.
 */
function takeGroup(queue: Waiting[]): readonly Waiting[] {
  const group: Waiting[] = [];
  const left: Waiting[] = [];
  const written = new Set<string>();
  const expected = new Map<string, number | null>();
  for (const waiting of queue.splice(0)) {
    const { expect, put } = waiting.change;
    const fits = expect.every((one) => {
      const name = refName(one);
      return !written.has(name) && (!expected.has(name) || expected.get(name) === one.version);
    });
    if (group.length >= MOST_IN_GROUP || !fits) {
      left.push(waiting);
      continue;
    }
    group.push(waiting);
    for (const one of expect) expected.set(refName(one), one.version);
    for (const one of put) written.add(refName(one));
  }
  queue.push(...left);
  return group;
}

/** The chains that these changes append to. */
function threadsOfNotes(group: readonly Waiting[]): readonly string[] {
  return [...new Set(group.flatMap(({ change }) => change.notes.map(({ threadId }) => threadId)))];
}

/**
 * Commits these changes; returns the heads that it wrote. `read`: the heads of their chains; where one isn't the newest,
 * they are read again.
 */
async function commitGroup(
  ports: GroupPorts,
  group: readonly Waiting[],
  read: ChainHeads,
): Promise<readonly Stored<AuditHead>[]> {
  let left = group;
  let heads = read;
  while (left.length > 0) {
    const changes = left.map(({ change }) => change);
    const notes = changes.flatMap((change) => change.notes);
    let audit: ReturnType<typeof extendChains>;
    try {
      audit = extendChains(heads, notes, { at: ports.clock(), auditKeys: ports.auditKeys });
    } catch (error) {
      if (left.length === 1) throw error;
      // One change's entries can't be written, which must not keep the others from being committed.
      for (const one of left) {
        const own = await readHeads(ports, threadsOfNotes([one]));
        await commitGroup(ports, [one], own).catch(one.committed.reject);
      }
      return [];
    }
    const written = lastOfEach(changes.flatMap(({ put }) => put));
    const result = await ports.store.commit({
      expect: [...lastOfEach(changes.flatMap(({ expect }) => expect)), ...audit.expect],
      put: [...written, ...audit.put],
    });
    if (result.committed) {
      ports.recent.note(written, result.version);
      for (const { committed } of left) committed.resolve(true);
      return audit.heads.map((head) => ({ id: head.threadId, version: result.version, value: head }));
    }
    // Where none of them expected this record, the chain has grown elsewhere, and its new head is read.
    ports.recent.forget([result.conflict]);
    const conflict = refName(result.conflict);
    const failed = left.filter(({ change }) => change.expect.some((one) => refName(one) === conflict));
    for (const { committed } of failed) committed.resolve(false);
    left = left.filter((waiting) => !failed.includes(waiting));
    heads = await readHeads(ports, threadsOfNotes(left));
  }
  return [];
}

/** The last of those that name the same record: what committing one after the other would have left. */
function lastOfEach<T extends Ref>(refs: readonly T[]): readonly T[] {
  return [...new Map(refs.map((one) => [refName(one), one])).values()];
}
