import type { Stored } from '../storage/store.ts';
import { isTooLate } from './call-timing.ts';
import { closedForm, withoutInput } from './input.ts';
import type { EventOfCall, GatePorts } from './ports.ts';
import { requests } from './records.ts';
import { RefusalError } from './refusal.ts';
import {
  type Actor,
  type CallRecord,
  canBeSettled,
  type DoubtWord,
  hasEarlierDoubt,
  isOpenDoubt,
  type Outcome,
  type RequestRecord,
} from './types.ts';

/**
 * The call after an attempt of which nobody knows whether it happened. A call that a person approved waits
 * for their word; one that nobody was asked about has ended.
 */
export function inDoubt(call: CallRecord, message: string, now: number): CallRecord {
  return {
    ...withoutInput(call),
    state: 'in_doubt',
    need: null,
    elicitationAnswer: closedForm(call, 'stopped'),
    endedAt: call.decision === null ? now : null,
    outcome: { status: 'in_doubt', message },
    doubt: { attempt: call.attempt, said: null },
  };
}

/**
 * The end of a call that may have happened, and of which nobody is asked any more; null for any other call.
 * It does not end as never run, whatever put an end to the asking. `why` is a sentence.
 */
export function leftInDoubt(call: CallRecord, why: string, now: number): CallRecord | null {
  if (!isOpenDoubt(call) && !hasEarlierDoubt(call)) return null;
  const unclear =
    call.outcome?.status === 'in_doubt'
      ? call.outcome.message
      : 'It was sent once before; whether it happened is not known.';
  const outcome: Outcome = { status: 'in_doubt', message: `${unclear} ${why}` };
  return {
    ...withoutInput(call),
    state: 'in_doubt',
    need: null,
    elicitationAnswer: closedForm(call, 'stopped'),
    endedAt: now,
    outcome,
  };
}

/**
 * The call after a person's word on a doubt. What happened can be said as long as it is unclear, also when
 * the run has gone on without it; asking again needs the request to be open.
 * @throws RefusalError when the call is not in doubt, or is not what was shown.
 */
export function settled({
  call,
  digest,
  word,
  actor,
  now,
}: {
  readonly call: CallRecord;
  /** Of what was displayed; null binds to whatever is on record. */
  readonly digest: string | null;
  readonly word: DoubtWord;
  readonly actor: Actor;
  readonly now: number;
}): CallRecord {
  if (!canBeSettled(call)) {
    throw new RefusalError(
      'already_decided',
      'This is not waiting for an answer any more. Nothing was changed.',
      call,
    );
  }
  if (digest !== null && digest !== call.digest) {
    throw new RefusalError(
      'changed',
      'This is not what was shown to you any more. Nothing was changed; look at the card again.',
      call,
    );
  }
  const doubt = { attempt: call.attempt, said: { word, actor, at: now } };
  switch (word) {
    case 'happened': {
      const content = [{ type: 'text' as const, text: `${actor.name} says that it happened.` }];
      const outcome: Outcome = { status: 'succeeded', content, structured: null };
      return { ...call, state: 'succeeded', outcome, doubt, endedAt: now };
    }
    case 'not_happened': {
      const message = `${actor.name} says that it did not happen.`;
      const outcome: Outcome = { status: 'failed', message, content: [] };
      return { ...call, state: 'failed', outcome, doubt, endedAt: now };
    }
    case 'ask_again':
      if (!isOpenDoubt(call) || isTooLate(call, now)) {
        throw new RefusalError(
          'expired',
          'The request that this belongs to is over. Nothing was sent; write again to have it asked anew.',
          call,
        );
      }
      // Whoever approved it then is asked again like everybody else.
      return {
        ...call,
        state: 'pending',
        decision: null,
        outcome: null,
        doubt,
        ...(call.votes ? { votes: [] } : {}),
      };
  }
}

/** What is told of a call that has ended, or waits for a person's word (once more). */
export async function eventOfEnd(
  { store }: Pick<GatePorts, 'store'>,
  call: CallRecord,
): Promise<EventOfCall> {
  const isAsked = isOpenDoubt(call) || call.state === 'pending';
  return isAsked ? eventOfAsking({ store }, call) : { type: 'ended', call };
}

/** What is told when people are asked about a call once more; that it ended, if no request asks for it. */
export async function eventOfAsking(
  { store }: Pick<GatePorts, 'store'>,
  call: CallRecord,
): Promise<EventOfCall> {
  const request: Stored<RequestRecord> | null =
    call.requestId === null ? null : await store.get(requests, call.requestId);
  return request ? { type: 'asked', request: request.value, calls: [call] } : { type: 'ended', call };
}
