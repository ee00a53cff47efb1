import { clearClaim, currentClaim, isClaimable } from '../approval/claim-state.ts';
import { isPastDeadline } from '../approval/deadline.ts';
import { approvalTally } from '../approval/tally.ts';
import type { AuditNote } from '../audit/note.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { askEvent } from '../store/call-events.ts';
import { changeCall, requireCall, write } from '../store/change-call.ts';
import {
  alreadyClaimed,
  CLAIMED_BY_YOU,
  NOT_CLAIMABLE,
  NOT_CLAIMED,
  NOT_WAITING,
  nothingChanged,
} from '../texts/refusals.ts';
import { resolveAuthority } from './on-behalf-of.ts';

/**
 * Claims a call: one of several who may decide it says that they are looking at it, so that the others need
 * not. A claim reserves nothing; everybody who could decide still can. `over` takes the call over from
 * whoever claimed it.
 * @throws RefusalError when it can't be claimed, or not by this actor; nothing has changed then.
 */
export function claim(
  ports: GatePorts,
  key: string,
  actor: Actor,
  { over }: { readonly over: boolean },
): Promise<CallRecord> {
  return changeClaim(ports, key, async (call) => {
    const authority = await resolveAuthority(ports, call, actor);
    if (!authority.may) throw refusal('not_allowed', authority.why, call);
    if (!isClaimable(call)) {
      throw refusal('not_applicable', NOT_CLAIMABLE, call);
    }
    const before = currentClaim(ports.people, call);
    if (before && ports.people.samePerson(before.by, actor)) {
      throw refusal('not_applicable', CLAIMED_BY_YOU, call);
    }
    if (before && !over) {
      throw refusal('changed', alreadyClaimed(before.by.name), call);
    }
    const own = { by: actor, at: ports.clock(), step: approvalTally(call).step, from: before?.by };
    const details = before ? { from: before.by.id } : {};
    return { call: { ...call, taken: own }, note: callNote(call, 'taken', actor, details) };
  });
}

/**
 * Gives up a claim.
 * @throws RefusalError when the actor hasn't claimed the call; nothing has changed then.
 */
export function unclaim(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return changeClaim(ports, key, async (call) => {
    const current = currentClaim(ports.people, call);
    if (!current || !ports.people.samePerson(current.by, actor)) {
      throw refusal('not_applicable', NOT_CLAIMED, call);
    }
    return { call: clearClaim(call), note: callNote(call, 'let_go', actor) };
  });
}

function changeClaim(
  ports: GatePorts,
  key: string,
  next: (call: CallRecord) => Promise<{ readonly call: CallRecord; readonly note: AuditNote }>,
): Promise<CallRecord> {
  return changeCall(ports, key, async (stored) => {
    const before = requireCall(stored);
    if (before.state !== 'pending' || isPastDeadline(before, ports.clock())) {
      throw refusal('already_decided', NOT_WAITING, before);
    }
    const { call, note } = await next(before);
    return write({ call, notes: [note], event: await askEvent(ports, call) });
  });
}

function refusal(code: RefusalCode, why: string, call: CallRecord): RefusalError {
  return new RefusalError(code, nothingChanged(why), call);
}
