import { describe, expect, it } from 'vitest';
import type { GateEvent } from '../../../../src/gate/types.ts';
import { type MailboxItem, mailbox, teamPlans } from '../../../../src/runs/collections.ts';
import { createWakeListener } from '../../../../src/runs/index.ts';
import { taskItemId, taskThreadId } from '../../../../src/runs/team/ids.ts';
import { readWaits } from '../../../../src/runs/team/waits.ts';
import { put } from '../../../../src/storage/store.ts';
import { openGate } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { callRecord, NOW } from '../../slack/cards/fixtures.ts';

const ITEM: MailboxItem = {
  ...{ itemId: 'm1', threadId: THREAD, actor: ana, text: 'Find it', at: NOW, receivedAt: NOW },
  ...{ state: 'running', runId: 'r1', stoppedBy: null, response: null },
};
const threadId = taskThreadId(THREAD, 'm1', 'find');

it('a team whose tasks have all ended words its answer, and waits for nobody', async () => {
  const { gate, store } = openGate();
  const task = { taskId: 'find', agent: 'finder', task: 'Find it', entities: {}, needs: [], retries: 0 };
  const itemId = taskItemId('m1', 'find', 1);
  await store.commit({
    put: [
      put(mailbox, 'm1', ITEM),
      put(mailbox, itemId, {
        ...ITEM,
        itemId,
        threadId,
        state: 'answered',
        response: 'Found.',
        isTask: true,
      }),
      put(teamPlans, 'm1', {
        threadId: THREAD,
        itemId: 'm1',
        plan: { analysis: 'All', tasks: [task] },
        at: NOW,
      }),
    ],
  });
  expect(await readWaits({ store, gate }, THREAD)).toEqual({ waits: [], goesOn: true });
});

describe('the thread of a plan is woken by what changes whether its agents wait for people', () => {
  const call = callRecord({ threadId, requester: ana, requestId: 'req' });
  it.each<[string, GateEvent, boolean]>([
    ['a form or a sign-in', { type: 'needs_person', call }, true],
    ['its answer', { type: 'person_answered', call }, true],
    ['the end of a call of a request', { type: 'ended', call }, true],
    [
      'the end of one that nobody was asked about',
      { type: 'ended', call: { ...call, requestId: null } },
      false,
    ],
    ['the start of a call', { type: 'started', call }, false],
  ])('%s', (_what, event, isWoken) => {
    const woken: string[] = [];
    const listener = createWakeListener({ clock: () => NOW, wakeUps: { wake: (id) => void woken.push(id) } });
    listener.notify?.(event, { all: [threadId], ofWorkers: [threadId] });
    expect(woken).toEqual(isWoken ? [threadId, THREAD] : [threadId]);
  });
});
