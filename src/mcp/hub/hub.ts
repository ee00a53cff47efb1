import type { FetchLike, Tool } from '@modelcontextprotocol/client';
import type { Actor, Need, PageCompleted } from '../../gate/types.ts';
import { AppError, errorMessage } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Schedule } from '../../lib/schedule.ts';
import type { Challenge } from '../../oauth/index.ts';
import { OWN_SERVER, type ToolDefinition } from '../../tools/ports.ts';
import type { McpServers } from '../config/schema.ts';
import type { InProcessServers } from '../connection/transports.ts';
import type { Connection } from '../connection/types.ts';
import type { ToolHub } from '../ports.ts';
import { connectTool } from '../tools/connect-tool.ts';
import { definitionHash, toDefinition } from '../tools/definition.ts';
import { modelNames } from '../tools/names.ts';
import { hasPlainName, redactDefinition } from '../tools/redacted.ts';
import { createServerAccess, type ServerAccess, type SignInSupport } from './server-access.ts';

export interface ToolHubOptions {
  readonly servers: McpServers;
  readonly logger: Logger;
  /** Default: none. */
  readonly inProcess?: InProcessServers;
  /** For each server, in milliseconds. Default: 30 s, what a package that is fetched first may take. */
  readonly connectTimeoutMs?: number;
  /** Runs the next attempt at a server that is down; default: a timer that does not hold the process. */
  readonly schedule?: Schedule;
  /** For servers over HTTP; default: the runtime's own. */
  readonly fetch?: FetchLike;
  /** People's own sign-ins; without them, a server that wants one is down. */
  readonly signingIn?: SignInSupport;
  /** A server says that somebody is done with a page which it asked for; default: nobody is told. */
  readonly onPageDone?: (done: PageCompleted) => void;
}

/** What `send` needs of the hub. */
export interface ServerConnections {
  /**
   * A connection to the server, made now if it is down: the person's own where everybody signs in.
   * @throws AppError `mcp_server_down`, `mcp_unknown_server`, `sign_in_required`, `setup_required`.
   */
  acquire(server: string, person?: Actor): Promise<ConnectedServer>;
  /**
   * What a call of this person waits with until they have signed in, after it was refused with the connection that
   * they made at `tried`; null where there was none.
   * @throws AppError where they cannot, or where it would not help.
   */
  need(
    server: string,
    person: Actor,
    challenge: Challenge,
    callKey: string | null,
    tried: number | null,
  ): Promise<Need>;
  /** For what goes wrong here and says nothing to people. */
  readonly log: Pick<Logger, 'error'>;
}

export interface ConnectedServer {
  readonly connection: Connection;
  readonly callTimeoutMs: number;
  /** Lists the tools anew where a change of them may have gone unheard. Rejects as the listing does. */
  readonly current: () => Promise<void>;
  /** The tool as the server listed it last. */
  readonly tool: (name: string) => Tool | undefined;
  readonly definitionHash: (name: string) => string | null;
  /** Says that the connection turned out to be of no use. */
  readonly lost: (reason: string) => void;
  /** Whether it is one person's. */
  readonly isPersonal: boolean;
  /** When that person signed in, as far as it is known of this connection; null where nobody did. */
  readonly signedInAt: number | null;
  /** Says that the server has answered, or that it takes no sign-in of this person's any more. */
  readonly proven: () => Promise<void>;
  readonly refused: () => Promise<void>;
}

export interface ConnectedToolHub extends ToolHub {
  /** Tries every server that is down, or the one named, without waiting for its turn. */
  reconnect(server?: string): Promise<void>;
  /** Called when a server comes, goes or changes its tools; gives back how to stop listening. */
  onChange(listener: () => void): () => void;
  /** The person's own connection ends: they have signed in anew, or not at all any more. */
  drop(server: string, personId: string): void;
  /** Those that are configured and not disabled. */
  readonly serverNames: readonly string[];
  readonly connections: ServerConnections;
}

const timer: Schedule = (run, delayMs) => {
  const handle = setTimeout(run, delayMs).unref();
  return () => clearTimeout(handle);
};

/** Holds a connection to each configured server and knows their tools. Connects nothing until `start`. */
export function createToolHub(options: ToolHubOptions): ConnectedToolHub {
  const listeners = new Set<() => void>();
  /** Until something changes: names and hashes cost time, and every turn of a conversation asks. */
  let offered: readonly ToolDefinition[] | null = null;
  const accesses = new Map(
    Object.entries(options.servers)
      .filter(([, config]) => !config.disabled)
      .map(([server, config]) => [
        server,
        createServerAccess({
          server,
          config,
          logger: options.logger,
          inProcess: options.inProcess ?? new Map(),
          fetch: options.fetch,
          connectTimeoutMs: options.connectTimeoutMs ?? 30_000,
          schedule: options.schedule ?? timer,
          signingIn: options.signingIn ?? null,
          onPageDone: (elicitationId, personId) => options.onPageDone?.({ server, elicitationId, personId }),
          onToolsChanged: () => {
            offered = null;
            for (const listener of listeners) listener();
          },
        }),
      ]),
  );
  const all = () => [...accesses.values()];
  const openAll = async () => void (await Promise.all(all().map((access) => access.open())));

  return {
    serverNames: [...accesses.keys()],
    start: openAll,
    async stop() {
      await Promise.allSettled(all().map((access) => access.close()));
      offered = null;
    },
    status: () => all().map((access) => access.status()),
    async tools(person) {
      await Promise.all(all().map((access) => access.recall(person)));
      if (all().some((access) => access.isPersonal())) return definitions(accesses, person, options.logger);
      offered ??= await definitions(accesses, undefined, options.logger);
      return offered;
    },
    reconnect: async (server) => (server === undefined ? openAll() : accessTo(accesses, server).open()),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    drop(server, personId) {
      accesses.get(server)?.drop(personId);
    },
    connections: {
      async acquire(server, person) {
        const access = accessTo(accesses, server);
        const { link, connection, signedInAt } = await access.acquire(person);
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
          isPersonal: access.isPersonal(),
          signedInAt,
          proven: async () => void (person && (await access.proven(person))),
          refused: async () => void (person && (await access.refuse(person, signedInAt))),
        };
      },
      need: (server, person, ...about) => accessTo(accesses, server).need(person, ...about),
      log: options.logger,
    },
  };
}

interface Offered {
  readonly server: string;
  readonly name: string;
  readonly tool: Tool;
  readonly toolType: string;
  readonly isRedacted: boolean;
}

/** Sorted, so that names do not hang on which server was faster. */
async function definitions(
  accesses: ReadonlyMap<string, ServerAccess>,
  person: Actor | undefined,
  logger: Logger,
): Promise<ToolDefinition[]> {
  const lists = await Promise.all([...accesses].map(([server, access]) => offeredBy(server, access, person)));
  const found = lists.flat();
  found.sort((a, b) => compare(a.server, b.server) || compare(a.name, b.name));
  const names = modelNames(found);
  return found.flatMap(({ server, tool, toolType, isRedacted }, index) => {
    try {
      const definition = toDefinition(tool, { server, toolType, modelName: names[index] ?? '' });
      return [isRedacted ? redactDefinition(definition) : definition];
    } catch (error) {
      // One unusable definition does not take the server's other tools away.
      logger.warn({ server, tool: tool.name, error: errorMessage(error) }, 'tool left out');
      return [];
    }
  });
}

/** A server whose tools nobody knows is stood for by a tool of ours, which connects it. */
async function offeredBy(
  server: string,
  access: ServerAccess,
  person: Actor | undefined,
): Promise<Offered[]> {
  const toolType = access.config.type ?? server;
  const listed = await access.tools(person);
  if (listed !== null) {
    return listed
      .filter(hasPlainName)
      .map((offered) => ({ server, name: offered.tool.name, toolType, ...offered }));
  }
  const isPossible = person !== undefined && access.status().state === 'sign_in_required';
  const tool = connectTool(server);
  return isPossible ? [{ server: OWN_SERVER, name: tool.name, tool, toolType, isRedacted: false }] : [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function accessTo(accesses: ReadonlyMap<string, ServerAccess>, server: string): ServerAccess {
  const access = accesses.get(server);
  if (access !== undefined) return access;
  throw new AppError({
    code: 'mcp_unknown_server',
    userMessage: `No server called ${server} is configured; nothing was done.`,
  });
}
