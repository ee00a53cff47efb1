import { expect, onTestFinished, test, vi } from 'vitest';
import { createAskingServer, type Seen } from '../../../fixtures/mcp/asking.ts';
import { callOptions, testHub } from '../../../fixtures/mcp/harness.ts';

test.each([
  ['half an hour for each minute that it may be silent', 4 * 60_000, 120],
  ['an hour, where that is longer', 1_000, 60],
])(
  'for all progress a call ends after %s: in doubt, and its server is told to stop',
  async (_what, timeout_ms, minutes) => {
    const seen: Seen = { calls: [], cancelled: 0 };
    const { hub, send } = testHub(
      { asking: { in_process: 'asking', timeout_ms } },
      { inProcess: new Map([['asking', () => createAskingServer(seen)]]) },
    );
    await hub.start();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const called = send({ server: 'asking', name: 'steady', arguments: {} }, callOptions());
    while (seen.goOn === undefined) await new Promise(setImmediate);
    const onEnd = vi.fn();
    void called.then(onEnd);
    for (let time = 0; time < minutes * 60_000; time += timeout_ms / 2) {
      expect(onEnd).not.toHaveBeenCalled();
      await seen.goOn();
      await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(timeout_ms / 2);
    }
    expect(await called).toMatchObject({
      outcome: {
        status: 'in_doubt',
        message: `asking reported progress for ${minutes} minutes without an end after steady had been sent. Whether it happened is not known.`,
      },
      retry: null,
    });
    while (seen.cancelled === 0) await new Promise(setImmediate);
  },
);
