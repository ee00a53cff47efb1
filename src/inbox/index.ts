/** The door of the inbox; its vocabulary is in ports.ts. */

export { findInbox, findNewerThan, mailRetention } from './find-records.ts';
export { Inbox } from './inbox.ts';
