import type { Hono } from 'hono';
import type { Actor, CallRecord, Need } from '../../gate/types.ts';
import { recordKey } from '../../gate/types.ts';
import type { MailboxItem, ThreadRecord } from '../../runs/index.ts';
import type { HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { FORM_MISFIT, NO_CALL_NAMED, NOT_WAITING, STILL_RUNNING, UNKNOWN_THREAD } from '../texts.ts';
import { toActor, toCallKey, toThreadId } from '../threads/ids.ts';
import { stillRunning } from '../threads/outcome.ts';
import { findWaitingCalls } from '../threads/pending-actions.ts';
import { toHttpStatus } from '../threads/schemas/answers.ts';
import { type ResumeRequest, resumeRequestSchema } from '../threads/schemas/requests.ts';
import { toTasksPart } from '../threads/tasks.ts';
import { type WaitPorts, waitForOutcome } from '../threads/wait-for-outcome.ts';
import { requireKey } from './auth.ts';
import { readBody } from './body.ts';
import { toDecisions } from './decisions.ts';
import type { ApiPorts } from './ports.ts';

/** `POST /resume`: a decision or answer that a thread waits for; responds like `/run`. */
export function resumeRoute(app: Hono<HttpEnv>, ports: ApiPorts, waiting: WaitPorts): void {
  app.post('/resume', requireKey(ports, 'run'), async (c) => {
    const body = await readBody(c, resumeRequestSchema);
    const caller = c.get('caller');
    const threadId = toThreadId(caller, body.thread_id);
    const thread = await ports.runs.thread(threadId);
    if (!thread) {
      throw new HttpError({
        status: 404,
        code: 'unknown_thread',
        userMessage: UNKNOWN_THREAD,
      });
    }
    // The message of the run is looked up first: after the decision it may be done before we look.
    const open = await ports.runs.openItems(threadId);
    const { runId, task } = await resume(ports, { thread, open }, body, toActor(caller));
    const item = open.find((it) => (task ? it.itemId === task.itemId : it.runId === runId));
    const outcome = item
      ? await waitForOutcome(waiting, { threadId, itemId: item.itemId, client: c.req.raw.signal })
      : stillRunning(STILL_RUNNING.runEnded);
    const itemId = item?.itemId ?? task?.itemId ?? null;
    const tasks = await toTasksPart(ports.runs, { threadId, itemId });
    return c.json({ ...outcome, thread_id: body.thread_id, ...tasks }, toHttpStatus(outcome.status));
  });
}

/** A thread, with its unfinished messages. */
interface Resumed {
  readonly thread: ThreadRecord;
  readonly open: readonly MailboxItem[];
}

/** Passes the decisions to the gate, which accepts all or none; returns one of the calls they are about. */
async function resume(
  ports: ApiPorts,
  resumed: Resumed,
  body: ResumeRequest,
  actor: Actor,
): Promise<CallRecord> {
  const { elicitation_response: response, retry } = body;
  if (response) {
    const { call, need } = await findWaiting(ports, resumed, 'form_elicitation', response.elicitation_id);
    const content = response.action === 'accept' ? (response.content ?? null) : null;
    if (content !== null) {
      const problems = ports.validateArguments(need.requestedSchema, content);
      if (problems.length > 0) throw formError(problems);
    }
    const answer = { action: response.action, content };
    return ports.gate.elicitation.answer(recordKey(call), actor, {
      elicitationId: response.elicitation_id,
      answer,
    });
  }
  if (retry) {
    const { call } = await findWaiting(ports, resumed, 'oauth_url', retry.elicitation_id);
    return ports.gate.elicitation.retry(recordKey(call), actor);
  }
  const [first] = await ports.gate.decisions.decide(
    toDecisions(body, (callId) => toCallKey(resumed.thread, callId)),
    actor,
  );
  if (!first) throw conflict('nothing_to_resume', NO_CALL_NAMED);
  return first;
}

/** The call that waits with this question of its server. */
async function findWaiting<K extends Need['kind']>(
  ports: ApiPorts,
  { thread, open }: Resumed,
  kind: K,
  elicitationId: string,
): Promise<{ readonly call: CallRecord; readonly need: Extract<Need, { kind: K }> }> {
  const running = open.find(({ state }) => state === 'running') ?? null;
  for (const call of await findWaitingCalls(ports, thread.threadId, running)) {
    if (isNeed(call.need, kind) && call.need.elicitationId === elicitationId)
      return { call, need: call.need };
  }
  throw conflict('not_waiting', NOT_WAITING);
}

function isNeed<K extends Need['kind']>(need: Need | null, kind: K): need is Extract<Need, { kind: K }> {
  return need?.kind === kind;
}

function conflict(code: string, userMessage: string): HttpError {
  return new HttpError({ status: 409, code, userMessage });
}

function formError(problems: readonly string[]): HttpError {
  return new HttpError({
    status: 422,
    code: 'invalid_content',
    userMessage: FORM_MISFIT,
    details: { problems: [...problems] },
  });
}
