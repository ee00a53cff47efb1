import { z } from 'zod';
import type { CallRecord } from '../../src/gate/call/record.ts';
import { calls, requests } from '../../src/gate/store/collections.ts';
import { type MailboxItem, mailbox, threads, work } from '../../src/runs/collections.ts';
import { outbox } from '../../src/slack/outbox/collections.ts';
import { leases } from '../../src/storage/lease/collections.ts';
import type { Collection, Store, Stored } from '../../src/storage/store.ts';

/** Every record that has a key in this index. */
export async function all<T>(store: Store, of: Collection<T>, index: string): Promise<Stored<T>[]> {
  const found: Stored<T>[] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof store.query<T>>> = await store.query(
      of,
      index,
      cursor === null ? {} : { cursor },
      200,
    );
    found.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return found;
}

/** A conversation's thread, and those in which its team's agents work. */
export async function withTasks(store: Store, threadId: string): Promise<readonly string[]> {
  const known = await all(store, threads, 'byCreation');
  return [threadId, ...known.flatMap(({ id, value }) => (value.task?.threadId === threadId ? id : []))];
}

export async function callsOf(store: Store, threadId: string): Promise<readonly CallRecord[]> {
  const page = await store.query(calls, 'byThread', { prefix: [threadId] }, 200);
  return page.items.map((call) => call.value);
}

export async function itemsOf(store: Store, threadId: string): Promise<readonly MailboxItem[]> {
  const page = await store.query(mailbox, 'byThread', { prefix: [threadId] }, 200);
  return page.items.map((item) => item.value);
}

/** Who holds a lease: the host, the process and its start. */
const ownerSchema = z.tuple([z.string(), z.number(), z.string()]);

/**
 * What is not at rest yet, in words; empty when there is nothing left to do. A lease only counts while its holder is
 * among the `running` processes: one that is killed after its last write leaves the lease to expire, and nobody
 * has anything to do there.
 */
export async function unrest(store: Store, running: readonly number[]): Promise<string[]> {
  const [items, notEnded, open, marks, rows] = await Promise.all([
    all(store, mailbox, 'open'),
    all(store, calls, 'notEnded'),
    all(store, requests, 'openByThread'),
    all(store, work, 'since'),
    all(store, outbox, 'byTurn'),
  ]);
  const threadIds = (await all(store, threads, 'byCreation')).map(({ id }) => id);
  const left = (await store.getMany(leases, threadIds)).filter((lease) => lease !== null);
  const held = left.filter(({ value }) => running.includes(ownerSchema.parse(JSON.parse(value.owner))[1]));
  return [
    ...items.map(({ id, value }) => `message ${id} is ${value.state}`),
    ...notEnded.map(({ value }) => `call ${value.callId} is ${value.state}`),
    ...open.map(({ id }) => `request ${id} is open`),
    ...marks.map(({ id }) => `thread ${id} is marked to be worked on`),
    ...rows.map(({ id }) => `outbox row ${id} is not shown`),
    ...held.map(({ id, value }) => `thread ${id} is leased to ${value.owner}`),
  ];
}
