import { latest } from '../../lib/duration.ts';
import { unchanged } from '../../storage/store.ts';
import { computeDeadline, extensionsLeft, isPastDeadline } from '../approval/deadline.ts';
import { maySettleDoubt } from '../approval/eligibility.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError } from '../call/refusal.ts';
import { alreadyDecidedMessage } from '../decisions/messages.ts';
import { resolveAuthority } from '../delegation/on-behalf-of.ts';
import type { GatePorts } from '../ports.ts';
import { calls } from '../store/collections.ts';
import { commitChange, putCall } from '../store/commit.ts';

/**
 * Puts the deadline of a call off by as long as its rule gives, at the word of whoever asked or could decide it.
 * `seen` is how often that was done already as far as they know: a second click on the same button does no more.
 * @throws RefusalError when it cannot be; nothing has changed then.
 */
export async function extend(ports: GatePorts, key: string, seen: number, actor: Actor): Promise<CallRecord> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
    const call = await extendDeadline(ports, stored.value, seen, actor);
    const until = call.timing?.decideBy ?? null;
    const landed = await commitChange(ports, {
      expect: [unchanged(calls, stored)],
      put: [putCall(call)],
      event: { type: 'extended', call },
      notes: [callNote(call, 'extended', actor, { until })],
    });
    if (landed) return call;
  }
}

async function extendDeadline(
  ports: GatePorts,
  call: CallRecord,
  seen: number,
  actor: Actor,
): Promise<CallRecord> {
  const refuse = (code: RefusalCode, message: string): never => {
    throw new RefusalError(code, `${message} Nothing was changed.`, call);
  };
  const now = ports.clock();
  if (
    !(await maySettleDoubt(ports.people, call, actor)) &&
    !(await resolveAuthority(ports, call, actor)).may
  ) {
    refuse('not_allowed', `Only ${call.requester.name}, and who may decide this, can extend it.`);
  }
  const { timing } = call;
  if (call.state !== 'pending')
    throw new RefusalError('already_decided', alreadyDecidedMessage(call, actor), call);
  if (isPastDeadline(call, now)) refuse('expired', 'The time for this is over: ask again.');
  if (timing === undefined || timing.decideBy === null)
    return refuse('not_applicable', 'This has no deadline.');
  if (timing.extended.length !== seen) refuse('changed', 'Somebody has extended this already.');
  if (extensionsLeft(call) === 0) {
    refuse('not_applicable', 'This cannot be extended any more: its rule does not allow it again.');
  }
  const until = computeDeadline(ports, call, timing.decideBy);
  if (until === null || until <= timing.decideBy) {
    return refuse('not_applicable', 'This cannot be extended any more: its conversation is not kept longer.');
  }
  return {
    ...call,
    timing: {
      ...timing,
      decideBy: until,
      answerBy: latest([until, timing.answerBy]),
      extended: [...timing.extended, { actor, at: now, until }],
    },
  };
}
