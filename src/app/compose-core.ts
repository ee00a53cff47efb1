import {
  createAgents,
  createAssistant,
  createInstructionClassifier,
  createSampler,
} from '../agents/index.ts';
import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import type { ValidateArguments } from '../gate/types.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import {
  createDispatch,
  createRuns,
  createSurfaceListener,
  createWakeListener,
  type Surface,
} from '../runs/index.ts';
import { createHomeListener, type Slack } from '../slack/index.ts';
import type { LeaseHolder } from '../storage/lease/lease.ts';
import { createCallChanges, createGatedCaller } from '../tools/index.ts';
import { createGateSide } from './compose-gate.ts';
import type { ModelSide } from './compose-models.ts';
import type { Storage } from './compose-storage.ts';
import type { ToolSide } from './compose-tools.ts';

/**
 * The timeout for classifying an instruction, in milliseconds; after it, the instruction is done in addition
 * to the call.
 */
const CLASSIFY_WITHIN_MS = 10_000;

export interface CorePorts {
  readonly env: Env;
  readonly file: FileConfig;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly holder: LeaseHolder;
  readonly surfaces: readonly Surface[];
  readonly toolSide: ToolSide;
  readonly modelSide: ModelSide;
  readonly validateArguments: ValidateArguments;
  /** How long threads are kept, in milliseconds; null: for ever. */
  readonly keepForMs: number | null;
  readonly slack: () => Slack;
  /** Aborted when the process is asked to stop. */
  readonly stopping: AbortSignal;
  /** Aborted when calls in flight at a stop have run out of time. */
  readonly outOfTime: AbortSignal;
}

/** Composes the gate, the gated caller of tools, the agents and the work on threads. */
export function createCore(ports: CorePorts) {
  const { env, file, storage, clock, ids, log, toolSide, slack, surfaces } = ports;
  const { models } = ports.modelSide;
  const base = { store: storage.store, clock, log };
  const callChanges = createCallChanges();
  const gate = createGateSide({
    ...base,
    file,
    validateArguments: ports.validateArguments,
    classifyInstruction: createInstructionClassifier(models.router ?? models.main, CLASSIFY_WITHIN_MS),
    keepForMs: ports.keepForMs,
    slack,
    listeners: [
      createSurfaceListener(surfaces),
      createHomeListener(clock, () => slack().homes),
      createWakeListener({ clock, wakeUps: storage.wakeUps }),
      callChanges,
      toolSide.connections.resumer.listener,
    ],
  });
  const callTool = createGatedCaller({
    gate,
    keep: toolSide.keptResults.keep,
    send: toolSide.send,
    waitForChange: callChanges.wait,
    stopping: ports.stopping,
    outOfTime: ports.outOfTime,
    sample: createSampler(models.main, env.model?.model ?? 'demo'),
  });
  const assistant = createAssistant({
    models,
    tools: {
      list: toolSide.toolsOnceTried,
      down: toolSide.downServers,
      call: callTool,
      readKept: toolSide.keptResults.text,
    },
    gate: {
      needsApproval: gate.policy.needsApproval,
      callsOf: gate.calls.inThread,
    },
    checkpoints: storage.checkpoints,
    prompt: { clock, timeZone: env.timeZone, instructions: file.agent.instructions },
    limits: { maxSteps: file.agent.max_steps },
  });
  const runs = createRuns({
    ...base,
    ids,
    gate,
    agents: createAgents({ assistant }),
    holder: ports.holder,
    wakeUps: storage.wakeUps,
    surfaces,
    dispatch: createDispatch({ gate, callTool }),
  });
  return { gate, runs };
}
export type Core = ReturnType<typeof createCore>;
