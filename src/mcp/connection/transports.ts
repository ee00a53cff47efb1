import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { PassThrough } from 'node:stream';
import {
  type AuthProvider,
  type FetchLike,
  InMemoryTransport,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import { networkReach } from '../config/reach.ts';
import { parseBytes } from '../config/sandbox.ts';
import type { ConnectorConfig, HttpServerConfig, ServerConfig, StdioServerConfig } from '../config/schema.ts';
import { createSecretMask } from '../config/secret-mask.ts';
import type { Isolation } from '../isolation/isolation.ts';
import { limitMemory } from '../isolation/memory-limit.ts';
import type { Connectors, InProcessServer, ReadDocument, ServerStatus } from '../ports.ts';
import { noInProcessServer, tooManyUnread, tooMuchMemory } from '../texts/connection.ts';
import { withApprovalHeaders } from './approved-calls.ts';
import { currentCallCutOff } from './call-correlation.ts';
import { limitFlow } from './flow-limit.ts';
import { createMailboxService } from './mailbox-service.ts';
import { clipped } from './server-log.ts';
import { createServiceFetch } from './service-fetch.ts';
import { createStreamResumption, requireEventStream } from './stream-resumption.ts';

/** The servers that come with this program, by their `in_process` name. */
export type InProcessServers = ReadonlyMap<string, () => InProcessServer | Promise<InProcessServer>>;

export interface TransportContext {
  readonly server: string;
  readonly inProcess: InProcessServers;
  readonly connectors: Connectors;
  readonly createDocumentReader: () => ReadDocument;
  /** Keeps servers that are processes away from this one. */
  readonly isolation: Isolation;
  /**
   * `fetch` for servers over HTTP, and for services of connectors, which must have one.
   * @default a guarded one that only reaches what the server's configuration allows (SSRF guard)
   */
  readonly fetch: FetchLike | undefined;
  /** For HTTP: provides tokens and handles rejections. */
  readonly authProvider?: AuthProvider | undefined;
  /** For HTTP: sees each response. */
  readonly onResponse?: ((response: Response) => void) | undefined;
  /** For HTTP: called when a request got no response. */
  readonly onNoResponse?: ((error: unknown) => void) | undefined;
  readonly logger: Logger;
  /** Receives each line that a child process writes to standard error. */
  readonly onStderr: (line: string) => void;
  /** Called when a child process has ended. */
  readonly onExit: (exit: ProcessExit) => void;
}

/** How a process ended: by itself with a code, or by a signal. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

export function transportKind(config: ServerConfig): ServerStatus['transport'] {
  if ('command' in config) return 'stdio';
  return 'url' in config ? 'http' : 'in_process';
}

/** One transport to try for a server. */
export interface TransportCandidate {
  readonly open: () => Promise<Transport>;
  /** Assumes an older revision, so the server isn't probed for its revision. */
  readonly isOld?: boolean;
  /** Each call has its own request, so a failure of one says nothing about the others. */
  readonly isEachAlone?: boolean;
}

/**
 * The transports to try for a server, in order. Each is created when its turn comes. See docs/decisions/0032.
 * @throws AppError `mcp_unknown_server` for an in-process server that doesn't exist.
 */
export function transportCandidates(
  config: ServerConfig,
  context: TransportContext,
): readonly TransportCandidate[] {
  if ('command' in config) {
    return [{ open: () => stdio(config, context) }, { open: () => stdio(config, context), isOld: true }];
  }
  if ('in_process' in config) return [{ open: () => inProcess(config.in_process, context) }];
  if ('connector' in config) return [{ open: () => connector(config, context) }];
  const streamable = async () => {
    const { fetch, ...options } = http(config, context);
    return new StreamableHTTPClientTransport(new URL(config.url), {
      ...options,
      fetch: requireEventStream(fetch),
      reconnectionScheduler: createStreamResumption(),
    });
  };
  const sse = async () => new SSEClientTransport(new URL(config.url), http(config, context));
  const alone = { open: streamable, isEachAlone: true };
  if (config.transport === 'http') return [alone];
  if (config.transport === 'sse') return [{ open: sse }];
  return [alone, { open: sse }];
}

function http(config: HttpServerConfig, { fetch, authProvider, onResponse, onNoResponse }: TransportContext) {
  const ask = fetch ?? createGuardedFetch({ reach: networkReach(config), onStreamBegin: currentCallCutOff });
  return {
    requestInit: { headers: config.headers },
    fetch: async (...asked: Parameters<FetchLike>) => {
      const [url, request] = asked;
      const response = await ask(url, withApprovalHeaders(config, request)).catch((error: unknown) => {
        onNoResponse?.(error);
        throw error;
      });
      onResponse?.(response);
      return response;
    },
    ...(authProvider !== undefined && { authProvider }),
  };
}

/**
 * A stdio transport whose own process is probed for its revision. For the SDK's own class, but not for
 * subclasses, the SDK starts an extra process just to ask, so each server would start twice. See
 * docs/decisions/0029. It also hands out the process, which the SDK keeps to itself, and ends one that asks us
 * without end and doesn't read our answers, because those would fill our memory.
 */
class ReportedProcess extends StdioClientTransport {
  readonly #onStart: (child: ChildProcess) => void;
  readonly #onTooManyUnread: () => void;
  #child: ChildProcess | null = null;
  #unread = 0;

  constructor(
    server: StdioServerParameters,
    { onStart, onTooManyUnread }: { onStart: (child: ChildProcess) => void; onTooManyUnread: () => void },
  ) {
    super(server);
    this.#onStart = onStart;
    this.#onTooManyUnread = onTooManyUnread;
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) return super.send(message);
    if (this.#unread === MOST_UNREAD) return this.#end();
    this.#unread += 1;
    // If it's never read, this transport has ended.
    await super.send(message);
    this.#unread -= 1;
  }

  #end(): void {
    if (this.#child === null) return;
    this.#onTooManyUnread();
    const { stdin, stdout, stderr } = this.#child;
    // What it has started may hold these open.
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
    this.#child.kill('SIGKILL');
    this.#child = null;
  }

  override start(): Promise<void> {
    const onSpawn = (message: unknown) => {
      const spawned = spawnMessageSchema.safeParse(message);
      if (!spawned.success) return;
      this.#child = spawned.data.process;
      this.#onStart(this.#child);
    };
    // The SDK starts the process before it returns, so this is notified of no other one.
    subscribe(SPAWN_CHANNEL, onSpawn);
    try {
      return super.start();
    } finally {
      unsubscribe(SPAWN_CHANNEL, onSpawn);
    }
  }
}

/** The most answers to requests of a server that may wait to be read by it. */
const MOST_UNREAD = 1_000;

/** The runtime's channel on which it announces new processes. @see https://nodejs.org/api/diagnostics_channel.html */
const SPAWN_CHANNEL = 'child_process';
const spawnMessageSchema = z.object({ process: z.instanceof(ChildProcess) });

/**
 * The stdio transport. The child gets the SDK's few safe variables and its configured ones, never ours, which
 * may be secrets, and is isolated from this process.
 */
async function stdio(
  config: StdioServerConfig,
  { server, isolation, logger, onStderr, onExit }: TransportContext,
): Promise<Transport> {
  const { command, args, env } = await isolation.plan(server, config);
  const { memory } = config.sandbox;
  const report = (why: string) => {
    logger.warn({ server }, why);
    onStderr(why);
  };
  const transport = new ReportedProcess(
    {
      command,
      args: [...args],
      env: { ...env },
      stderr: 'pipe',
      ...(config.cwd !== undefined && { cwd: config.cwd }),
    },
    {
      onTooManyUnread: () => report(tooManyUnread(MOST_UNREAD)),
      onStart(child) {
        child.once('exit', (code, signal) => onExit({ code, signal }));
        // Announced before it has a number, and before anybody reads what it writes.
        child.once('spawn', () => {
          if (child.stdout !== null) limitFlow(child.stdout);
          if (memory === undefined || child.pid === undefined) return;
          const limit = limitMemory(child.pid, parseBytes(memory), () => report(tooMuchMemory(memory)));
          child.once('exit', () => void limit.stop());
        });
      },
    },
  );
  if (transport.stderr instanceof PassThrough) {
    const mask = createSecretMask(config);
    readLines(transport.stderr, (line) => {
      logger.debug({ server, line: clipped(line, mask) }, 'server says');
      onStderr(line);
    });
    limitFlow(transport.stderr);
  }
  return transport;
}

/** Longest part of a line that is kept, in characters: nobody can hold what a server writes without an end. */
const LONGEST_LINE = 64 * 1024;
const LINE_END = /\r\n|[\r\n]/;

function readLines(input: PassThrough, onLine: (line: string) => void): void {
  let line = '';
  input.setEncoding('utf8').on('data', (text: string) => {
    for (const [index, part] of text.split(LINE_END).entries()) {
      if (index > 0) {
        onLine(line);
        line = '';
      }
      if (line.length < LONGEST_LINE) line = (line + part).slice(0, LONGEST_LINE);
    }
  });
  input.on('end', () => {
    if (line !== '') onLine(line);
  });
}

async function inProcess(name: string, { inProcess: servers }: TransportContext): Promise<Transport> {
  const create = servers.get(name);
  if (create === undefined) {
    throw new AppError({
      code: 'mcp_unknown_server',
      userMessage: noInProcessServer(name, [...servers.keys()]),
    });
  }
  return joined(await create());
}

/** A connector's server, whose requests go out with this connection's tokens. */
async function connector(
  config: ConnectorConfig,
  { server, connectors, createDocumentReader, fetch: ask, authProvider, onResponse }: TransportContext,
): Promise<Transport> {
  const { connector: name, api_url: given, key, mailbox, push } = config;
  const found = connectors.get(name);
  const readDocument = createDocumentReader();
  if (found && 'createMailbox' in found && mailbox) {
    return joined(
      await found.createMailbox(createMailboxService(server, mailbox, { ...config, readDocument })),
    );
  }
  if (found === undefined || 'createMailbox' in found || ask === undefined) {
    throw new TypeError(`there is no connector ${name}`);
  }
  const apiUrl = given ?? found.apiUrl;
  const fetch = createServiceFetch({ server, apiUrl, ask, authProvider, onResponse });
  return joined(
    found.createServer({ fetch, apiUrl, key: key ?? null, topic: push?.topic ?? null, readDocument }),
  );
}

/** The other end of a server in this process. */
async function joined(server: InProcessServer): Promise<Transport> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  return ours;
}
