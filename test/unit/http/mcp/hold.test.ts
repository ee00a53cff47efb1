import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createOpenAnswers } from '../../../../src/http/mcp/open-answers.ts';
import { fakeTimers } from '../../../helpers/fake-timers.ts';
import { createEvent } from '../../../helpers/gate.ts';
import { openHeldCalls } from '../../../helpers/held-calls.ts';

const HOUR_MS = 3_600_000;

/** A call that waits to be approved, while time goes by. */
async function wait({ holdMs, progressToken }: { holdMs: number; progressToken?: number }) {
  fakeTimers(1_000_000);
  const program = openHeldCalls({ tool: createEvent, arguments: { title: 'x' }, holdMs });
  await program.submit();
  const answer = program.answer({ ...(progressToken !== undefined && { progressToken }) });
  // Vitest's own waiting would move the fake time.
  while (program.waits.size === 0) await new Promise(setImmediate);
  return {
    ...program,
    answer: answer.then(({ words }) => words),
    /** Returns whether it was answered. */
    async pass(ms: number) {
      await vi.advanceTimersByTimeAsync(ms);
      return program.waits.size === 0;
    },
  };
}

it.each([
  ['50 s', 24 * HOUR_MS, 50_000],
  ['hold_for, where that is less', 20_000, 20_000],
])('a client that asked for no progress is told after %s that its call is pending', async (_, holdMs, ms) => {
  const { answer, pass, progress } = await wait({ holdMs });
  expect(await pass(ms - 1)).toBe(false);
  expect(await pass(1)).toBe(true);
  expect(await answer).toContain('Pending: this has not run yet, and waits for Ana');
  expect(progress).toEqual([]);
});

it('a client that asked for progress hears it at once and every 15 s, with rising numbers, until hold_for is over', async () => {
  const { answer, pass, progress } = await wait({ holdMs: 2 * HOUR_MS, progressToken: 7 });
  const told = (progress: number) => ({ progressToken: 7, progress, message: 'Waiting for Ana…' });
  await pass(0);
  expect(progress).toEqual([told(1e-6)]);
  await pass(14_999);
  expect(progress).toEqual([told(1e-6)]);
  await pass(1);
  expect(progress).toEqual([told(1e-6), told(2e-6)]);
  expect(await pass(2 * HOUR_MS - 15_001)).toBe(false);
  expect(progress).toHaveLength(480);
  expect(await pass(1)).toBe(true);
  expect(await answer).toContain('Pending');
  await pass(HOUR_MS);
  expect(progress).toHaveLength(480);
});

it('what the tool tells of its progress is passed on between, and the numbers still rise', async () => {
  const { pass, progress, submit, waits } = await wait({ holdMs: HOUR_MS, progressToken: 7 });
  const { call } = await submit();
  const tell = (progress: number, message: string | null = null, total: number | null = 3) =>
    waits.tellProgress(call, { progress, total, message });
  await pass(0);
  tell(0, 'begun');
  tell(1.5);
  tell(0, 'once more', null);
  tell(3);
  tell(1e300, null, null);
  await pass(15_000);
  const told = progress.map((params) => z.object({ progress: z.number() }).parse(params).progress);
  expect(told).toEqual([1e-6, 2e-6, 1.5, 1.500001, 3, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]);
  expect(progress.slice(1, 4)).toEqual([
    { progressToken: 7, progress: 2e-6, total: 3, message: 'begun' },
    { progressToken: 7, progress: 1.5, total: 3 },
    { progressToken: 7, progress: 1.500001, message: 'once more' },
  ]);
});

it('a client cancels its own answers, and no other program’s with a request of the same id', () => {
  const answers = createOpenAnswers();
  const [own, other] = [answers.open('key:env')(1), answers.open('key:other')(1)];
  answers.cancel('key:other', 1);
  expect([own.gone.aborted, other.gone.aborted]).toEqual([false, true]);
});

it('a tool that tells of its progress without end, or at length, fills no memory of a client that does not read', async () => {
  const { pass, progress, submit, waits } = await wait({ holdMs: HOUR_MS, progressToken: 7 });
  const { call } = await submit();
  await pass(0);
  for (let told = 1; told <= 5_000; told += 1) {
    waits.tellProgress(call, { progress: told, total: null, message: '😀'.repeat(1_000) });
  }
  expect(progress).toHaveLength(1_000);
  const { message } = z.object({ message: z.string() }).parse(progress.at(-1));
  expect(message).toBe(`${'😀'.repeat(500)}…`);
  await pass(30_000);
  expect(progress).toHaveLength(1_002);
});
