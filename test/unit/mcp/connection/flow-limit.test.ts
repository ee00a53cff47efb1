import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { limitFlow } from '../../../../src/mcp/connection/flow-limit.ts';

/** Reads a stream that never ends, and works so long on each of some pieces: the share of the time that took. */
function shareOfTime(workMs: number, pieces: number): Promise<number> {
  const stream = new Readable({ read: () => stream.push('x') });
  const begunAt = performance.now();
  let busyMs = 0;
  return new Promise((resolve) => {
    stream.on('data', () => {
      const from = performance.now();
      while (performance.now() - from < workMs);
      busyMs += performance.now() - from;
      pieces -= 1;
      if (pieces > 0) return;
      stream.destroy();
      resolve(busyMs / (performance.now() - begunAt));
    });
    limitFlow(stream);
  });
}

it.each([
  ['much work at a time', 20, 10],
  ['little work at a time', 2, 100],
])('a stream that never ends leaves most of the time to others: %s', async (_what, workMs, pieces) => {
  expect(await shareOfTime(workMs, pieces)).toBeLessThan(0.45);
});
