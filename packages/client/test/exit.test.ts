import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { approved, type Reply, startServer } from './server.ts';

/** The client, for a program of its own. */
const CLIENT = new URL('../src/index.ts', import.meta.url).href;

const OK: Reply = { body: { ok: true } };

/** A program with one tracked call, which then does what `after` says. */
function startProgram(url: string, after: string) {
  const script = `
    const { Gate } = await import(process.argv[1]);
    const gate = new Gate({ url: '${url}', key: 'k' });
    await gate.track((n) => n, { name: 'count' })(1);
    console.log('ran');
    ${after}`;
  const args = ['--input-type=module', '--eval', script, CLIENT];
  const program = spawn(process.execPath, args, {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    output: () => output,
    kill: () => program.kill('SIGTERM'),
    ended: once(program, 'close').then(([code, signal]) => ({ code, signal })),
  };
}

/** A gate that takes no report at first. */
const startGate = (refusals: number) =>
  startServer(({ path }, earlier) => {
    if (path === '/agent/begin') return approved();
    return earlier < refusals ? { status: 500, body: '' } : OK;
  });

test('a program that has nothing more to do reports before it exits', async () => {
  const server = await startGate(2);
  const program = startProgram(server.url, '');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(server.sent('/agent/end')).toHaveLength(3);
  expect(program.output()).toBe('ran\n');
});

test('a gate that takes no report does not keep the program from exiting, which says so', async () => {
  const server = await startGate(1_000);
  const program = startProgram(server.url, '');
  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.output()).toContain('1 reports did not reach the gate');
});

test('SIGTERM ends a program as ever, after its reports', async () => {
  const server = await startGate(4);
  const program = startProgram(server.url, 'setInterval(() => {}, 1_000);');
  await vi.waitFor(() => expect(server.sent('/agent/end').length).toBeGreaterThan(2), { timeout: 10_000 });
  program.kill();
  expect(await program.ended).toEqual({ code: null, signal: 'SIGTERM' });
  expect(server.sent('/agent/end')).toHaveLength(5);
});

test('a program that hears SIGTERM itself decides when it ends', async () => {
  const server = await startGate(4);
  const own =
    "process.once('SIGTERM', () => setTimeout(() => process.exit(7), 2_500)); setInterval(() => {}, 1_000);";
  const program = startProgram(server.url, own);
  await vi.waitFor(() => expect(server.sent('/agent/end').length).toBeGreaterThan(2), { timeout: 10_000 });
  program.kill();
  expect(await program.ended).toEqual({ code: 7, signal: null });
  expect(server.sent('/agent/end')).toHaveLength(5);
});
