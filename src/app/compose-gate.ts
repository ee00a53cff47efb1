import type { Logger } from 'pino';
import type { FileConfig } from '../config/file.ts';
import { longestWait } from '../config/retention.ts';
import {
  compileArgumentSchemas,
  compileIdempotentTools,
  compilePolicy,
  createGate,
  type Gate,
  threadsOf,
} from '../gate/index.ts';
import type { ClassifyInstruction, ValidateArguments } from '../gate/types.ts';
import { callKey } from '../gate/types.ts';
import type { ThreadFeed } from '../http/index.ts';
import type { Signal } from '../lib/change-signal.ts';
import type { Clock } from '../lib/clock.ts';
import { allowOwnTools } from '../mcp/index.ts';
import type { Runs } from '../runs/index.ts';
import { markWork } from '../runs/index.ts';
import type { Slack } from '../slack/index.ts';
import { announceGateInSlack, announceToHomes } from '../slack/index.ts';
import type { Store } from '../storage/store.ts';
import type { Connections } from './compose-connections.ts';
import { createUnreadable } from './damaged-record-log.ts';

export interface GateSidePorts {
  readonly file: Pick<FileConfig, 'policy' | 'grants' | 'requests'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly validateArguments: ValidateArguments;
  /** Finds out what words that came with an approval want. */
  readonly classifyInstruction: ClassifyInstruction;
  readonly keepForMs: number | null;
  readonly feed: ThreadFeed;
  /** Told of the key of each call that changed here. */
  readonly changed: Signal;
  readonly slack: () => Pick<Slack, 'people' | 'notifyGate'>;
  readonly runs: () => Pick<Runs, 'wake'>;
  readonly connections: Pick<Connections, 'waits'>;
}

/** The gate, with everybody who is told of what happens at it. */
export function createGateSide(ports: GateSidePorts): Gate {
  const { file, store, clock, log, feed, changed, slack, runs } = ports;
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
      groupOf: (threadId) => slack().people.groupOf(threadId),
    },
    classifyInstruction: ports.classifyInstruction,
    announce: (event) => [
      ...threadsOf(event).map((threadId) => markWork(threadId, clock)),
      ...announceGateInSlack(event, clock),
      ...announceToHomes(event, clock),
      ...feed.announceGate(event),
    ],
    notify(event) {
      slack().notifyGate(event);
      feed.notifyGate(event);
      for (const threadId of threadsOf(event)) runs().wake(threadId);
      if (event.type === 'needs_person') void ports.connections.waits(event.call);
      if ('call' in event) changed.notify(callKey(event.call.threadId, event.call.callId));
    },
    onUnrecordedRefusal: (err, attempt) =>
      log.error({ err, attempt }, 'a refused attempt is not in the audit'),
    unreadable: createUnreadable(log),
    grantLimits: file.grants,
    requestLifetimeMs: file.requests.open_for,
    longestWaitMs: longestWait(ports.keepForMs),
  });
}
