import { type Stored, unchanged } from '../storage/store.ts';
import { mayDecide } from './approvers.ts';
import type { GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import { RefusalError } from './refusal.ts';
import type { Actor, CallRecord, ElicitationAnswer } from './types.ts';
import { writeCall } from './write-call.ts';

/** The person's answer to a form that a server asks for; the call that waits for it goes on. */
export async function answerElicitation(
  ports: GatePorts,
  key: string,
  elicitationId: string,
  answer: ElicitationAnswer,
  actor: Actor,
): Promise<CallRecord> {
  return byRequester(ports, key, actor, (call) => {
    if (call.need?.kind !== 'form_elicitation' || call.need.elicitationId !== elicitationId) return null;
    return { ...call, need: null, elicitationAnswer: answer };
  });
}

/** The person says that what the server asked for is done: the call may be sent again. */
export async function retry(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return byRequester(ports, key, actor, (call) => {
    if (call.state !== 'blocked') return null;
    return { ...call, state: call.decision ? 'approved' : 'allowed', need: null };
  });
}

/** Changes a call by the word of the person whose run it is; throws RefusalError where `change` gives null. */
async function byRequester(
  ports: GatePorts,
  key: string,
  actor: Actor,
  change: (call: CallRecord) => CallRecord | null,
): Promise<CallRecord> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
    await refuseStranger(ports, stored, actor);
    const next = change(stored.value);
    if (!next) {
      throw new RefusalError(
        'already_decided',
        'This is not waiting for an answer any more. Nothing was changed.',
        stored.value,
      );
    }
    if (await writeCall(ports, next, [unchanged(calls, stored)], { type: 'person_answered', call: next })) {
      return next;
    }
  }
}

async function refuseStranger(ports: GatePorts, stored: Stored<CallRecord>, actor: Actor): Promise<void> {
  const call = stored.value;
  const request = call.requestId === null ? null : await ports.store.get(requests, call.requestId);
  const allowed = request ? mayDecide(request.value, actor) : call.requester.id === actor.id;
  if (allowed) return;
  throw new RefusalError(
    'not_allowed',
    `This is for ${call.requester.name} alone. Nothing was changed.`,
    call,
  );
}
