import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { startFlaky } from '../fixtures/servers/flaky-http.ts';
import { KEY, PERSON, startMcpGate } from '../helpers/mcp-gate.ts';
import { turnDown } from '../helpers/turn-down.ts';

test('what is denied or unknown comes back as an error that says why', async () => {
  const { app, connect } = await startMcpGate();
  const client = await connect();
  const move = { source: join(app.folder, 'a'), destination: join(app.folder, 'b') };
  expect(await client.callTool({ name: 'files__move_file', arguments: move })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Nothing is moved here.') }],
  });
  expect(await client.callTool({ name: 'files__nothing', arguments: {} })).toMatchObject({ isError: true });
});

test('tools keep the hints of their server, and who calls them is a conversation of its program on record', async () => {
  const { app, connect, write, card } = await startMcpGate();
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'files__write_file')?.annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
  });
  void client.callTool(write('s.txt')).catch(() => undefined);
  await card('s.txt');
  const headers = { authorization: `Bearer ${KEY}` };
  const answer = await fetch(`${app.url}/api/sessions`, { headers });
  expect(await answer.json()).toMatchObject({
    sessions: [{ session_id: 'mcp', program: 'key:env', agent_name: 'test', agent_type: 'mcp' }],
  });
});

test.each([
  [
    'Feedback',
    { 'What should be different?': 'another folder' },
    'Ana sent this back with feedback: another folder',
  ],
  ['Ignore…', { 'Why?': 'we moved out' }, 'nothing more is to be done about it. Ana said: we moved out'],
])('the words with which somebody turns a call down (%s) reach the program', async (how, words, said) => {
  const { driver, connect, card, write } = await startMcpGate();
  const writing = (await connect()).callTool(write('words.txt'));
  await turnDown(driver, await card('words.txt'), how, words);
  expect(await writing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(said) }] });
  const [history] = await driver.as(PERSON).command('/countersign history', 'general');
  expect(history).toContain('(files.write_file), asked by Builder');
  // Its card is all there is of it in Slack, also once it has ended.
  const ana = driver.as(PERSON);
  await ana.openHome();
  const home = () => JSON.stringify(ana.home()?.blocks ?? []).split('You asked for')[1];
  await expect.poll(home).toMatch(/archives\/C0GENERAL1\/p\d+","text":"Open card"/);
});

test('the reason that somebody gives after a rejection is told to whoever asks for the outcome', async () => {
  const { driver, connect, card, write } = await startMcpGate({ holdFor: '1s' });
  const client = await connect();
  const pending = await client.callTool(write('later.txt'));
  const { request_id } = z.object({ request_id: z.string() }).parse(pending.structuredContent);
  await driver.as(PERSON).click(await card('later.txt'), 'Reject');
  await driver.as(PERSON).click(await card('Rejected by Ana'), 'Say why…');
  await driver.as(PERSON).waitForModal();
  driver.as(PERSON).fill({ 'Why?': 'the disk is full' });
  await driver.as(PERSON).submit();
  await card('the disk is full');
  expect(await client.callTool({ name: 'countersign__await', arguments: { request_id } })).toMatchObject({
    content: [{ text: expect.stringContaining('Ana rejected this: the disk is full') }],
  });
});

test('a client that asked for progress is told at once for whom its call waits', async () => {
  const { driver, connect, card, write } = await startMcpGate();
  const client = await connect();
  const told: (string | undefined)[] = [];
  const writing = client.callTool(write('c.txt'), { onprogress: ({ message }) => void told.push(message) });
  const message = await card('c.txt');
  await vi.waitFor(() => expect(told[0]).toBe('Waiting for Ana…'));
  await driver.as(PERSON).click(message, 'Approve');
  await writing;
});

test('a client over stdio that asked for progress is told so, too', async () => {
  const { driver, connectStdio, card, write } = await startMcpGate();
  const client = await connectStdio();
  const told: (string | undefined)[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message);
  const writing = client.callTool(write('p.txt'), undefined, { onprogress });
  const message = await card('p.txt');
  await vi.waitFor(() => expect(told[0]).toBe('Waiting for Ana…'), { timeout: 20_000 });
  await driver.as(PERSON).click(message, 'Approve');
  await writing;
});

test('what the policy allows is tried again by itself while its server is busy, if it only reads', async () => {
  let folder = '';
  const flaky = { url: await startFlaky(() => folder), trusted: true };
  const { app, connect } = await startMcpGate({ tools: ['flaky.*'], servers: { flaky } });
  folder = app.folder;
  const client = await connect();
  const call = (name: string) => client.callTool({ name: `flaky__${name}`, arguments: {} });
  expect(await call('gauge')).toMatchObject({ content: [{ text: 'gauge: 3 bar' }] });
  const unclear = [{ text: expect.stringContaining('It is unclear whether this happened') }];
  expect(await call('open_valve')).toMatchObject({ isError: true, content: unclear });
});

test('a program sees and uses only the tools that its entry names', async () => {
  const { connect, write } = await startMcpGate({ tools: ['files.read_*'] });
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).filter((name) => !name.includes('read_'))).toEqual([
    'countersign__await',
  ]);
  expect(await client.callTool(write('j.txt'))).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('There is no tool named') }],
  });
});

test('arguments that could be neither stored nor shown are refused in words', async () => {
  const { connect, cards, write } = await startMcpGate();
  const client = await connect();
  const deep = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`);
  const refused = { isError: true, content: [{ text: expect.stringContaining('Nothing was done.') }] };
  expect(await client.callTool({ name: 'files__write_file', arguments: { path: deep } })).toMatchObject(
    refused,
  );
  expect(await client.callTool(write('k.txt', '\ud800'))).toMatchObject(refused);
  expect(cards()).toBe(0);
});

test.each(['connect', 'connectV1', 'connectStdio'] as const)(
  'a client (%s) hears that the tools behind the gate have changed, and a restart of the gate waits for no listener',
  async (how) => {
    const gate = await startMcpGate({ tools: ['growing.*'] });
    let changes = 0;
    const onChanged = () => {
      changes += 1;
    };
    const client = await gate[how]({
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    });
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('growing__grown_1');
    await client.callTool({ name: 'growing__grow', arguments: {} });
    await vi.waitFor(() => expect(changes).toBeGreaterThan(0), 5_000);
    expect(await names()).toContain('growing__grown_1');
    const begun = performance.now();
    await gate.app.restart();
    expect(performance.now() - begun).toBeLessThan(10_000);
  },
);

test.each(['connect', 'connectV1', 'connectStdio'] as const)(
  'a client (%s) gets structured content whole that is too large for the record',
  async (how) => {
    const client = await (await startMcpGate({ tools: ['growing.*'] }))[how]();
    const result = await client.callTool({ name: 'growing__report', arguments: {} });
    const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, name: `row ${id}` }));
    expect(result.structuredContent).toEqual({ rows });
  },
);

test('a program holds so many streams of changes, and not those of others', async () => {
  const { app } = await startMcpGate();
  const listen = () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
    onTestFinished(() => client.close());
    return client
      .connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }))
      .then(() => client.listen({ toolsListChanged: true }));
  };
  const open = await Promise.all(Array.from({ length: 20 }, listen));
  await expect(listen()).rejects.toThrow();
  await open[0]?.close();
  await vi.waitFor(listen, 5_000);
});
