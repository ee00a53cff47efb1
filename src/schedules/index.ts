/** The door of schedules; their vocabulary is in ports.ts. */

export { findSchedules, MOST_SCHEDULES } from './collections.ts';
export { readEvery, readOnce, readReminder, readWhen } from './read.ts';
export { triggerExamples } from './read-trigger.ts';
export { LONGEST_TEXT, Schedules } from './schedules.ts';
export { BLIND, describeWhen, REFUSED, UNREAD } from './texts.ts';
export { findNext } from './times.ts';
export { createTriggers } from './triggers.ts';
