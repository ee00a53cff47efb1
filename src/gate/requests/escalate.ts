import { scanReadable, withUnreadableFallback } from '../../storage/scan.ts';
import { unchanged } from '../../storage/store.ts';
import { clearClaim, currentClaim } from '../approval/claim-state.ts';
import { climbed, dueEscalations, isPastDeadline } from '../approval/deadline.ts';
import { StandingUnknownError } from '../approval/people.ts';
import { callNote, SYSTEM } from '../audit/notes.ts';
import type { GateEvent } from '../call/events.ts';
import type { CallRecord } from '../call/record.ts';
import { resolveAuthority } from '../delegation/on-behalf-of.ts';
import type { GatePorts } from '../ports.ts';
import { withoutPermission } from '../store/change-call.ts';
import { calls, requests } from '../store/collections.ts';
import { commitChange, getCalls, putCall } from '../store/commit.ts';
import { endContradicted } from '../store/end-contradicted.ts';

/**
 * Escalates every call that has waited long enough: added approvers may decide from then on, and people are
 * notified, once for all calls of a request that are due together. The record has when, so one sweeping
 * process does it. A record that can't be read holds up only its own request. Returns the number of calls.
 * docs/decisions/0023 explains who is notified, and when.
 *
 * @example
 * ```ts
 * // The rule's ladder: [{ afterMs: 3_600_000, remind: true, add: ['group:finance'] }]
 * await escalate(ports); // an hour after people were asked: a reminder, and finance may decide too
 * ```
 */
export async function escalate(ports: GatePorts): Promise<number> {
  let count = 0;
  const now = ports.clock();
  for await (const { value } of scanReadable(ports, calls, 'climbing', { before: [now + 1] })) {
    count += await withUnreadableFallback(ports, 0, () => escalateRequest(ports, value.requestId ?? '', now));
  }
  return count;
}

async function escalateRequest(ports: GatePorts, requestId: string, now: number): Promise<number> {
  for (;;) {
    const request = await ports.store.get(requests, requestId);
    if (request?.value.state !== 'open') return 0;
    const stored = await getCalls(ports, request.value.threadId, request.value.callIds);
    const due = stored
      .filter((call) => call !== null)
      // A call past its deadline isn't escalated; `expire` ends it.
      .filter(({ value }) => dueEscalations(value, now).length > 0 && !isPastDeadline(value, now));
    if (due.length === 0) return 0;
    const proofs = await Promise.all(due.map(({ value }) => ports.proofs.proveCall(value)));
    const contradicted = due.filter((_call, index) => proofs[index] === 'contradicted');
    for (const call of contradicted) await endContradicted(ports, call);
    if (contradicted.length > 0) continue;
    const changed = await Promise.all(due.map(({ value }) => dropLapsedClaim(ports, climbed(value, now))));
    const event: GateEvent = { type: 'reminded', request: request.value, calls: changed, at: now };
    const isCommitted = await commitChange(ports, {
      expect: due.map((call) => unchanged(calls, call)),
      put: changed.map(putCall),
      event,
      notes: changed.flatMap((call, index) => [
        ...[
          callNote(call, 'reminded', SYSTEM, escalationDetails(call, now)),
          ...(due[index]?.value.taken && !call.taken ? [callNote(call, 'let_go', SYSTEM)] : []),
        ].map((note) => (proofs[index] === 'proven' ? note : withoutPermission(note))),
      ]),
    });
    if (isCommitted) return changed.length;
  }
}

/** The call without its claim, if the claimant may no longer decide it. */
async function dropLapsedClaim(ports: GatePorts, call: CallRecord): Promise<CallRecord> {
  const current = currentClaim(ports.people, call);
  if (current === null) return call;
  try {
    return (await resolveAuthority(ports, call, current.by)).may ? call : clearClaim(call);
  } catch (error) {
    if (error instanceof StandingUnknownError) return call;
    throw error;
  }
}

function escalationDetails({ timing }: CallRecord, at: number) {
  const escalations = timing?.climbed.filter((escalation) => escalation.at === at) ?? [];
  return {
    reminded: escalations.some(({ remind }) => remind),
    added: escalations.flatMap(({ add }) => add),
  };
}
