import { keepReadable, scanReadable, withoutSchema } from '../../storage/scan.ts';
import type { PeopleDirectory } from '../approval/people.ts';
import type { Actor } from '../call/actor.ts';
import { oldestFirst } from '../call/order.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { findDelegators, resolveAuthorityAmong } from './on-behalf-of.ts';

/** The most waiting calls that are searched for one person's. */
const MAX_SCANNED = 2_000;

/** The calls that wait for somebody, as far as they were searched. */
export interface Inbox {
  readonly calls: readonly CallRecord[];
  /** There may be more: the list is full, or not every waiting call was searched. */
  readonly isMore: boolean;
}

/**
 * The calls that wait for this person, oldest first: those they requested, those that a rule lets them
 * decide, and those that they may decide on somebody's behalf.
 */
export async function readInbox(ports: GatePorts, actorId: string, limit: number): Promise<Inbox> {
  const actor: Actor = { id: actorId, name: actorId };
  const people = cachedPeople(ports.people);
  const delegators = await findDelegators(ports, actorId, ports.clock());
  const mayDecide = async (call: CallRecord) =>
    (await resolveAuthorityAmong(people, call, actor, { delegators: async () => delegators })).may;
  const found = [...(await waitingRequestedBy(ports, actorId, limit)).filter((call) => !isScanned(call))];
  for (const { id } of delegators.away) {
    for (const call of await waitingRequestedBy(ports, id, limit)) {
      if (call.state === 'pending' && !isScanned(call) && (await mayDecide(call))) found.push(call);
    }
  }
  let looked = 0;
  let isMore = false;
  for await (const { value: call } of scanReadable(ports, calls, 'waitingForApprovers', {})) {
    isMore = looked >= MAX_SCANNED || found.length >= limit * 2;
    if (isMore) break;
    looked += 1;
    if (await mayDecide(call)) found.push(call);
  }
  const inOrder = oldestFirst(found);
  return { calls: inOrder.slice(0, limit), isMore: isMore || inOrder.length > limit };
}

/** Whether a call waits for this person, as {@link readInbox} would list it. */
export async function waitsFor(ports: GatePorts, call: CallRecord, actorId: string): Promise<boolean> {
  if (call.state !== 'pending') return false;
  const delegators = await findDelegators(ports, actorId, ports.clock());
  const actor: Actor = { id: actorId, name: actorId };
  return (await resolveAuthorityAmong(ports.people, call, actor, { delegators: async () => delegators })).may;
}

async function waitingRequestedBy(
  ports: GatePorts,
  actorId: string,
  limit: number,
): Promise<readonly CallRecord[]> {
  const page = await ports.store.query(withoutSchema(calls), 'waiting', { prefix: [actorId] }, limit);
  return keepReadable(ports, calls, page.items).map(({ value }) => value);
}

/** Whether the search covers the call: one with approvers, who may or may not include its requester. */
function isScanned({ state, verdict, handOvers }: CallRecord): boolean {
  return state === 'pending' && (verdict.approval !== undefined || handOvers !== undefined);
}

/** A directory that caches its answers for one listing, and takes older ones; nothing is decided by them. */
function cachedPeople(people: PeopleDirectory): PeopleDirectory {
  const standings = new Map<string, ReturnType<PeopleDirectory['standing']>>();
  const belongings = new Map<string, ReturnType<PeopleDirectory['belongs']>>();
  return {
    ...people,
    standing: (actor, threadId) =>
      once(standings, `${actor.id} ${threadId}`, () => people.standing(actor, threadId, { fresh: false })),
    belongs(actor, ref, threadId) {
      // Membership of a group doesn't depend on the thread, and that of a channel is asked once for all its
      // threads.
      const key = `${actor.id} ${ref} ${ref === 'channel' ? (people.groupOf(threadId) ?? threadId) : ''}`;
      return once(belongings, key, () => people.belongs(actor, ref, threadId, { fresh: false }));
    },
  };
}

function once<T>(known: Map<string, T>, key: string, ask: () => T): T {
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  return answer;
}
