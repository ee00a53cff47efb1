/** The door of schedules; their vocabulary is in ports.ts. */

export { findSchedules } from './collections.ts';
export { readEvery, readOnce, readReminder } from './read.ts';
export { MOST_SCHEDULES, Schedules } from './schedules.ts';
export { describeWhen, UNREAD } from './texts.ts';
