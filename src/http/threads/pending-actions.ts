import { z } from 'zod';
import type { Gate } from '../../gate/index.ts';
import type { CallRecord, DecisionType, Need, RequestRecord } from '../../gate/types.ts';
import { currentDeadline, isOpenDoubt, neededCalls, needsPerson, placeDigest } from '../../gate/types.ts';
import { latest } from '../../lib/duration.ts';
import { pageMessage, samplingMessage } from '../texts.ts';
import type { PendingAction } from './schemas/answers.ts';

/** Everything in a thread that waits for a person. */
interface Pending {
  readonly runId: string;
  /** In the order in which to handle them; never empty. */
  readonly actions: readonly [PendingAction, ...PendingAction[]];
  /** The next message takes its place; a form that a running call asks for stays. */
  readonly superseded: boolean;
}

const questionSchema = z.object({
  question: z.string().catch(''),
  context: z.string().nullable().catch(null),
});

/** What people must do in the thread; null if nothing. */
export async function findPending(
  { gate }: { readonly gate: Gate },
  threadId: string,
): Promise<Pending | null> {
  const request = await gate.requests.openIn(threadId);
  const waiting = await findWaitingCalls({ gate }, threadId, request);
  const [first, ...others] = toPendingActions(request, waiting);
  const runId = waiting[0]?.runId;
  if (!first || runId === undefined) return null;
  return { runId, actions: [first, ...others], superseded: waiting.some(needsPerson) };
}

/** Calls that a person can decide, answer, unblock or say of what happened. Forms may be asked for by calls without a request. */
export async function findWaitingCalls(
  { gate }: { readonly gate: Gate },
  threadId: string,
  request: RequestRecord | null,
): Promise<readonly CallRecord[]> {
  const [requested, unfinished] = await Promise.all([
    request === null ? [] : gate.calls.inThread(threadId, request.callIds),
    gate.calls.unfinishedIn(threadId, 200),
  ]);
  const found = [...requested.flatMap((call) => call ?? []), ...unfinished];
  const byId = new Map(found.map((call) => [call.callId, call]));
  return [...byId.values()].filter(
    (call) => call.state === 'pending' || isOpenDoubt(call) || call.need !== null,
  );
}

/**
 * Questions come first, then what servers ask for (a form does not wait long), then confirmations: all of
 * one kind together.
 */
export function toPendingActions(
  request: RequestRecord | null,
  waiting: readonly CallRecord[],
): readonly PendingAction[] {
  const pending = waiting.filter((call) => call.state === 'pending');
  const questions = pending.filter((call) => call.kind === 'question');
  const proposed = waiting.filter(
    (call) => (call.state === 'pending' && call.kind === 'tool') || isOpenDoubt(call),
  );
  const needs = waiting.flatMap((call) => (call.need === null ? [] : [toNeedAction(call.need)]));
  return [
    ...(questions.length === 0 ? [] : [toClarification(questions)]),
    ...needs.filter((action) => action.kind === 'form_elicitation'),
    ...needs.filter((action) => action.kind === 'oauth_url'),
    ...(request === null || proposed.length === 0 ? [] : [toConfirmation(request, proposed)]),
  ];
}

export function toNeedAction(need: Need): PendingAction {
  switch (need.kind) {
    case 'oauth_url':
      return { kind: 'oauth_url', elicitation_id: need.elicitationId, url: need.url, message: need.message };
    case 'form_elicitation':
      return {
        kind: 'form_elicitation',
        elicitation_id: need.elicitationId,
        message: elicitationMessage(need),
        requested_schema: need.requestedSchema,
      };
  }
}

/** The server's message, with everything else to see before accepting. */
function elicitationMessage({ message, url, sampling }: Extract<Need, { kind: 'form_elicitation' }>): string {
  if (sampling !== undefined) return samplingMessage(message);
  return url === undefined ? message : pageMessage(message, url);
}

function toClarification(questions: readonly CallRecord[]): PendingAction {
  return {
    kind: 'clarification',
    clarifications: questions.map((call) => ({
      call_id: call.callId,
      ...questionSchema.parse(call.arguments),
    })),
  };
}

function isoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A call that is approved on the web page can't be approved with a key. */
function allowedDecisions({ verdict }: CallRecord): Exclude<DecisionType, 'answer'>[] {
  return verdict.decideOn === 'web' ? ['edit', 'reject', 'ignore'] : ['approve', 'edit', 'reject', 'ignore'];
}

function toConfirmation(request: RequestRecord, proposed: readonly CallRecord[]): PendingAction {
  return {
    kind: 'confirmation',
    request_id: request.requestId,
    expires_at: isoTime(latest(proposed.map(currentDeadline))),
    tool_calls: proposed.map((call) => ({
      call_id: call.callId,
      tool_name: call.tool.name,
      server: call.tool.server,
      title: call.tool.title,
      arguments: call.arguments,
      digest: call.digest,
      place: placeDigest(call) ?? null,
      after: call.after ?? null,
      needs: call.after ? [...neededCalls(call)] : null,
      expires_at: isoTime(currentDeadline(call)),
      ...(isOpenDoubt(call)
        ? { state: 'in_doubt', allowed_decisions: ['happened', 'not_happened', 'ask_again'] }
        : { state: 'pending', allowed_decisions: allowedDecisions(call) }),
    })),
  };
}
