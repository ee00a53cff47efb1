import { LRUCache } from 'lru-cache';
import type { FileConfig } from '../config/file.ts';
import { maxWait } from '../config/retention.ts';
import {
  type AuditKeys,
  BUILT_IN_RULES,
  compileArgumentSchemas,
  compileIdempotentTools,
  compilePermissions,
  compilePolicy,
  createGate,
  type Gate,
} from '../gate/index.ts';
import type {
  FindToolRisk,
  GateListener,
  PeopleDirectory,
  Permissions,
  ProgramRules,
  RiskPorts,
  ValidateArguments,
} from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { compileArgumentChecks } from '../mcp/index.ts';
import type { Connector, Connectors } from '../mcp/ports.ts';
import { KEY_PREFIX } from '../programs/index.ts';
import {
  createSurfaceListener,
  createWakeListener,
  findConversation,
  readMessage,
  readTyped,
  type Surface,
} from '../runs/index.ts';
import { AGENT_NAMES, type WakeUps } from '../runs/ports.ts';
import { createDamagedRecordLog } from '../storage/damaged-record-log.ts';
import type { Store } from '../storage/store.ts';
import { createKeptResults } from '../tools/index.ts';

interface GateSidePorts {
  readonly file: Pick<FileConfig, 'policy' | 'grants' | 'requests' | 'permissions' | 'servers'>;
  /** The connectors that the file names. */
  readonly connectors: Connectors;
  /** What the servers that come with this program refuse of their tools' arguments, by their names. */
  readonly inputs: Readonly<Record<string, Connector['inputs']>>;
  readonly store: Store;
  readonly clock: Clock;
  readonly auditKeys: AuditKeys;
  readonly log: Logger;
  readonly validateArguments: ValidateArguments;
  readonly keepForMs: number | null;
  readonly people: PeopleDirectory;
  readonly findNews: NonNullable<Parameters<typeof createGate>[0]['findNews']>;
  /** What programs may do now. */
  readonly access: ProgramRules;
  readonly wakeUps: WakeUps;
  readonly surfaces: readonly Surface[];
  /** Hears of every event, besides the surfaces and workers of its threads. */
  readonly homes: GateListener;
  /** Hears of every event, for programs that wait for a decision. */
  readonly waits: { readonly listener: GateListener };
  /** Hears of every event, to count it. */
  readonly metrics: { readonly listener: GateListener };
  /** Told that something has happened, for open pages. */
  readonly pages: { notify(): void };
}

/** Composes the gate from the settings. */
export function createGateSide(ports: GateSidePorts): Gate {
  const { file, store, clock, log, surfaces, wakeUps } = ports;
  return createGate({
    store,
    clock,
    auditKeys: ports.auditKeys,
    evaluate: compilePolicy(file.policy, BUILT_IN_RULES),
    isIdempotent: compileIdempotentTools(file.policy),
    argumentRules: compileArgumentSchemas(file.policy),
    argumentChecks: compileArgumentChecks(file.servers, ports.connectors, ports.inputs),
    validateArguments: ports.validateArguments,
    people: ports.people,
    findNews: ports.findNews,
    programs: ports.access,
    risk: createRiskPorts(file, ports),
    listeners: [
      createWakeListener({ clock, wakeUps }),
      createSurfaceListener(surfaces),
      ports.homes,
      ports.waits.listener,
      ports.metrics.listener,
      { notify: () => ports.pages.notify() },
    ],
    onUnrecordedRefusal: (err, attempt) =>
      log.error({ err, attempt }, 'refused attempt not recorded in the audit'),
    onListenerFailed: (err) => log.error({ err }, 'gate listener failed'),
    onUnreadable: createDamagedRecordLog(log),
    onUnproven: ({ threadId, callId, state }) =>
      log.error(
        { threadId, callId, state },
        'call ended: the audit contradicts its record; see docs/security.md',
      ),
    grantLimits: file.grants,
    requestLifetimeMs: file.requests.open_for,
    longestWaitMs: maxWait(ports.keepForMs),
  });
}

/** How many threads it is remembered of which conversation they go on with. */
const KNOWN_THREADS = 10_000;

/** Composes what the gate judges sessions by; null where the operator names no permissions file. */
function createRiskPorts(
  { permissions }: Pick<FileConfig, 'permissions'>,
  { store, clock }: { readonly store: Store; readonly clock: Clock },
): RiskPorts | null {
  if (permissions === null) return null;
  // It never changes, and is asked for with every call.
  const conversations = new LRUCache<string, Awaited<ReturnType<typeof findConversation>>>({
    max: KNOWN_THREADS,
    fetchMethod: (threadId) => findConversation(store, threadId),
  });
  return {
    findToolRisk: compileToolRisk(permissions),
    findConversation: async (threadId) =>
      (await conversations.fetch(threadId)) ?? { threadId, agent: AGENT_NAMES[0] },
    typedIn: (threadId) => readTyped(store, threadId),
    promptText: (itemId) => readMessage(store, itemId),
    readKept: createKeptResults({ store, clock }).text,
  };
}

/**
 * The look-up of the risk of tools, by whoever calls: our own agents and those of the team by their names, programs by the
 * ids of their keys.
 */
export function compileToolRisk({ shared, agents }: Permissions): FindToolRisk {
  const byCaller = Object.entries(agents).flatMap(([name, file]) => [
    [name, file],
    [`team.${name}`, file],
    [`${KEY_PREFIX}${name}`, file],
  ]);
  return compilePermissions({ shared, agents: Object.fromEntries(byCaller) });
}
