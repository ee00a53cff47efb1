import { expect, test, vi } from 'vitest';
import { startAgentGate } from '../helpers/agent-gate.ts';
import { readMetrics } from '../helpers/metrics.ts';

test('a scrape tells what this process did since the first one, and what it does now', async () => {
  const { app, gate, key, card, click } = await startAgentGate();
  const read = async () => {
    const response = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    return readMetrics(await response.text());
  };
  const before = await read();
  expect(before.value('countersign_slack_connected')).toBe(1);
  expect(before.value('countersign_program_calls_waiting')).toBe(0);
  expect(before.value('countersign_queue_size', { queue: 'messages' })).toBe(0);
  expect(before.value('countersign_queue_oldest_seconds', { queue: 'outbox' })).toBe(0);
  expect(before.types.get('nodejs_eventloop_lag_seconds')).toBe('gauge');
  expect(before.types.get('countersign_requests_opened_total')).toBe('counter');

  const paint = gate.track(async (colour: string) => `painted ${colour}`, { name: 'paint' });
  const [blue, red] = [paint('blue'), paint('red').catch((error: Error) => error.name)];
  await Promise.all([card('blue'), card('red')]);
  const waiting = await read();
  expect(waiting.value('countersign_program_calls_waiting')).toBe(2);
  expect(waiting.value('countersign_queue_size', { queue: 'people' })).toBe(2);
  await click('blue', 'Approve');
  await click('red', 'Reject');
  expect(await Promise.all([blue, red])).toEqual(['painted blue', 'PermissionError']);
  await gate.flush();

  const ended = (state: string) => ({ server: 'agent', state });
  const after = await vi.waitFor(async () => {
    const now = await read();
    expect(now.value('countersign_calls_ended_total', ended('succeeded'))).toBe(1);
    return now;
  });
  expect(after.value('countersign_queue_size', { queue: 'people' })).toBe(0);
  expect(after.value('countersign_requests_opened_total')).toBe(2);
  expect(after.value('countersign_decisions_total', { decision: 'approve' })).toBe(1);
  expect(after.value('countersign_decisions_total', { decision: 'reject' })).toBe(1);
  const byRule = { rule: 'default' };
  expect(after.value('countersign_decision_wait_seconds_count', byRule)).toBe(2);
  expect(after.value('countersign_decision_wait_seconds_sum', byRule)).toBeGreaterThan(0);
  expect(after.value('countersign_decision_wait_seconds_bucket', { ...byRule, le: '86400' })).toBe(2);
  expect(after.value('countersign_calls_ended_total', ended('rejected'))).toBe(1);
  expect(after.value('countersign_program_calls_waiting')).toBe(0);

  expect((await fetch(`${app.url}/metrics`)).status).toBe(401);
});
