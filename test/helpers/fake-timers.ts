import { onTestFinished, vi } from 'vitest';

/**
 * Fakes timers and the date for the rest of the test, for code on a real store. The time by which a store gives way to
 * sockets stands still: no fake clock waits for a turn of the event loop.
 */
export function fakeTimers(now: number): void {
  vi.useFakeTimers({
    now,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  });
  const time = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => {
    time.mockRestore();
    vi.useRealTimers();
  });
}
