import { createHash } from 'node:crypto';
import { repeatId } from '../mailbox.ts';

/** Stands before what sets a thread apart that works for another, in the other's id. */
const APART = '~';
/** How many hexadecimal digits set the threads of a conversation's tasks apart: 48 bits. */
const DIGITS = 12;

/** The thread in which one task of a message's plan is worked on, in the place of the message's own. */
export function taskThreadId(threadId: string, itemId: string, taskId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([itemId, taskId]))
    .digest('hex');
  return `${threadId}${APART}t${digest.slice(0, DIGITS)}`;
}

/** The message that gives an agent its task. `attempt`: from 1. */
export function taskItemId(itemId: string, taskId: string, attempt: number): string {
  let id = `${itemId}${APART}${taskId}`;
  for (let count = 1; count < attempt; count++) id = repeatId(id);
  return id;
}
