import { expect, it } from 'vitest';
import { calls } from '../../../../src/gate/store/collections.ts';
import { recordKey } from '../../../../src/gate/types.ts';
import { type MailboxItem, mailbox, teamPlans } from '../../../../src/runs/collections.ts';
import { taskItemId, taskThreadId } from '../../../../src/runs/team/ids.ts';
import { readTeamView } from '../../../../src/runs/team/view.ts';
import { put } from '../../../../src/storage/store.ts';
import { openGate } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { callRecord, NOW } from '../../slack/cards/fixtures.ts';

const ITEM: MailboxItem = {
  ...{ itemId: 'm1', threadId: THREAD, actor: ana, text: 'Find it', at: NOW, receivedAt: NOW },
  ...{ state: 'answered', runId: 'r1', stoppedBy: null, response: 'Done.' },
};

it.each([true, undefined])(
  'why another program did not do a task is whose account it was: %s',
  async (ownAccount) => {
    const { gate, store } = openGate();
    const task = { taskId: 'find', agent: 'finder', task: 'Find it', entities: {}, needs: [], retries: 0 };
    const threadId = taskThreadId(THREAD, 'm1', 'find');
    const structured = { task_done: false, error: 'Lawyer is busy.' };
    const call = callRecord({
      threadId,
      requester: ana,
      state: 'succeeded',
      outcome: { status: 'succeeded', content: [], structured, ...(ownAccount && { ownAccount }) },
    });
    const plan = { analysis: 'All', tasks: [{ ...task, isForeign: true }] };
    await store.commit({
      put: [
        put(teamPlans, 'm1', { threadId: THREAD, itemId: 'm1', plan, at: NOW }),
        put(mailbox, taskItemId('m1', 'find', 1), { ...ITEM, itemId: taskItemId('m1', 'find', 1), threadId }),
        put(calls, recordKey(call), call),
      ],
    });
    const view = await readTeamView({ store, gate }, ITEM);
    expect(view?.tasks).toMatchObject([
      { why: 'Lawyer is busy.', isQuoted: true, isOwn: ownAccount === true },
    ]);
  },
);
