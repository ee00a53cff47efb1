import type { FetchLike, Tool } from '@modelcontextprotocol/client';
import type { Actor, Need, PageCompleted } from '../../gate/types.ts';
import { AppError } from '../../lib/errors.ts';
import { createListeners } from '../../lib/listeners.ts';
import type { Logger } from '../../lib/logger.ts';
import { type Schedule, timerSchedule } from '../../lib/schedule.ts';
import type { Secret } from '../../lib/secret-mask.ts';
import type { Challenge, SignIn } from '../../oauth/index.ts';
import { type ToolDefinition, unknownServer } from '../../tools/ports.ts';
import { createSchemaReader } from '../arguments/dialects.ts';
import type { McpServers } from '../config/schema.ts';
import { withSecrets } from '../config/secret-mask.ts';
import { startTimeoutMs } from '../config/timeouts.ts';
import type { InProcessServers } from '../connection/transports.ts';
import type { Connection } from '../connection/types.ts';
import type { Isolation } from '../isolation/isolation.ts';
import type { Connectors, ReadDocument, ToolHub } from '../ports.ts';
import { NOT_READ_HERE } from '../texts/calls.ts';
import { definitionHash } from '../tools/definition.ts';
import { listDefinitions } from './offered-tools.ts';
import { createServerAccess, type ServerAccess, type SignInSupport } from './server-access.ts';
import { refuseUnlikeSignIns } from './shared-sign-ins.ts';

export interface ToolHubOptions {
  readonly servers: McpServers;
  /**
   * Secrets of this program, which are masked in all that servers send.
   * @default none
   */
  readonly secrets?: readonly Secret[];
  readonly logger: Logger;
  /**
   * Servers that run in this process.
   * @default none
   */
  readonly inProcess?: InProcessServers;
  /**
   * Those of them, by their `in_process` name, that nothing connects before their tools are needed.
   * @default none
   */
  readonly onDemand?: readonly string[];
  /**
   * The connectors that the configuration names.
   * @default none
   */
  readonly connectors?: Connectors;
  /**
   * Makes what reads documents for a connection of a connector's, which is a person's or a mailbox's.
   * @default none can be read
   */
  readonly createDocumentReader?: () => ReadDocument;
  /** Keeps servers that are processes away from this one. */
  readonly isolation: Isolation;
  /**
   * Timeout for connecting a server that has no `start_timeout`, in milliseconds.
   * @default 30 seconds
   */
  readonly connectTimeoutMs?: number;
  /**
   * Schedules the next attempt at a server that is down.
   * @default a timer that doesn't keep the process alive
   */
  readonly schedule?: Schedule;
  /**
   * `fetch` for servers over HTTP and services of connectors.
   * @default the runtime's own, with the SSRF guard
   */
  readonly fetch?: FetchLike;
  /**
   * Whether a person is the Slack user of this id, for servers that belong to one.
   * @default nobody is
   */
  readonly isUser?: (person: Actor, slackUser: string) => boolean;
  /** People's own sign-ins. Without them, a server that requires one is down. */
  readonly signingIn?: SignInSupport;
  /**
   * Called when a server reports that somebody has completed a page it asked for.
   * @default ignored
   */
  readonly onPageDone?: (done: PageCompleted) => void;
}

/** The part of the hub that `send` uses. */
export interface ServerConnections {
  /**
   * The connection to the server, made now if it's down. The person's own one if people sign in.
   * @throws AppError `mcp_server_down`, `mcp_unknown_server`, `sign_in_required`, `setup_required`.
   */
  acquire(server: string, person?: Actor): Promise<ConnectedServer>;
  /**
   * The sign-in that this person's call waits for. `tried` is when the connection was made with which the
   * call was refused; null if there was none.
   * @throws AppError if the person can't sign in, or if signing in wouldn't help.
   */
  requestSignIn(
    server: string,
    person: Actor,
    challenge: Challenge,
    callKey: string | null,
    tried: number | null,
  ): Promise<Need>;
  /** For internal errors that people don't see. */
  readonly log: Pick<Logger, 'error'>;
}

export interface ConnectedServer {
  readonly connection: Connection;
  readonly callTimeoutMs: number;
  /** Refreshes the tool list if a change may have been missed. Rejects with the listing's error. */
  readonly current: () => Promise<void>;
  /** The tool as the server last listed it. */
  readonly tool: (name: string) => Tool | undefined;
  readonly definitionHash: (name: string) => string | null;
  /** Reports that the connection is broken. */
  readonly lost: (reason: string) => void;
  /** Whether what it answers is for one person alone. */
  readonly isPersonal: boolean;
  /** That person's sign-in, as far as this connection knows; null if there was none. */
  readonly signIn: SignIn | null;
  /** Reports that the server answered (`confirmSignIn`), or that it rejects this person's sign-in (`invalidateSignIn`). */
  readonly confirmSignIn: () => Promise<void>;
  readonly invalidateSignIn: () => Promise<void>;
}

export interface ConnectedToolHub extends ToolHub {
  /** Retries every server that is down, or only the one named, without waiting for its backoff. */
  reconnect(server?: string): Promise<void>;
  /**
   * Resolves once those of the servers that are needed have been tried that `start` connects, and connects those that are
   * on demand. To be called before their tools are needed. Never rejects.
   */
  ready(isNeeded: (server: string) => boolean): Promise<void>;
  /** Connects the servers that are on demand, which `start` leaves alone. To be called before their tools are needed. */
  wake(): Promise<void>;
  /**
   * Calls `listener` when a server connects, disconnects or changes its tools. Returns how to unsubscribe.
   */
  onChange(listener: () => void): () => void;
  /** The servers that are configured and not disabled. */
  readonly serverNames: readonly string[];
  readonly connections: ServerConnections;
}

/** Keeps a connection to each configured server and knows their tools. Connects nothing until `start`. */
export function createToolHub(options: ToolHubOptions): ConnectedToolHub {
  refuseUnlikeSignIns(options.servers, options.connectors ?? new Map());
  const changes = createListeners<[]>();
  /** Cached until something changes: names and hashes are costly, and every turn of a conversation asks. */
  let offered: readonly ToolDefinition[] | null = null;
  const accesses = createAccesses(options, () => {
    offered = null;
    changes.notify();
  });
  const all = () => [...accesses.values()];
  // A connection doesn't outlive its sign-in.
  options.signingIn?.oauth.onChange(dropFrom(accesses));
  const openAll = async () => void (await Promise.all(all().map((access) => access.open())));

  return {
    serverNames: [...accesses.keys()],
    ...createFirstTries(accesses),
    async stop() {
      await Promise.allSettled(all().map((access) => access.close()));
      offered = null;
    },
    status: (personId) => all().map((access) => access.status(personId)),
    async tools(person) {
      await Promise.all(all().map((access) => access.recall(person)));
      if (all().some((access) => access.isOwned || access.isPersonal()))
        return listDefinitions(accesses, person, options.logger);
      offered ??= await listDefinitions(accesses, undefined, options.logger);
      return offered;
    },
    wake: async () => void (await Promise.all(all().map((access) => access.wake()))),
    reconnect: async (server) => (server === undefined ? openAll() : accessTo(accesses, server).open()),
    onChange: changes.add,
    connections: {
      async acquire(server, person) {
        const access = accessTo(accesses, server);
        const { link, connection, signIn } = await access.acquire(person);
        const tool = (name: string) => link.tools().find((candidate) => candidate.name === name);
        return {
          connection,
          callTimeoutMs: access.config.timeout_ms,
          current: () => link.current(connection),
          tool,
          definitionHash(name) {
            const found = tool(name);
            return found === undefined ? null : definitionHash(server, found);
          },
          lost: (reason) => link.lost(connection, reason),
          isPersonal: access.answersForOne(),
          signIn,
          confirmSignIn: async () => void (person && (await access.confirmSignIn(person))),
          invalidateSignIn: async () => void (person && (await access.invalidateSignIn(person, signIn))),
        };
      },
      requestSignIn: (server, person, ...about) => accessTo(accesses, server).requestSignIn(person, ...about),
      log: options.logger,
    },
  };
}

/** Access to each server that isn't disabled. */
function createAccesses(options: ToolHubOptions, onToolsChanged: () => void): Map<string, ServerAccess> {
  const readSchema = createSchemaReader();
  return new Map(
    Object.entries(options.servers)
      .filter(([, config]) => !config.disabled)
      .map(([server, config]) => [
        server,
        createServerAccess({
          server,
          config: withSecrets(config, options.secrets ?? []),
          logger: options.logger,
          inProcess: options.inProcess ?? new Map(),
          connectors: options.connectors ?? new Map(),
          createDocumentReader:
            options.createDocumentReader ?? (() => async () => ({ problem: NOT_READ_HERE })),
          isOnDemand: 'in_process' in config && (options.onDemand ?? []).includes(config.in_process),
          isolation: options.isolation,
          fetch: options.fetch,
          connectTimeoutMs: startTimeoutMs(config, options.connectTimeoutMs ?? 30_000),
          readSchema,
          schedule: options.schedule ?? timerSchedule,
          signingIn: options.signingIn ?? null,
          isUser: options.isUser ?? (() => false),
          onPageDone: (elicitationId, personId) => options.onPageDone?.({ server, elicitationId, personId }),
          onToolsChanged,
        }),
      ]),
  );
}

/** Ends the connections of a person to everything that they sign in to with an account. */
function dropFrom(accesses: ReadonlyMap<string, ServerAccess>) {
  return (account: string, person: Pick<Actor, 'id'>): void => {
    for (const access of accesses.values()) if (access.account === account) access.drop(person.id);
  };
}

/** The first attempt at each server, so that whoever needs some of them waits for no others. */
function createFirstTries(
  accesses: ReadonlyMap<string, ServerAccess>,
): Pick<ConnectedToolHub, 'start' | 'ready'> {
  const tries = new Map<string, Promise<void>>();
  return {
    async start() {
      for (const [server, access] of accesses) tries.set(server, access.open());
      await Promise.all(tries.values());
    },
    async ready(isNeeded) {
      const needed = [...accesses].filter(([server]) => isNeeded(server));
      await Promise.all(needed.flatMap(([server, access]) => [tries.get(server), access.wake()]));
    },
  };
}

function accessTo(accesses: ReadonlyMap<string, ServerAccess>, server: string): ServerAccess {
  const access = accesses.get(server);
  if (access !== undefined) return access;
  throw new AppError({
    code: 'mcp_unknown_server',
    userMessage: unknownServer(server),
  });
}
