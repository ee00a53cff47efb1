import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { readVersion } from '../config/package-files.ts';
import { globMatcher } from '../gate/index.ts';
import {
  type ApiKeys,
  type Authorization,
  createIsLetIn,
  ENVIRONMENT_KEY_NAME,
  type HttpPorts,
} from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createPeriodic, type Periodic } from '../lib/periodic.ts';
import type { Tracing } from '../lib/telemetry/tracing.ts';
import {
  AgentCalls,
  type CallWaits,
  createFindCaller,
  createProgramSessions,
  HeldCalls,
  ProgramAccess,
} from '../programs/index.ts';
import { createProgramPlaces, createWhereabouts, type SlackConnection, type Views } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import type { Core } from './compose-core.ts';
import type { ToolSide } from './compose-tools.ts';

/** How often all calls that programs wait for are read, in milliseconds: what others did is told, and may get lost. */
const LOOK_AGAIN_MS = 15_000;

export interface ProgramSidePorts extends Pick<Core, 'gate' | 'runs' | 'receipts' | 'programLimits'> {
  readonly file: Pick<FileConfig, 'programs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: () => string;
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly waits: CallWaits;
  readonly access: ProgramAccess;
  readonly connection: SlackConnection;
  readonly views: Views;
  readonly toolSide: Pick<ToolSide, 'keptResults' | 'offer' | 'hub'>;
  /** How people let programs of their own in; null where nobody can. */
  readonly authorization: Pick<Authorization, 'programs'> | null;
}

export interface ProgramSide {
  readonly http: Pick<HttpPorts, 'agentCalls' | 'findCaller' | 'mcp' | 'programSessions'>;
  /** Looks for what other processes did, and ends what programs did not come back for. */
  readonly background: readonly Periodic[];
}

const SWEEP_MS = 60_000;
/** How often it's looked whether a key of a program was revoked, in milliseconds. */
const LOOK_FOR_REVOKED_MS = 2_000;

interface AccessPorts {
  readonly env: Pick<Env, 'role'>;
  readonly file: Pick<FileConfig, 'programs' | 'personal_programs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly keys: Pick<ApiKeys, 'states'>;
}

/** Composes what programs may do. */
export function createProgramAccess({ env, file, keys, ...ports }: AccessPorts): ProgramAccess {
  return new ProgramAccess({
    programs: file.programs,
    personal: file.personal_programs,
    async keyStates(names) {
      const states = await keys.states(names);
      // Workers serve no program, so that they need not have that key in their environment.
      if (env.role !== 'worker') return states;
      return states.map((state, index) => (names[index] === ENVIRONMENT_KEY_NAME ? 'in_force' : state));
    },
    isLetIn: createIsLetIn(ports),
    matches: matchesGlobs,
  });
}

function matchesGlobs(globs: readonly string[], tool: string): boolean {
  return globMatcher(globs)(tool);
}

/** Composes what programs ask of the gate. */
export function createProgramSide(ports: ProgramSidePorts): ProgramSide {
  const { gate, waits, access, programLimits: limits, toolSide, connection, log } = ports;
  const findPlace = createProgramPlaces(connection);
  const { workspaceUrl } = connection;
  const heldCalls = new HeldCalls({
    ...ports,
    limits,
    findPlace,
    tools: async ({ requester }) => (await toolSide.offer(requester)).tools,
    matches: matchesGlobs,
  });
  const { authorization } = ports;
  authorization?.programs.onEnd((program, person) => {
    const withdrawn = findPlace({ person, channel: null }).then(
      (place) => place && heldCalls.withdraw(program, place.requester),
    );
    withdrawn.catch((error: unknown) => {
      log.error({ err: error, program }, 'failed to withdraw calls of a program');
      access.doubt();
    });
  });
  waits.followOthers(gate.calls.getMany, (err) => log.warn({ err }, 'failed to read what others decided'));
  return {
    http: {
      agentCalls: new AgentCalls({ ...ports, limits, findPlace, keep: toolSide.keptResults.keep }),
      findCaller: createFindCaller(ports.file.programs),
      programSessions: createProgramSessions(ports.store),
      mcp: {
        heldCalls,
        kept: toolSide.keptResults,
        whereabouts: createWhereabouts({ ...ports, workspaceUrl }),
        onToolsChange: toolSide.hub.onChange,
        version: readVersion(),
      },
    },
    background: [
      createPeriodic({
        name: 'waiting programs',
        everyMs: LOOK_AGAIN_MS,
        run: () => waits.lookAgain(gate.calls.getMany),
        log,
      }),
      createPeriodic({
        name: 'end of forbidden calls',
        everyMs: LOOK_FOR_REVOKED_MS,
        run: () => access.look(gate.requests.endForbidden),
        log,
      }),
      createPeriodic({
        name: 'programs that went away',
        everyMs: SWEEP_MS,
        run: () => heldCalls.sweep(),
        log,
      }),
    ],
  };
}
