import type { FileConfig } from '../config/file.ts';
import { globMatcher } from '../gate/index.ts';
import type { Authorization, HttpPorts } from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import {
  AgentCalls,
  type CallWaits,
  createFindCaller,
  createProgramSessions,
  HeldCalls,
} from '../programs/index.ts';
import { createProgramPlaces, createWhereabouts, type SlackConnection, type Views } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import type { Core } from './compose-core.ts';
import type { ToolSide } from './compose-tools.ts';

/** How often what other processes decided is looked up for waiting programs, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/** The same for the only process, which hears of everything itself. */
const LOOK_AGAIN_ALONE_MS = 15_000;

export interface ProgramSidePorts extends Pick<Core, 'gate' | 'runs' | 'receipts'> {
  readonly file: Pick<FileConfig, 'programs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Logger;
  readonly waits: CallWaits;
  readonly connection: SlackConnection;
  readonly views: Views;
  readonly toolSide: Pick<ToolSide, 'keptResults' | 'offer' | 'hub'>;
  /** Whether there is no other process. */
  readonly isAlone: boolean;
  /** How people let programs of their own in; null where nobody can. */
  readonly authorization: Pick<Authorization, 'programs'> | null;
}

export interface ProgramSide {
  readonly http: Pick<HttpPorts, 'agentCalls' | 'findCaller' | 'mcp' | 'programSessions'>;
  /** Looks for what other processes did, and ends what programs did not come back for. */
  readonly background: readonly Periodic[];
}

/** How long what nobody asked for again is remembered after it ended, in milliseconds: a day, as tasks are. */
const UNHEARD_MS = 86_400_000;
const SWEEP_MS = 60_000;

/** Composes what programs ask of the gate. */
export function createProgramSide(ports: ProgramSidePorts): ProgramSide {
  const { gate, waits, toolSide, connection, isAlone, clock, log } = ports;
  const findPlace = createProgramPlaces(connection);
  const { workspaceUrl } = connection;
  const heldCalls = new HeldCalls({
    ...ports,
    findPlace,
    tools: async ({ requester }) => (await toolSide.offer(requester)).tools,
    matches: (globs, tool) => globMatcher(globs)(tool),
  });
  const { authorization } = ports;
  authorization?.programs.onEnd((program, person) => {
    const withdrawn = findPlace({ person, channel: null }).then(
      (place) => place && heldCalls.withdraw(program, place.requester),
    );
    withdrawn.catch((error: unknown) =>
      log.error({ err: error, program }, 'failed to withdraw calls of a program'),
    );
  });
  return {
    http: {
      agentCalls: new AgentCalls({ ...ports, findPlace, keep: toolSide.keptResults.keep }),
      findCaller: createFindCaller(ports.file.programs),
      programSessions: createProgramSessions(ports.store),
      mcp: {
        heldCalls,
        kept: toolSide.keptResults,
        whereabouts: createWhereabouts({ ...ports, workspaceUrl }),
        onToolsChange: toolSide.hub.onChange,
      },
    },
    background: [
      createPeriodic({
        name: 'waiting programs',
        everyMs: isAlone ? LOOK_AGAIN_ALONE_MS : LOOK_AGAIN_MS,
        run: () => waits.lookAgain(gate.calls.getMany),
        log,
      }),
      createPeriodic({
        name: 'programs that went away',
        everyMs: SWEEP_MS,
        run: () => heldCalls.sweep(clock() - UNHEARD_MS),
        log,
      }),
    ],
  };
}
