// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the configuration.

import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { parseServers } from '../../../../src/mcp/config/load.ts';
import { mcpServersSchema, type ServerConfig } from '../../../../src/mcp/config/schema.ts';
import { describeOutage } from '../../../../src/mcp/connection/connect-errors.ts';
import { fixture, freePort, listen, testHub } from '../../../fixtures/mcp/harness.ts';

/** Why the server with this configuration is down. */
async function reason(config: object, connectTimeoutMs = 5_000): Promise<string | null> {
  const { hub } = testHub({ it: config }, { connectTimeoutMs });
  await hub.start();
  return hub.status()[0]?.error ?? null;
}

function at(url: string): ServerConfig {
  const { it: config } = mcpServersSchema.parse({ it: { url } });
  if (config === undefined) throw new Error('no configuration');
  return config;
}

function answering(contentType: string, body: string): Promise<number> {
  return listen(
    createServer((_request, response) => {
      response.setHeader('content-type', contentType).end(body);
    }),
  );
}

test.each(['http', 'sse'] as const)('nothing answers at a closed port, asked by %s', async (transport) => {
  const port = await freePort();
  expect(await reason({ url: `http://127.0.0.1:${port}/mcp?key=secret`, transport })).toBe(
    `Nothing answers at 127.0.0.1:${port} (connection refused). Start it, or check its url.`,
  );
});

test('a port that no HTTP client asks is told', async () => {
  expect(await reason({ url: 'http://127.0.0.1:9/mcp' })).toBe(
    'Port 9 is reserved for another protocol, so it was not contacted. Use another port for this server.',
  );
});

test('https at a server that speaks http is told', async () => {
  const port = await answering('text/html', '<p>hello');
  expect(await reason({ url: `https://127.0.0.1:${port}/mcp` })).toBe(
    `No secure connection to 127.0.0.1:${port} comes about (TLS fails). If it speaks plain http, write http:// in its url.`,
  );
});

test('a server that hangs up is told', async () => {
  const server = createTcpServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((done) => server.once('listening', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  expect(await reason({ url: `http://127.0.0.1:${port}/mcp` })).toContain(
    `127.0.0.1:${port} hung up without an answer.`,
  );
});

test('a server that says nothing has not answered in time', async () => {
  const port = await listen(createServer(() => {}));
  expect(await reason({ url: `http://127.0.0.1:${port}/mcp` }, 600)).toBe(
    `127.0.0.1:${port} did not answer in time. See that it runs, or check its url.`,
  );
});

test('a web page where an MCP server was expected is told, and what to look at', async () => {
  const port = await answering('text/html; charset=utf-8', '<p>hello');
  expect(await reason({ url: `http://127.0.0.1:${port}/` })).toBe(
    `A web page answers at 127.0.0.1:${port}, where an MCP server was expected. Check its url: the path often ends in /mcp.`,
  );
});

test.each([
  ['text', 'text/plain', 'hello', 'http'],
  ['JSON of something else', 'application/json', '{"hello":1}', 'http'],
  ['JSON that is none', 'application/json', '<p>hello', 'http'],
  ['a page instead of a stream', 'text/html', '<p>hello', 'sse'],
] as const)('%s is no MCP', async (_what, type, body, transport) => {
  const port = await answering(type, body);
  expect(await reason({ url: `http://127.0.0.1:${port}/`, transport })).toBe(
    `What answers at 127.0.0.1:${port} is no MCP server; it may be a web page. Check its url: the path often ends in /mcp.`,
  );
});

test.each([
  ['ENOTFOUND', 'There is no host mcp.example (no such host). Check its url.'],
  ['EAI_AGAIN', 'The name mcp.example cannot be looked up for now (DNS does not answer).'],
  ['EHOSTUNREACH', 'There is no way from here to mcp.example:81 (host unreachable).'],
  ['ENETUNREACH', 'There is no way from here to mcp.example:81 (network unreachable).'],
  ['UND_ERR_CONNECT_TIMEOUT', 'mcp.example:81 did not answer in time. See that it runs, or check its url.'],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'The certificate of mcp.example:81 is not accepted: nobody who is trusted here has signed it. NODE_EXTRA_CA_CERTS names a file with an authority of your own.',
  ],
  ['CERT_HAS_EXPIRED', 'The certificate of mcp.example:81 is not accepted: it has expired.'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'The certificate of mcp.example:81 is not accepted: it is for another name.',
  ],
])('%s on the way is told', (code, words) => {
  const cause = Object.assign(new Error('of the system'), { code });
  const config = at('https://mcp.example:81/mcp?key=secret');
  expect(describeOutage(new TypeError('fetch failed', { cause }), config)).toBe(words);
});

test.each([
  ['without arguments', '/does/not/exist', ' Install it, or correct command.'],
  [
    'with its arguments in it',
    '/does/not/npx -y pkg /path',
    ' Arguments do not go into command, but under args.',
  ],
])('a command %s that does not exist is told', async (_what, command, advice) => {
  expect(await reason({ command })).toBe(`The program ${command} does not exist.${advice}`);
});

test.each([
  [
    'a code',
    'process.exitCode = 3',
    'It exited while connecting (exit code 3): no key. Correct its command, args or env.',
  ],
  [
    'a signal',
    "process.kill(process.pid, 'SIGKILL')",
    'It exited while connecting (killed by SIGKILL): no key. Correct its command, args or env.',
  ],
])('a process that ends with %s is told, with what it said last', async (_what, end, words) => {
  const args = ['-e', `require('fs').writeSync(2, 'no key\\n'); ${end}`];
  expect(await reason({ command: process.execPath, args })).toBe(words);
});

test('a process that needs longer than its start_timeout is told, with what it said last', async () => {
  const silent = ['-e', 'console.error("loading the model"); setInterval(() => {}, 1000)'];
  expect(await reason({ command: process.execPath, args: silent, start_timeout: '1s' }, 60_000)).toBe(
    'It did not answer within 1 s. If it needs longer to start, as when it has to be downloaded first, set its start_timeout. It said: loading the model.',
  );
});

test('a start_timeout lets a server start that needs longer than others may', async () => {
  const { hub } = testHub(
    { it: { ...fixture('shy.ts', '/dev/null', 'open', '1500'), start_timeout: '30s' } },
    { connectTimeoutMs: 1_000 },
  );
  await hub.start();
  expect(hub.status()).toMatchObject([{ state: 'up', error: null }]);
});

// As npm 11 and npm 9 say it.
test.each([
  ['error', 'E404', 'npm finds no such package, or no such version of it (E404). Check its name under args.'],
  [
    'ERR!',
    'ETARGET',
    'npm finds no such package, or no such version of it (ETARGET). Check its name under args.',
  ],
  ['error', 'E403', 'npm may not download the package (E403): its registry wants other credentials.'],
  ['error', 'ECONNREFUSED', 'npm could not reach its registry to download the package (ECONNREFUSED).'],
  ['ERR!', 'EAI_AGAIN', 'npm could not reach its registry to download the package (EAI_AGAIN).'],
  [
    'error',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'npm could not reach its registry to download the package (SELF_SIGNED_CERT_IN_CHAIN).',
  ],
  [
    'error',
    'EUSAGE',
    'It exited while connecting (exit code 1): npm error code EUSAGE; npm error more. Correct its command, args or env',
  ],
])('npm %s code %s is told in words', async (kind, code, words) => {
  const lines = [`npm notice new`, `npm ${kind} code ${code}`, `npm ${kind} more`].join('\n');
  const end = words.startsWith('npm') ? ` It said: npm ${kind} code ${code}; npm ${kind} more.` : '.';
  const args = ['-e', `console.error(${JSON.stringify(lines)}); process.exit(1)`];
  expect(await reason({ command: process.execPath, args })).toBe(`${words}${end}`);
});

test('a program with a folder to run it in may lack either', async () => {
  expect(await reason({ command: process.execPath, cwd: '/does/not/exist' })).toBe(
    `The program ${process.execPath} or the folder /does/not/exist (its cwd) does not exist. Install it, or correct command.`,
  );
});

test('of what nobody has thought of, the cause is told and not the attempt', () => {
  const error = new Error('Version negotiation failed', { cause: new Error('the moon is full.\nat line 1') });
  expect(describeOutage(error, at('https://mcp.example/'))).toBe(
    'It could not be connected: the moon is full.',
  );
});

test('what the environment filled in is named in its place', () => {
  const headers = { Authorization: 'Bearer ${TOKEN}' };
  const { it } = parseServers({ it: { url: 'https://it.test', headers } }, { TOKEN: 'secret-1' }, 'servers');
  if (it === undefined) throw new Error('no configuration');
  const error = new ProtocolError(ProtocolErrorCode.InvalidRequest, 'the token secret-1 has ended');
  expect(describeOutage(error, it)).toBe('It refused the connection: the token $TOKEN has ended.');
});
