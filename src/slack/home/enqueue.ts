import type { CallRecord, GateEvent } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Put, put } from '../../storage/store.ts';
import { readSlackUser } from '../ids.ts';
import { homeChanges } from './collections.ts';

/** Change notes for the Homes that show the event; they belong in the event's commit. */
export function announceToHomes(event: GateEvent, clock: Clock): readonly Put[] {
  return affectedPeople(event)
    .filter((actorId) => actorId === APPROVERS || readSlackUser(actorId) !== null)
    .map((actorId) => put(homeChanges, actorId, { at: clock() }));
}

/** Stands for all eligible approvers of a rule; only Slack knows who they are. */
export const APPROVERS = 'approvers';

/** The people whose Homes show the event's calls: requesters, deciders and delegates. */
export function affectedPeople(event: GateEvent): readonly string[] {
  if (event.type === 'progressed') return [];
  const calls = 'calls' in event ? event.calls : 'call' in event ? [event.call] : [];
  return [...new Set(calls.flatMap(peopleOnCall))];
}

function peopleOnCall({
  requester,
  verdict,
  decision,
  grant,
  handOvers = [],
}: CallRecord): readonly string[] {
  return [
    requester.id,
    ...(verdict.approval ? [APPROVERS] : []),
    ...(decision ? [decision.actor.id] : []),
    ...(grant ? [grant.by.id] : []),
    ...handOvers.flatMap(({ from, to }) => [from.id, to.id]),
  ];
}
