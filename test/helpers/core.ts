import { randomUUID } from 'node:crypto';
import { createAssistant } from '../../src/agents/index.ts';
import type { AgentPorts } from '../../src/agents/ports.ts';
import { BUILT_IN_RULES, createAuditLog, createGate } from '../../src/gate/index.ts';
import { compileIdempotentTools, compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { createArgumentValidator } from '../../src/mcp/arguments/validator.ts';
import { programAccount } from '../../src/programs/index.ts';
import {
  createDispatch,
  createLookUp,
  createRuns,
  createWakeListener,
  type LimitSettings,
  Limits,
} from '../../src/runs/index.ts';
import type { Agent } from '../../src/runs/ports.ts';
import { inProcessWakeUps } from '../../src/runs/wake-ups/in-process.ts';
import { noNudges } from '../../src/storage/lease/nudges.ts';
import type { Store } from '../../src/storage/store.ts';
import { createGatedCaller } from '../../src/tools/gated-caller.ts';
import type { FindJobRules, ToolSource } from '../../src/tools/ports.ts';
import { createResultShares } from '../../src/tools/result-shares.ts';
import { auditKeys } from './audit-keys.ts';
import { membersOnly } from './people.ts';

type GateOptions = Parameters<typeof createGate>[0];
type RunsOptions = Parameters<typeof createRuns>[0];

export interface CoreParts {
  readonly store: Store;
  readonly policy: Parameters<typeof compilePolicy>[0] & { readonly idempotent?: string[] };
  /** What leaves the process. */
  readonly send: Parameters<typeof createGatedCaller>[0]['send'];
  /** The graph's model, tools and checkpoints; everything else of it unless left out. */
  readonly agent: Pick<AgentPorts, 'models' | 'checkpoints'> & {
    readonly tools: ToolSource['tools'];
    /** @default 25 */
    readonly maxSteps?: number;
    /** @default 128 */
    readonly maxTools?: number;
    /** @default 32 */
    readonly maxCalls?: number;
    /** @default 8 */
    readonly maxConcurrentCalls?: number;
  };
  /** Changes the ports of the graph: to let one of them fail. */
  readonly agentPorts?: ((ports: AgentPorts) => AgentPorts) | undefined;
  /** Graphs beside the assistant. */
  readonly graphs?: ((ports: AgentPorts) => Readonly<Record<string, Agent>>) | undefined;
  readonly surfaces: RunsOptions['surfaces'];
  /** Hear of what the gate did before the workers do. */
  readonly listeners: NonNullable<GateOptions['listeners']>;
  readonly log: RunsOptions['log'];
  /** @default the system's clock */
  readonly clock?: () => number;
  /** @default random ones */
  readonly ids?: () => string;
  /** @default nothing ever comes */
  readonly findNews?: GateOptions['findNews'] | undefined;
  /** @default no deadline */
  readonly requestLifetimeMs?: number | null;
  /** @default an owner of its own, beside which all others are alive */
  readonly holder?: RunsOptions['holder'];
  /** @default those of a process that is alone */
  readonly wakeUps?: RunsOptions['wakeUps'] | undefined;
  readonly nudges?: RunsOptions['nudges'] | undefined;
  /** @default as in the app */
  readonly slots?: RunsOptions['slots'];
  /** @default nobody hears of messages that begin */
  readonly onBegun?: RunsOptions['onBegun'];
  /** @default none */
  readonly limits?: Partial<LimitSettings>;
  /** How it waits before a call is sent again. @default as in the app */
  readonly pauses?: Pick<Parameters<typeof createGatedCaller>[0], 'wait' | 'random'> | undefined;
  /** How the jobs of tools are followed. @default every result is all there is */
  readonly jobs?: FindJobRules | undefined;
  /** The most calls in flight. @default as in the app */
  readonly maxInflight?: number;
}

/** Gate, gated caller, graph and runs, as the app wires them, in one process. Call `runs.start()` for its sweeps. */
export function createCore(parts: CoreParts) {
  const { store, clock = Date.now, ids = randomUUID } = parts;
  const { wakeUps = inProcessWakeUps(), nudges = noNudges } = parts;
  const validateArguments = createArgumentValidator();
  const gate = createGate({
    store,
    clock,
    auditKeys,
    evaluate: compilePolicy(parts.policy, BUILT_IN_RULES),
    isIdempotent: compileIdempotentTools({ idempotent: [], ...parts.policy }),
    validateArguments,
    people: membersOnly,
    ...(parts.findNews && { findNews: parts.findNews }),
    requestLifetimeMs: parts.requestLifetimeMs ?? null,
    listeners: [...parts.listeners, createWakeListener({ clock, wakeUps })],
  });
  const settings = { person: {}, key: {}, channel: {}, ...parts.limits };
  const { maxInflight } = parts;
  const audit = createAuditLog({ store, clock, auditKeys });
  const limits = new Limits({
    store,
    clock,
    audit,
    ids: randomUUID,
    settings,
    ...(maxInflight && { maxInflight }),
  });
  const { models, checkpoints, tools, maxSteps = 25, maxTools = 128, maxCalls = 32 } = parts.agent;
  const { maxConcurrentCalls = 8 } = parts.agent;
  const callTool = createGatedCaller({
    gate,
    clock,
    send: parts.send,
    maxConcurrentCalls,
    limits,
    ...parts.pauses,
    ...(parts.jobs && { jobs: parts.jobs }),
  });
  const ports: AgentPorts = {
    models,
    summaries: null,
    checkpoints,
    tools: {
      offer: async (person) => ({ tools: await tools(person), instructions: [], down: [] }),
      call: callTool,
      readKept: null,
      readImage: null,
      shares: createResultShares({ store, clock, audit: createAuditLog({ store, clock, auditKeys }) }),
    },
    gate: {
      planApprovals: gate.policy.planApprovals,
      refusal: gate.policy.refusal,
      getCalls: gate.calls.inThread,
    },
    prompt: { clock, timeZone: 'Europe/Berlin', instructions: '' },
    limits: { maxSteps, maxTools, maxCalls, contextTokens: 128_000 },
  };
  const agentPorts = parts.agentPorts?.(ports) ?? ports;
  const agent = createAssistant(agentPorts);
  const runs = createRuns({
    store,
    clock,
    ids,
    gate,
    agents: new Map(Object.entries({ assistant: agent, ...parts.graphs?.(agentPorts) })),
    dispatch: createDispatch({ gate, callTool, toAccount: programAccount, onProgress: () => undefined }),
    lookUp: createLookUp({
      evaluate: gate.policy.evaluate,
      offer: (person, isNeeded) => ports.tools.offer(person, { isNeeded }),
      callTool,
      isComing: () => false,
    }),
    surfaces: parts.surfaces,
    holder: parts.holder ?? { owner: randomUUID(), isGone: () => false },
    wakeUps,
    nudges,
    log: parts.log,
    limits,
    ...(parts.slots && { slots: parts.slots }),
    ...(parts.onBegun && { onBegun: parts.onBegun }),
  });
  return { gate, callTool, agent, runs, limits, wakeUps, validateArguments };
}
