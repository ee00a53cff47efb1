import { type Stored, unchanged } from '../../storage/store.ts';
import { clearClaim, currentClaim } from '../approval/claim-state.ts';
import { ownEligibility } from '../approval/eligibility.ts';
import { callNote } from '../audit/notes.ts';
import { type Actor, isSamePerson } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { askEvent } from '../store/call-events.ts';
import { calls } from '../store/collections.ts';
import { commitChange, putCall } from '../store/commit.ts';
import { checkDelegate } from './delegations.ts';

/**
 * Somebody hands a call to another, who decides it in their place until they take it back.
 * @throws RefusalError when it is not theirs to hand over, or not to this person; nothing has changed then.
 */
export async function reassign(
  ports: GatePorts,
  key: string,
  digest: string | null,
  to: Actor,
  from: Actor,
): Promise<CallRecord> {
  return change(ports, key, 'handed_over', from, to, async (call) => {
    if (digest !== null && digest !== call.digest)
      throw refusal('This is not what was shown to you any more', call);
    if (call.handOvers?.some((one) => one.from.id === from.id))
      throw refusal('You handed this over already', call);
    const word = await ownEligibility(ports.people, call, from);
    // What one has in somebody else's place is not one's own to pass on.
    if (!word.may) throw refusal(word.why.replace(/\.$/, ''), call);
    await checkDelegate(ports, from, to, call.threadId);
    if (isSamePerson(to, call.requester)) throw refusal(`${to.name} asked for this`, call);
    if ((await ownEligibility(ports.people, call, to)).may)
      throw refusal(`${to.name} may decide this anyway`, call);
    const hasSpoken = call.votes?.some(({ actor }) => isSamePerson(actor, to)) === true;
    if (hasSpoken) throw refusal(`${to.name} has decided this already`, call);
    const taken = currentClaim(call);
    const left = taken && isSamePerson(taken.by, from) ? clearClaim(call) : call;
    return { ...left, handOvers: [...(call.handOvers ?? []), { from, to, at: ports.clock() }] };
  });
}

/**
 * Whoever handed a call over decides it by themselves again.
 * @throws RefusalError when they did not, or the other has decided by now; nothing has changed then.
 */
export async function undoReassign(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return change(ports, key, 'taken_back', actor, null, async (call) => {
    const given = call.handOvers?.find(({ from }) => from.id === actor.id);
    if (!given) throw refusal('You did not hand this to anybody', call);
    const spoken = call.votes?.find((vote) => vote.for?.id === actor.id);
    if (spoken) throw refusal(`${spoken.actor.name} has decided this in your place already`, call);
    const { handOvers, ...rest } = call;
    const left = handOvers?.filter((one) => one !== given) ?? [];
    return left.length === 0 ? rest : { ...rest, handOvers: left };
  });
}

async function change(
  ports: GatePorts,
  key: string,
  what: 'handed_over' | 'taken_back',
  by: Actor,
  to: Actor | null,
  next: (call: CallRecord) => Promise<CallRecord>,
): Promise<CallRecord> {
  for (;;) {
    const stored: Stored<CallRecord> | null = await ports.store.get(calls, key);
    if (!stored) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
    const { state, kind } = stored.value;
    if (state !== 'pending' || kind !== 'tool')
      throw refusal('This does not wait for a decision', stored.value);
    const call = await next(stored.value);
    const landed = await commitChange(ports, {
      expect: [unchanged(calls, stored)],
      put: [putCall(call)],
      event: await askEvent(ports, call),
      notes: [callNote(call, what, by, to === null ? {} : { to: to.id })],
    });
    if (landed) return call;
  }
}

function refusal(words: string, call: CallRecord): RefusalError {
  return new RefusalError('not_applicable', `${words}. Nothing was changed.`, call);
}
