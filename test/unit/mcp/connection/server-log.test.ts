// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the configuration.

import { McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { parseServers } from '../../../../src/mcp/config/load.ts';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';

/** A server that logs what it is told to. */
function loggingServer() {
  const server = new McpServer({ name: 'talker', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool(
    'talk',
    {
      inputSchema: z.object({
        level: z.enum(['debug', 'notice', 'critical']),
        text: z.string(),
        times: z.int(),
      }),
    },
    async ({ level, text, times }, context) => {
      for (let time = 0; time < times; time += 1) await context.mcpReq.log(level, { text }, 'engine');
      return { content: [] };
    },
  );
  return server;
}

const ENVIRONMENT = { KIND: 'a "kind" of tools' };

async function talk(args: { level: string; text: string; times?: number }, given: object = {}) {
  const inProcess = new Map([['talker', loggingServer]]);
  const servers = parseServers({ talker: { in_process: 'talker', ...given } }, ENVIRONMENT, 'servers');
  const { hub, send, logger } = testHub({}, { servers, inProcess });
  await hub.start();
  const call = { server: 'talker', name: 'talk', arguments: { times: 1, ...args } };
  expect(await send(call, callOptions())).toMatchObject({ outcome: { status: 'succeeded' } });
  const lines = () => logger.lines.filter(({ message }) => message.startsWith('server logs'));
  return { lines, logger };
}

test('what a server logs is in our log, with its name', async () => {
  const { lines } = await talk({ level: 'critical', text: 'the valve is stuck' });
  await vi.waitFor(() =>
    expect(lines().map(({ details }) => details)).toEqual([
      { server: 'talker', of: 'engine', level: 'critical', says: '{"text":"the valve is stuck"}' },
    ]),
  );
});

test('what nobody can see in it is written out, and what is long is cut', async () => {
  const { lines } = await talk({ level: 'critical', text: `\u202e${'x'.repeat(9_000)}` });
  await vi.waitFor(() => expect(lines()).toHaveLength(1));
  const said = JSON.stringify(lines()[0]?.details);
  expect(said).toContain('⟨U+202E⟩');
  expect(said.length).toBeLessThan(2_300);
});

test('what the environment filled in is named in its place', async () => {
  const text = `${'x'.repeat(1_980)} ${ENVIRONMENT.KIND}`;
  const { lines } = await talk({ level: 'critical', text }, { type: '${KIND}' });
  await vi.waitFor(() => expect(lines()).toHaveLength(1));
  expect(JSON.stringify(lines()[0]?.details)).toMatch(/x \$KIND/);
});

test('a server is asked to log from the level on that the operator set', async () => {
  const quiet = await talk({ level: 'debug', text: 'x' });
  const loud = await talk({ level: 'debug', text: 'x' }, { log_level: 'debug' });
  await vi.waitFor(() => expect(loud.lines()).toHaveLength(1));
  expect(quiet.lines()).toEqual([]);
});

test('a server that logs without an end does not fill our log', async () => {
  const { lines } = await talk({ level: 'critical', text: 'x', times: 500 });
  await vi.waitFor(() => expect(lines()).toHaveLength(100));
});
