import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { type AuditKeys, createAuditLog, type Gate } from '../gate/index.ts';
import type { CardTemplate } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { MAILBOX_TRIGGERS } from '../lib/mail/triggers.ts';
import type { OwnAddress } from '../lib/net/own-address.ts';
import type { InProcessServers } from '../mcp/index.ts';
import {
  createMcpToolSource,
  createPrompts,
  createToolHub,
  createToolReviews,
  isBundled,
} from '../mcp/index.ts';
import type { Connector, Connectors, MailboxConnector } from '../mcp/ports.ts';
import { AGENT_NAMES } from '../runs/ports.ts';
import { readSlackUser } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import {
  combineToolSources,
  createForeignAgents,
  createKeptResults,
  createReadyTools,
  createResultShares,
  requesterVerdict,
} from '../tools/index.ts';
import { createConnections } from './compose-connections.ts';
import { isMail, ON_DEMAND } from './demo-servers/bundled.ts';
import { createDocumentReaders } from './inbox/read-document.ts';
import { createIsolation } from './isolation.ts';
import { listAuditKeySecrets } from './keys/audit-key.ts';
import { listForeignAgents } from './team/foreign-agents.ts';

interface ToolSidePorts {
  readonly env: Env;
  readonly file: Pick<FileConfig, 'servers' | 'mcpFile' | 'tool_review' | 'cards' | 'team'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly auditKeys: AuditKeys;
  readonly log: Logger;
  /** The bundled servers. */
  readonly inProcess: InProcessServers;
  /** The connectors that the file names. */
  readonly connectors: Connectors;
  readonly gate: Gate;
  /** Where browsers reach this program. */
  readonly address: OwnAddress;
}

/** Composes everything about servers: connections, sign-ins, reviews, and kept results. */
export function createToolSide({
  env,
  file,
  store,
  clock,
  auditKeys,
  log,
  inProcess,
  connectors,
  gate,
  address,
}: ToolSidePorts) {
  const connections = createConnections({ env, store, clock, auditKeys, log, gate, address });
  const secrets = [...env.secrets, ...listAuditKeySecrets(env), ...connections.secrets];
  const hub = createToolHub({
    servers: file.servers,
    secrets,
    logger: log,
    signingIn: connections.signingIn,
    isUser: ({ id }, slackUser) => readSlackUser(id) === slackUser,
    inProcess,
    connectors,
    createDocumentReader: createDocumentReaders(),
    onDemand: ON_DEMAND,
    isolation: createIsolation({ ...env, mcpFile: file.mcpFile }, log),
    onPageDone(done) {
      gate.elicitation
        .pageCompleted(done)
        // The person who opened the page can still continue by hand.
        .catch((err: unknown) => log.warn({ ...done, err }, 'failed to resume calls waiting for a page'));
    },
  });
  const audit = createAuditLog({ store, clock, auditKeys });
  const reviews = createToolReviews({
    store,
    clock,
    servers: file.servers,
    audit,
    mode: file.tool_review,
    logger: log,
  });
  const prompts = createPrompts({
    connections: hub.connections,
    status: hub.status,
    isAllowed: (call) =>
      requesterVerdict(gate.policy.evaluate(call)) !== 'deny' &&
      gate.risk.isEnabled({ server: call.server, name: call.tool }, AGENT_NAMES[0]),
    log,
  });
  const others = createForeignAgents(listForeignAgents(file.team), secrets);
  const source = combineToolSources([createMcpToolSource({ hub, reviews }), others], {
    ...listCards(file.servers, connectors),
    ...file.cards,
  });
  const ready = createReadyTools(source, { connect: hub.start, ready: hub.ready, wake: hub.wake }, log);
  return {
    connections,
    connectors,
    hub,
    reviews,
    prompts,
    triggers: listTriggers(file, connectors),
    isConnector: isAmong(listConnectors(file.servers, connectors).map(([server]) => server)),
    /** Whether a server comes with this program. */
    isOurs: isAmong(bundledServers(file)),
    /** What is known now, without the tools of servers that nobody has needed yet. */
    knownTools: source.tools,
    tools: ready.tools,
    /** Connects the servers; resolves when each has been tried. */
    connect: ready.connect,
    /** What runs are offered, once servers have been tried. */
    offer: ready.offer,
    refresh: ready.refresh,
    keptResults: createKeptResults({ store, clock }),
    shares: createResultShares({ store, clock, audit }),
    send: source.send,
  };
}
export type ToolSide = ReturnType<typeof createToolSide>;

function bundledServers({ servers }: Pick<FileConfig, 'servers'>): string[] {
  return Object.entries(servers).flatMap(([name, config]) => (isBundled(config) ? [name] : []));
}

function isAmong(names: readonly string[]): (server: string) => boolean {
  const known = new Set(names);
  return (server) => known.has(server);
}

/** The triggers of the configured connectors, by their servers. The example mailboxes have the tools of any mailbox. */
function listTriggers(
  { servers }: Pick<FileConfig, 'servers'>,
  connectors: Connectors,
): Readonly<Record<string, NonNullable<Connector['triggers']>>> {
  const mailboxes = Object.entries(servers).flatMap(([server, config]) =>
    isMail(config) && !config.disabled ? [[server, MAILBOX_TRIGGERS] as const] : [],
  );
  const triggers = listConnectors(servers, connectors).map(
    ([server, connector]) => [server, connector.triggers ?? {}] as const,
  );
  return Object.fromEntries([...triggers, ...mailboxes]);
}

/** How the cards of the configured connectors' tools read, by `server.tool`. */
function listCards(
  servers: Readonly<Record<string, object>>,
  connectors: Connectors,
): Readonly<Record<string, CardTemplate>> {
  const cards = listConnectors(servers, connectors).flatMap(([server, { cards: its = {} }]) =>
    Object.entries(its).map(([tool, { lookUp, undo, ...card }]): [string, CardTemplate] => [
      `${server}.${tool}`,
      {
        ...card,
        ...(lookUp && { lookUp: { ...lookUp, server } }),
        ...(undo && { undo: { ...undo, server } }),
      },
    ]),
  );
  return Object.fromEntries(cards);
}

/** The servers that are connectors, by the names that they have in the configuration. */
function listConnectors(
  servers: Readonly<Record<string, object>>,
  connectors: Connectors,
): readonly (readonly [string, Connector | MailboxConnector])[] {
  return Object.entries(servers).flatMap(([server, config]) => {
    const name = 'connector' in config && typeof config.connector === 'string' ? config.connector : '';
    const connector = connectors.get(name);
    return connector ? [[server, connector] as const] : [];
  });
}
