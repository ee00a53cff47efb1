import type { FileConfig } from '../config/file.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import { AgentCalls, type CallWaits, createFindCaller, type FindCaller } from '../programs/index.ts';
import { createProgramPlaces, type SlackConnection } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import type { Core } from './compose-core.ts';
import type { ToolSide } from './compose-tools.ts';

/** How often what other processes decided is looked up for waiting programs, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/** The same for the only process, which hears of everything itself. */
const LOOK_AGAIN_ALONE_MS = 15_000;

interface ProgramSidePorts extends Core {
  readonly file: Pick<FileConfig, 'programs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Logger;
  readonly waits: CallWaits;
  readonly connection: SlackConnection;
  readonly toolSide: Pick<ToolSide, 'keptResults'>;
  /** Whether there is no other process. */
  readonly isAlone: boolean;
}

interface ProgramSide {
  readonly agentCalls: AgentCalls;
  readonly findCaller: FindCaller;
  /** Looks for what other processes did. */
  readonly look: Periodic;
}

/** Composes what programs ask of the gate. */
export function createProgramSide(ports: ProgramSidePorts): ProgramSide {
  const { gate, waits, toolSide, connection, isAlone, log } = ports;
  return {
    agentCalls: new AgentCalls({
      ...ports,
      findPlace: createProgramPlaces(connection),
      keep: toolSide.keptResults.keep,
    }),
    findCaller: createFindCaller(ports.file.programs),
    look: createPeriodic({
      name: 'waiting programs',
      everyMs: isAlone ? LOOK_AGAIN_ALONE_MS : LOOK_AGAIN_MS,
      run: () => waits.lookAgain(gate.calls.getMany),
      log,
    }),
  };
}
