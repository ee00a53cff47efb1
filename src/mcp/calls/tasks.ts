import {
  type CallToolResult,
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  specTypeSchemas,
  type Tool,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { isJsonObject } from '../../lib/json.ts';
import { LONGEST_JOB_MESSAGE, type SendEnded, type SendResult, type TaskAsk } from '../../tools/ports.ts';
import { toOutcome } from '../protocol/results.ts';
import { NO_RESULT, NO_TASK, OTHER_TASK } from '../texts/calls.ts';
import type { CallParams } from './input-required.ts';

/**
 * Calls as tasks of the revision 2025-11-25, which the SDK has schemas but no methods for. Those of 2026-07-28, an extension, aren't
 * declared: a server may then not answer with one.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks
 */

/** How long a server is asked to keep a task, in milliseconds. */
const TTL_MS = 24 * 60 * 60_000;

/** The longest id of a task, in characters. */
const LONGEST_ID = 500;

const taskSchema = z.looseObject({
  taskId: z.string().min(1).max(LONGEST_ID),
  status: z.enum(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  // Without these two it can be followed as well.
  statusMessage: z.string().optional().catch(undefined),
  pollInterval: z.number().nonnegative().optional().catch(undefined),
});
const createdSchema = z.looseObject({ task: taskSchema });
/** What a tool said: the SDK takes anything for a result without content. */
const saidSchema = z.union([
  z.looseObject({ content: z.array(z.unknown()) }),
  z.looseObject({ structuredContent: z.json() }),
]);

interface TaskCall {
  readonly server: string;
  readonly name: string;
}

/**
 * Whether a tool is called as a task: where it has to be, and where it may be and the server lets tasks be cancelled, so that
 * nothing is lost by it.
 */
export function isCalledAsTask(client: Client, tool: Tool | undefined): boolean {
  const tasks = client.getServerCapabilities()?.tasks;
  if (tasks?.requests?.tools?.call === undefined) return false;
  const support = tool?.execution?.taskSupport;
  return support === 'required' || (support === 'optional' && canCancel(client));
}

/**
 * Calls a tool as a task. A server that answers with the result has done it already. Rejects as `callTool` does, and where the
 * answer is neither, since the server may be at it.
 */
export async function callAsTask(
  client: Client,
  params: CallParams,
  call: TaskCall,
  options: RequestOptions,
): Promise<SendResult> {
  const request = { method: 'tools/call', params: { ...params, task: { ttl: TTL_MS } } };
  const answer = await client.request(request, z.unknown(), options);
  const created = createdSchema.safeParse(answer);
  if (created.success) return toState(client, created.data.task);
  if (isJsonObject(answer) && 'task' in answer) throw new SdkError(SdkErrorCode.InvalidResult, NO_TASK);
  return toEnded(answer, call);
}

/** Asks about a task. Rejects as `callTool` does. */
export async function askTask(
  client: Client,
  { id: taskId, ask }: TaskAsk,
  call: TaskCall,
  options: RequestOptions,
): Promise<SendResult> {
  const params = { taskId };
  if (ask === 'result') {
    return toEnded(await client.request({ method: 'tasks/result', params }, z.unknown(), options), call);
  }
  const method = ask === 'cancel' && canCancel(client) ? 'tasks/cancel' : 'tasks/get';
  const task = await client.request({ method, params }, taskSchema, options);
  if (task.taskId !== taskId) throw new SdkError(SdkErrorCode.InvalidResult, OTHER_TASK);
  return toState(client, task);
}

function canCancel(client: Client): boolean {
  return client.getServerCapabilities()?.tasks?.cancel !== undefined;
}

function toState(client: Client, task: z.infer<typeof taskSchema>): SendResult {
  const message = task.statusMessage?.slice(0, LONGEST_JOB_MESSAGE) ?? '';
  return {
    kind: 'task',
    task: {
      id: task.taskId,
      status: task.status,
      message: message === '' ? null : message,
      pollMs: task.pollInterval ?? null,
      canCancel: canCancel(client),
    },
  };
}

function toEnded(answer: unknown, call: TaskCall): SendEnded {
  const checked = specTypeSchemas.CallToolResult['~standard'].validate(answer);
  if (checked.issues || !saidSchema.safeParse(answer).success)
    throw new SdkError(SdkErrorCode.InvalidResult, NO_RESULT);
  const result: CallToolResult = checked.value;
  return { kind: 'ended', outcome: toOutcome(result, call) };
}
