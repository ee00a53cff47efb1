import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { VERDICT } from '../fixtures/servers/builder.ts';
import { startBuilder } from '../fixtures/servers/builder-http.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../helpers/otlp-receiver.ts';
import { temporaryFolder } from '../helpers/process.ts';

/** Nothing of these may be told: a plan's title, a reason, an argument, a result. */
const CONTENT = ['Two towers', 'as it was asked', 'tower one', 'stands'];

test('a plan is a part of its trace, with its steps, what people decided and the jobs of servers', {
  timeout: 90_000,
}, async () => {
  const receiver = await startOtlpReceiver();
  const folder = temporaryFolder();
  writeFileSync(join(folder, VERDICT), 'stands');
  const { driver, model } = await startAppWithModel({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    file: {
      routes: { dm: 'planner' },
      mcpServers: { builder: { url: await startBuilder(folder), trusted: true } },
    },
  });
  const ana = driver.as('ana');
  ana.dm('build two towers');
  const step = (what: string) => ({ tool: 'builder__build', arguments: { what }, why: 'as it was asked' });
  const steps = [step('tower one'), step('tower two')];
  await model.calls([{ name: 'make_plan', arguments: { title: 'Two towers', steps } }]);
  const card = await driver.waitForMessage((message) => driver.text(message).includes('[Review 2…]'));
  await ana.click(card, 'Review 2…');
  await ana.waitForModal();
  await ana.submit({});
  await model.says('Both stand.');
  await vi.waitFor(() => expect(receiver.named('invoke_agent planner')).toHaveLength(1), { timeout: 20_000 });

  const spans = receiver.spans();
  const parentOf = (span: ReceivedSpan) => spans.find((it) => it.spanId === span.parentSpanId)?.name;
  const parents = (name: string) => receiver.named(name).map(parentOf);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(parents('plan')).toEqual(['invoke_agent planner']);
  expect(parents('step')).toEqual(['plan', 'plan']);
  expect(parents('wait for decision')).toEqual(['step', 'step']);
  expect(parents('execute_tool')).toEqual(['step', 'step']);
  expect(parents('job')).toEqual(['execute_tool', 'execute_tool']);
  expect(receiver.named('plan')[0]?.attributes).toMatchObject({
    'countersign.steps': 2,
    'countersign.steps.succeeded': 2,
  });
  expect(receiver.named('step').map(({ attributes }) => attributes['countersign.step'])).toEqual([1, 2]);
  expect(receiver.named('job')[0]?.attributes).toMatchObject({
    'countersign.server': 'builder',
    'countersign.job.end': 'succeeded',
  });
  for (const content of CONTENT) expect(receiver.text()).not.toContain(content);
});

test('a decision that comes at once is a part of its trace, once', { timeout: 60_000 }, async () => {
  const receiver = await startOtlpReceiver();
  const folder = temporaryFolder();
  writeFileSync(join(folder, VERDICT), 'stands');
  const { driver, model } = await startAppWithModel({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' },
    file: { mcpServers: { builder: { url: await startBuilder(folder), trusted: true } } },
  });
  const ana = driver.as('ana');
  ana.dm('build a tower');
  await model.calls([{ name: 'builder__build', arguments: { what: 'a tower' } }]);
  const card = await driver.waitForMessage((message) => driver.text(message).includes('[Approve]'));
  await ana.click(card, 'Approve');
  await model.says('It stands.');
  await vi.waitFor(() => expect(receiver.named('invoke_agent assistant')).toHaveLength(1), {
    timeout: 20_000,
  });
  expect(receiver.named('wait for decision')).toHaveLength(1);
});
