import { randomUUID } from 'node:crypto';
import type { RequestOptions } from '@modelcontextprotocol/client';
import { serverToConnect } from '../../gate/types.ts';
import { AppError, FencedError } from '../../lib/errors.ts';
import type { CallOptions, SendCall, SendResult, ToolDefinition } from '../../tools/ports.ts';
import { isWornOut, runForCall } from '../connection/call-correlation.ts';
import type { Connection, Effects, RunningCall } from '../connection/types.ts';
import type { ConnectedServer, ServerConnections } from '../hub/hub.ts';
import { classifyCallError, failed, isSessionUnknown } from '../protocol/call-errors.ts';
import { ServiceError } from '../protocol/service-error.ts';
import {
  changesUnknown,
  failedAfterWriting,
  reviewUnknown,
  stoppedBeforeSent,
  toolGone,
} from '../texts/calls.ts';
import { CONNECTION_LOST, STOPPED_CALL_MAY_ASK } from '../texts/connection.ts';
import { toDefinition } from '../tools/definition.ts';
import { type Cancellation, startCancellation } from './cancellation.ts';
import { LONGEST_TIMER_MS } from './deadline.ts';
import { type CallParams, type InputContext, sendWithInput } from './input-required.ts';
import { request, withNotes } from './request.ts';
import { createRunningCall } from './server-requests.ts';
import { maskFailure, ofOwnAccount } from './shown-result.ts';
import { connectServer, noConnection, otherAccount, signInNeed } from './sign-in-required.ts';
import { askTask, callAsTask, isCalledAsTask } from './tasks.ts';

interface SendOptions {
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
/** Interval of progress reports, in milliseconds: less than the protocol's own suite lets pass between two (50). */
const PROGRESS_EVERY_MS = 40;

/**
 * Sends one call to its server, without policy or journal. Errors are results; it only throws FencedError, where
 * `confirm` does.
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
    // Whatever has become of the tool: the server has the call.
    const refused = otherAccount(server, call) ?? (call.task ? null : await refuse(server, call, signal));
    if (refused) return refused;
    const result = await sendTo(server, call, options, { ids, connections, onSessionGone });
    const masked = maskFailure(result, server.connection.mask);
    return server.isPersonal ? ofOwnAccount(masked) : masked;
  }

  /** Why the call isn't sent, by what the server lists now; null if it is. */
  async function refuse(
    server: ConnectedServer,
    call: Call,
    signal: AbortSignal,
  ): Promise<SendResult | null> {
    const unlisted = await unlessStopped(listAnew(connections, server, call), signal);
    if (unlisted === STOPPED) return stopped(call);
    if (unlisted !== null) return unlisted;
    const tool = await unlessStopped(toolNow(server, call, examine), signal);
    if (tool === STOPPED) return stopped(call);
    if (tool instanceof AppError) return failed(tool.userMessage);
    if (tool?.unavailableReason !== undefined) return failed(tool.unavailableReason);
    if (call.definitionHash === undefined || call.definitionHash === tool?.definitionHash) return null;
    return tool ? { kind: 'redefined', tool } : failed(toolGone(call.server, call.name));
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
  return failed(stoppedBeforeSent(name));
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
    if (classifyCallError(error, call).connectionLost) server.lost(CONNECTION_LOST);
    const why = changesUnknown(call.server, call.name);
    return { ...failed(why), retry: { afterMs: null, withinMs: server.callTimeoutMs } };
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
    const userMessage = reviewUnknown(call.server, call.name);
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
  const cancellation = startCancellation(call, { stop: options.signal, timeoutMs: server.callTimeoutMs });
  const { signal, deadline, cutOff } = cancellation;
  const running = createRunningCall({
    isApproved: call.isApproved === true,
    isPersonal: server.isPersonal,
    options,
    ids,
    deadline,
    over: signal,
    cutOff,
  });
  const request = createRequest(server, call, options, { running, cancellation });
  const ended = connection.begin(running);
  try {
    const params = {
      name: call.name,
      arguments: call.arguments,
      ...connection.callMeta(running, call),
    };
    const context = {
      server: call.server,
      name: call.name,
      ids,
      roots: connection.roots,
      sampling: (connection.offersSampling && options.sampling) || null,
      signal,
    };
    const result = await request(params, context);
    notePage(connection, result);
    await server.confirmSignIn().catch(() => undefined);
    return result;
  } catch (error) {
    if (error instanceof FencedError) throw error;
    const hint = { afterMs: connection.retryAfterMs(), withinMs: server.callTimeoutMs };
    const cancelled = cancellation.result(hint);
    if (cancelled) return cancelled;
    const signIn = await signInNeed(connections, call, error, server);
    if (signIn) return signIn;
    const { result, connectionLost, isPassing } = classifyCallError(error, call);
    if (connectionLost) server.lost(CONNECTION_LOST);
    if (isSessionUnknown(error) && connection.hasSession()) onSessionGone();
    notePage(connection, result);
    if (result.kind !== 'ended') return result;
    return { ...result, retry: isPassing ? hint : null };
  } finally {
    ended();
    if (isWornOut(connection)) server.lost(STOPPED_CALL_MAY_ASK);
    cancellation.end();
  }
}

/** How the requests are sent that a call is, each once that is confirmed: the call itself, or about its task. */
function createRequest(
  server: ConnectedServer,
  call: Call,
  { confirm, onProgress }: CallOptions,
  {
    running,
    cancellation: { signal, deadline },
  }: { readonly running: RunningCall; readonly cancellation: Cancellation },
): (params: CallParams, context: InputContext) => Promise<SendResult> {
  const { client } = server.connection;
  const tool = server.tool(call.name);
  const report = throttled(onProgress);
  const options: RequestOptions = {
    signal,
    // Switches the SDK's own timeout off in favour of ours.
    timeout: LONGEST_TIMER_MS,
    allowInputRequired: true,
    onprogress: ({ progress, total, message }) => {
      deadline.touch();
      const said = { progress, total: total ?? null, message: message ?? null };
      report(server.isPersonal ? { ...said, isOwn: true } : said);
    },
  };
  async function confirmed<Result>(send: () => Promise<Result>): Promise<Result> {
    await confirm?.();
    return runForCall(server.connection, running, send);
  }
  const noted = (params: CallParams) => withNotes(params, call, server.callTimeoutMs);
  return async (params, context) => {
    const { task } = call;
    if (task) return confirmed(() => askTask(client, task, call, options));
    if (call.takesTask && isCalledAsTask(client, tool)) {
      return confirmed(() => callAsTask(client, noted(params), call, options));
    }
    let isOwn = false;
    const send = async (more: CallParams) => {
      const answer = await confirmed(() => request(client, noted(more), tool, options));
      heedService(running.effects, answer.isError === true, call.server);
      isOwn = server.connection.isOwn(answer);
      return answer;
    };
    const result = await sendWithInput(params, call.input, send, context);
    return isOwn ? ofOwnAccount(result) : result;
  };
}

/** @throws what a connector's service did, where its tool's word doesn't count: the tool may not know it. */
function heedService(effects: Effects, isError: boolean, server: string): void {
  const failure = effects.failure();
  if (failure !== null) throw failure;
  if (!isError || !effects.hasWritten()) return;
  throw new ServiceError(failedAfterWriting(server), { isInDoubt: true, isPassing: false });
}

/** Reports progress at most every {@link PROGRESS_EVERY_MS}. */
function throttled(report: CallOptions['onProgress']): CallOptions['onProgress'] {
  let reportedAt = 0;
  return (progress) => {
    if (Date.now() - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = Date.now();
    report(progress);
  };
}

/** Remembers a page that somebody has to open: the server reports its completion over this connection. */
function notePage(connection: Connection, result: SendResult): void {
  if (result.kind === 'blocked' && result.need.url !== undefined) connection.opensPage();
}
