import { createHash } from 'node:crypto';
import { repeatId } from '../mailbox.ts';

/** Stands before what sets a thread apart that works for another, in the other's id. */
const APART = '~';
/** How many hexadecimal digits set the threads of a conversation's tasks apart: 48 bits. */
const DIGITS = 12;
/** How the id of a task's thread ends, after the one that its plan is for. */
const TASK_PART = /~t[0-9a-f]{12}$/;
/** What no surface's own message begins with, so that whoever names messages themselves names no task. */
const TASK_ITEM = 'task:';

/** The thread in which one task of a message's plan is worked on, in the place of the message's own. */
export function taskThreadId(threadId: string, itemId: string, taskId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([itemId, taskId]))
    .digest('hex');
  return `${threadId}${APART}t${digest.slice(0, DIGITS)}`;
}

/** Whether an id is one that {@link taskThreadId} gives: a surface gives none such to a conversation. */
export function isTaskThreadId(threadId: string): boolean {
  return TASK_PART.test(threadId);
}

/** The thread in which people hear of what happens in this one: that of its task's plan, else itself. */
export function planThreadId(threadId: string): string {
  return threadId.replace(TASK_PART, '');
}

/** The message that gives an agent its task. `attempt`: from 1. */
export function taskItemId(itemId: string, taskId: string, attempt: number): string {
  let id = `${TASK_ITEM}${itemId}${APART}${taskId}`;
  for (let count = 1; count < attempt; count++) id = repeatId(id);
  return id;
}
