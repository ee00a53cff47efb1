import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { callKey } from '../../../src/gate/call/digest.ts';
import { createFakeHub, slowTool } from '../../helpers/fake-hub.ts';
import { openNetwork } from '../../helpers/network.ts';
import { ana, THREAD } from '../../helpers/people.ts';

it('what another process decides reaches the worker that sends another call of the request', async () => {
  const latch = Promise.withResolvers<void>();
  const hub = createFakeHub(slowTool('calendar', 'slow_event', latch.promise));
  const worker = openNetwork({ hub, othersAreGone: false });
  const web = openNetwork({ hub, othersAreGone: false, path: worker.path });
  onTestFinished(async () => {
    await web.close();
    await worker.close();
  });
  worker.model.script(
    [
      { id: 'c1', name: 'slow_event', args: { title: 'Standup' } },
      { id: 'c2', name: 'create_event', args: { title: 'Lunch' } },
    ],
    'Both are made.',
  );
  worker.runs.start();
  await worker.send('make both', { itemId: 'm1' });
  await expect.poll(() => worker.isPending('c2'), { timeout: 10_000 }).toBe(true);
  const decide = async (network: typeof web, callId: string) => {
    const { digest } = await network.call(callId);
    await network.gate.decisions.decide([{ callKey: callKey(THREAD, callId), digest, type: 'approve' }], ana);
  };
  await decide(worker, 'c1');
  await hub.sentTimes('slow_event', 1);
  // The worker comes to rest beside the call under way: all that it waits for else is in this process.
  for (let turns = 0; turns < 50; turns += 1) await setImmediate();
  // Nobody tells the worker of this one: its wake-ups are those of its own process.
  await decide(web, 'c2');
  // Far sooner than the sweep would find it.
  await expect.poll(() => hub.count('create_event'), { timeout: 5_000 }).toBe(1);
  expect((await web.call('c1')).state).toBe('executing');
  latch.resolve();
  await worker.runs.idle();
  expect((await web.item('m1')).response).toBe('Both are made.');
  await web.expectWhole();
});
