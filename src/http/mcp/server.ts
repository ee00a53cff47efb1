import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { needsPerson } from '../../gate/types.ts';
import { AppError, StoreError } from '../../lib/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { Caller } from '../../programs/ports.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { findUnusable } from '../api/body.ts';
import { AWAIT_TOOL, MCP } from '../texts.ts';
import { type HoldPorts, hold } from './hold.ts';
import { failure } from './result.ts';
import { newTask, serveTasks, TASKS, takesTasks } from './tasks.ts';

/** The tool that waits for the outcome of a call that was pending. */
const AWAIT: Tool = {
  name: AWAIT_TOOL,
  title: MCP.awaitTitle,
  description: MCP.awaitDescription,
  inputSchema: {
    type: 'object',
    properties: { request_id: { type: 'string', description: MCP.awaitArgument } },
    required: ['request_id'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

interface GateServerPorts {
  /** Of this program. */
  readonly version: string;
  readonly onCancelled: (id: string | number) => void;
}

/** An MCP server with the tools of the servers behind the gate, for one program. */
export function createGateServer(
  ports: HoldPorts & GateServerPorts,
  caller: Caller,
  session: string,
): Server {
  const { heldCalls } = ports;
  const server = new Server(
    { name: 'countersign', title: 'Countersign', version: ports.version },
    {
      capabilities: { tools: { listChanged: true }, extensions: { [TASKS]: {} } },
      instructions: MCP.instructions,
    },
  );
  server.setNotificationHandler('notifications/cancelled', ({ params: { requestId } }) => {
    if (requestId !== undefined) ports.onCancelled(requestId);
  });
  server.setRequestHandler('tools/list', async () => {
    const tools = await heldCalls.list(caller);
    return { tools: [...tools.map(toTool), AWAIT] };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const args = params.arguments ?? {};
    if (!isJsonObject(args) || findUnusable(args) !== null) return failure(MCP.unreadable);
    if (params.name === AWAIT_TOOL) return awaitOutcome(args, context);
    const tool = (await heldCalls.list(caller)).find(({ modelName }) => modelName === params.name);
    if (!tool) {
      const { name } = params;
      const known = await heldCalls.repeated(caller, { name, arguments: args, session });
      return known ? hold(ports, caller, known, context) : failure(MCP.unknownTool(name));
    }
    const agentName = readClientName(context);
    const input = { session, agentName, tool, arguments: args };
    const held = await heldCalls.submit(caller, input).catch((error: unknown) => {
      // A model is told in words what wasn't done; it makes nothing of an error of the protocol. That one is for what may
      // have been recorded all the same: whoever gets it asks again.
      if (error instanceof AppError && !(error instanceof StoreError)) return error;
      throw error;
    });
    if (held instanceof AppError) return failure(held.userMessage);
    if (takesTasks(context) && needsPerson(held.call)) return newTask(ports, held.call);
    return hold(ports, caller, held, context);
  });

  serveTasks(server, ports, caller, session);

  async function awaitOutcome(args: JsonObject, context: ServerContext): Promise<CallToolResult> {
    const id = typeof args.request_id === 'string' ? args.request_id : '';
    const held = id === '' ? null : await heldCalls.find(caller, id, session);
    return held ? hold(ports, caller, held, context) : failure(MCP.unknownRequest(id));
  }

  return server;
}

const clientSchema = z.looseObject({ [CLIENT_INFO_META_KEY]: z.looseObject({ name: z.string() }) });
/** The longest name of a client that is recorded, in characters. */
const LONGEST_NAME = 200;

/**
 * The client's name, which requests say since the revision of 2026-07-28; null before it: there only `initialize` has it,
 * a request of its own.
 */
function readClientName({ mcpReq }: ServerContext): string | null {
  const { data } = clientSchema.safeParse(mcpReq.envelope);
  return data?.[CLIENT_INFO_META_KEY].name.slice(0, LONGEST_NAME).toWellFormed() ?? null;
}

/** The hints of a server that nothing here depends on. */
const hintsSchema = z.object({
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

/**
 * A tool as programs see it. Its output schema isn't passed on: an answer that a call is pending would not fit it, and
 * clients check that.
 */
function toTool({
  modelName,
  title,
  description,
  inputSchema,
  readOnly,
  destructive,
  asListed,
}: ToolDefinition): Tool {
  const { data: hints } = hintsSchema.safeParse(asListed.annotations);
  return {
    name: modelName,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' },
    annotations: { ...hints, readOnlyHint: readOnly, destructiveHint: destructive },
  };
}
