import { createAssistant, createInboxAgent, createPlanner, createSampler } from '../agents/index.ts';
import type { AgentPorts } from '../agents/ports.ts';
import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { type AuditKeys, createAuditLog, createReceipts, type Gate } from '../gate/index.ts';
import type { Metrics } from '../http/index.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { OwnAddress } from '../lib/net/own-address.ts';
import { createPeriodic } from '../lib/periodic.ts';
import type { Tracing } from '../lib/telemetry/tracing.ts';
import { jobRules } from '../mcp/index.ts';
import { createNotebooks } from '../notebook/index.ts';
import { type CallWaits, createProgramLimits, NO_GRAPH, noAgent, programAccount } from '../programs/index.ts';
import {
  createDispatch,
  createLookUp,
  createRuns,
  Limits,
  type Runs,
  readForeignAnswer,
  type Surface,
  teamOutputs,
  teamTask,
} from '../runs/index.ts';
import { AGENT_NAMES } from '../runs/ports.ts';
import { createTriggers, Schedules } from '../schedules/index.ts';
import { isInChannel, readPrompts, type SlackConnection } from '../slack/index.ts';
import type { LeaseHolder } from '../storage/lease/lease.ts';
import { createGatedCaller, createUnrecordedReads, limitAtServices } from '../tools/index.ts';
import type { CallTool } from '../tools/ports.ts';
import { createCosts, type ModelSide, usualContext } from './compose-models.ts';
import type { Storage } from './compose-storage.ts';
import type { ToolSide } from './compose-tools.ts';
import { createAgentInbox } from './inbox/agent-inbox.ts';
import { createInboxSide } from './inbox/compose-inbox.ts';
import { createReadMail } from './inbox/read-mail.ts';
import { createMemorySide } from './memory/compose-memory.ts';
import { composeTeam } from './team/compose-team.ts';

/** How often what people and keys used is recorded, besides with each message, in milliseconds. */
const USAGE_FLUSH_MS = 5_000;
/** States of a server that isn't there yet and is tried until it is. */
const COMING: readonly string[] = ['connecting', 'down'];

interface CorePorts {
  readonly env: Env;
  readonly file: FileConfig;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly holder: LeaseHolder;
  readonly surfaces: readonly Surface[];
  readonly gate: Gate;
  readonly auditKeys: AuditKeys;
  readonly address: OwnAddress;
  readonly toolSide: ToolSide;
  readonly modelSide: ModelSide;
  readonly connection: SlackConnection;
  /** Those who wait for calls of programs. */
  readonly waits: CallWaits;
  readonly metrics: Pick<Metrics, 'countTokens'>;
  readonly tracing: Tracing;
  /** Aborted when the process is asked to stop. */
  readonly stopping: AbortSignal;
  /** Aborted when calls in flight at a stop have run out of time. */
  readonly outOfTime: AbortSignal;
}

/** Composes the gated caller of tools, the agents and the work on threads. */
export function createCore(ports: CorePorts) {
  const { env, file, storage, clock, ids, log, gate, toolSide, surfaces } = ports;
  const { models } = ports.modelSide;
  const { store } = storage;
  const audit = createAuditLog({ store, clock, auditKeys: ports.auditKeys });
  const limits = new Limits({
    ...{ store, clock, ids, audit },
    settings: file.limits,
    costs: createCosts(file, env),
    onSpend: ports.metrics.countTokens,
  });
  const callLimits = limitAtServices(limits, toolSide.isConnector);
  const receipts = createReceipts({ auditKeys: ports.auditKeys, clock, issuer: ports.address.url });
  const callTool = createGatedCaller({
    gate,
    receipts,
    limits: callLimits,
    keep: toolSide.keptResults.keep,
    send: toolSide.send,
    jobs: jobRules(file.servers),
    clock,
    maxConcurrentCalls: file.agent.max_concurrent_calls,
    onBlocked: toolSide.connections.oauth.resumeIfSignedIn,
    stopping: ports.stopping,
    outOfTime: ports.outOfTime,
    sample: createSampler(models.main, env.model?.model ?? 'demo'),
  });
  const { memory, onBegun, recall } = createMemorySide({ ...ports, store, limits, ...ports.modelSide });
  const { extract } = ports.modelSide;
  const read = createUnrecordedReads({ ...toolSide, gate, limits: callLimits, agent: AGENT_NAMES[0] });
  const inbox = createInboxSide({ ...ports, store, audit, limits, extract, read, runs: () => runs });
  const agentPorts = { ...createAgentPorts(ports, callTool), recall };
  const runs: Runs = createRuns({
    store: storage.store,
    clock,
    log,
    ids,
    gate,
    agents: new Map([
      ['assistant', createAssistant(agentPorts)],
      ['planner', createPlanner(agentPorts)],
      ['inbox', createInboxAgent(agentPorts, createAgentInbox({ inbox, file, log }))],
      ...composeTeam(file.team, agentPorts, ports.modelSide.teamModel, {
        outputs: teamOutputs({ store, gate }),
        readTask: teamTask({ store, gate }),
        readAnswer: readForeignAnswer,
      }),
      [NO_GRAPH, noAgent],
    ]),
    holder: ports.holder,
    wakeUps: storage.wakeUps,
    nudges: storage.nudges,
    surfaces,
    dispatch: createDispatch({
      gate,
      callTool,
      toAccount: programAccount,
      onProgress: ports.waits.tellProgress,
    }),
    lookUp: createLookUps(ports, callTool),
    limits,
    onBegun,
    tracing: ports.tracing,
  });
  const run = limits.flush;
  const usageFlush = createPeriodic({ name: 'usage', everyMs: USAGE_FLUSH_MS, run, log });
  const programLimits = createProgramLimits(limits, surfaces);
  const notebooks = createNotebooks({
    ...{ store, gate, runs, audit, bytes: toolSide.keptResults.bytes },
    isInChannel,
    prompts: (threadId) => readPrompts(store, threadId),
  });
  const triggers = createTriggers({ configured: toolSide.triggers, read });
  const schedules = new Schedules({ store, clock, ids, log, audit, triggers });
  const watching = [schedules.work, schedules.looks, schedules.clocks, ...inbox.work];
  const sides = { memory, schedules, inbox, readMail: createReadMail(read), notebooks, receipts };
  return { gate, runs, limits, ...sides, watching, programLimits, usageFlush };
}
export type Core = ReturnType<typeof createCore>;

/** What cards show of a call, looked up. A server that comes along is waited for as long as it's being connected to. */
function createLookUps({ gate, toolSide }: CorePorts, callTool: CallTool) {
  const isComing = (server: string) =>
    toolSide.hub.status().some(({ name, state }) => name === server && COMING.includes(state));
  return createLookUp({ evaluate: gate.policy.evaluate, offer: toolSide.offer, callTool, isComing });
}

/** What the graphs get. */
function createAgentPorts(ports: CorePorts, callTool: CallTool): AgentPorts {
  const { env, file, storage, clock, gate, toolSide } = ports;
  const { models, langSmith } = ports.modelSide;
  return {
    models,
    // The demo model summarises nothing.
    summaries: env.model === null ? null : { model: models.main, stopping: ports.stopping },
    tools: {
      offer: (person, { isNeeded } = {}) => toolSide.offer(person, isNeeded),
      call: callTool,
      readKept: toolSide.keptResults.text,
      // The demo model reads text only.
      readImage: file.agent.images && env.model !== null ? toolSide.keptResults.bytes : null,
      shares: toolSide.shares,
    },
    gate: {
      planApprovals: gate.policy.planApprovals,
      refusal: gate.policy.refusal,
      getCalls: gate.calls.inThread,
    },
    ...(langSmith && { tracer: langSmith.tracer }),
    checkpoints: storage.checkpoints,
    prompt: { clock, timeZone: env.timeZone, instructions: file.agent.instructions },
    limits: {
      maxSteps: file.agent.max_steps,
      maxTools: file.agent.max_tools,
      maxCalls: file.agent.max_calls_per_answer,
      contextTokens: file.agent.context_tokens ?? usualContext(models.main),
    },
  };
}
