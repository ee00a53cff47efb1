import { unchanged } from '../storage/store.ts';
import { mayDecide } from './approvers.ts';
import type { AuditNote } from './audit.ts';
import { noteOn, SYSTEM } from './audit-notes.ts';
import { isTooLate } from './call-timing.ts';
import { leftInDoubt } from './doubt.ts';
import { land } from './land.ts';
import { cancelForms } from './needs.ts';
import { readableOf, unlessUnreadable } from './pages.ts';
import type { GateEvent, GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import { RefusalError } from './refusal.ts';
import { callsOf, putCall } from './requests.ts';
import { type Actor, type CallRecord, needsPerson } from './types.ts';

/**
 * A person takes back what is still undecided in a request; what already runs, or ran, stays, and a form
 * that it waits for is closed. Returns the calls that were taken back.
 * @throws RefusalError when this person has no word on the request; nothing has changed then.
 */
export async function withdraw(
  ports: GatePorts,
  requestId: string,
  actor: Actor,
): Promise<readonly CallRecord[]> {
  const request = (await ports.store.get(requests, requestId))?.value;
  if (!request) throw new RefusalError('unknown_call', 'There is no such request. Nothing was done.');
  if (!mayDecide(request, actor)) {
    const { name } = request.requester;
    throw new RefusalError('not_allowed', `Only ${name} may withdraw this. Nothing was changed.`);
  }
  return takeBack(ports, requestId, 'cancelled', actor);
}

/**
 * As {@link withdraw}, for the house itself, which has seen to it that this may happen: a newer message
 * takes the place of the request, or its run is stopped. `actor` is on whose account.
 */
export async function takeBack(
  ports: GatePorts,
  requestId: string,
  state: 'cancelled' | 'superseded',
  actor: Actor,
): Promise<readonly CallRecord[]> {
  const end = (call: CallRecord) => takenBack(call, state, actor, ports.clock());
  const what = state === 'superseded' ? 'superseded' : 'withdrawn';
  const ended = await settle(ports, requestId, end, (call) => noteOn(call, what, actor));
  await cancelForms(ports, requestId);
  return ended;
}

/**
 * The call as it is after somebody took it back; a decision that it had stays on record. What may have
 * happened is not taken back: it is left in doubt.
 */
export function takenBack(
  call: CallRecord,
  state: 'cancelled' | 'superseded',
  actor: Actor,
  now: number,
): CallRecord {
  const why = state === 'superseded' ? 'A newer message took its place.' : `${actor.name} withdrew it.`;
  const unclear = leftInDoubt(call, why, now);
  if (unclear) return unclear;
  const decision = call.decision ?? { type: 'ignore' as const, actor, at: now, feedback: null };
  return { ...call, state, need: null, endedAt: now, decision };
}

/**
 * Ends every call that nobody decided in time; those of its request that have time left stay. What cannot be read
 * keeps its own request only. Returns how many.
 */
export async function expire(ports: GatePorts): Promise<number> {
  let count = 0;
  const now = ports.clock();
  for await (const { value } of readableOf(ports, calls, 'expiring', { before: [now + 1] })) {
    const end = (call: CallRecord) => (isTooLate(call, now) ? expired(call, now) : null);
    const ended = await unlessUnreadable(ports, [], () =>
      settle(ports, value.requestId ?? '', end, (call) => noteOn(call, 'expired', SYSTEM)),
    );
    count += ended.length;
  }
  return count;
}

function expired(call: CallRecord, now: number): CallRecord {
  const unclear = leftInDoubt(call, 'Nobody said so in time.', now);
  return unclear ?? { ...call, state: 'expired', need: null, endedAt: now };
}

/** Ends what waits for a person in an open request, in one commit; all of it but that for which `end` gives null. */
async function settle(
  ports: GatePorts,
  requestId: string,
  end: (call: CallRecord) => CallRecord | null,
  noteOf: (ended: CallRecord) => AuditNote,
): Promise<readonly CallRecord[]> {
  for (;;) {
    const request = await ports.store.get(requests, requestId);
    if (request?.value.state !== 'open') return [];
    const stored = await callsOf(ports, request.value.threadId, request.value.callIds);
    const open = stored.filter((call) => call !== null).filter((call) => needsPerson(call.value));
    const changes = open.flatMap((call) => {
      const after = end(call.value);
      return after === null ? [] : [{ expectation: unchanged(calls, call), after }];
    });
    if (changes.length === 0) return [];
    const ended = changes.map(({ after }) => after);
    const event: GateEvent = { type: 'decided', calls: ended };
    const expect = changes.map(({ expectation }) => expectation);
    if (await land(ports, { expect, put: ended.map(putCall), event, notes: ended.map(noteOf) })) return ended;
  }
}
