import { unchanged } from '../../storage/store.ts';
import { clearClaim, currentClaim, isClaimable } from '../approval/claim-state.ts';
import { isPastDeadline } from '../approval/deadline.ts';
import { approvalTally } from '../approval/tally.ts';
import { callNote } from '../audit/notes.ts';
import { type Actor, isSamePerson } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { askEvent } from '../store/call-events.ts';
import { calls } from '../store/collections.ts';
import { commitChange, putCall } from '../store/commit.ts';
import { resolveAuthority } from './on-behalf-of.ts';

/**
 * One of several who may decide a call says that they are on it, so that the others need not look. Nothing else
 * changes by it: everybody decides who could. `over`: they mean to take it from somebody who has it; without that,
 * what somebody else has stays theirs.
 * @throws RefusalError when it cannot be taken, or not by them; nothing has changed then.
 */
export function claim(ports: GatePorts, key: string, over: boolean, actor: Actor): Promise<CallRecord> {
  return change(ports, key, async (call) => {
    const voice = await resolveAuthority(ports, call, actor);
    if (!voice.may) throw refusal('not_allowed', voice.why, call);
    if (!isClaimable(call))
      throw refusal('not_applicable', 'There is nobody else to see that you are on it.', call);
    const before = currentClaim(call);
    if (before && isSamePerson(before.by, actor))
      throw refusal('not_applicable', 'You took this already.', call);
    if (before && !over) {
      throw refusal('changed', `${before.by.name} took this already. Take it over if you mean to.`, call);
    }
    const from = before ? { from: before.by } : {};
    const taken = { by: actor, at: ports.clock(), step: approvalTally(call).step, ...from };
    return {
      call: { ...call, taken },
      note: callNote(call, 'taken', actor, before ? { from: before.by.id } : {}),
    };
  });
}

/**
 * Whoever took a call lets it go.
 * @throws RefusalError when they have not; nothing has changed then.
 */
export function unclaim(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return change(ports, key, async (call) => {
    const taken = currentClaim(call);
    if (!taken || !isSamePerson(taken.by, actor))
      throw refusal('not_applicable', 'You have not taken this.', call);
    return { call: clearClaim(call), note: callNote(call, 'let_go', actor) };
  });
}

async function change(
  ports: GatePorts,
  key: string,
  next: (call: CallRecord) => Promise<{ call: CallRecord; note: ReturnType<typeof callNote> }>,
): Promise<CallRecord> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
    const { value: before } = stored;
    if (before.state !== 'pending' || isPastDeadline(before, ports.clock())) {
      throw refusal('already_decided', 'This does not wait for a decision.', before);
    }
    const { call, note } = await next(before);
    const landed = await commitChange(ports, {
      expect: [unchanged(calls, stored)],
      put: [putCall(call)],
      event: await askEvent(ports, call),
      notes: [note],
    });
    if (landed) return call;
  }
}

function refusal(code: RefusalCode, words: string, call: CallRecord): RefusalError {
  return new RefusalError(code, `${words} Nothing was changed.`, call);
}
