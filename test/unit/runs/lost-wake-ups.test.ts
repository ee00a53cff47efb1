import { expect, it, vi } from 'vitest';
import type { ThreadChange } from '../../../src/runs/ports.ts';
import { inProcessWakeUps } from '../../../src/runs/wake-ups/in-process.ts';
import { startNetwork } from '../../helpers/network.ts';

/** Twice as many as are needed. */
const MOST_READS = 92;

/** Wake-ups of which those that `isLost` picks reach nobody. */
function losing(isLost: (change: ThreadChange | undefined) => boolean) {
  const wakeUps = inProcessWakeUps();
  return {
    ...wakeUps,
    wake(threadId: string, change?: ThreadChange) {
      if (!isLost(change)) wakeUps.wake(threadId, change);
    },
  };
}

it.each<[string, (change: ThreadChange | undefined) => boolean]>([
  ['anything', () => true],
  ['what the gate did', (change) => change?.type !== 'received'],
  ...(['opened', 'decided', 'started', 'ended'] as const).map(
    (type): [string, (change: ThreadChange | undefined) => boolean] => [
      `what was ${type}`,
      (change) => change?.type === type,
    ],
  ),
])('a worker that isn’t told of %s reads it, and takes each step once', async (_what, isLost) => {
  const network = startNetwork({ wakeUps: losing(isLost) });
  const run = vi.spyOn(network.agent, 'run');
  const reads = (['get', 'getMany', 'query'] as const).map((name) => vi.spyOn(network.disk, name));
  const rest = async () => {
    await network.runs.sweep();
    await network.runs.idle();
  };
  network.model.script([{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }], 'Done.');
  await network.send('make a standup', { itemId: 'm1' });
  await rest();
  expect(await network.isPending('c1')).toBe(true);
  await network.decide('c1');
  await rest();
  expect(await network.item('m1')).toMatchObject({ state: 'answered', response: 'Done.' });
  // It doesn't go round and round until it is told.
  expect(reads.flatMap(({ mock }) => mock.calls).length).toBeLessThan(MOST_READS);
  expect(run.mock.calls.map(([input]) => input.kind)).toEqual(['message', 'resume']);
  expect(network.events.map(({ type }) => type)).toEqual(['opened', 'decided', 'started', 'ended']);
  expect(network.hub.count('create_event')).toBe(1);
  await network.expectWhole();
});
