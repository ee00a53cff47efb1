import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { runProgram, startAgentGate } from '../helpers/agent-gate.ts';

const FIRST = 'examples/first-approval/main.ts';

const INVOICE = { to: 'Bob', euros: 120 };

/** Starts the example as its README says. Resolves with what it has printed once it ends. */
function runExample(name: string, env: Readonly<Record<string, string>>, ...nodeArgs: readonly string[]) {
  const program = `examples/${name}/main.ts`;
  return runProgram(
    [process.execPath, '--conditions=countersign-source', ...nodeArgs, program, 'Send Bob an invoice.'],
    env,
  );
}

/** An AI Gateway, in the wire format of the AI SDK's own client: its model calls the tool, and then says what it heard. */
async function startAiGateway(): Promise<string> {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const server = createServer(async (request, response) => {
    const { prompt } = questionSchema.parse(await json(request));
    const last = prompt.at(-1);
    const input = JSON.stringify(INVOICE);
    const call = { type: 'tool-call', toolCallId: 't1', toolName: 'send_invoice', input };
    const said = { type: 'text', text: JSON.stringify(last?.content) };
    const isHeard = last?.role === 'tool';
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        content: [isHeard ? said : call],
        finishReason: { unified: isHeard ? 'stop' : 'tool-calls' },
        usage,
        warnings: [],
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
const questionSchema = z.object({ prompt: z.array(z.object({ role: z.string(), content: z.unknown() })) });

test.each([
  ['Approve', 'Invoice over 120 € sent to Bob.'],
  ['Reject', 'rejected this'],
] as const)('the LangGraph app: %s, and the model hears of it', async (button, heard) => {
  const { app, key, model, click } = await startAgentGate();
  const done = runExample('langgraph-app', {
    COUNTERSIGN_URL: app.url,
    COUNTERSIGN_API_KEY: key,
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: model.url,
  });
  await model.calls([{ name: 'send_invoice', arguments: INVOICE }]);
  await click('euros: 120', button);
  expect(await model.heard()).toContain(heard);
  await model.says('That is all.');
  expect(await done).toBe('That is all.');
});

test.each([
  ['Approve', 'Invoice over 120 € sent to Bob.'],
  ['Reject', 'rejected this'],
] as const)('the AI SDK app: %s, and the model hears of it', async (button, heard) => {
  const { app, key, click } = await startAgentGate();
  const done = runExample(
    'ai-sdk-app',
    {
      COUNTERSIGN_URL: app.url,
      COUNTERSIGN_API_KEY: key,
      AI_GATEWAY_API_KEY: 'none',
      TEST_AI_GATEWAY: await startAiGateway(),
    },
    '--import',
    new URL('../fixtures/ai-gateway.mjs', import.meta.url).href,
  );
  await click('euros: 120', button);
  expect(await done).toContain(heard);
});

test('the Python program: approved, rejected, out of time, and without a gate', async () => {
  const { app, key, click, card } = await startAgentGate();
  const run = (euros: string, env: Record<string, string> = {}) =>
    runProgram(['python3', 'examples/python/gate.py', 'Bob', euros], {
      COUNTERSIGN_URL: app.url,
      COUNTERSIGN_API_KEY: key,
      COUNTERSIGN_TIMEOUT_S: '30',
      ...env,
    });
  const approved = run('120');
  await click('euros: 120', 'Approve');
  expect(await approved).toBe('Invoice over 120.0 € sent to Bob.');
  await card('Invoice over 120.0 € sent to Bob.');
  const rejected = run('121');
  await click('euros: 121', 'Reject');
  expect(await rejected).toMatch(/PermissionError: .*rejected this/);
  expect(await run('122', { COUNTERSIGN_TIMEOUT_S: '4' })).toMatch(/PermissionError: Nobody decided within/);
  expect(await run('123', { COUNTERSIGN_API_KEY: 'wrong' })).toMatch(/GateUnavailableError: .*401/);
  expect(await run('124', { COUNTERSIGN_URL: 'http://127.0.0.1:9' })).toMatch(
    /GateUnavailableError: .*refused/,
  );
});

test('the program of the client’s README: approved and rejected', async () => {
  const [, shown] = /```ts\n(.*?)```/s.exec(readFileSync('packages/client/README.md', 'utf8')) ?? [];
  expect(shown).toBe(readFileSync(FIRST, 'utf8'));
  const { app, key, click, card } = await startAgentGate();
  const run = () =>
    runProgram([process.execPath, '--conditions=countersign-source', FIRST], {
      COUNTERSIGN_URL: app.url,
      COUNTERSIGN_API_KEY: key,
    });
  const approved = run();
  await click('agent_deploy', 'Approve');
  expect(await approved).toBe('web is deployed.');
  await card('web is deployed.');
  const rejected = run();
  await click('agent_deploy', 'Reject');
  expect(await rejected).toMatch(/^Not deployed: .* rejected this/);
});
