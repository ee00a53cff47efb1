import { expect, it } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import { Metrics } from '../../../src/http/index.ts';
import { success } from '../../helpers/fake-hub.ts';
import { beginning, openGate, opening, proposed } from '../../helpers/gate.ts';
import { readMetrics } from '../../helpers/metrics.ts';
import { ana, THREAD } from '../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');

const NOW = 1_000_000;
const EMPTY = { count: 0, oldestAt: null };
const QUEUES = {
  messages: { count: 3, oldestAt: NOW - 90_000 },
  held: EMPTY,
  running: EMPTY,
  people: { count: 4, oldestAt: NOW - 480_000 },
  calls: EMPTY,
  outbox: EMPTY,
};

/** A gate whose events are counted, with one call that waits. */
async function counted() {
  const metrics = new Metrics(() => NOW);
  const read = async () => {
    const { text } = await metrics.read({
      callsInFlight: 1,
      callsWaitedFor: 2,
      threads: 3,
      servers: [{ name: 'calendar', state: 'down' }],
      isSlackConnected: false,
      queues: QUEUES,
    });
    return readMetrics(text);
  };
  await read();
  const { gate, fence } = openGate({ listeners: [metrics.listener] });
  const held = await fence();
  const { requestId } = await gate.requests.open(opening(held, proposed('c1')));
  return { gate, held, requestId, read };
}

const DECIDED = 'countersign_decisions_total';
const ENDED = 'countersign_calls_ended_total';

it('tells what is true now', async () => {
  const { read } = await counted();
  const now = await read();
  expect(now.value('countersign_calls_in_flight')).toBe(1);
  expect(now.value('countersign_program_calls_waiting')).toBe(2);
  expect(now.value('countersign_threads')).toBe(3);
  expect(now.value('countersign_server_state', { server: 'calendar', state: 'down' })).toBe(1);
  expect(now.value('countersign_queue_size', { queue: 'messages' })).toBe(3);
  expect(now.value('countersign_queue_oldest_seconds', { queue: 'messages' })).toBe(90);
  expect(now.value('countersign_queue_oldest_seconds', { queue: 'held' })).toBe(0);
  expect(now.value('countersign_queue_size', { queue: 'people' })).toBe(4);
  expect(now.value('countersign_queue_oldest_seconds', { queue: 'people' })).toBe(480);
  expect(now.value('countersign_slack_connected')).toBe(0);
});

it('counts no decision where a call was withdrawn, which nobody decided', async () => {
  const { gate, requestId, read } = await counted();
  await gate.requests.cancel(requestId, { id: 'key:env', name: 'Builder' }, { as: 'cancelled' });
  const now = await read();
  expect(now.value(DECIDED)).toBeNull();
  expect(now.value(ENDED, { server: 'calendar', state: 'cancelled' })).toBe(1);
});

it('counts a rejection once, whose reason is given later', async () => {
  const { gate, read } = await counted();
  await gate.decisions.decide([{ callKey: KEY, digest: null, type: 'reject' }], ana);
  await gate.decisions.giveReason(KEY, ana, 'too early');
  const now = await read();
  expect(now.value(DECIDED, { decision: 'reject' })).toBe(1);
  expect(now.value(ENDED, { server: 'calendar', state: 'rejected' })).toBe(1);
});

it('counts an approval and an end once, where people said what became of a call in doubt', async () => {
  const { gate, held, read } = await counted();
  await gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
  const { call } = await gate.journal.begin(beginning(held, proposed('c1')));
  await gate.journal.finish(call, { status: 'in_doubt', message: 'The connection was lost.' });
  expect((await read()).value(ENDED)).toBeNull();
  await gate.decisions.settleDoubt(KEY, ana, { digest: call.digest, answer: 'happened' });
  const now = await read();
  expect(now.value(DECIDED, { decision: 'approve' })).toBe(1);
  expect(now.value('countersign_decision_wait_seconds_count', { rule: 'default' })).toBe(1);
  expect(now.value(ENDED, { server: 'calendar', state: 'succeeded' })).toBe(1);
  expect(now.value('countersign_call_duration_seconds_count', { server: 'calendar' })).toBeNull();
});

it('counts how long a call took that ended', async () => {
  const { gate, held, read } = await counted();
  await gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
  const { call } = await gate.journal.begin(beginning(held, proposed('c1')));
  await gate.journal.finish(call, success('done'));
  expect((await read()).value('countersign_call_duration_seconds_count', { server: 'calendar' })).toBe(1);
});
