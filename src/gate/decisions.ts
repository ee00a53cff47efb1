import type { JsonObject } from '../json.ts';
import { type Stored, unchanged } from '../storage/store.ts';
import { mayDecide } from './approvers.ts';
import { argumentProblems } from './arguments.ts';
import { callDigest } from './digest.ts';
import { settled } from './doubt.ts';
import { takenBack } from './endings.ts';
import type { AlsoLand, GateEvent, GatePorts } from './ports.ts';
import { calls, requests } from './records.ts';
import { type RefusalCode, RefusalError } from './refusal.ts';
import { putCall } from './requests.ts';
import {
  type Actor,
  type CallRecord,
  type DecisionType,
  type DoubtWord,
  isDoubtWord,
  type RequestRecord,
  type Verdict,
} from './types.ts';

export { type RefusalCode, RefusalError };

/** One person's word on one call. */
export interface DecisionInput {
  readonly callKey: string;
  /** The digest of what was displayed; a decision on anything else is refused. */
  readonly digest: string | null;
  /** A word on a doubt, or taking the call back, is one of its own kind, and claimed like any decision. */
  readonly type: DecisionType | DoubtWord | 'withdraw';
  /** The new arguments of an edit. */
  readonly arguments?: JsonObject;
  /** Why not, or the answer to a question. */
  readonly feedback?: string;
}

const alone: AlsoLand = async () => ({ expect: [], put: [], notify: () => undefined });

/**
 * Claims decisions: all of them, in one commit, or none; `also` lands with them. Returns the calls as they
 * stand after.
 * @throws RefusalError when one of them cannot be decided like this by this actor; nothing has changed then.
 */
export async function decide(
  ports: GatePorts,
  inputs: readonly DecisionInput[],
  actor: Actor,
  also: AlsoLand = alone,
): Promise<readonly CallRecord[]> {
  if (inputs.length === 0) return [];
  const keys = inputs.map((input) => input.callKey);
  if (new Set(keys).size < keys.length) {
    throw new RefusalError('not_applicable', 'One action cannot be decided twice at once. Nothing was done.');
  }
  for (;;) {
    const stored = await ports.store.getMany(calls, keys);
    const found = stored.filter((call) => call !== null);
    if (found.length < inputs.length) {
      throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
    }
    const openRequests = await requestsOf(ports, found);
    const decided = found.map((call, index) => {
      const input = inputs[index];
      const request = openRequests.get(call.value.requestId ?? '');
      if (!input || !request) {
        throw new RefusalError(
          'already_decided',
          'Nobody is asked about this action. Nothing was done.',
          call.value,
        );
      }
      return applyDecision(ports, request.value, call.value, input, actor);
    });
    const event = eventOf(decided, openRequests);
    const landing = await also();
    const { committed } = await ports.store.commit({
      expect: [
        ...found.map((call) => unchanged(calls, call)),
        ...[...openRequests.values()].map((request) => unchanged(requests, request)),
        ...landing.expect,
      ],
      put: [...decided.map(putCall), ...ports.announce(event), ...landing.put],
    });
    if (!committed) continue;
    ports.notify(event);
    landing.notify();
    return decided;
  }
}

/** What happened: only a call that is asked about again is pending after a decision. */
function eventOf(
  decided: readonly CallRecord[],
  found: ReadonlyMap<string, Stored<RequestRecord>>,
): GateEvent {
  const again = decided.find((call) => call.state === 'pending');
  const request = again && found.get(again.requestId ?? '')?.value;
  return request ? { type: 'asked', request, calls: decided } : { type: 'decided', calls: decided };
}

async function requestsOf(
  ports: GatePorts,
  found: readonly Stored<CallRecord>[],
): Promise<Map<string, Stored<RequestRecord>>> {
  const ids = [...new Set(found.flatMap((call) => call.value.requestId ?? []))];
  const records = await ports.store.getMany(requests, ids);
  return new Map(records.filter((request) => request !== null).map((request) => [request.id, request]));
}

type Refuse = (code: RefusalCode, message: string, details?: readonly string[]) => never;

/** The call after the decision; throws RefusalError when the decision does not apply. */
function applyDecision(
  ports: GatePorts,
  request: RequestRecord,
  call: CallRecord,
  input: DecisionInput,
  actor: Actor,
): CallRecord {
  const refuse: Refuse = (code, message, details = []) => {
    throw new RefusalError(code, message, call, details);
  };
  const now = ports.clock();
  const { type } = input;
  if (!mayDecide(request, actor)) {
    const isOver = call.decision !== null && !isDoubtWord(type);
    const only = `Only ${request.requester.name} may decide this. Nothing was changed.`;
    refuse('not_allowed', isOver ? alreadyDecided(call, actor) : only);
  }
  if (isDoubtWord(type)) return settled({ request, call, digest: input.digest, word: type, actor, now });
  if (call.state !== 'pending') refuse('already_decided', alreadyDecided(call, actor));
  if (request.expiresAt !== null && request.expiresAt <= now) {
    refuse('expired', 'This was open until its deadline, which has passed. Nothing was done; ask again.');
  }
  if (input.digest !== null && input.digest !== call.digest) {
    refuse(
      'changed',
      'This is not what was shown to you any more. Nothing was done; look at the card again.',
    );
  }
  if (type === 'withdraw') return takenBack(call, 'cancelled', actor, now);
  if ((call.kind === 'question') !== (type === 'answer') && type !== 'ignore') {
    refuse('not_applicable', 'An action is approved or rejected, a question is answered. Nothing was done.');
  }
  const feedback = input.feedback?.trim() || null;
  const decision = { type, actor, at: now, feedback };
  switch (type) {
    case 'approve':
      permitted(ports, call, call.arguments, refuse);
      return { ...call, state: 'approved', decision };
    case 'ignore':
      return { ...call, state: 'ignored', decision, endedAt: now };
    case 'reject':
      if (feedback === null) {
        return refuse('feedback_required', 'A rejection needs a reason, so that the agent can do better.');
      }
      return { ...call, state: 'rejected', decision, endedAt: now };
    case 'answer':
      if (feedback === null) return refuse('feedback_required', 'The answer is empty. Nothing was sent.');
      return {
        ...call,
        state: 'succeeded',
        decision,
        endedAt: now,
        outcome: { status: 'succeeded', content: [{ type: 'text', text: feedback }], structured: null },
      };
    case 'edit': {
      const args = input.arguments ?? refuse('invalid_arguments', 'An edit needs the new arguments.');
      const problems = argumentProblems(ports, call.tool.inputSchema, args);
      if (problems.length > 0) {
        refuse(
          'invalid_arguments',
          `The changes do not fit: ${problems.join('; ')}. Nothing was done.`,
          problems,
        );
      }
      const verdict = permitted(ports, call, args, refuse);
      const digest = callDigest({
        server: call.tool.server,
        tool: call.tool.name,
        definitionHash: call.tool.definitionHash,
        arguments: args,
      });
      // A form that was sent as it stood: nothing was changed by hand, and nothing shall say so.
      if (digest === call.digest)
        return { ...call, state: 'approved', decision: { ...decision, type: 'approve' } };
      return { ...call, arguments: args, digest, verdict, state: 'approved', decision };
    }
  }
}

/** The policy's word on a call that is about to be approved: it may have become stricter since people were asked. */
function permitted(ports: GatePorts, call: CallRecord, args: JsonObject, refuse: Refuse): Verdict {
  const verdict = ports.evaluate({ server: call.tool.server, tool: call.tool.name, arguments: args });
  if (verdict.action === 'deny') {
    refuse('denied_by_policy', `The policy does not allow this (${verdict.rule}). Nothing was done.`);
  }
  return verdict;
}

const PAST: Record<DecisionType, string> = {
  approve: 'approved',
  edit: 'approved with changes',
  reject: 'rejected',
  ignore: 'ignored',
  answer: 'answered',
};

/** To the one who decided it: a second click of theirs was not meant to change anything. */
const OWN: Record<DecisionType, string> = {
  approve: 'You approved this already; it runs once.',
  edit: 'You approved this already, with your changes; it runs once.',
  reject: 'You rejected this already; nothing was changed.',
  ignore: 'You ignored this already; nothing was changed.',
  answer: 'You answered this already; nothing was changed.',
};

function alreadyDecided(call: CallRecord, actor: Actor): string {
  if (call.state === 'expired') return 'This expired before anybody decided. Nothing was changed.';
  if (call.state === 'cancelled' || call.state === 'superseded') {
    return 'This was withdrawn. Nothing was changed.';
  }
  if (call.decision?.actor.id === actor.id) {
    return OWN[call.decision.type];
  }
  if (call.decision) {
    return `This was already ${PAST[call.decision.type]} by ${call.decision.actor.name}. Nothing was changed.`;
  }
  return 'This needs no decision any more. Nothing was changed.';
}

/**
 * Says beforehand whether this actor could decide the call as it was shown, so that nobody fills in a form
 * in vain; changes nothing, and promises nothing.
 * @throws RefusalError when they could not.
 */
export async function checkDecidable(
  ports: GatePorts,
  callKey: string,
  digest: string | null,
  actor: Actor,
): Promise<void> {
  const call = await ports.store.get(calls, callKey);
  if (!call) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
  const request = (await requestsOf(ports, [call])).get(call.value.requestId ?? '');
  if (!request) {
    throw new RefusalError(
      'already_decided',
      'Nobody is asked about this action. Nothing was done.',
      call.value,
    );
  }
  applyDecision(ports, request.value, call.value, { callKey, digest, type: 'ignore' }, actor);
}
