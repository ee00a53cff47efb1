import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mayHaveTools } from '../../../src/agents/team/tool-choice.ts';
import { createReadyTools } from '../../../src/tools/ready-tools.ts';
import { testHub } from '../../fixtures/mcp/harness.ts';

function offering(name: string): McpServer {
  const server = new McpServer({ name: 'offering', version: '1.0.0' });
  server.registerTool(name, { inputSchema: z.object({}) }, () => ({ content: [] }));
  return server;
}

/** Two servers, one of which tries itself until it's let. */
function openServers() {
  const tried = Promise.withResolvers<void>();
  const inProcess = new Map<string, () => Promise<McpServer>>([
    ['calendar', async () => offering('list_events')],
    ['code', () => tried.promise.then(() => offering('run_code'))],
  ]);
  const servers = { calendar: { in_process: 'calendar' }, code: { in_process: 'code' } };
  const { hub } = testHub(servers, { inProcess });
  const { tools } = hub;
  const listed = { tools, instructions: async () => [], down: () => [] };
  const { connect, offer } = createReadyTools(
    listed,
    { connect: hub.start, ready: hub.ready, wake: hub.wake },
    { warn: () => undefined },
  );
  const namesFor = async (...globs: readonly string[]) =>
    (await offer(undefined, mayHaveTools(globs))).tools.map(({ server, name }) => `${server}.${name}`);
  return { connect, namesFor, tried: tried.resolve };
}

describe('what runs are offered at the start', () => {
  it('waits for no server whose tools they can’t use', async () => {
    const { connect, namesFor, tried } = openServers();
    const connected = connect();
    expect(await namesFor('calendar.*')).toEqual(['calendar.list_events']);
    tried();
    await connected;
  });

  it.each(['code.run_code', 'c*', '*', '*.run_code'])('waits for the one that %s may name', async (glob) => {
    const { connect, namesFor, tried } = openServers();
    const connected = connect();
    let names: readonly string[] | null = null;
    const offered = namesFor(glob).then((found) => {
      names = found;
    });
    await namesFor('calendar.*');
    expect(names).toBeNull();
    tried();
    await Promise.all([offered, connected]);
    expect(names).toContain('code.run_code');
  });
});
