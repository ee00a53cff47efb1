import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { type AuditKeys, createAuditLog, type Gate } from '../gate/index.ts';
import type { CardTemplate } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { OwnAddress } from '../lib/net/own-address.ts';
import type { InProcessServers } from '../mcp/index.ts';
import { createMcpToolSource, createPrompts, createToolHub, createToolReviews } from '../mcp/index.ts';
import type { Connectors } from '../mcp/ports.ts';
import { AGENT_NAMES } from '../runs/ports.ts';
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
import { ON_DEMAND } from './demo-servers/bundled.ts';
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
  const connections = createConnections({
    env,
    store,
    clock,
    auditKeys,
    log,
    gate,
    address,
  });
  const secrets = [...env.secrets, ...listAuditKeySecrets(env), ...connections.secrets];
  const hub = createToolHub({
    servers: file.servers,
    secrets,
    logger: log,
    signingIn: connections.signingIn,
    inProcess,
    connectors,
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
    hub,
    reviews,
    prompts,
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

/** How the cards of the configured connectors' tools read, by `server.tool`. */
function listCards(
  servers: Readonly<Record<string, object>>,
  connectors: Connectors,
): Readonly<Record<string, CardTemplate>> {
  const cards = Object.entries(servers).flatMap(([server, config]) => {
    const name = 'connector' in config && typeof config.connector === 'string' ? config.connector : '';
    return Object.entries(connectors.get(name)?.cards ?? {}).map(
      ([tool, { lookUp, undo, ...card }]): [string, CardTemplate] => [
        `${server}.${tool}`,
        {
          ...card,
          ...(lookUp && { lookUp: { ...lookUp, server } }),
          ...(undo && { undo: { ...undo, server } }),
        },
      ],
    );
  });
  return Object.fromEntries(cards);
}
