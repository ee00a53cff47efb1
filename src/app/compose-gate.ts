import type { FileConfig } from '../config/file.ts';
import { maxWait } from '../config/retention.ts';
import {
  compileArgumentSchemas,
  compileIdempotentTools,
  compilePolicy,
  createGate,
  type Gate,
} from '../gate/index.ts';
import type { ClassifyInstruction, GateListener, ValidateArguments } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { allowOwnTools } from '../mcp/index.ts';
import type { Slack } from '../slack/index.ts';
import { createDamagedRecordLog } from '../storage/damaged-record-log.ts';
import type { Store } from '../storage/store.ts';

export interface GateSidePorts {
  readonly file: Pick<FileConfig, 'policy' | 'grants' | 'requests'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly validateArguments: ValidateArguments;
  /** Classifies the instruction that came with an approval. */
  readonly classifyInstruction: ClassifyInstruction;
  readonly keepForMs: number | null;
  readonly slack: () => Pick<Slack, 'people'>;
  readonly listeners: readonly GateListener[];
}

/** Composes the gate from the settings. */
export function createGateSide(ports: GateSidePorts): Gate {
  const { file, store, clock, log, slack } = ports;
  return createGate({
    store,
    clock,
    evaluate: allowOwnTools(compilePolicy(file.policy)),
    isIdempotent: compileIdempotentTools(file.policy),
    argumentRules: compileArgumentSchemas(file.policy),
    validateArguments: ports.validateArguments,
    people: {
      standing: (...asked) => slack().people.standing(...asked),
      belongs: (...asked) => slack().people.belongs(...asked),
      nameOf: (ref) => slack().people.nameOf(ref),
      samePerson: (...asked) => slack().people.samePerson(...asked),
      isUser: (...asked) => slack().people.isUser(...asked),
      groupOf: (threadId) => slack().people.groupOf(threadId),
    },
    classifyInstruction: ports.classifyInstruction,
    listeners: ports.listeners,
    onUnrecordedRefusal: (err, attempt) =>
      log.error({ err, attempt }, 'refused attempt not recorded in the audit'),
    onUnreadable: createDamagedRecordLog(log),
    grantLimits: file.grants,
    requestLifetimeMs: file.requests.open_for,
    longestWaitMs: maxWait(ports.keepForMs),
  });
}
