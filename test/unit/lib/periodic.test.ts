import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPeriodic } from '../../../src/lib/periodic.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work of which each run ends when the test says so. */
function open() {
  const runs: PromiseWithResolvers<void>[] = [];
  const logged: string[] = [];
  const periodic = createPeriodic({
    name: 'test sweep',
    everyMs: 1_000,
    run() {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    log: { error: (_details, message) => void logged.push(message) },
  });
  const end = async (index: number) => {
    runs[index]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
  };
  return { periodic, runs, logged, end };
}

describe('periodic work', () => {
  it('runs at the start and then every so often', async () => {
    const { periodic, runs, end } = open();
    void periodic.start();
    expect(runs).toHaveLength(1);
    await end(0);
    await vi.advanceTimersByTimeAsync(999);
    expect(runs).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toHaveLength(2);
  });

  it('never runs twice at the same time, also when it takes longer than its interval', async () => {
    const { periodic, runs, end } = open();
    void periodic.start();
    await vi.advanceTimersByTimeAsync(3_500);
    expect(runs).toHaveLength(1);
    await end(0);
    await vi.advanceTimersByTimeAsync(500);
    expect(runs).toHaveLength(2);
  });

  it('runs once more for all who ask while it runs, and lets them wait for that', async () => {
    const { periodic, runs, end } = open();
    void periodic.runNow();
    const asked = Promise.all([periodic.runNow(), periodic.runNow()]);
    expect(runs).toHaveLength(1);
    await end(0);
    expect(runs).toHaveLength(2);
    await end(1);
    await asked;
    expect(runs).toHaveLength(2);
  });

  it('logs a run that fails, and runs again', async () => {
    const { periodic, runs, logged } = open();
    const first = periodic.runNow();
    runs[0]?.reject(new Error('the store is away'));
    await expect(first).resolves.toBeUndefined();
    expect(logged).toEqual(['test sweep failed: the store is away']);
    void periodic.runNow();
    expect(runs).toHaveLength(2);
  });

  it('has come to rest when it has stopped', async () => {
    const { periodic, runs, end } = open();
    void periodic.start();
    let hasStopped = false;
    const stopped = periodic.stop().then(() => {
      hasStopped = true;
    });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(hasStopped).toBe(false);
    await end(0);
    await stopped;
    expect(runs).toHaveLength(1);
  });
});
