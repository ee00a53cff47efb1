/** The door of schedules; their vocabulary is in ports.ts. */

export { findSchedules } from './collections.ts';
export { readEvery, readOnce, readReminder } from './read.ts';
export { LONGEST_TEXT, MOST_SCHEDULES, Schedules } from './schedules.ts';
export { describeWhen, REFUSED, UNREAD } from './texts.ts';
