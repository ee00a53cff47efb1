/** The door of the inbox; its vocabulary is in ports.ts. */

export { Inbox } from './inbox.ts';
