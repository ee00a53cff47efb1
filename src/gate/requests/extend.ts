import { latest } from '../../lib/duration.ts';
import { computeDeadline, extensionsLeft, isPastDeadline } from '../approval/deadline.ts';
import { maySettleDoubt } from '../approval/eligibility.ts';
import { callNote } from '../audit/notes.ts';
import type { Actor } from '../call/actor.ts';
import type { CallRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError } from '../call/refusal.ts';
import { alreadyDecidedMessage } from '../decisions/messages.ts';
import { resolveAuthority } from '../delegation/on-behalf-of.ts';
import type { GatePorts } from '../ports.ts';
import { changeCall, requireCall, write } from '../store/change-call.ts';
import {
  ALREADY_EXTENDED,
  EXTENSION_TOO_LATE,
  NO_DEADLINE,
  NO_EXTENSION_LEFT,
  NOT_KEPT_LONGER,
  nothingChanged,
  onlyApproversExtend,
} from '../texts/refusals.ts';

/**
 * Extends a call's deadline by as long as its rule gives; for the requester and whoever may decide it.
 * `extensionsSeen` is how many extensions they were shown, so that a second click on the same button does
 * nothing.
 * @throws RefusalError when it can't be extended; nothing has changed then.
 */
export function extend(
  ports: GatePorts,
  key: string,
  actor: Actor,
  { extensionsSeen }: { readonly extensionsSeen: number },
): Promise<CallRecord> {
  return changeCall(ports, key, async (stored) => {
    const call = await extendDeadline(ports, requireCall(stored), actor, extensionsSeen);
    const until = call.timing?.decideBy ?? null;
    return write({
      call,
      event: { type: 'extended', call },
      notes: [callNote(call, 'extended', actor, { until })],
    });
  });
}

async function extendDeadline(
  ports: GatePorts,
  call: CallRecord,
  actor: Actor,
  extensionsSeen: number,
): Promise<CallRecord> {
  const refuse = (code: RefusalCode, why: string): never => {
    throw new RefusalError(code, nothingChanged(why), call);
  };
  const now = ports.clock();
  if (
    !(await maySettleDoubt(ports.people, call, actor)) &&
    !(await resolveAuthority(ports, call, actor)).may
  ) {
    refuse('not_allowed', onlyApproversExtend(call.requester.name));
  }
  const { timing } = call;
  if (call.state !== 'pending')
    throw new RefusalError('already_decided', alreadyDecidedMessage(ports.people, call, actor), call);
  if (isPastDeadline(call, now)) refuse('expired', EXTENSION_TOO_LATE);
  if (timing === undefined || timing.decideBy === null) return refuse('not_applicable', NO_DEADLINE);
  if (timing.extended.length !== extensionsSeen) refuse('changed', ALREADY_EXTENDED);
  if (extensionsLeft(call) === 0) {
    refuse('not_applicable', NO_EXTENSION_LEFT);
  }
  const until = computeDeadline(ports, call, timing.decideBy);
  if (until === null || until <= timing.decideBy) {
    return refuse('not_applicable', NOT_KEPT_LONGER);
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
