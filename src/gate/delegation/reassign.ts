import { clearClaim, currentClaim } from '../approval/claim-state.ts';
import { isPastDeadline } from '../approval/deadline.ts';
import { ownEligibility } from '../approval/eligibility.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { askEvent } from '../store/call-events.ts';
import { changeCall, requireCall, write } from '../store/change-call.ts';
import {
  ALREADY_REASSIGNED,
  canDecideAnyway,
  decidedOnYourBehalf,
  hasDecided,
  isRequester,
  NOT_REASSIGNED,
  NOT_WAITING,
  nothingChanged,
  REASSIGNMENT_OUTDATED,
} from '../texts/refusals.ts';
import { checkDelegate } from './delegations.ts';

/**
 * Reassigns one call: `to` decides it on behalf of `from`, until `from` undoes it. `digest`: of what was
 * displayed; null takes the call as it is.
 * @throws RefusalError when `from` may not reassign it, or not to this person; nothing has changed then.
 */
export function reassign(
  ports: GatePorts,
  key: string,
  from: Actor,
  { to, digest }: { readonly to: Actor; readonly digest: string | null },
): Promise<CallRecord> {
  return changePending(ports, key, async (call) => {
    if (digest !== null && digest !== call.digest) {
      throw refusal(REASSIGNMENT_OUTDATED, call);
    }
    if (call.handOvers?.some((one) => one.from.id === from.id)) {
      throw refusal(ALREADY_REASSIGNED, call);
    }
    const own = await ownEligibility(ports.people, call, from);
    // What somebody decides on another's behalf isn't theirs to pass on.
    if (!own.may) throw refusal(own.why, call);
    await checkDelegate(ports, from, to, call.threadId);
    if (ports.people.samePerson(to, call.requester)) throw refusal(isRequester(to.name), call);
    if ((await ownEligibility(ports.people, call, to)).may) throw refusal(canDecideAnyway(to.name), call);
    const hasVoted = call.votes?.some(({ actor }) => ports.people.samePerson(actor, to)) === true;
    if (hasVoted) throw refusal(hasDecided(to.name), call);
    const current = currentClaim(ports.people, call);
    const released = current && ports.people.samePerson(current.by, from) ? clearClaim(call) : call;
    const handOvers = [...(call.handOvers ?? []), { from, to, at: ports.clock() }];
    const after = { ...released, handOvers };
    return { call: after, note: callNote(after, 'handed_over', from, { to: to.id }) };
  });
}

/**
 * Undoes a reassignment: whoever reassigned the call decides it again.
 * @throws RefusalError when they didn't, or the other has decided by now; nothing has changed then.
 */
export function undoReassign(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return changePending(ports, key, async (call) => {
    const handOver = call.handOvers?.find(({ from }) => from.id === actor.id);
    if (!handOver) throw refusal(NOT_REASSIGNED, call);
    const vote = call.votes?.find(({ for: absent }) => absent?.id === actor.id);
    if (vote) throw refusal(decidedOnYourBehalf(vote.actor.name), call);
    const { handOvers, ...rest } = call;
    const left = handOvers?.filter((one) => one !== handOver) ?? [];
    const after = left.length === 0 ? rest : { ...rest, handOvers: left };
    return { call: after, note: callNote(after, 'taken_back', actor) };
  });
}

function changePending(
  ports: GatePorts,
  key: string,
  next: (
    call: CallRecord,
  ) => Promise<{ readonly call: CallRecord; readonly note: ReturnType<typeof callNote> }>,
): Promise<CallRecord> {
  return changeCall(ports, key, async (stored) => {
    const before = requireCall(stored);
    if (before.state !== 'pending' || before.kind !== 'tool' || isPastDeadline(before, ports.clock())) {
      throw refusal(NOT_WAITING, before);
    }
    const { call, note } = await next(before);
    return write({ call, notes: [note], event: await askEvent(ports, call) });
  });
}

function refusal(why: string, call: CallRecord): RefusalError {
  return new RefusalError('not_applicable', nothingChanged(why), call);
}
