import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type CallRecord, finalState, recordKey } from '../../gate/types.ts';
import type { Caller, Held } from '../../programs/ports.ts';
import { MCP } from '../texts.ts';
import type { HoldPorts } from './hold.ts';
import { toToolResult } from './result.ts';

/**
 * Calls as tasks, for clients that declare them: a call that waits is answered at once, and asked for later.
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks (SEP-2663), which the SDK has no helper for
 */
export const TASKS = 'io.modelcontextprotocol/tasks';
const REQUIRED = { extensions: { [TASKS]: {} } };

/** How long after its call a task may be asked for, and how often it's of use, in milliseconds (WIRE of this program). */
const TTL_MS = 86_400_000;
const POLL_MS = 5_000;

const paramsSchema = z.object({ taskId: z.string() });

/** What a request says of its client. */
const envelopeSchema = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({
    extensions: z.looseObject({ [TASKS]: z.looseObject({}) }),
  }),
});

/** Whether the client takes a task for an answer to this request. */
export function takesTasks({ mcpReq }: Pick<ServerContext, 'mcpReq'>): boolean {
  return envelopeSchema.safeParse(mcpReq.envelope).success;
}

/** `tasks/get`, `tasks/update` and `tasks/cancel` for one program: each only finds its own. */
export function serveTasks(server: Server, ports: HoldPorts, caller: Caller, session: string): void {
  const { heldCalls } = ports;

  async function find(taskId: string, context: ServerContext): Promise<Held> {
    if (!takesTasks(context)) {
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: REQUIRED });
    }
    const held = taskId === '' ? null : await heldCalls.find(caller, taskId, session);
    if (held) return held;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, MCP.unknownRequest(taskId));
  }

  server.setRequestHandler('tasks/get', { params: paramsSchema }, async ({ taskId }, context) => {
    const held = await find(taskId, context);
    // It has ended, so that nothing is waited for: what is given is noted in the session.
    if (finalState(held.call) !== null)
      await heldCalls.wait(held, { until: ports.clock(), signal: ports.stopping });
    const task = await toTask(ports, held.call);
    if (task.status === 'completed') ports.onSent(() => heldCalls.heard(held));
    return task;
  });
  // What a server behind the gate asks goes to the person in Slack, so no task ever waits for its client.
  server.setRequestHandler('tasks/update', { params: paramsSchema }, async ({ taskId }, context) => {
    await find(taskId, context);
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: paramsSchema }, async ({ taskId }, context) => {
    await heldCalls.cancel(caller, await find(taskId, context));
    return {};
  });
}

/** The answer that a call is a task now. It's on record, so that it can be asked for. */
export async function newTask(ports: HoldPorts, call: CallRecord): Promise<CallToolResult> {
  const task: Result = { ...(await toTask(ports, call)), resultType: 'task' };
  // The SDK sends it as it is, and has no type for it.
  return task as CallToolResult;
}

/** A call as the task that it is. What is unclear is worked on until somebody has said what happened. */
async function toTask({ whereabouts, kept }: HoldPorts, call: CallRecord) {
  const { proposedAt, decision, endedAt } = call;
  const task = {
    taskId: recordKey(call),
    createdAt: new Date(proposedAt).toISOString(),
    lastUpdatedAt: new Date(Math.max(proposedAt, decision?.at ?? 0, endedAt ?? 0)).toISOString(),
    ttlMs: TTL_MS,
    pollIntervalMs: POLL_MS,
  };
  if (finalState(call) === null) {
    const { waitingFor } = await whereabouts(call);
    const statusMessage = waitingFor === null ? MCP.running : MCP.waitingFor(waitingFor);
    return { ...task, status: 'working', statusMessage };
  }
  if (call.state === 'cancelled') return { ...task, status: 'cancelled' };
  return { ...task, status: 'completed', result: await toToolResult(call, kept) };
}
