import { UnauthorizedError } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser } from 'playwright-core';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { createProgram, startForPersonalPrograms } from '../helpers/personal-programs.ts';
import { signIn } from '../helpers/web-visitor.ts';

test('a program that its person lets in reads at once, and writes once they approve in Slack', async () => {
  const setup = await startForPersonalPrograms();
  const program = await createProgram(setup);
  const page = await program.open(await program.ask());
  expect(page.text.replaceAll('\n', ' ')).toContain('Builder at localhost wants to call tools as you, Ana.');
  const told = await program.answer(page, 'Allow');
  expect(told.get('iss')).toBe(setup.app.publicUrl);
  await program.finish(told);
  const client = await program.connect();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names).toContain('files__write_file');
  expect((await client.callTool(setup.list())).isError).toBeFalsy();

  const writing = client.callTool(setup.write('a.txt'));
  const card = await setup.card('a.txt');
  expect(setup.driver.text(card)).toContain('Requested by Builder (localhost) for');
  await setup.driver.as('ana').click(card, 'Approve');
  expect(await writing).toMatchObject({
    content: [{ text: expect.stringContaining('Successfully wrote') }],
  });
  expect(await setup.file('a.txt')).toBe('hello');
});

test('it stays in by its refresh token, over a restart too, and finds its call again when let in anew', async () => {
  const setup = await startForPersonalPrograms({ channel: 'C0GENERAL1', hold_for: '1s' });
  const program = await createProgram(setup);
  const client = await program.signIn();
  const first = program.kept.tokens;
  expect(await client.callTool(setup.write('b.txt'))).toMatchObject({
    structuredContent: { status: 'pending', waiting_for: 'Ana' },
  });
  const card = await setup.card('b.txt');
  expect(card.channel).toBe('C0GENERAL1');

  await setup.app.pass(2 * 3_600_000);
  await setup.app.restart();
  await program.connect();
  expect(program.kept.tokens?.refresh_token).not.toBe(first?.refresh_token);

  delete program.kept.tokens;
  const again = await program.signIn();
  const writing = again.callTool(setup.write('b.txt'));
  await setup.driver.as('ana').click(await setup.card('b.txt'), 'Approve');
  expect(await writing).toMatchObject({
    content: [{ text: expect.stringContaining('Successfully wrote') }],
  });
  expect(setup.driver.calls('chat.postMessage')).toHaveLength(1);
});

test('a client of the protocol’s first library is let in, too', async () => {
  const setup = await startForPersonalPrograms();
  const { provider, open, answer, kept } = await createProgram(setup);
  const transport = () => new TransportV1(setup.mcpUrl, { authProvider: provider });
  const connect = () => new ClientV1({ name: 'test-v1', version: '1' }).connect(transport());
  await expect(connect()).rejects.toThrow('Unauthorized');
  const told = await answer(await open(kept.asked ?? setup.mcpUrl), 'Allow');
  await transport().finishAuth(told.get('code') ?? '');
  const client = new ClientV1({ name: 'test-v1', version: '1' });
  onTestFinished(() => client.close());
  await client.connect(transport());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('files__write_file');
});

test('its person sees it in their Home, and takes it away with what it has asked for', async () => {
  const setup = await startForPersonalPrograms();
  const program = await createProgram(setup);
  const client = await program.signIn();
  const writing = client.callTool(setup.write('c.txt'));
  await setup.card('c.txt');
  const bob = setup.driver.as('bob');
  await bob.openHome();
  expect(JSON.stringify(bob.home())).not.toContain('Builder');
  const ana = setup.driver.as('ana');
  const home = await ana.openHome();
  expect(JSON.stringify(home)).toContain('Builder (localhost) · since ');
  await ana.useElement('Take away', undefined, home);
  expect(await writing).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('may not act any more') }],
  });
  await setup.card('Withdrawn');
  await expect.poll(() => JSON.stringify(ana.home()), { timeout: 20_000 }).not.toContain('Take away');
  await expect(client.listTools()).rejects.toThrow(UnauthorizedError);
  await expect(program.connect()).rejects.toThrow(UnauthorizedError);
});

test('a program that revokes its own token has nothing left to be approved', async () => {
  const setup = await startForPersonalPrograms();
  const program = await createProgram(setup);
  const client = await program.signIn();
  const writing = client.callTool(setup.write('revoked.txt')).catch(() => undefined);
  await setup.card('revoked.txt');
  const information = await program.provider.clientInformation();
  const revoked = await fetch(new URL('/oauth/revoke', setup.mcpUrl), {
    method: 'POST',
    body: new URLSearchParams({
      client_id: information?.client_id ?? '',
      token: program.kept.tokens?.refresh_token ?? '',
    }),
  });
  expect(revoked.status).toBe(200);
  await setup.card('Withdrawn');
  await writing;
});

test('it sees only the tools that the operator lets it, and nobody can let anything in unless set', async () => {
  const setup = await startForPersonalPrograms({ tools: ['files.list_*'] });
  const client = await (await createProgram(setup, { who: 'bob' })).signIn();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  expect(names.filter((name) => !name.startsWith('files__list_'))).toEqual(['countersign__await']);
  expect(await client.callTool(setup.write('d.txt'))).toMatchObject({ isError: true });

  const { app } = await startAppWithModel({ web: true, file: {} });
  for (const path of [
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/oauth/authorize',
  ]) {
    expect((await fetch(`${app.publicUrl}${path}`)).status, path).toBe(404);
  }
  const refused = await fetch(`${app.publicUrl}/mcp`, { method: 'POST' });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
});

const browser: Browser | null = await launchChromium();
afterAll(() => browser?.close());

test.skipIf(browser === null)(
  'a browser is sent back to the program, whatever its pages may load',
  async () => {
    const setup = await startForPersonalPrograms();
    const program = await createProgram(setup);
    const url = await program.ask();
    const page = await browser?.newPage();
    if (!page) return;
    onTestFinished(() => page.close());
    await page.goto(url.href);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'I am Ana' }).click();
    expect(await page.getByRole('heading').textContent()).toContain('Let Builder act as you?');
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(`${program.back.url}?**`);
    await program.finish(program.back.last());
    await program.connect();
  },
);

test('a consent that is sent once its sign-in is over allows nothing, says so, and leads back to be asked again', async () => {
  const setup = await startForPersonalPrograms();
  const program = await createProgram(setup);
  await signIn(program.visitor, setup.app, 'ana', `${setup.app.publicUrl}/dashboard`);
  await setup.app.pass(14 * 60_000);
  const page = await program.visitor.visit((await program.ask()).href);
  // What the program asks for holds longer than the sign-in.
  await setup.app.pass(2 * 60_000);
  const late = await program.visitor.press(page, 'Allow');
  expect([late.status, late.text]).toEqual([401, expect.stringContaining('so nothing was done')]);
  expect(program.back.came).toEqual([]);
  expect(JSON.stringify(await setup.driver.as('ana').openHome())).not.toContain('Builder');

  const asked = await program.visitor.follow(late, 'Sign in with Slack');
  const again = await program.visitor.press(asked, 'Continue as Ana Almeida');
  await program.finish(await program.answer(again, 'Allow'));
  expect((await (await program.connect()).listTools()).tools).not.toEqual([]);
});
