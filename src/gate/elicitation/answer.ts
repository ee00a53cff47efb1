import type { JsonObject } from '../../lib/json.ts';
import { type Stored, unchanged } from '../../storage/store.ts';
import { ownsRequest } from '../approval/eligibility.ts';
import type { Actor } from '../call/actor.ts';
import { schemaProblems } from '../call/argument-check.ts';
import { callKey } from '../call/digest.ts';
import type { ElicitationAnswer } from '../call/need.ts';
import { resetServerResumes } from '../call/page-limits.ts';
import type { CallRecord } from '../call/record.ts';
import { RefusalError } from '../call/refusal.ts';
import { applyAnswer, resumeCall } from '../call/server-input.ts';
import type { GatePorts } from '../ports.ts';
import { calls, requests } from '../store/collections.ts';
import { commitCall } from '../store/commit.ts';

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
    requireFit(ports, call, call.need.requestedSchema, answer);
    const given = { ...answer, elicitationId };
    if (call.state === 'blocked' && call.input) return applyAnswer(call, call.input, given);
    return { ...call, need: null, elicitationAnswer: given };
  });
}

/** What a person filled in must fit the server's form, as the arguments of a call must fit its tool. */
function requireFit(
  ports: GatePorts,
  call: CallRecord,
  schema: JsonObject,
  { action, content }: ElicitationAnswer,
): void {
  const problems = action === 'accept' ? schemaProblems(ports, schema, content ?? {}) : [];
  if (problems.length === 0) return;
  const words = `This does not fit the form: ${problems.join('; ')}. Nothing was sent.`;
  throw new RefusalError('invalid_arguments', words, call, problems);
}

/** The person says that what the server asked for is done: the call may be sent again. */
export async function retryBlocked(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return byRequester(ports, key, actor, (call) => {
    if (call.state !== 'blocked' || call.need?.kind !== 'oauth_url') return null;
    return resumeCall(resetServerResumes(call));
  });
}

/**
 * Says beforehand whether this person may answer what a server asks for with the call; changes nothing.
 * @throws RefusalError when they may not.
 */
export async function checkAnswerable(ports: GatePorts, key: string, actor: Actor): Promise<void> {
  await requireRequester(ports, await getCall(ports, key), actor);
}

/** Closes the forms that calls of a request wait for: their servers are told that nobody fills them in. */
export async function cancelForms(ports: GatePorts, requestId: string): Promise<void> {
  const request = (await ports.store.get(requests, requestId))?.value;
  if (request?.state !== 'open') return;
  for (const key of request.callIds.map((callId) => callKey(request.threadId, callId))) {
    await cancelForm(ports, key);
  }
}

async function cancelForm(ports: GatePorts, key: string): Promise<void> {
  for (;;) {
    const stored = await ports.store.get(calls, key);
    if (stored?.value.state !== 'executing' || stored.value.need?.kind !== 'form_elicitation') return;
    const { elicitationId } = stored.value.need;
    const answer: ElicitationAnswer = { action: 'cancel', content: null, elicitationId };
    const call: CallRecord = { ...stored.value, need: null, elicitationAnswer: answer };
    if (await commitCall(ports, call, [unchanged(calls, stored)], { type: 'person_answered', call })) return;
  }
}

/** Changes a call by the word of the person whose run it is; throws RefusalError where `change` gives null. */
async function byRequester(
  ports: GatePorts,
  key: string,
  actor: Actor,
  change: (call: CallRecord) => CallRecord | null,
): Promise<CallRecord> {
  for (;;) {
    const stored = await getCall(ports, key);
    await requireRequester(ports, stored, actor);
    const next = change(stored.value);
    if (!next) {
      throw new RefusalError(
        'already_decided',
        'This is not waiting for an answer any more. Nothing was changed.',
        stored.value,
      );
    }
    const event = { type: 'person_answered', call: next } as const;
    if (await commitCall(ports, next, [unchanged(calls, stored)], event, actor)) return next;
  }
}

async function getCall(ports: GatePorts, key: string): Promise<Stored<CallRecord>> {
  const stored = await ports.store.get(calls, key);
  if (!stored) throw new RefusalError('unknown_call', 'There is no such action. Nothing was done.');
  return stored;
}

async function requireRequester(ports: GatePorts, stored: Stored<CallRecord>, actor: Actor): Promise<void> {
  const call = stored.value;
  const request = call.requestId === null ? null : await ports.store.get(requests, call.requestId);
  if (ownsRequest(request?.value ?? call, actor)) return;
  throw new RefusalError(
    'not_allowed',
    `This is for ${call.requester.name} alone. Nothing was changed.`,
    call,
  );
}
