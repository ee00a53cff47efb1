import type { MailboxItem, ThreadRecord } from '../../../../src/runs/collections.ts';
import { SLACK } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

export const thread: ThreadRecord = { threadId: THREAD, surface: SLACK, graph: 'assistant', createdAt: 0 };
export const item: MailboxItem = {
  itemId: 'i1',
  threadId: THREAD,
  actor: ana,
  text: 'hello',
  at: 0,
  receivedAt: 0,
  state: 'running',
  runId: 'r1',
  stoppedBy: null,
  response: null,
};
