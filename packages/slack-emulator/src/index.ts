/** A Slack workspace on this machine, for tests and demos of any Slack app. */
export { type BlockProblems, type ViewProblems, validateBlocks, validateView } from './blocks/validate.ts';
export { type SlackEmulator, type SlackEmulatorOptions, startSlackEmulator } from './emulator.ts';
export { EmulatorConfigError, EmulatorError, PersonRefusal, SlackRefusal } from './errors.ts';
export { type PageHandler, pageHandler } from './server/page-assets.ts';
export type { RateMode } from './web-api/rates.ts';
export { type ManualClock, manualClock, systemClock, type WorkspaceClock } from './workspace/clock.ts';
export {
  ANA,
  APP_ID,
  BOB,
  BOT_ID,
  BOT_USER,
  CAROL,
  DEFAULT_SCOPES,
  DEFAULT_SUBSCRIPTIONS,
  TEAM,
} from './workspace/seed.ts';
export type {
  Command,
  Installation,
  Message,
  PageTexts,
  Person,
  StatusRecord,
  View,
  Workspace,
} from './workspace/types.ts';
