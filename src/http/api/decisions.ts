import type { Hono } from 'hono';
import { callKey, type DecisionInput, unknownCall } from '../../gate/types.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { toRequestAnswer } from '../records/to-record.ts';
import { RECORDS } from '../texts.ts';
import { toActor } from '../threads/ids.ts';
import { type DecisionsRequest, decisionsRequestSchema } from '../threads/schemas/requests.ts';
import { requireKey } from './auth.ts';
import { readBody } from './body.ts';
import type { ApiPorts } from './ports.ts';

/**
 * `POST /api/requests/{id}/decisions`: decides calls of one request in the name of the key, all of them or none; answers with
 * the request as it is then. The gate says what the key may decide: only what it asked for itself.
 */
export function decisionsRoute(app: Hono<HttpEnv>, ports: ApiPorts): void {
  const { gate } = ports;
  app.post('/api/requests/:id/decisions', requireKey(ports, 'run', 'admin'), async (c) => {
    const body = await readBody(c, decisionsRequestSchema);
    const actor = toActor(c.get('caller'));
    const request = await gate.requests.get(c.req.param('id'));
    if (!request) throw new HttpError({ status: 404, code: 'not_found', userMessage: RECORDS.notFound });
    const { threadId, requestId, callIds } = request;
    const decisions = toDecisions(body, (key) => key);
    const attempt = { actor, attempt: 'decide', ids: decisions.map((it) => it.callKey), threadId };
    await gate.audit.watch(attempt, async () => {
      const known = new Set(callIds.map((callId) => callKey(threadId, callId)));
      if (!decisions.every((it) => known.has(it.callKey))) throw unknownCall();
    });
    await gate.decisions.decide(decisions, actor);
    const [decided, calls] = await Promise.all([
      gate.requests.get(requestId),
      gate.calls.inThread(threadId, callIds),
    ]);
    return c.json(
      toRequestAnswer(
        decided ?? request,
        calls.filter((call) => call !== null),
      ),
    );
  });
}

/** The lists of a body as the gate takes them. `toKey`: the key of the call that a `call_id` names. */
export function toDecisions(
  body: DecisionsRequest,
  toKey: (callId: string) => string,
): readonly DecisionInput[] {
  const input = (
    call: {
      readonly call_id: string;
      readonly digest?: string | null | undefined;
      readonly place?: string | null | undefined;
    },
    type: DecisionInput['type'],
    feedback: string | null | undefined,
  ): DecisionInput => ({
    callKey: toKey(call.call_id),
    digest: call.digest ?? null,
    place: call.place ?? undefined,
    type,
    feedback: feedback || undefined,
  });
  return [
    ...(body.approvals ?? []).map((it) => input(it, it.approved ? 'approve' : 'reject', it.feedback)),
    ...(body.decisions ?? []).map((it) =>
      it.mode === 'instead'
        ? { ...input(it, 'reject', it.instruction), instead: true }
        : {
            ...input(it, it.type, it.feedback),
            arguments: it.arguments ?? undefined,
            instruction: it.instruction ?? undefined,
            typed: it.typed ?? undefined,
          },
    ),
    ...(body.clarification_responses ?? []).map((it) => input(it, 'answer', it.answer)),
  ];
}
