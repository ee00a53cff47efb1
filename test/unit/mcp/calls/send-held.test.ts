import { McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createSend } from '../../../../src/mcp/calls/send.ts';
import type { ToolDefinition } from '../../../../src/tools/ports.ts';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';

/** A server of which each call is counted, and sending to it by way of `examine`. */
async function open(examine: (tool: ToolDefinition) => Promise<ToolDefinition>) {
  const ran = vi.fn();
  const server = new McpServer({ name: 'it', version: '1.0.0' });
  server.registerTool('add', { inputSchema: z.object({}) }, () => {
    ran();
    return { content: [{ type: 'text', text: 'added' }] };
  });
  const { hub } = testHub({ it: { in_process: 'it' } }, { inProcess: new Map([['it', () => server]]) });
  await hub.start();
  return { ran, send: createSend(hub.connections, { review: examine }) };
}

const call = { server: 'it', name: 'add', arguments: {} };

test('a tool that is held as it is about to be called is not called', async () => {
  const { ran, send } = await open(async (tool) => ({
    ...tool,
    unavailableReason: 'It has changed; nothing was done.',
  }));
  expect(await send(call, callOptions())).toMatchObject({
    outcome: { status: 'failed', message: 'It has changed; nothing was done.' },
  });
  expect(ran).not.toHaveBeenCalled();
});

test('that it is held goes before that it is another one than was approved', async () => {
  const { send } = await open(async (tool) => ({
    ...tool,
    unavailableReason: 'It has changed; nothing was done.',
  }));
  expect(await send({ ...call, definitionHash: 'of another' }, callOptions())).toMatchObject({
    kind: 'ended',
  });
});

test('a tool of which it cannot be found out is not called', async () => {
  const { ran, send } = await open(() => Promise.reject(new Error('no store')));
  expect(await send(call, callOptions())).toMatchObject({
    outcome: {
      status: 'failed',
      message: 'I could not check whether add of it was reviewed; nothing was done.',
    },
  });
  expect(ran).not.toHaveBeenCalled();
});

test('what is examined is the tool as its server lists it, and it is called where nothing holds it', async () => {
  const examine = vi.fn(async (tool: ToolDefinition) => tool);
  const { ran, send } = await open(examine);
  expect(await send(call, callOptions())).toMatchObject({ outcome: { status: 'succeeded' } });
  expect(examine).toHaveBeenCalledWith(expect.objectContaining({ server: 'it', name: 'add' }));
  expect(ran).toHaveBeenCalledOnce();
});
