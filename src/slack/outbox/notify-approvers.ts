import { z } from 'zod';
import type { Gate } from '../../gate/index.ts';
import type { ApproverRef, CallRecord } from '../../gate/types.ts';
import {
  approvalTally,
  approvalTerms,
  type PeopleDirectory,
  StandingUnknownError,
} from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { absent, collection, put, type Store, unchanged } from '../../storage/store.ts';
import { readSlackUser } from '../ids.ts';
import {
  type ApproverPerson,
  type ApproverPorts,
  actorIdIn,
  deciderIds,
  isDirect,
  isForOthers,
  resolveApprover,
  resolvePerson,
} from '../people/approvers.ts';
import { closedThreads, type OutboxItem, outbox } from './collections.ts';
import { rowId } from './rows.ts';

/** The largest group whose members get direct messages. */
const WRITTEN_TO_AT_MOST = 5;

/** The Slack users who got a direct message about a request, since they can't read its cards; by request id. */
export const told = collection({
  name: 'slack_told',
  /**
   * `looked`: the approval turns whose approvers were already checked. `calls`: the ids of the calls that each user
   * was found to decide; none in records of earlier versions.
   */
  schema: z.object({
    users: z.array(z.string()),
    looked: z.array(z.string()),
    calls: z.record(z.string(), z.array(z.string())).default({}),
  }),
  indexes: {},
});

interface ApproverNotifierPorts extends ApproverPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: ApproverPorts['gate'] & {
    readonly requests: Pick<Gate['requests'], 'get'>;
    readonly calls: Pick<Gate['calls'], 'inThread'>;
  };
  readonly people: Pick<PeopleDirectory, 'standing' | 'belongs'>;
  /** Wakes the outbox for this channel. */
  readonly wake: (channel: string) => void;
}

/**
 * Sends direct messages to approvers whom no mention in the thread reaches: it is in somebody's direct
 * messages, in a channel that they aren't in, or in one that takes nothing from the app, where the requester
 * gets one too. Each gets one per request, which is kept current. See
 * docs/decisions/0023-approvers-are-notified-once.md.
 */
export function createApproverNotifier(ports: ApproverNotifierPorts): (requestId: string) => Promise<void> {
  const { store, gate, people } = ports;

  async function toTell(call: CallRecord, isClosed: boolean): Promise<readonly string[]> {
    if (call.state !== 'pending' || !isForOthers(call)) return [];
    const found = await Promise.all(approvalTally(call).from.map((ref) => unreached(ref, call, isClosed)));
    return found.flat();
  }

  /** The Slack users behind this approver who need a direct message. */
  async function unreached(
    ref: ApproverRef,
    call: CallRecord,
    isClosed: boolean,
  ): Promise<readonly string[]> {
    const isReached = async (user: string) => !isClosed && (await readsThread(people, user, call));
    const approver = await resolveApprover(ref, call, ports);
    if (approver.kind === 'user') {
      const present = presentFor(approver);
      const reached = await Promise.all(present.map(isReached));
      return present.filter((_user, index) => reached[index] === false);
    }
    if (approver.kind !== 'group') return [];
    const members = approver.group.members ?? [];
    if (members.length > WRITTEN_TO_AT_MOST) return [];
    const reached = await Promise.all(members.map(isReached));
    // The group is mentioned, and a member reads that.
    if (reached.includes(true)) return [];
    const deciders = await Promise.all(
      members.map((user) => resolvePerson({ kind: 'user', id: actorIdIn(call, user) }, call, ports)),
    );
    return deciders.flatMap(presentFor);
  }

  return async (requestId) => {
    const request = await gate.requests.get(requestId);
    if (!request) return;
    const calls = (await gate.calls.inThread(request.threadId, request.callIds)).filter(
      (call) => call !== null,
    );
    const [first] = calls;
    if (!first) return;
    const isClosed = (await store.get(closedThreads, request.threadId)) !== null;
    const requester = isClosed ? readSlackUser(request.requester.id) : null;
    for (;;) {
      const known = await store.get(told, requestId);
      const { users: before, looked, calls: decided } = known?.value ?? { users: [], looked: [], calls: {} };
      const due = calls.filter((call) => !looked.includes(readTurn(call, isClosed)));
      const found = await Promise.all(due.map((call) => toTell(call, isClosed)));
      const wanted = [...new Set([...(requester === null ? [] : [requester]), ...found.flat()])];
      const others = wanted.filter((user) => !before.includes(user));
      const there = await Promise.all(others.map((user) => isThere(people, user, first)));
      const users = [...before, ...others.filter((_user, index) => there[index])];
      if (users.length === 0 && due.length === 0) return;
      const rows = users.map((user) => {
        const show: OutboxItem = { kind: 'told', requestId, user };
        const row = { channel: user, threadId: '', at: ports.clock(), show };
        return put(outbox, rowId(show), { ...row, requester: request.requester.id });
      });
      const { committed } = await store.commit({
        expect: [known ? unchanged(told, known) : absent(told, requestId)],
        put: [
          put(told, requestId, {
            users,
            looked: [...looked, ...due.map((call) => readTurn(call, isClosed))],
            calls: withCalls(decided, due, found),
          }),
          ...rows,
        ],
      });
      if (!committed) continue;
      for (const user of users) ports.wake(user);
      return;
    }
  };
}

/** By user, the ids of the calls that they decide, with those of `calls`; `deciders` are in the same order. */
function withCalls(
  before: Readonly<Record<string, readonly string[]>>,
  calls: readonly CallRecord[],
  deciders: readonly (readonly string[])[],
): Record<string, string[]> {
  const known = Object.entries(before).flatMap(([user, ids]) => ids.map((callId) => ({ user, callId })));
  const found = calls.flatMap(({ callId }, index) =>
    (deciders[index] ?? []).map((user) => ({ user, callId })),
  );
  const byUser = Map.groupBy([...known, ...found], ({ user }) => user);
  return Object.fromEntries(
    [...byUser].map(([user, its]) => [user, [...new Set(its.map(({ callId }) => callId))]]),
  );
}

/** Whether somebody sees what is posted in the call's thread. */
async function readsThread(
  people: ApproverNotifierPorts['people'],
  user: string,
  call: CallRecord,
): Promise<boolean> {
  const actor = { id: actorIdIn(call, user), name: user };
  // Requesters read their own direct messages, which is enough where one approval is and theirs counts.
  if (isDirect(call.threadId)) {
    const isEnough = approvalTally(call).needed === 1 && !approvalTerms(call).excludeRequester;
    return isEnough && actor.id === call.requester.id;
  }
  return nullWhenUnknown(people.belongs(actor, 'channel', call.threadId, { fresh: true }), true);
}

/** Whether the account exists and can be written to. */
async function isThere(
  people: ApproverNotifierPorts['people'],
  user: string,
  call: CallRecord,
): Promise<boolean> {
  const actor = { id: actorIdIn(call, user), name: user };
  const standing = await nullWhenUnknown(people.standing(actor, call.threadId, { fresh: false }), 'member');
  return standing === 'member' || standing === 'guest';
}

/** The Slack users who decide for this person; nobody for the requester, who knows. */
function presentFor(person: ApproverPerson): readonly string[] {
  return person.isRequester ? [] : deciderIds(person).flatMap((id) => readSlackUser(id) ?? []);
}

/**
 * Identifies the current approvers of a call and whether they can read of it in the thread; it changes with the
 * next step, or when an escalation adds people.
 */
function readTurn(call: CallRecord, isClosed: boolean): string {
  const { step, from } = approvalTally(call);
  return `${call.callId}:${step}:${from.join(',')}${isClosed ? ':closed' : ''}`;
}

async function nullWhenUnknown<T>(asking: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof StandingUnknownError) return otherwise;
    throw error;
  }
}
