import { expect, test } from 'vitest';
import { runProgram, startAgentGate } from '../helpers/agent-gate.ts';

/** The app, and a program that speaks to it as the published Open Edison client does. */
async function startClient() {
  const { app, key, ...others } = await startAgentGate();
  const run = (action: 'begin' | 'end', subject: string, { url = app.url, as = key, seconds = 20 } = {}) =>
    runProgram(['python3', 'test/fixtures/open-edison-client.py', action, url, as, String(seconds), subject]);
  return { run, ...others };
}

test('approved, it runs and reports', async () => {
  const { run, click, card } = await startClient();
  const ran = run('begin', 'multiply');
  await click('agent_multiply', 'Approve');
  expect(await ran).toMatch(/^ran \S+$/);
  await card('42');
});

test('denied, it does not run, and is told by whom', async () => {
  const { run, click } = await startClient();
  const ran = run('begin', 'multiply');
  await click('agent_multiply', 'Reject');
  expect(await ran).toMatch(/^PermissionError: .+ rejected this/);
});

test('out of time, it is answered before it gives up', async () => {
  const { run, card } = await startClient();
  expect(await run('begin', 'multiply', { seconds: 4 })).toMatch(/^PermissionError: Nobody decided within/);
  await card('Expired');
});

test('a wrong key, an unknown call and a server that is down are errors', async () => {
  const { run } = await startClient();
  expect(await run('begin', 'multiply', { as: 'wrong' })).toMatch(/^HTTP 401 /);
  expect(await run('end', 'no-such-call')).toBe('HTTP 404 unknown_call');
  expect(await run('begin', 'multiply', { url: 'http://127.0.0.1:9' })).toMatch(/^unreachable: .*refused/);
});
