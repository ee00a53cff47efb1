import { GateUnavailableError, PermissionError } from 'countersign-client';
import { expect, test, vi } from 'vitest';
import { startAgentGate } from '../helpers/agent-gate.ts';

const multiply = (a: number, b: number): number => a * b;

test('a tracked function runs once somebody approves its card, which then has the result', async () => {
  const { gate, driver, card, click } = await startAgentGate({ checkAtStart: true, agentName: 'Calculator' });
  const asked = gate.track(multiply)(6, 7);
  expect(driver.text(await card('agent_multiply'))).toContain('[6, 7]');
  await click('agent_multiply', 'Approve');
  expect(await asked).toBe(42);
  expect(await gate.flush()).toBe(0);
  await card('42');
});

test('a rejected call does not run, and its error says who rejected it', async () => {
  const { gate, click } = await startAgentGate();
  const fn = vi.fn(multiply);
  const asked = gate
    .track(fn, { name: 'multiply' })(6, 7)
    .catch((error) => error);
  await click('agent_multiply', 'Reject');
  const error = await asked;
  expect(error).toBeInstanceOf(PermissionError);
  expect(error).toMatchObject({
    reason: expect.stringContaining('rejected this'),
    callId: expect.any(String),
  });
  expect(fn).not.toHaveBeenCalled();
});

test('a call that nobody decides in time does not run', async () => {
  const { gate, card } = await startAgentGate({ timeoutMs: 4_000 });
  await expect(gate.track(multiply)(6, 7)).rejects.toThrow(/may not run: Nobody decided within/);
  await card('Expired');
});

test('the function finds its receipt, and what people want besides', async () => {
  const { gate, driver, card } = await startAgentGate();
  const seen: unknown[] = [];
  const deploy = gate.track(
    async (_service: string) => {
      await Promise.resolve();
      seen.push(gate.approval);
    },
    { name: 'deploy' },
  );
  expect(gate.approval).toBeNull();
  const asked = deploy('web');
  const ana = driver.as('ana');
  await ana.select(await card('agent_deploy'), 'call.more', 'Approve, and also…');
  await ana.waitForModal();
  await ana.submit({ 'What should the agent also do?': 'tell the team' });
  await asked;
  expect(seen).toEqual([
    {
      callId: expect.any(String),
      receipt: expect.stringMatching(/^\S+\.\S+\.\S+$/),
      notes: [{ by: 'Ana', text: 'tell the team' }],
    },
  ]);
  const readMail = gate.track(async () => seen.push(gate.approval), { name: 'read_mail' });
  await readMail();
  expect(seen[1]).toEqual({ callId: expect.any(String), receipt: null, notes: [] });
});

test('what the policy allows runs without a card', async () => {
  const { gate, driver } = await startAgentGate();
  const readMail = gate.track(async (box: string) => `Nothing in ${box}`, { name: 'read_mail' });
  expect(await readMail('inbox')).toBe('Nothing in inbox');
  expect(driver.calls('chat.postMessage')).toEqual([]);
});

test('an aborted call is withdrawn from its card', async () => {
  const { gate, driver, card } = await startAgentGate();
  const stop = new AbortController();
  const asked = gate.run({ signal: stop.signal }, () => gate.track(multiply)(6, 7));
  await card('agent_multiply');
  stop.abort();
  await expect(asked).rejects.toThrow();
  expect(driver.text(await card('Withdrawn by Builder'))).not.toContain('[Approve]');
});

test('a gate that restarts withdraws the card, and is asked again with a new one', async () => {
  const { app, gate, card, click } = await startAgentGate({ web: true });
  const asked = gate.track(multiply)(6, 7);
  await card('agent_multiply');
  await app.restart();
  await card('Withdrawn by Builder');
  await click('agent_multiply', 'Approve');
  expect(await asked).toBe(42);
});

test('a wrong key runs nothing', async () => {
  const { gate } = await startAgentGate({ key: 'wrong' });
  await expect(gate.track(multiply)(6, 7)).rejects.toThrow(GateUnavailableError);
  expect(await gate.check()).toMatchObject({ status: 401 });
});
