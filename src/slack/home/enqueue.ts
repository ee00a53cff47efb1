import type { CallRecord, GateEvent, GateListener } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Put, put } from '../../storage/store.ts';
import { readSlackUser } from '../ids.ts';
import { homeChanges } from './collections.ts';

/** Has the Homes that show an event at the gate brought up to date, on whatever surface its thread is. */
export function createHomeListener(
  clock: Clock,
  homes: () => { refresh(actorId: string): Promise<void> },
): GateListener {
  return {
    announce: (event) => announceToHomes(event, clock),
    notify(event) {
      for (const actorId of affectedPeople(event)) void homes().refresh(actorId);
    },
  };
}

/** The notes for whoever keeps the Homes current that show the event, to land in its commit. */
export function announceToHomes(event: GateEvent, clock: Clock): readonly Put[] {
  return affectedPeople(event)
    .filter((actorId) => actorId === APPROVERS || readSlackUser(actorId) !== null)
    .map((actorId) => put(homeChanges, actorId, { at: clock() }));
}

/** Stands for all whom a rule lets decide: who that is, only Slack knows. */
export const APPROVERS = 'approvers';

/** Whose Homes show the calls that the event is about: who asked, who decided, and who is to in whose place. */
function affectedPeople(event: GateEvent): readonly string[] {
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
