import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { openSandbox } from '../../../../../src/app/demo-servers/code/sandbox.ts';
import { createCodeServer, createRunSlots } from '../../../../../src/app/demo-servers/code/server.ts';
import { hasPython, sandbox } from '../../../../helpers/code-sandbox.ts';
import { runningBelow } from '../../../../helpers/running-below.ts';

async function connect(to = sandbox) {
  const server = createCodeServer({ sandbox: to, slots: createRunSlots() });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(ours);
  onTestFinished(() => client.close());
  const run = (args: Record<string, unknown>, options?: { signal: AbortSignal }) =>
    client.callTool({ name: 'run_code', arguments: args }, options);
  return { client, run };
}

test('there is one tool, which is neither read-only nor repeatable by what it says', async () => {
  const { client } = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['run_code']);
  expect(tools[0]?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  });
  for (const property of Object.values(tools[0]?.inputSchema.properties ?? {})) {
    expect(property).toMatchObject({ title: expect.any(String), description: expect.any(String) });
  }
});

test('a program runs, and the answer has what it printed in words and in fields', async () => {
  const { run } = await connect();
  const result = await run({ language: 'javascript', code: 'console.log(6 * Number(stdin))', stdin: '7' });
  const fields = { stdout: '42\n', stderr: '', exit_code: 0, timed_out: false, truncated: false };
  expect(result.structuredContent).toEqual(fields);
  expect(result.content).toEqual([
    { type: 'text', text: 'The JavaScript program ended with exit code 0. It printed:\n42' },
    { type: 'text', text: JSON.stringify(fields) },
  ]);
});

test.runIf(hasPython)('a program that fails is an answer as well', async () => {
  const { run } = await connect();
  const result = await run({ language: 'python', code: 'raise SystemExit(2)' });
  expect(result.isError).toBeFalsy();
  expect(result.structuredContent).toMatchObject({ exit_code: 2, stdout: '' });
  expect(result.content[0]).toEqual({
    type: 'text',
    text: 'The Python program ended with exit code 2. It printed nothing.',
  });
});

test('where Python can’t be run, it’s not among the languages, and not run', async () => {
  const { client, run } = await connect(await openSandbox({ hidden: [], namespaces: 'not here' }));
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema.properties?.language).toMatchObject({ enum: ['javascript'] });
  expect(tools[0]?.description).not.toContain('Python');
  expect(await run({ language: 'python', code: 'print(1)' })).toMatchObject({ isError: true });
});

test('a call that is cancelled ends its program', async () => {
  const { run } = await connect();
  const stop = new AbortController();
  const running = run({ language: 'javascript', code: 'for (;;);' }, { signal: stop.signal });
  const isRunning = () => runningBelow().some(({ command }) => command.includes('--permission'));
  await expect.poll(isRunning).toBe(true);
  stop.abort();
  await expect(running).rejects.toThrow();
  await expect.poll(isRunning).toBe(false);
});

test('one person’s programs take their turns, two at a time', async () => {
  let most = 0;
  let count = 0;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const started: string[] = [];
  const { run } = await connect({
    languages: ['javascript'],
    problems: [],
    async run({ code }) {
      started.push(code);
      count += 1;
      most = Math.max(most, count);
      await released;
      count -= 1;
      return { stdout: '', stderr: '', exit_code: 0, timed_out: false, truncated: false };
    },
  });
  const all = ['1', '2', '3', '4', '5'].map((code) => run({ language: 'javascript', code }));
  await expect.poll(() => started).toEqual(['1', '2']);
  release();
  await Promise.all(all);
  expect(started).toEqual(['1', '2', '3', '4', '5']);
  expect(most).toBe(2);
});
