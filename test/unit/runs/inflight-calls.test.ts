import { expect, it } from 'vitest';
import { InflightCalls } from '../../../src/runs/inflight-calls.ts';

it('what is only looked up holds up nothing, and is left as the worker leaves', async () => {
  const back: string[] = [];
  const calls = new InflightCalls((id) => back.push(id));
  const sent = Promise.withResolvers<void>();
  calls.add('c1', sent.promise);
  calls.lookUp('c2', (left) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    left.addEventListener('abort', () => resolve());
    return promise;
  });
  expect([...calls.callIds()]).toEqual(['c1']);
  expect([calls.count, [...calls.lookedUp]]).toEqual([2, ['c2']]);
  sent.resolve();
  await expect.poll(() => back).toEqual(['c1']);
  await calls.settled();
  expect(back).toEqual(['c1', 'c2']);
  calls.throwIfFailed();
});
