import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import type { Connector, Service } from '../../../../src/mcp/ports.ts';
import { callOptions, freePort, listen, testHub } from '../../../fixtures/mcp/harness.ts';

type Tool = (service: Service) => Promise<boolean>;

/** A service that answers each path with the status that it begins with; `/lost` does not answer at all. */
async function startService() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no token'}`);
    if (request.url === '/lost') return void response.destroy();
    response.writeHead(Number(request.url?.slice(1, 4)), { 'retry-after': '7' }).end('{}');
  });
  return { asked, url: `http://127.0.0.1:${await listen(server)}` };
}

/** Calls a tool of a connector that does this, and that says it failed where it gives false. */
async function call(tool: Tool, url: string) {
  const connector: Connector = {
    apiUrl: 'https://nowhere.test',
    signIn: null,
    adapt: (fetch) => fetch,
    createServer(service) {
      const server = new McpServer({ name: 'it', version: '1.0.0' });
      server.registerTool('do', {}, async () => ({
        isError: !(await tool(service)),
        content: [{ type: 'text', text: 'as the tool says' }],
      }));
      return server;
    },
  };
  const servers = { it: { connector: 'it', key: 'k', api_url: url } };
  const { hub, send } = testHub(servers, { connectors: new Map([['it', connector]]) });
  await hub.start();
  const result = await send({ server: 'it', name: 'do', arguments: {} }, callOptions());
  if (result.kind !== 'ended') throw new Error(result.kind);
  const { outcome, retry } = result;
  const said = outcome.status === 'succeeded' ? '' : outcome.message;
  return { status: outcome.status, said, retry };
}

/** Asks, and pays no heed to what becomes of it. */
const quietly = (asking: Promise<unknown>) => asking.then(() => true).catch(() => true);

test.each<[string, Tool, object]>([
  [
    'a write without an answer is in doubt',
    ({ fetch, apiUrl }) => quietly(fetch(`${apiUrl}/lost`, { method: 'POST' })),
    {
      status: 'in_doubt',
      said: expect.stringMatching(/^The connection to it was lost after do had been sent/),
    },
  ],
  [
    'so is one that a gateway failed',
    ({ fetch, apiUrl }) => quietly(fetch(`${apiUrl}/502`, { method: 'POST' })),
    { status: 'in_doubt', said: expect.stringMatching(/^it answered with HTTP 502 after do/) },
  ],
  [
    'a read without an answer has failed',
    ({ fetch, apiUrl }) => quietly(fetch(`${apiUrl}/lost`)),
    { status: 'failed', said: 'it could not be reached; nothing was done.' },
  ],
  [
    'and so has a read that is not a GET',
    ({ fetch, apiUrl }) => quietly(fetch(`${apiUrl}/lost`, { method: 'POST', isRead: true })),
    { status: 'failed', said: 'it could not be reached; nothing was done.' },
  ],
  [
    'too many requests are to be tried again when the service says',
    ({ fetch, apiUrl }) => quietly(fetch(`${apiUrl}/429`, { method: 'POST' })),
    {
      status: 'failed',
      said: 'it accepts no more requests for now; nothing was done. Try again in 7 seconds.',
      retry: { afterMs: expect.any(Number) },
    },
  ],
])('%s, whatever its tool says', async (_what, tool, expected) => {
  const { url } = await startService();
  expect(await call(tool, url)).toMatchObject(expected);
});

test('what was refused for the moment does not undo what was written', async () => {
  const { url } = await startService();
  const tool: Tool = async ({ fetch, apiUrl }) => {
    await quietly(fetch(`${apiUrl}/429`));
    return (await fetch(`${apiUrl}/201`, { method: 'POST' })).ok;
  };
  expect(await call(tool, url)).toMatchObject({ status: 'succeeded' });
});

test('a tool that fails after it has written something leaves that in doubt', async () => {
  const { url } = await startService();
  const tool: Tool = async ({ fetch, apiUrl }) => {
    await fetch(`${apiUrl}/201`, { method: 'POST' });
    return false;
  };
  expect(await call(tool, url)).toMatchObject({
    status: 'in_doubt',
    said: 'it reported an error after do had been sent. Whether it happened is not known.',
  });
});

test('a refused write is the tool’s to tell', async () => {
  const { url } = await startService();
  const tool: Tool = async ({ fetch, apiUrl }) => (await fetch(`${apiUrl}/422`, { method: 'POST' })).ok;
  expect(await call(tool, url)).toMatchObject({ status: 'failed', said: 'as the tool says' });
});

test('a service that is not there was sent nothing', async () => {
  const tool: Tool = ({ fetch, apiUrl }) => quietly(fetch(`${apiUrl}/201`, { method: 'POST' }));
  expect(await call(tool, `http://127.0.0.1:${await freePort()}`)).toMatchObject({
    status: 'failed',
    said: 'it could not be reached; nothing was done.',
  });
});

test('nothing goes to another host', async () => {
  const [own, other] = [await startService(), await startService()];
  const tool: Tool = ({ fetch }) => fetch(`${other.url}/201`).then(({ ok }) => ok);
  expect(await call(tool, own.url)).toMatchObject({
    status: 'failed',
    said: expect.stringMatching(/^The token is not for 127\.0\.0\.1:\d+; nothing was sent\.$/),
  });
  expect(other.asked).toEqual([]);
});
