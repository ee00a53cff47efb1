import { expect, it } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import { Metrics, type Vitals } from '../../../src/http/index.ts';
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

const USE = { kind: 'person', measure: 'cost', question: 1, allowed: null } as const;
const LIMITS: Vitals['limits'] = [
  { ...USE, id: 'ana', used: 2_500_000, limit: 2_000_000, daily: 1_000_000 },
  { ...USE, id: 'ben', used: 500_000, limit: 1_000_000, daily: 1_000_000 },
  { ...USE, kind: 'key', id: 'ci', measure: 'calls', used: 3, limit: 10, daily: 10 },
];

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
      limits: LIMITS,
    });
    return readMetrics(text);
  };
  await read();
  const { gate, fence } = openGate({ listeners: [metrics.listener] });
  const held = await fence();
  const { requestId } = await gate.requests.open(opening(held, proposed('c1')));
  return { metrics, gate, held, requestId, read };
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

it('tells how full limits are by whose and what they are of, and names nobody', async () => {
  const { read } = await counted();
  const now = await read();
  const cost = { kind: 'person', measure: 'cost' };
  expect(now.value('countersign_limit_used', cost)).toBe(3);
  expect(now.value('countersign_limit_allowed', cost)).toBe(3);
  expect(now.value('countersign_limits_used_up', cost)).toBe(1);
  const calls = { kind: 'key', measure: 'calls' };
  expect(now.value('countersign_limit_used', calls)).toBe(3);
  expect(now.value('countersign_limits_used_up', calls)).toBe(0);
  expect(now.text).not.toMatch(/ana|ben|"ci"/);
});

it('counts tokens of the models by their kind, and what they cost', async () => {
  const { metrics, read } = await counted();
  metrics.countTokens({ model: 'main', tokens: { input: 10, cached: 5, output: 2 }, cost: 1_500_000 });
  metrics.countTokens({ model: 'main', tokens: { input: 1, cached: 0, output: 1 }, cost: 500_000 });
  metrics.countTokens({ model: 'router', tokens: { input: 7, cached: 0, output: 0 }, cost: 0 });
  const now = await read();
  const tokens = 'countersign_model_tokens_total';
  expect(now.value(tokens, { model: 'main', kind: 'input' })).toBe(11);
  expect(now.value(tokens, { model: 'main', kind: 'cached' })).toBe(5);
  expect(now.value(tokens, { model: 'main', kind: 'output' })).toBe(3);
  expect(now.value(tokens, { model: 'router', kind: 'input' })).toBe(7);
  expect(now.value('countersign_model_cost_dollars_total', { model: 'main' })).toBe(2);
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
