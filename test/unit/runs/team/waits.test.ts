import { describe, expect, it } from 'vitest';
import { calls, requests } from '../../../../src/gate/store/collections.ts';
import { type GateEvent, type RequestRecord, recordKey } from '../../../../src/gate/types.ts';
import { type MailboxItem, mailbox, teamPlans } from '../../../../src/runs/collections.ts';
import { createWakeListener } from '../../../../src/runs/index.ts';
import { taskItemId, taskThreadId } from '../../../../src/runs/team/ids.ts';
import { readWaits } from '../../../../src/runs/team/waits.ts';
import { put } from '../../../../src/storage/store.ts';
import { openGate } from '../../../helpers/gate.ts';
import { openNetwork } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { callRecord, NOW } from '../../slack/cards/fixtures.ts';

const ITEM: MailboxItem = {
  ...{ itemId: 'm1', threadId: THREAD, actor: ana, text: 'Find it', at: NOW, receivedAt: NOW },
  ...{ state: 'running', runId: 'r1', stoppedBy: null, response: null },
};
const threadId = taskThreadId(THREAD, 'm1', 'find');

const task = { taskId: 'find', agent: 'finder', task: 'Find it', entities: {}, needs: [], retries: 0 };
const itemId = taskItemId('m1', 'find', 1);

/** A message whose plan has one task, which has got so far. */
function working(progress: Partial<MailboxItem>) {
  const plan = { threadId: THREAD, itemId: 'm1', plan: { analysis: 'All', tasks: [task] }, at: NOW };
  return [
    put(mailbox, 'm1', ITEM),
    put(mailbox, itemId, { ...ITEM, itemId, threadId, isTask: true, ...progress }),
    put(teamPlans, 'm1', plan),
  ];
}

it('a team whose tasks have all ended words its answer, and waits for nobody', async () => {
  const { gate, store } = openGate();
  await store.commit({ put: working({ state: 'answered', response: 'Found.' }) });
  expect(await readWaits({ store, gate }, THREAD)).toEqual({ waits: [], goesOn: true });
});

it('what the agents of a stopped team wait for is withdrawn before any worker gets to it', async () => {
  const { gate, runs, store } = openNetwork();
  const call = callRecord({ threadId, requester: ana });
  const { callId, runId, requestId } = call;
  const request: RequestRecord = {
    ...{ requestId: requestId ?? '', threadId, runId, interruptId: 'i', requester: ana, callIds: [callId] },
    ...{ state: 'open', createdAt: NOW, closedAt: null },
  };
  await store.commit({
    put: [...working({}), put(requests, request.requestId, request), put(calls, recordKey(call), call)],
  });
  expect(await runs.cancel(THREAD, ana)).toBe(true);
  expect(await gate.calls.get(recordKey(call))).toMatchObject({
    state: 'cancelled',
    decision: { actor: ana },
  });
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
