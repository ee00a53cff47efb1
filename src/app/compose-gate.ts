import type { FileConfig } from '../config/file.ts';
import { maxWait } from '../config/retention.ts';
import {
  type AuditKeys,
  compileArgumentSchemas,
  compileIdempotentTools,
  compilePolicy,
  createGate,
  type Gate,
} from '../gate/index.ts';
import type { GateListener, PeopleDirectory, ProgramRules, ValidateArguments } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { createSurfaceListener, createWakeListener, type Surface } from '../runs/index.ts';
import type { WakeUps } from '../runs/ports.ts';
import { createDamagedRecordLog } from '../storage/damaged-record-log.ts';
import type { Store } from '../storage/store.ts';
import { CONNECT_RULE } from '../tools/ports.ts';
import { createRiskPorts } from './compose-risk.ts';

interface GateSidePorts {
  readonly file: Pick<FileConfig, 'policy' | 'grants' | 'requests' | 'permissions' | 'programs'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly auditKeys: AuditKeys;
  readonly log: Logger;
  readonly validateArguments: ValidateArguments;
  readonly keepForMs: number | null;
  readonly people: PeopleDirectory;
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
    evaluate: compilePolicy(file.policy, CONNECT_RULE),
    isIdempotent: compileIdempotentTools(file.policy),
    argumentRules: compileArgumentSchemas(file.policy),
    validateArguments: ports.validateArguments,
    people: ports.people,
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
