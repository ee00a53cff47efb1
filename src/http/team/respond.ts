import type { Hono } from 'hono';
import type { z } from 'zod';
import { type CallRecord, type DecisionInput, RefusalError, recordKey } from '../../gate/types.ts';
import { requireKey } from '../api/auth.ts';
import { readBody } from '../api/body.ts';
import type { ApiPorts } from '../api/ports.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { RECORDS, REQUEST_DECIDED } from '../texts.ts';
import { toActor } from '../threads/ids.ts';
import { type hitlAnswerSchema, hitlResponseSchema } from '../threads/schemas/team.ts';

type Response = z.infer<typeof hitlResponseSchema>;

/**
 * `POST /hitl/respond`: decides all that is left of one request, in the name of the key; the gate says what the key may
 * decide. docs/decisions/0100 says why instructions without a mode are meant besides the call here.
 */
export function respondRoute(app: Hono<HttpEnv>, ports: ApiPorts): void {
  const { gate } = ports;
  app.post('/hitl/respond', requireKey(ports, 'run'), async (c) => {
    const body = await readBody(c, hitlResponseSchema);
    const request = await gate.requests.get(body.request_id);
    if (!request) throw notFound();
    const actor = toActor(c.get('caller'));
    const calls = await gate.calls.inThread(request.threadId, request.callIds);
    const isOwn = calls.some((call) => call?.requester.id === actor.id);
    const left = calls.filter((call) => call?.state === 'pending' && call.kind === 'tool');
    const inputs = left.flatMap((call, index) => (call ? toInput(call, body, index === 0) : []));
    if (inputs.length === 0)
      throw isOwn
        ? new HttpError({ status: 409, code: 'already_decided', userMessage: REQUEST_DECIDED })
        : notFound();
    const decided = await gate.decisions.decide(inputs, actor).catch((error: unknown) => {
      // No key learns what others ask for, nor that they do. The gate has it on record that it tried.
      throw !isOwn && error instanceof RefusalError ? notFound() : error;
    });
    return c.json(toAnswer(request.requestId, decided));
  });
}

function notFound(): HttpError {
  return new HttpError({ status: 404, code: 'not_found', userMessage: RECORDS.notFound });
}

/** What was said with the decision goes with the first of the calls; what is wanted in their place, with all. */
function toInput(
  call: CallRecord,
  { decision, instructions, mode }: Response,
  isFirst: boolean,
): DecisionInput {
  const input = { callKey: recordKey(call), digest: null };
  const words = instructions || undefined;
  if (mode === 'override') return { ...input, type: 'reject', feedback: words, instead: true };
  if (decision === 'denied') return { ...input, type: 'reject', feedback: words };
  return { ...input, type: 'approve', instruction: isFirst ? words : undefined };
}

function toAnswer(request_id: string, calls: readonly CallRecord[]): z.infer<typeof hitlAnswerSchema> {
  const task = calls[0]?.task;
  const isDenied = calls.every(({ state }) => state === 'rejected' || state === 'cancelled');
  const status = calls.some(({ state }) => state === 'pending')
    ? 'pending'
    : isDenied
      ? 'denied'
      : 'approved';
  return { request_id, status, agent_id: task?.taskId ?? null, agent_name: task?.agent ?? null };
}
