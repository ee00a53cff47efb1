import { createRequire } from 'node:module';
import { createMCPClient } from '@ai-sdk/mcp';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startAppWithModel } from '../helpers/app.ts';
import { CHANNEL, KEY, PERSON } from '../helpers/mcp-gate.ts';

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);

/** The reference server behind the gate, and a client of the protocol that isn't made of its official SDK. */
async function startGate({ holdFor = '1d', timeoutMs = 60_000 } = {}) {
  const { app, driver } = await startAppWithModel({
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: PERSON, channel: CHANNEL, hold_for: holdFor } },
      mcpServers: {
        everything: { command: process.execPath, args: [EVERYTHING, 'stdio'], timeout_ms: timeoutMs },
      },
    },
  });
  const headers = { authorization: `Bearer ${KEY}` };
  const client = await createMCPClient({ transport: { type: 'http', url: `${app.url}/mcp`, headers } });
  onTestFinished(() => client.close());
  const tools = await client.tools();
  return {
    ana: driver.as(PERSON),
    async call(name: string, args: object) {
      const result = await tools[name]?.execute(args, { toolCallId: '1', messages: [], context: {} });
      return resultSchema.parse(result);
    },
    card: (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words)),
  };
}

const resultSchema = z.looseObject({
  structuredContent: z.looseObject({ request_id: z.string() }).optional(),
  content: z.array(z.looseObject({ text: z.string().optional() })),
});

test('a form that the server asks for goes to the person in Slack, and the client gets what came of it', async () => {
  const { ana, call, card } = await startGate();
  const asking = call('everything__trigger-elicitation-request', {});
  await ana.click(await card('[Approve]'), 'Approve');
  await ana.click(await card('[Fill in…]'), 'Fill in…');
  await ana.waitForModal();
  await ana.submit({ String: 'Ana', Integer: '7', 'String with email format': 'ana@example.com' });
  expect(JSON.stringify((await asking).content)).toContain('ana@example.com');
});

test('waiting for people, before a call and in it, uses none of the time that its tool has', async () => {
  const { ana, call, card } = await startGate({ holdFor: '1s', timeoutMs: 1_000 });
  const pending = await call('everything__trigger-elicitation-request', {});
  const outcome = () => call('countersign__await', { request_id: pending.structuredContent?.request_id });
  await ana.click(await card('[Approve]'), 'Approve');
  const form = await card('[Fill in…]');
  // It's answered once it was held for as long as the tool may take.
  expect((await outcome()).content[0]?.text).toContain('Pending');
  await ana.click(form, 'Fill in…');
  await ana.waitForModal();
  await ana.submit({ String: 'Ana', Integer: '7', 'String with email format': 'ana@example.com' });
  await expect
    .poll(async () => JSON.stringify((await outcome()).content), { timeout: 20_000 })
    .toContain('ana@example.com');
});
