import { randomUUID } from 'node:crypto';
import {
  type CallToolRequest,
  type CallToolResult,
  type ElicitRequestParams,
  type ElicitResult,
  type InputRequiredResult,
  type InputResponses,
  isInputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/client';
import { AppError, messageOf } from '../errors.ts';
import { startDeadline } from './deadline.ts';
import { toDefinition } from './definition.ts';
import { elicit } from './elicitation.ts';
import type { ConnectedServer, ServerConnections } from './hub.ts';
import { toOutcome } from './results.ts';
import { explain, failed, inDoubt } from './send-errors.ts';
import type { CallOptions, SendCall, SendResult } from './types.ts';

export interface SendOptions {
  /** Ids for the questions that servers ask; default: random. */
  readonly ids?: () => string;
}

type Call = Parameters<SendCall>[0];
type CallParams = CallToolRequest['params'] & { inputResponses?: InputResponses; requestState?: string };

/** How often a server may ask for input in one call: the SDK's own limit. */
const MOST_ROUNDS = 10;

/** The longest that a timer of the runtime can wait; the call's own deadline comes first. */
const NEVER_MS = 2 ** 31 - 1;

/**
 * The raw sending of one call: no policy, no journal. Never sends a call a second time, except to go on
 * with one whose server answered that it did nothing yet and first wants to know something.
 * Does not throw: whatever happens is a result.
 */
export function createSend(connections: ServerConnections, { ids = randomUUID }: SendOptions = {}): SendCall {
  return async (call, options) => {
    let server: ConnectedServer;
    try {
      server = await connections.acquire(call.server);
    } catch (error) {
      if (error instanceof AppError) return failed(error.userMessage);
      return failed(`${call.server} is down; nothing was done. ${messageOf(error)}`);
    }
    if (options.signal.aborted)
      return failed(`${call.name} was stopped before it was sent; nothing was done.`);
    if (call.definitionHash !== undefined && call.definitionHash !== server.definitionHash(call.name)) {
      const tool = server.tool(call.name);
      if (!tool) return failed(`${call.server} does not offer ${call.name} any more; nothing was done.`);
      const context = { server: call.server, toolType: '', modelName: call.name };
      return { kind: 'redefined', tool: toDefinition(tool, context) };
    }
    return sendTo(server, call, options, ids);
  };
}

async function sendTo(
  server: ConnectedServer,
  call: Call,
  options: CallOptions,
  ids: () => string,
): Promise<SendResult> {
  const { connection } = server;
  const cancel = new AbortController();
  let late = false;
  const deadline = startDeadline(server.callTimeoutMs, () => {
    late = true;
    cancel.abort('timed out');
  });
  const stop = () => cancel.abort('stopped');
  options.signal.addEventListener('abort', stop, { once: true });

  const running = {
    async elicit(params: ElicitRequestParams) {
      deadline.pause();
      try {
        return await Promise.race([elicit(params, ids(), options.onElicit), cancelled(cancel.signal)]);
      } finally {
        deadline.resume();
      }
    },
  };
  const request = (params: CallParams) =>
    connection.client.callTool(params, {
      signal: cancel.signal,
      timeout: NEVER_MS,
      allowInputRequired: true,
      onprogress: ({ progress, total, message }) => {
        deadline.touch();
        options.onProgress({ progress, total: total ?? null, message: message ?? null });
      },
      toolDefinition: withoutChecks(server.tool(call.name), call.name),
    });

  connection.running.add(running);
  try {
    return await withInput(
      { name: call.name, arguments: call.arguments },
      call,
      request,
      running.elicit,
      cancel.signal,
    );
  } catch (error) {
    if (late) {
      return inDoubt(`${call.server} gave no sign of life for ${seconds(server.callTimeoutMs)}`, call);
    }
    if (options.signal.aborted) return inDoubt(`It was stopped`, call);
    const { result, connectionLost } = explain(error, call);
    if (connectionLost) server.lost('The connection to it was lost.');
    return result;
  } finally {
    connection.running.delete(running);
    options.signal.removeEventListener('abort', stop);
    deadline.clear();
    // A question that is still open has nobody left who waits for its answer.
    cancel.abort('ended');
  }
}

/**
 * Sends the call and, as long as the server answers that it needs input (since revision 2026-07-28), asks
 * for it and goes on.
 */
async function withInput(
  params: CallParams,
  call: Call,
  request: (params: CallParams) => Promise<CallToolResult | InputRequiredResult>,
  ask: (params: ElicitRequestParams) => Promise<ElicitResult>,
  signal: AbortSignal,
): Promise<SendResult> {
  let next = params;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const result = await request(next);
    if (!isInputRequiredResult(result)) return { kind: 'ended', outcome: toOutcome(result, call) };
    const inputResponses: InputResponses = {};
    for (const [key, input] of Object.entries(result.inputRequests ?? {})) {
      if (input.method !== 'elicitation/create') {
        return failed(`${call.server} asks for something that is not offered here; nothing was done.`);
      }
      inputResponses[key] = await ask(input.params);
    }
    if (signal.aborted)
      return failed(`${call.name} was stopped before ${call.server} began; nothing was done.`);
    next = {
      ...params,
      ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
      ...(result.requestState !== undefined && { requestState: result.requestState }),
    };
  }
  return failed(`${call.server} asked for input ${MOST_ROUNDS} times without an end; nothing was done.`);
}

/**
 * The definition to send by. Given one, the SDK does not look the tool up, does not send the call again
 * after listing the tools anew, and, without an output schema, does not throw away the answer of a call
 * that has happened because the answer does not fit.
 */
function withoutChecks(tool: Tool | undefined, name: string): Tool {
  if (tool === undefined) return { name, inputSchema: { type: 'object' } };
  const { outputSchema: _unchecked, ...rest } = tool;
  return rest;
}

/** Nobody waits for a person any more once the call is stopped. */
function cancelled(signal: AbortSignal): Promise<ElicitResult> {
  return new Promise((resolve) => {
    const cancel = () => resolve({ action: 'cancel' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
