import { randomUUID } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/client';
import { AppError } from '../../lib/errors.ts';
import {
  type CallOptions,
  type SendCall,
  type SendEnded,
  type SendResult,
  serverToConnect,
  type ToolDefinition,
} from '../../tools/ports.ts';
import { isWornOut, runForCall } from '../connection/call-correlation.ts';
import type { Connection } from '../connection/types.ts';
import type { ConnectedServer, ServerConnections } from '../hub/hub.ts';
import { classifyCallError, failed, inDoubt, isSessionUnknown } from '../protocol/call-errors.ts';
import { toDefinition } from '../tools/definition.ts';
import { type Expiry, startDeadline } from './deadline.ts';
import { type CallParams, sendWithInput } from './input-required.ts';
import { createRunningCall } from './server-requests.ts';
import { connectServer, noConnection, signInNeed } from './sign-in-required.ts';

export interface SendOptions {
  /**
   * Ids for the questions that servers ask.
   * @default random UUIDs
   */
  readonly ids?: () => string;
  /**
   * Adds to a tool why it's held, if it is.
   * @default never held
   */
  readonly review?: (tool: ToolDefinition) => Promise<ToolDefinition>;
}

type Call = Parameters<SendCall>[0];
/** Interval of progress reports, in milliseconds. More frequent ones only count as signs of life. */
const PROGRESS_EVERY_MS = 200;

/**
 * Total limit of a call, as a multiple of its timeout, but at least an hour. MCP asks clients for one,
 * however much progress the server reports. Time in which people are asked doesn't count.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#timeouts
 */
const MOST_TIMEOUTS = 30;
const LEAST_END_MS = 60 * 60_000;

/**
 * Longest delay of the runtime's timers, in milliseconds. It switches the SDK's own timeout off in favour of
 * ours.
 */
const NEVER_MS = 2 ** 31 - 1;

/**
 * Sends one call to its server, without policy or journal. Never throws: errors are results.
 *
 * Never sends a call twice, with two exceptions in which the server did nothing yet: it first asked for input
 * that needs no person (such as its folders), or it didn't recognise the session, so the call goes out in a
 * new one.
 */
export function createSend(
  connections: ServerConnections,
  { ids = randomUUID, review: examine = async (tool) => tool }: SendOptions = {},
): SendCall {
  return async (call, options) => {
    let isSessionGone = false;
    const onSessionGone = () => {
      isSessionGone = true;
    };
    const result = await once(call, options, onSessionGone);
    return isSessionGone ? once(call, options, () => {}) : result;
  };

  async function once(call: Call, options: CallOptions, onSessionGone: () => void): Promise<SendResult> {
    const { signal } = options;
    const toConnect = serverToConnect(call.server, call.name);
    if (toConnect !== null) {
      const connected = await unlessStopped(connectServer(connections, toConnect, call), signal);
      return connected === STOPPED ? stopped(call) : connected;
    }
    let server: ConnectedServer | typeof STOPPED;
    try {
      server = await unlessStopped(connections.acquire(call.server, call.person), signal);
    } catch (error) {
      return (await signInNeed(connections, call, error)) ?? noConnection(connections, call.server, error);
    }
    if (server === STOPPED) return stopped(call);
    const unlisted = await unlessStopped(listAnew(connections, server, call), signal);
    if (unlisted === STOPPED) return stopped(call);
    if (unlisted !== null) return unlisted;
    const tool = await unlessStopped(toolNow(server, call, examine), signal);
    if (tool === STOPPED) return stopped(call);
    if (tool instanceof AppError) return failed(tool.userMessage);
    if (tool?.held !== undefined) return failed(tool.held);
    if (call.definitionHash !== undefined && call.definitionHash !== tool?.definitionHash) {
      if (!tool) return failed(`${call.server} does not offer ${call.name} any more; nothing was done.`);
      return { kind: 'redefined', tool };
    }
    return sendTo(server, call, options, { ids, connections, onSessionGone });
  }
}

const STOPPED = Symbol('stopped');

/** The promise's value, or `STOPPED` if the call was stopped first. Nothing has been sent by then. */
async function unlessStopped<T>(coming: Promise<T>, signal: AbortSignal): Promise<T | typeof STOPPED> {
  const stop = Promise.withResolvers<typeof STOPPED>();
  const onAbort = () => stop.resolve(STOPPED);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    // A later rejection has no reader.
    coming.catch(() => undefined);
    const first = await Promise.race([stop.promise, coming]);
    return signal.aborted ? STOPPED : first;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function stopped({ name }: Call): SendResult {
  return failed(`${name} was stopped before it was sent; nothing was done.`);
}

/** Refreshes the tool list if a change may have been missed. Returns a result if that fails. */
async function listAnew(
  connections: ServerConnections,
  server: ConnectedServer,
  call: Call,
): Promise<SendResult | null> {
  try {
    await server.current();
    return null;
  } catch (error) {
    const signIn = await signInNeed(connections, call, error, server);
    if (signIn) return signIn;
    if (classifyCallError(error, call).connectionLost) server.lost('The connection to it was lost.');
    const message = `It could not be found out whether ${call.server} has changed ${call.name}; nothing was done. Try again.`;
    return { ...failed(message), retry: { afterMs: null, withinMs: server.callTimeoutMs } };
  }
}

/** The tool as its server lists it now; an error if its review couldn't be looked up. */
async function toolNow(
  server: ConnectedServer,
  call: Call,
  examine: (tool: ToolDefinition) => Promise<ToolDefinition>,
): Promise<ToolDefinition | undefined | AppError> {
  const listed = server.tool(call.name);
  if (listed === undefined) return undefined;
  try {
    return await examine(toDefinition(listed, { server: call.server, toolType: '', modelName: call.name }));
  } catch (error) {
    const userMessage = `It could not be found out whether ${call.name} of ${call.server} was reviewed; nothing was done.`;
    return new AppError({ code: 'tool_not_examined', userMessage, retryable: true, cause: error });
  }
}

async function sendTo(
  server: ConnectedServer,
  call: Call,
  options: CallOptions,
  {
    ids,
    connections,
    onSessionGone,
  }: {
    readonly ids: () => string;
    readonly connections: ServerConnections;
    readonly onSessionGone: () => void;
  },
): Promise<SendResult> {
  if (options.signal.aborted) return stopped(call);
  const { connection } = server;
  const cancel = new AbortController();
  let late: Expiry | null = null;
  let cut: { readonly why: string | null } | null = null;
  let toldAt = 0;
  const mostMs = Math.min(Math.max(MOST_TIMEOUTS * server.callTimeoutMs, LEAST_END_MS), NEVER_MS);
  const deadline = startDeadline(server.callTimeoutMs, mostMs, (why) => {
    late = why;
    cancel.abort('timed out');
  });
  const stop = () => cancel.abort('stopped');
  options.signal.addEventListener('abort', stop, { once: true });

  const cutOff = (why?: string) => {
    cut ??= { why: why ?? null };
    cancel.abort('cut off');
  };
  const running = createRunningCall({ options, ids, deadline, over: cancel.signal, cutOff });
  const request = (params: CallParams) =>
    runForCall(connection, running, () =>
      connection.client.callTool(params, {
        signal: cancel.signal,
        timeout: NEVER_MS,
        allowInputRequired: true,
        onprogress: ({ progress, total, message }) => {
          deadline.touch();
          if (Date.now() - toldAt < PROGRESS_EVERY_MS) return;
          toldAt = Date.now();
          options.onProgress({ progress, total: total ?? null, message: message ?? null });
        },
        toolDefinition: withoutChecks(server.tool(call.name), call.name),
      }),
    );

  const ended = connection.begin(running);
  try {
    const params = { name: call.name, arguments: call.arguments, ...connection.callMeta() };
    const context = {
      server: call.server,
      name: call.name,
      ids,
      roots: connection.roots,
      sampling: (connection.offersSampling && options.sampling) || null,
      signal: cancel.signal,
    };
    const result = await sendWithInput(params, call.input, request, context);
    notePage(connection, result);
    await server.proven().catch(() => undefined);
    return result;
  } catch (error) {
    if (late !== null) {
      const what = whyLate(late, call.server, late === 'silent' ? server.callTimeoutMs : mostMs);
      return { ...inDoubt(what, call), retry: null };
    }
    if (options.signal.aborted) return inDoubt(`It was stopped`, call);
    const hint = { afterMs: connection.retryAfterMs(), withinMs: server.callTimeoutMs };
    if (cut !== null) return whyCut(cut, call, hint);
    const signIn = await signInNeed(connections, call, error, server);
    if (signIn) return signIn;
    const { result, connectionLost, isPassing } = classifyCallError(error, call);
    if (connectionLost) server.lost('The connection to it was lost.');
    if (isSessionUnknown(error) && connection.hasSession()) onSessionGone();
    notePage(connection, result);
    if (result.kind !== 'ended') return result;
    return { ...result, retry: isPassing ? hint : null };
  } finally {
    ended();
    if (isWornOut(connection)) server.lost('A call that was stopped may go on there and ask something.');
    options.signal.removeEventListener('abort', stop);
    deadline.clear();
    // Nobody waits any more for the answer to an open question.
    cancel.abort('ended');
  }
}

/**
 * Remembers a page that somebody has to open, because the server reports its completion over this connection.
 */
function notePage(connection: Connection, result: SendResult): void {
  if (result.kind === 'blocked' && result.need.url !== undefined) connection.opensPage();
}

/**
 * The definition that the SDK sends by. Given one, it neither looks the tool up nor resends the call after
 * relisting. Without an output schema, it doesn't discard the answer of a completed call because the answer
 * doesn't match.
 */
function withoutChecks(tool: Tool | undefined, name: string): Tool {
  if (tool === undefined) return { name, inputSchema: { type: 'object' } };
  const { outputSchema: _unchecked, ...rest } = tool;
  return rest;
}

/**
 * The result of a call whose answer was cut off. A lost connection is worth a retry; an answer that was too
 * large isn't.
 */
function whyCut(
  { why }: { readonly why: string | null },
  call: Call,
  retry: NonNullable<SendEnded['retry']>,
): SendEnded {
  if (why !== null) return { ...inDoubt(why, call), retry: null };
  return { ...inDoubt(`The connection to ${call.server} was lost`, call), retry };
}

function whyLate(why: Expiry, server: string, ms: number): string {
  if (why === 'endless')
    return `${server} reported progress for ${Math.round(ms / 60_000)} minutes and no end`;
  return `${server} gave no sign of life for ${seconds(ms)}`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
