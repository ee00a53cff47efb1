import { Server as HttpServer } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { freePort, listen } from '../fixtures/mcp/harness.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { readMetrics } from '../helpers/metrics.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../helpers/otlp-receiver.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const OTLP_KEY = 'the-receivers-own-key-31415926';
/** Nothing of these may be told: a message, an argument, a result, an answer, a name. */
const CONTENT = ['Standup', 'created event', 'All done', 'Ana'];

const TOOLS: Tool[] = [
  { name: 'list_events', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
  {
    name: 'create_event',
    inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  },
];

/** A server that notes the `_meta` of each call. */
async function startCalendar() {
  const metas: Record<string, unknown>[] = [];
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'calendar', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
    server.setRequestHandler('tools/call', ({ params }) => {
      metas.push(z.record(z.string(), z.unknown()).parse(params._meta ?? {}));
      return { content: [{ type: 'text', text: 'created event' }] };
    });
    return server;
  });
  const server = createAdaptorServer({ fetch: (request) => handler.fetch(request) });
  if (!(server instanceof HttpServer)) throw new TypeError('not HTTP/1.1');
  return { url: `http://127.0.0.1:${await listen(server)}/mcp`, metas };
}

async function startTraced(env: Readonly<Record<string, string>> = {}) {
  const receiver = await startOtlpReceiver();
  const calendar = await startCalendar();
  const { app, driver, model } = await startAppWithModel({
    env: {
      COUNTERSIGN_API_KEY: KEY,
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${OTLP_KEY}`,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      ...env,
    },
    file: {
      policy: { rules: [{ name: 'reads', tools: '*.list_*', action: 'allow' }] },
      mcpServers: { calendar: { url: calendar.url } },
      programs: { env: { title: 'Builder', for: 'U0ANA00001', channel: 'C0GENERAL1' } },
    },
  });
  const ana = driver.as('ana');
  /** A turn that reads, asks, is approved after a restart, and is answered. */
  async function live(): Promise<void> {
    ana.post('general', '<@U0BOT00001> plan the Standup');
    await model.calls([{ name: 'calendar__list_events', arguments: {} }]);
    await model.calls([{ name: 'calendar__create_event', arguments: { title: 'Standup' } }]);
    const card = await driver.waitForMessage((message) => driver.text(message).includes('[Approve]'));
    await app.restart();
    await ana.click(card, 'Approve');
    await model.says('All done.');
    await driver.waitForMessage((message) => driver.text(message).includes('All done.'));
  }
  return { app, driver, model, receiver, calendar, live };
}

const root = (spans: readonly ReceivedSpan[]) => spans.find(({ name }) => name === 'invoke_agent assistant');

describe('a turn', () => {
  test('is one trace, also over a restart, from its message to its answer', { timeout: 90_000 }, async () => {
    const { receiver, calendar, live } = await startTraced();
    await live();
    const whole = await vi.waitFor(
      () => {
        const found = root(receiver.spans());
        expect(found).toBeDefined();
        expect(receiver.named('post answer')).toHaveLength(1);
        return found;
      },
      { timeout: 20_000 },
    );
    const spans = receiver.spans();
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([whole?.traceId]));
    expect(whole?.parentSpanId).toBe('');
    const parentOf = (span: ReceivedSpan | undefined) =>
      spans.find((it) => it.spanId === span?.parentSpanId)?.name;
    const parents = (name: string) => receiver.named(name).map(parentOf);
    const [all, run, resume] = ['invoke_agent assistant', 'run graph', 'resume graph'];
    expect(parents('wait for worker')).toEqual([all]);
    expect(parents(run)).toEqual([all]);
    expect(parents('wait for decision')).toEqual([all]);
    expect(parents(resume)).toEqual([all]);
    expect(parents('post answer')).toEqual([all]);
    expect(spans.filter(({ name }) => name.startsWith('chat ')).map(parentOf)).toEqual([run, run, resume]);
    // Reads run in the graph; what people approved runs before it goes on.
    expect(parents('execute_tool')).toEqual([run, all]);

    const tool = toolSpan(receiver, 'create_event');
    expect(tool?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'create_event',
      'countersign.server': 'calendar',
      'countersign.approved': true,
      'countersign.state': 'succeeded',
    });
    expect(receiver.named('wait for decision')[0]?.attributes).toMatchObject({
      'countersign.decision': 'approve',
      'countersign.rule': 'default',
    });
    const [chat] = spans.filter(({ name }) => name.startsWith('chat '));
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5-mini',
    });
    expect(tool?.resource).toMatchObject({ 'service.name': 'countersign' });
    // The server's own trace can go on from ours.
    expect(calendar.metas.map((meta) => meta.traceparent)).toEqual(
      ['list_events', 'create_event'].map((name) => {
        const span = toolSpan(receiver, name);
        return `00-${span?.traceId}-${span?.spanId}-01`;
      }),
    );
    for (const content of [...CONTENT, OTLP_KEY]) expect(receiver.text()).not.toContain(content);
    expect(receiver.requests()[0]?.headers.authorization).toBe(`Bearer ${OTLP_KEY}`);
  });

  test('has its messages, arguments and results where the operator wants them, and no secret', {
    timeout: 90_000,
  }, async () => {
    const { receiver, live } = await startTraced({
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await live();
    const whole = await vi.waitFor(() => {
      const found = root(receiver.spans());
      expect(found).toBeDefined();
      return found;
    });
    expect(whole?.attributes['gen_ai.input.messages']).toContain('plan the Standup');
    expect(whole?.attributes['gen_ai.output.messages']).toContain('All done');
    const tool = toolSpan(receiver, 'create_event');
    expect(tool?.attributes['gen_ai.tool.call.arguments']).toBe('{"title":"Standup"}');
    expect(tool?.attributes['gen_ai.tool.call.result']).toContain('created event');
    expect(receiver.text()).not.toContain(OTLP_KEY);
    expect(receiver.requests()[0]?.type).toContain('application/json');
  });

  test('that a program asks for is a part of its trace', { timeout: 60_000 }, async () => {
    const { app, model, receiver } = await startTraced();
    const asked = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const answer = fetch(`${app.url}/run`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        traceparent: `00-${asked.traceId}-${asked.spanId}-01`,
      },
      body: JSON.stringify({ thread_id: 't1', user_request: 'hello' }),
    });
    await model.says('Hello.');
    expect((await answer).status).toBe(200);
    await vi.waitFor(() => expect(root(receiver.spans())).toMatchObject({ parentSpanId: asked.spanId }));
    expect(new Set(receiver.spans().map(({ traceId }) => traceId))).toEqual(new Set([asked.traceId]));
  });
});

test('a function that a program asks for is a part of the program’s trace', { timeout: 60_000 }, async () => {
  const { app, driver, receiver } = await startTraced();
  const asked = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };
  const post = (path: string, body: object) =>
    fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        traceparent: `00-${asked.traceId}-${asked.spanId}-01`,
      },
      body: JSON.stringify(body),
    }).then(async (answer) => z.looseObject({}).parse(await answer.json()));
  const begun = post('/agent/begin', {
    session_id: 's1',
    name: `deploy_${OTLP_KEY}`,
    args_summary: 'Standup',
  });
  const card = await driver.waitForMessage((message) => driver.text(message).includes('[Approve]'));
  await driver.as('ana').click(card, 'Approve');
  const { call_id } = await begun;
  await post('/agent/end', {
    session_id: 's1',
    call_id,
    status: 'ok',
    result_summary: 'All done',
    duration_ms: 5,
  });
  await vi.waitFor(() => expect(receiver.named('execute_tool')).toHaveLength(1));
  const [whole] = receiver.named('ask for function');
  expect(whole).toMatchObject({ ...asked, spanId: expect.any(String), parentSpanId: asked.spanId });
  expect(whole?.attributes['countersign.decision']).toBe('approve');
  const [ran] = receiver.named('execute_tool');
  expect(ran).toMatchObject({ parentSpanId: whole?.spanId });
  expect(ran?.attributes['gen_ai.tool.name']).toMatch(/^agent_deploy_/);
  for (const content of [...CONTENT, OTLP_KEY]) expect(receiver.text()).not.toContain(content);
});

test('metrics are the same as those of /metrics', { timeout: 60_000 }, async () => {
  const { app, receiver, model } = await startTraced();
  // The first export may come before the connection does.
  const connected = { kind: 'gauge', points: [{ asDouble: 1 }] };
  await vi.waitFor(
    () => expect(receiver.metric('countersign_slack_connected')).toMatchObject(connected),
    30_000,
  );
  expect(receiver.metric('countersign_requests_opened_total')?.kind).toBe('sum');
  const scraped = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
  const { types } = readMetrics(await scraped.text());
  const names = new Set([...types.keys()].map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
  expect(names.size).toBeGreaterThan(20);
  // What was told of for the first time since the last export comes with the next.
  await vi.waitFor(() => expect([...names].filter((name) => receiver.metric(name) === null)).toEqual([]));
  expect(model.unanswered()).toBe(0);
});

test('a receiver that is dead holds up nothing, and the stop only for moments', {
  timeout: 60_000,
}, async () => {
  const dead = `http://127.0.0.1:${await freePort()}`;
  const { app, driver, model } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: dead });
  driver.as('ana').post('general', '<@U0BOT00001> hello');
  await model.says('Hello.');
  await driver.waitForMessage((message) => driver.text(message).includes('Hello.'));
  const log = () => app.logged.map(({ msg }) => msg).join();
  // It's tried again for the 10 seconds that an export may take.
  await vi.waitFor(() => expect(log()).toContain('telemetry export failed'), { timeout: 30_000 });
  const startedAt = performance.now();
  await app.stopApp();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

/** The span of the tool's one call. */
function toolSpan(receiver: Awaited<ReturnType<typeof startOtlpReceiver>>, tool: string) {
  return receiver.named('execute_tool').find(({ attributes }) => attributes['gen_ai.tool.name'] === tool);
}
