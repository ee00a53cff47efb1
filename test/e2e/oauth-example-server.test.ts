import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../fixtures/mcp/harness.ts';
import { ANA, BOB, emptyStore, oauthHouse, said } from '../fixtures/oauth/house.ts';

/** The server that comes with the first line of the SDK, with its authorization server. */
async function startExample(): Promise<string> {
  const require = createRequire(import.meta.url);
  const program = new URL(
    'examples/server/simpleStreamableHttp.js',
    `file://${require.resolve('@modelcontextprotocol/sdk/server/mcp.js').replace(/server\/mcp\.js$/, '')}`,
  ).pathname.replace('/cjs/', '/esm/');
  const [port, authPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [program, '--oauth-strict', '--oauth'], {
    env: { ...process.env, MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => end(child));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('MCP Streamable HTTP Server listening')) return `http://localhost:${port}/mcp`;
  }
  throw new Error('the example server did not start');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('two people sign in to the example server of the SDK’s first line, and call its tools at once', async () => {
  const url = await startExample();
  const house = oauthHouse({ url }, { store: await emptyStore() });
  await house.hub.start();
  expect(house.hub.status()).toMatchObject([{ state: 'sign_in_required' }]);
  expect(said(await house.send('greet', ANA, { name: 'Ana' }))).toBe(
    'blocked: Connect tasks as yourself to go on.',
  );
  await house.signIn(ANA, 'ana');
  await house.signIn(BOB, 'bob');
  const [toAna, toBob] = await Promise.all([
    house.send('greet', ANA, { name: 'Ana' }),
    house.send('greet', BOB, { name: 'Bob' }),
  ]);
  expect([said(toAna), said(toBob)]).toEqual(['Hello, Ana!', 'Hello, Bob!']);
  await house.oauth.personal.disconnect('tasks', ANA);
  expect(said(await house.send('greet', ANA, { name: 'Ana' }))).toMatch(/^blocked/);
  expect(said(await house.send('greet', BOB, { name: 'Bob' }))).toBe('Hello, Bob!');
});
