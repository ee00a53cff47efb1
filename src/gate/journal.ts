import { FencedError } from '../errors.ts';
import { absent, type Expectation, type Stored, unchanged } from '../storage/store.ts';
import { mayDecide } from './approvers.ts';
import { RefusalError } from './decisions.ts';
import { callKey } from './digest.ts';
import { stillFenced } from './fence.ts';
import { newCall } from './new-call.ts';
import type { Fence, GateEvent, GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import { putCall } from './requests.ts';
import {
  type Actor,
  type CallRecord,
  type ElicitationAnswer,
  endOf,
  type Need,
  type Outcome,
  type ProposedCall,
} from './types.ts';

/**
 * The write-ahead record of every call: `begin` before it is sent, `finish` after.
 * `ready`: the intent is durable, send it now, once. `ended`: it has ended, here is the record.
 * `waiting`: it may not be sent, because a person has the next word.
 */
export type Begin =
  | { readonly kind: 'ready'; readonly call: CallRecord }
  | { readonly kind: 'ended'; readonly call: CallRecord }
  | { readonly kind: 'waiting'; readonly call: CallRecord };

export interface BeginCall {
  readonly threadId: string;
  readonly runId: string;
  readonly requester: Actor;
  readonly call: ProposedCall;
  readonly fence: Fence;
}

/**
 * Claims the next attempt at a call. A call that nobody was asked about is entered here with the policy's
 * verdict: only `allow` makes it ready. Asked again after it ended, it gives the recorded end, whatever
 * restarted in between. Throws FencedError when another worker has the thread.
 */
export async function begin(ports: GatePorts, input: BeginCall): Promise<Begin> {
  const key = callKey(input.threadId, input.call.callId);
  for (;;) {
    const stored = await ports.store.get(calls, key);
    const call = stored?.value ?? newCall(ports, input, input.call);
    const { begun, isNew } = nextOf(ports, call, input.fence);
    if (!isNew && (stored || begun.kind === 'waiting')) return begun;
    const event: GateEvent = { type: begun.kind === 'ready' ? 'started' : 'ended', call: begun.call };
    const expect = [stored ? unchanged(calls, stored) : absent(calls, key), input.fence.expectation];
    if (await write(ports, begun.call, expect, event)) return begun;
    await stillFenced(ports, input.fence);
  }
}

/** What this worker may do with the call now; `isNew` when that changes its record. */
function nextOf(ports: GatePorts, call: CallRecord, fence: Fence): { begun: Begin; isNew: boolean } {
  if (endOf(call) !== null) return { begun: { kind: 'ended', call }, isNew: false };
  if (call.state === 'executing' && call.fence !== fence.token) {
    return { begun: { kind: 'ended', call: inDoubt(ports, call) }, isNew: true };
  }
  if (call.state !== 'approved' && call.state !== 'allowed') {
    return { begun: { kind: 'waiting', call }, isNew: false };
  }
  const now = ports.clock();
  const { server, name } = call.tool;
  const verdict = ports.evaluate({ server, tool: name, arguments: call.arguments });
  if (verdict.action === 'deny') {
    // The policy became stricter after the call was let through and before it was sent.
    return {
      begun: { kind: 'ended', call: { ...call, verdict, state: 'denied', endedAt: now } },
      isNew: true,
    };
  }
  const started: CallRecord = {
    ...call,
    state: 'executing',
    attempt: call.attempt + 1,
    fence: fence.token,
    intentAt: now,
  };
  return { begun: { kind: 'ready', call: started }, isNew: true };
}

/** A call that was being sent when its worker stopped: nobody here knows whether it happened. */
export function inDoubt(ports: Pick<GatePorts, 'clock'>, call: CallRecord): CallRecord {
  const message = 'Countersign stopped while this was running; whether it happened is not known.';
  return {
    ...call,
    state: 'in_doubt',
    need: null,
    endedAt: ports.clock(),
    outcome: { status: 'in_doubt', message },
  };
}

/**
 * Records how an attempt ended. A late word on an attempt that was given up as in doubt is still the
 * truth, and replaces the doubt; a second word on an ended attempt changes nothing.
 */
export async function finish(ports: GatePorts, attempt: CallRecord, outcome: Outcome): Promise<CallRecord> {
  return amend(ports, attempt, (call) => ended(ports, call, outcome));
}

/**
 * The server did nothing yet and wants something of a person first. When the attempt was given up
 * meanwhile, nobody waits for it any more, and its end is that nothing was done.
 */
export async function block(ports: GatePorts, attempt: CallRecord, need: Need): Promise<CallRecord> {
  return amend(ports, attempt, (call) => {
    if (call.state === 'in_doubt') {
      const message = `${call.tool.server} did nothing: it first wanted something of a person.`;
      return ended(ports, call, { status: 'failed', message, content: [] });
    }
    return { type: 'needs_person', call: { ...call, state: 'blocked', need } };
  });
}

/** The server asks for a form while the call runs; it goes on running. */
export async function askPerson(ports: GatePorts, attempt: CallRecord, need: Need): Promise<CallRecord> {
  return amend(ports, attempt, (call) =>
    call.state === 'executing'
      ? { type: 'needs_person', call: { ...call, need, elicitationAnswer: null } }
      : null,
  );
}

/** Nobody answers the form any more: the server gave up, or the time is over. */
export async function stopAsking(ports: GatePorts, attempt: CallRecord): Promise<CallRecord> {
  return amend(ports, attempt, (call) =>
    call.need === null ? null : { type: 'person_answered', call: { ...call, need: null } },
  );
}

function ended(ports: GatePorts, call: CallRecord, outcome: Outcome): CallEvent {
  // A form's answer is for the server alone, and is not kept longer than the call needs it.
  const over = { need: null, elicitationAnswer: null, endedAt: ports.clock() };
  return { type: 'ended', call: { ...call, state: outcome.status, outcome, ...over } };
}

type CallEvent = Extract<GateEvent, { readonly call: CallRecord }>;

/** Changes the record of an attempt that is under way or in doubt, and nothing else. */
async function amend(
  ports: GatePorts,
  attempt: CallRecord,
  change: (call: CallRecord) => CallEvent | null,
): Promise<CallRecord> {
  const key = callKey(attempt.threadId, attempt.callId);
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (!stored || stored.value.attempt !== attempt.attempt) throw new FencedError();
    if (stored.value.state !== 'executing' && stored.value.state !== 'in_doubt') return stored.value;
    const event = change(stored.value);
    if (!event) return stored.value;
    if (await write(ports, event.call, [unchanged(calls, stored)], event)) return event.call;
  }
}

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
export async function byRequester(
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
    if (await write(ports, next, [unchanged(calls, stored)], { type: 'person_answered', call: next })) {
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

async function write(
  ports: GatePorts,
  call: CallRecord,
  expect: readonly Expectation[],
  event: GateEvent,
): Promise<boolean> {
  const { committed } = await ports.store.commit({ expect, put: [putCall(call), ...ports.announce(event)] });
  if (committed) ports.notify(event);
  return committed;
}
