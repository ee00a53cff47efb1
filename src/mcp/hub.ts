import type { FetchLike, Tool } from '@modelcontextprotocol/client';
import { AppError, messageOf } from '../errors.ts';
import type { McpServers } from './config.ts';
import type { Connection } from './connection.ts';
import { definitionHash, toDefinition } from './definition.ts';
import { modelNames } from './names.ts';
import { createServerLink, type Schedule, type ServerLink } from './server-link.ts';
import type { InProcessServers } from './transports.ts';
import type { Logger, ToolDefinition, ToolHub } from './types.ts';

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
}

/** What `send` needs of the hub. */
export interface ServerConnections {
  /**
   * A connection to the server, made now if it is down.
   * @throws AppError `mcp_server_down`, `mcp_unknown_server`.
   */
  acquire(server: string): Promise<ConnectedServer>;
}

export interface ConnectedServer {
  readonly connection: Connection;
  readonly callTimeoutMs: number;
  /** The tool as the server lists it now. */
  readonly tool: (name: string) => Tool | undefined;
  readonly definitionHash: (name: string) => string | null;
  /** Says that the connection turned out to be of no use. */
  readonly lost: (reason: string) => void;
}

export interface ConnectedToolHub extends ToolHub {
  /** Tries every server that is down, or the one named, without waiting for its turn. */
  reconnect(server?: string): Promise<void>;
  /** Called when a server comes, goes or changes its tools; gives back how to stop listening. */
  onChange(listener: () => void): () => void;
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
  const links = new Map(
    Object.entries(options.servers)
      .filter(([, config]) => !config.disabled)
      .map(([server, config]) => [
        server,
        createServerLink({
          server,
          config,
          logger: options.logger,
          inProcess: options.inProcess ?? new Map(),
          fetch: options.fetch,
          connectTimeoutMs: options.connectTimeoutMs ?? 30_000,
          schedule: options.schedule ?? timer,
          onToolsChanged: () => {
            offered = null;
            for (const listener of listeners) listener();
          },
        }),
      ]),
  );
  const openAll = async () => void (await Promise.all([...links.values()].map((link) => link.open())));

  return {
    start: openAll,
    async stop() {
      await Promise.allSettled([...links.values()].map((link) => link.close()));
      offered = null;
    },
    status: () => [...links.values()].map((link) => link.status()),
    async tools() {
      offered ??= definitions(links, options.logger);
      return offered;
    },
    reconnect: async (server) => (server === undefined ? openAll() : linkOf(links, server).open()),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    connections: {
      async acquire(server) {
        const link = linkOf(links, server);
        const connection = await link.acquire();
        const tool = (name: string) => link.tools().find((candidate) => candidate.name === name);
        return {
          connection,
          callTimeoutMs: link.config.timeout_ms,
          tool,
          definitionHash(name) {
            const found = tool(name);
            return found === undefined ? null : definitionHash(server, found);
          },
          lost: (reason) => link.lost(connection, reason),
        };
      },
    },
  };
}

/** Sorted, so that names do not hang on which server was faster. */
function definitions(links: ReadonlyMap<string, ServerLink>, logger: Logger): ToolDefinition[] {
  const found = [...links].flatMap(([server, link]) =>
    link.tools().map((tool) => ({ server, name: tool.name, tool, toolType: link.config.type ?? server })),
  );
  found.sort((a, b) => compare(a.server, b.server) || compare(a.name, b.name));
  const names = modelNames(found);
  return found.flatMap(({ server, tool, toolType }, index) => {
    try {
      return [toDefinition(tool, { server, toolType, modelName: names[index] ?? '' })];
    } catch (error) {
      // One unusable definition does not take the server's other tools away.
      logger.warn({ server, tool: tool.name, error: messageOf(error) }, 'tool left out');
      return [];
    }
  });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function linkOf(links: ReadonlyMap<string, ServerLink>, server: string): ServerLink {
  const link = links.get(server);
  if (link !== undefined) return link;
  throw new AppError({
    code: 'mcp_unknown_server',
    userMessage: `No server called ${server} is configured; nothing was done.`,
  });
}
