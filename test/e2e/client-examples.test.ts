import { readFileSync } from 'node:fs';
import { ChatOpenAI } from '@langchain/openai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import { answer } from '../../examples/ai-sdk-app/app.ts';
import { createApp } from '../../examples/langgraph-app/app.ts';
import { runProgram, startAgentGate } from '../helpers/agent-gate.ts';

const FIRST = 'examples/first-approval/main.ts';

const INVOICE = { to: 'Bob', euros: 120 };

test.each([
  ['Approve', 'Invoice over 120 € sent to Bob.'],
  ['Reject', 'rejected this'],
] as const)('the LangGraph app: %s, and the model hears of it', async (button, heard) => {
  const { gate, model, click } = await startAgentGate();
  const configuration = { baseURL: model.url };
  const app = createApp({
    gate,
    model: new ChatOpenAI({ model: 'gpt-5-mini', apiKey: 'none', configuration }),
  });
  const done = app.invoke({ messages: [{ role: 'user', content: 'Send Bob an invoice.' }] });
  await model.calls([{ name: 'send_invoice', arguments: INVOICE }]);
  await click('euros: 120', button);
  expect(await model.heard()).toContain(heard);
  await model.says('That is all.');
  expect((await done).messages.at(-1)?.content).toBe('That is all.');
});

test.each([
  ['Approve', 'Invoice over 120 € sent to Bob.'],
  ['Reject', 'rejected this'],
] as const)('the AI SDK app: %s, and the model hears of it', async (button, heard) => {
  const { gate, click } = await startAgentGate();
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      const said = { type: 'text' as const, text: JSON.stringify(last?.content) };
      const call = {
        type: 'tool-call' as const,
        toolCallId: 't1',
        toolName: 'send_invoice',
        input: JSON.stringify(INVOICE),
      };
      return last?.role === 'tool'
        ? { content: [said], finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] }
        : { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] };
    },
  });
  const done = answer('Send Bob an invoice.', { model, gate });
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
