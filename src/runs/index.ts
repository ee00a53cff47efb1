/** The door of the runs; their vocabulary is in ports.ts. */

export { type MailboxItem, mailbox, type SurfaceAddress, type ThreadRecord, threads } from './collections.ts';
export { findConversation, readMessage, readOpening, readTyped } from './conversation.ts';
export { createDispatch } from './dispatch-call.ts';

export type { Extended as LimitExtended, LimitAnswer } from './limits/extensions.ts';
export { Limits } from './limits/limits.ts';
export { findTokenCost } from './limits/prices.ts';
export {
  type CountedCall,
  compareFullness,
  isNearlyUsedUp,
  type LimitId,
  type LimitListener,
  type LimitSettings,
  type LimitUse,
  type TokensSpent,
} from './limits/settings.ts';
export { findUsage } from './limits/usage.ts';
export { type DayUse, readUsageHistory } from './limits/usage-history.ts';
export { createLookUp } from './look-up.ts';
export { originalId, repeatId } from './mailbox.ts';
export {
  countMessages,
  createRecordRemoval,
  type RecordRemoval,
  type RemovalChoice,
} from './record-removal.ts';
export { tracedMessage } from './run/run-trace.ts';
export { createRuns, type Runs } from './runs.ts';
export { createSurfaceListener, findAccount, type Surface } from './surface.ts';
export { readForeignAnswer, readForeignOutput } from './team/foreign-output.ts';
export { isTaskThreadId, planThreadId } from './team/ids.ts';
export { readTeamWork, taskThreads, teamOutputs, teamTask } from './team/tasks.ts';
export { type TaskState, type TeamView, taskEndState } from './team/view.ts';
export { waitsId } from './team/waits.ts';
export {
  type LimitReached,
  limitAmount,
  limitFigure,
  MEASURE_NAMES,
  moreOfLimit,
  programLimitReached,
  runLimitReached,
} from './texts.ts';
export { createWakeListener } from './wake-on-gate-event.ts';
export { bullMqWakeUps } from './wake-ups/bullmq.ts';
export { type HeldWakeUps, inProcessWakeUps } from './wake-ups/in-process.ts';
