import {
  createMcpHandler,
  localhostAllowedOrigins,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { Hono } from 'hono';
import { createListeners } from '../../lib/listeners.ts';
import type { Logger } from '../../lib/logger.ts';
import type { FindCaller } from '../../programs/index.ts';
import type { Caller } from '../../programs/ports.ts';
import { type KeyPorts, readBearer, requireKey, unauthorized } from '../api/auth.ts';
import { keyedCaller } from '../api/keyed-caller.ts';
import type { OpenStream, OpenStreams } from '../api/open-streams.ts';
import type { HttpContext, HttpEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { MCP } from '../texts.ts';
import { GATHER_MS, streamChanges } from './changes.ts';
import type { HoldPorts } from './hold.ts';
import { createOpenAnswers } from './open-answers.ts';
import { createGateServer } from './server.ts';

export interface McpPorts {
  readonly mcp: Omit<HoldPorts, 'clock' | 'stopping' | 'onSent' | 'openAnswer'> & {
    /** Of this program, for clients. */
    readonly version: string;
    /** Calls the listener when any server's tools may have changed. */
    readonly onToolsChange: (listener: () => void) => void;
  };
  readonly findCaller: FindCaller;
}

interface McpRoutePorts extends KeyPorts, McpPorts {
  readonly clock: () => number;
  readonly log: Logger;
  /** How programs of people come in; null where none can. */
  readonly personal: {
    find(token: string): Promise<Caller | 'over' | null>;
    /** What `WWW-Authenticate` says to whoever has no valid token. */
    readonly challenge: NonNullable<KeyPorts['challenge']>;
  } | null;
  /** Where browsers reach this program; null where that isn't known. */
  readonly publicUrl: (() => string) | null;
}

interface McpOptions {
  readonly stopping: AbortSignal;
  readonly streams: OpenStreams;
  readonly heartbeatMs: number;
}

/** The session of a client that names none. */
const NO_SESSION = 'mcp';

/** `/mcp`: the gate as an MCP server, over Streamable HTTP in every revision of the protocol. */
export function mcpRoutes(
  app: Hono<HttpEnv>,
  ports: McpRoutePorts,
  { stopping, streams, heartbeatMs }: McpOptions,
): void {
  const { clock, log, personal, publicUrl } = ports;
  const asked = new WeakMap<object, { readonly caller: Caller; readonly onSent: HoldPorts['onSent'] }>();
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const known = authInfo && asked.get(authInfo);
      if (!known) throw new TypeError('a request has a caller');
      const { caller, onSent } = known;
      const session = requestInfo?.headers.get('mcp-session-id') ?? NO_SESSION;
      const { id } = caller.program;
      return createGateServer(
        {
          ...ports.mcp,
          clock,
          stopping,
          onSent,
          openAnswer: answers.open(id),
          onCancelled: (request) => answers.cancel(id, request),
        },
        caller,
        session,
      );
    },
    // With `auto`, nothing is sent before the result, and clients give up on an answer that hasn't begun.
    // Each caller has so many streams of its own.
    {
      responseMode: 'sse',
      maxSubscriptions: Number.MAX_SAFE_INTEGER,
      onerror: (err) => log.warn({ err }, 'MCP request failed'),
    },
  );
  const answers = createOpenAnswers();
  const changes = createListeners();
  changes.add(handler.notify.toolsChanged);
  ports.mcp.onToolsChange(gathered(changes.notify, stopping));

  function answer(c: HttpContext, caller: Caller): Response | Promise<Response> {
    const { id } = caller.program;
    const openStream = () => streams.open({ name: id, token: readBearer(c), isStillIn: caller.isStillIn });
    if (c.req.method === 'GET') {
      return streamChanges(c, { onChange: changes.add, heartbeatMs }, openStream());
    }
    const authInfo = { token: '', clientId: id, scopes: [] };
    asked.set(authInfo, { caller, onSent: (then) => c.env.outgoing?.once('finish', () => note(then)) });
    // What listens for changes has no end of its own. Calls end by themselves, with a word about what waits.
    const isListening = c.req.header('mcp-method') === 'subscriptions/listen';
    const { raw } = c.req;
    if (!isListening) return handler.fetch(raw, { authInfo });
    const open = openStream();
    raw.signal.addEventListener('abort', open.close, { once: true });
    return handler.fetch(raw, { authInfo }).then((response) => untilOver(response, open));
  }

  function note(then: () => Promise<void>): void {
    // What is sent while this process stops may not arrive: the same call gets it once more.
    if (stopping.aborted) return;
    then().catch((err: unknown) =>
      log.warn({ err }, 'what a program has heard was not noted; it may hear it again'),
    );
  }

  app.use('/mcp', async (c, next) => {
    requireKnownOrigin(c.req.header('origin'), publicUrl);
    return next();
  });
  app.all('/mcp', async (c, next) => {
    const token = readBearer(c);
    const caller = token === null || !personal ? null : await personal.find(token);
    // A client learns so each hour that it has to refresh: nobody guesses there.
    if (caller === 'over') throw unauthorized(c, personal?.challenge);
    return caller ? answer(c, caller) : next();
  });
  const keyed = personal ? { ...ports, challenge: personal.challenge } : ports;
  // Whoever has no entry is told so here, in the format of all other errors.
  app.all('/mcp', requireKey(keyed, 'agent'), (c) => answer(c, keyedCaller(c, ports)));
}

/**
 * Refuses what a page of another site makes a browser send, with HttpError 403. Programs send no origin.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
 */
function requireKnownOrigin(origin: string | undefined, publicUrl: McpRoutePorts['publicUrl']): void {
  const own = publicUrl === null ? [] : [new URL(publicUrl()).hostname];
  if (validateOriginHeader(origin, [...localhostAllowedOrigins(), ...own]).ok) return;
  throw new HttpError({ status: 403, code: 'foreign_origin', userMessage: MCP.foreignOrigin });
}

/**
 * The same answer, which ends when its stream is over. Whoever writes it learns of that as of a client that left. No signal is
 * made for it: one that follows others may be collected before they are aborted.
 */
function untilOver(response: Response, { over, close }: OpenStream): Response {
  const body = response.body?.pipeThrough(
    new TransformStream({
      start: (controller) =>
        void over.then(() => {
          close();
          controller.terminate();
        }),
      flush: close,
    }),
  );
  if (!body) close();
  return new Response(body ?? null, response);
}

/** Calls `notify` once for all that happens within {@link GATHER_MS}. */
function gathered(notify: () => void, stopping: AbortSignal): () => void {
  let isDue = false;
  return () => {
    if (isDue || stopping.aborted) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      notify();
    }, GATHER_MS).unref();
  };
}
