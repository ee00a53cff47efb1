import type { JsonObject } from '../../lib/json.ts';
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
import { changeCall, eventUpdate, keep, requireCall, write } from '../store/change-call.ts';
import { calls, requests } from '../store/collections.ts';
import { DOUBT_OVER, formMisfit, onlyRequesterAnswers } from '../texts/refusals.ts';

/** An answer to one question of a server. */
export interface GivenAnswer {
  readonly elicitationId: string;
  readonly answer: ElicitationAnswer;
}

/**
 * Answers a form that a server asks for; the call that waits for it goes on.
 * @throws RefusalError when the form isn't open, is somebody else's, or the answer doesn't fit it.
 */
export function answerElicitation(
  ports: GatePorts,
  key: string,
  actor: Actor,
  { elicitationId, answer }: GivenAnswer,
): Promise<CallRecord> {
  return changeByRequester(ports, key, actor, (call) => {
    if (call.need?.kind !== 'form_elicitation' || call.need.elicitationId !== elicitationId) return null;
    requireFit(ports, call, call.need.requestedSchema, answer);
    const given = { ...answer, elicitationId };
    if (call.state === 'blocked' && call.input) return applyAnswer(call, call.input, given);
    return { ...call, need: null, elicitationAnswer: given };
  });
}

/** Refuses an answer that doesn't fit the server's form, as a call's arguments must fit its tool. */
function requireFit(
  ports: GatePorts,
  call: CallRecord,
  schema: JsonObject,
  { action, content }: ElicitationAnswer,
): void {
  const problems = action === 'accept' ? schemaProblems(ports, schema, content ?? {}) : [];
  if (problems.length === 0) return;
  throw new RefusalError('invalid_arguments', formMisfit(problems), call, problems);
}

/**
 * Resumes a blocked call, once the person says that they did what the server asked for. One that runs finds out by itself.
 */
export function retryBlocked(ports: GatePorts, key: string, actor: Actor): Promise<CallRecord> {
  return changeByRequester(ports, key, actor, (call) => {
    if (call.need?.kind !== 'oauth_url') return null;
    if (call.state === 'executing') return { ...call, need: null };
    if (call.state !== 'blocked') return null;
    return resumeCall(resetServerResumes(call));
  });
}

/**
 * Checks whether this person may answer what a server asks for; changes nothing.
 * @throws RefusalError when they may not.
 */
export async function checkAnswerable(ports: GatePorts, key: string, actor: Actor): Promise<void> {
  const stored = await ports.store.get(calls, key);
  await requireRequester(ports, requireCall(stored?.value ?? null), actor);
}

/**
 * Closes the forms that a request's calls wait for; their servers get the answer that nobody fills them in.
 */
export async function cancelForms(ports: GatePorts, requestId: string): Promise<void> {
  const request = (await ports.store.get(requests, requestId))?.value;
  if (request?.state !== 'open') return;
  for (const callId of request.callIds) await cancelForm(ports, callKey(request.threadId, callId));
}

function cancelForm(ports: GatePorts, key: string): Promise<CallRecord | null> {
  return changeCall<CallRecord | null>(ports, key, async (open) => {
    if (open?.state !== 'executing' || open.need?.kind !== 'form_elicitation') return keep(open);
    const { elicitationId } = open.need;
    const answer: ElicitationAnswer = { action: 'cancel', content: null, elicitationId };
    const call: CallRecord = { ...open, need: null, elicitationAnswer: answer };
    return write(eventUpdate(call, { type: 'person_answered', call }));
  });
}

/** Changes a call by its requester's answer; throws RefusalError if `change` returns null. */
function changeByRequester(
  ports: GatePorts,
  key: string,
  actor: Actor,
  change: (call: CallRecord) => CallRecord | null,
): Promise<CallRecord> {
  return changeCall(ports, key, async (stored) => {
    const before = requireCall(stored);
    await requireRequester(ports, before, actor);
    const call = change(before);
    if (!call) {
      throw new RefusalError('already_decided', DOUBT_OVER, before);
    }
    return write(eventUpdate(call, { type: 'person_answered', call }, actor));
  });
}

async function requireRequester(ports: GatePorts, call: CallRecord, actor: Actor): Promise<void> {
  const request = call.requestId === null ? null : await ports.store.get(requests, call.requestId);
  if (ownsRequest(request?.value ?? call, actor)) return;
  throw new RefusalError('not_allowed', onlyRequesterAnswers(call.requester.name), call);
}
