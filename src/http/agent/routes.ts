import type { Hono } from 'hono';
import type { AgentCalls, BeginInput, FindCaller } from '../../programs/index.ts';
import type { Caller } from '../../programs/ports.ts';
import { type KeyPorts, requireKey } from '../api/auth.ts';
import { readBody } from '../api/body.ts';
import { keyedCaller } from '../api/keyed-caller.ts';
import { limitBody } from '../api/limit-body.ts';
import { readTraceparent } from '../api/traceparent.ts';
import type { AnswerLater } from '../base.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { draining } from '../errors.ts';
import { beginRequestSchema, endRequestSchema, sessionRequestSchema } from './schemas.ts';

export interface AgentPorts {
  readonly agentCalls: AgentCalls;
  readonly findCaller: FindCaller;
}

/** A text of a million characters takes up to six bytes each as JSON, and the rest of the body a few. */
const MAX_AGENT_BODY = 8 * 1024 * 1024;

/** How long a program waits unless it says, in seconds (the published Open Edison client's own default). */
const DEFAULT_TIMEOUT_S = 30;

/**
 * `/agent/session`, `/agent/begin` and `/agent/end`: programs ask before they run a function, and report after. Made
 * for clients of Open Edison, whose two probes are answered, too.
 */
export function agentRoutes(
  app: Hono<HttpEnv>,
  ports: KeyPorts & AgentPorts,
  { stopping, answerLater }: { readonly stopping: AbortSignal; readonly answerLater: AnswerLater },
): void {
  const { agentCalls } = ports;
  // After the key: nobody else makes us read so much.
  const limit = limitBody(MAX_AGENT_BODY);
  const readCaller = (c: HttpContext): Caller => keyedCaller(c, ports);

  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/mcp/status', requireKey(ports), (c) => c.json({ status: 'ok' }));

  app.post('/agent/session', requireKey(ports, 'agent'), limit, async (c) => {
    const body = await readBody(c, sessionRequestSchema);
    const session = await agentCalls.open(readCaller(c), readSession(body));
    return c.json({ ok: true, session_id: session });
  });

  app.post('/agent/begin', requireKey(ports, 'agent'), limit, async (c) => {
    const body = await readBody(c, beginRequestSchema);
    const input = {
      ...readSession(body),
      name: body.name,
      summary: body.args_summary ?? null,
      traceparent: readTraceparent(c),
      timeoutMs: (body.timeout_s ?? DEFAULT_TIMEOUT_S) * 1_000,
    };
    const caller = readCaller(c);
    return answerLater(c, (over) => begin(caller, input, over));
  });

  async function begin(caller: Caller, input: BeginInput, over: AbortSignal) {
    const { session, callKey, refusal, receipt, notes } = await agentCalls.begin(caller, input, over);
    // It was withdrawn, so that the program can ask again elsewhere.
    if (refusal !== null && stopping.aborted) throw draining();
    return {
      ok: true,
      session_id: session,
      call_id: callKey,
      approved: refusal === null,
      error: refusal,
      receipt,
      notes: notes.map((note) => ({ ...note })),
    };
  }

  app.post('/agent/end', requireKey(ports, 'agent'), limit, async (c) => {
    const body = await readBody(c, endRequestSchema);
    await agentCalls.end(readCaller(c), {
      session: body.session_id,
      callKey: body.call_id,
      isError: body.status === 'error',
      summary: body.result_summary ?? null,
      durationMs: body.duration_ms ?? null,
    });
    return c.json({ ok: true });
  });
}

function readSession({
  session_id,
  agent_name,
  agent_type,
}: {
  readonly session_id?: string | null | undefined;
  readonly agent_name?: string | null | undefined;
  readonly agent_type?: string | null | undefined;
}) {
  return { session: session_id ?? null, agentName: agent_name ?? null, agentType: agent_type ?? null };
}
