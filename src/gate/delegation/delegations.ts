import { scanIndex } from '../../storage/scan.ts';
import { put, unchanged } from '../../storage/store.ts';
import { standingRefusal } from '../approval/people.ts';
import type { Actor } from '../call/actor.ts';
import { callKey } from '../call/digest.ts';
import { RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { commitChange } from '../store/commit.ts';
import {
  cannotDelegateTo,
  DELEGATE_IS_YOU,
  DELEGATION_IN_PAST,
  DELEGATION_OVER,
  DELEGATION_TOO_LONG,
  NOT_YOUR_DELEGATION,
  nothingChanged,
  tooManyDelegations,
} from '../texts/refusals.ts';
import { delegationNote, proveDelegation } from './notes.ts';
import { type Delegation, delegations } from './record.ts';

/** The longest delegation, in milliseconds. */
const MAX_DURATION_MS = 366 * 86_400_000;
/** The most delegations that one person may have at a time. */
const MAX_DELEGATIONS = 20;

/** A delegation to be made: to whom, and for how long. */
export interface DelegationTerms {
  readonly to: Actor;
  /** Milliseconds since the epoch. */
  readonly begins: number;
  readonly until: number;
  readonly reason: string | null;
}

/**
 * Delegates one's decisions to somebody for a while. docs/decisions/0020 explains the rules.
 * @throws RefusalError when it can't be this person, or not for this time; nothing has changed then.
 */
export async function delegate(ports: GatePorts, terms: DelegationTerms, from: Actor): Promise<Delegation> {
  const { to, begins, until } = terms;
  const now = ports.clock();
  await checkDelegate(ports, from, to, '');
  if (until <= now || until <= begins) throw refusal(DELEGATION_IN_PAST);
  if (until - Math.max(begins, now) > MAX_DURATION_MS) throw refusal(DELEGATION_TOO_LONG);
  if ((await delegationsFrom(ports, from.id)).length >= MAX_DELEGATIONS) {
    throw refusal(tooManyDelegations(MAX_DELEGATIONS));
  }
  const delegation: Delegation = {
    delegationId: callKey(from.id, `delegation:${to.id}:${begins}:${until}:${now}`),
    from,
    ...terms,
    at: now,
    ended: null,
  };
  const { delegationId } = delegation;
  for (;;) {
    const isCommitted = await commitChange(ports, {
      expect: [],
      put: [put(delegations, delegationId, delegation)],
      event: null,
      notes: [delegationNote(delegation, 'delegated', from)],
    });
    if (isCommitted) return delegation;
  }
}

/**
 * Ends a delegation early; what was decided under it, and has run, stays.
 * @throws RefusalError when this person has no such delegation.
 */
export async function endDelegation(
  ports: GatePorts,
  delegationId: string,
  actor: Actor,
): Promise<Delegation> {
  for (;;) {
    const stored = await ports.store.get(delegations, delegationId);
    if (stored?.value.from.id !== actor.id) {
      throw new RefusalError('not_allowed', nothingChanged(NOT_YOUR_DELEGATION));
    }
    const now = ports.clock();
    if (stored.value.ended !== null || stored.value.until <= now) {
      throw new RefusalError('already_decided', nothingChanged(DELEGATION_OVER));
    }
    const delegation: Delegation = { ...stored.value, ended: now };
    const isCommitted = await commitChange(ports, {
      expect: [unchanged(delegations, stored)],
      put: [put(delegations, delegationId, delegation)],
      event: null,
      notes: [delegationNote(delegation, 'delegation_ended', actor)],
    });
    if (isCommitted) return delegation;
  }
}

/** The delegations that this person has made, current and future, the next to end first. */
export function delegationsFrom(ports: GatePorts, actorId: string): Promise<readonly Delegation[]> {
  return listDelegations(ports, 'byDelegator', actorId);
}

/** Who decides on this person's behalf now. */
export async function activeDelegates(ports: GatePorts, actorId: string): Promise<readonly Actor[]> {
  const now = ports.clock();
  return (await delegationsFrom(ports, actorId)).filter(({ begins }) => begins <= now).map(({ to }) => to);
}

/** The delegations that name this person, current and future, the next to end first. */
export function delegationsTo(ports: GatePorts, actorId: string): Promise<readonly Delegation[]> {
  return listDelegations(ports, 'byDelegate', actorId);
}

async function listDelegations(
  ports: GatePorts,
  index: 'byDelegator' | 'byDelegate',
  actorId: string,
): Promise<readonly Delegation[]> {
  const found: Delegation[] = [];
  const range = { prefix: [actorId], from: [actorId, ports.clock() + 1] };
  for await (const stored of scanIndex(ports.store, delegations, index, range)) {
    const proven = await proveDelegation(ports, stored);
    if (proven) found.push(proven.value);
  }
  return found;
}

/**
 * Checks that somebody can decide on behalf of `from`. `threadId` is empty for all threads.
 * @throws RefusalError for `from` themselves, an app, a guest, and a closed, unknown or external account.
 */
export async function checkDelegate(
  ports: GatePorts,
  from: Actor,
  to: Actor,
  threadId: string,
): Promise<void> {
  if (ports.people.samePerson(from, to)) throw refusal(DELEGATE_IS_YOU);
  const standing = await ports.people.standing(to, threadId, { fresh: true });
  const why = standingRefusal(standing);
  if (why !== null) throw refusal(cannotDelegateTo(to.name, why));
}

function refusal(why: string): RefusalError {
  return new RefusalError('not_applicable', nothingChanged(why));
}
