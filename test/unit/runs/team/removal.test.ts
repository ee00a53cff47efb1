import { expect, it } from 'vitest';
import { recordRetention } from '../../../../src/app/record-retention.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { placeDigest } from '../../../../src/gate/call/order.ts';
import { taskThreadId } from '../../../../src/runs/team/ids.ts';
import { openNetworkOn } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { countRecords, createTestRemoval } from '../../../helpers/removal.ts';
import { openTestStorage } from '../../../helpers/storage.ts';
import { teamGraphs, teamModel } from '../../../helpers/team.ts';

const DAY = 86_400_000;
const KEEP = 30 * DAY;

it('a task that has ended stays as long as its plan goes on, however old it is, and is not begun again', async () => {
  const storage = await openTestStorage();
  const { store, checkpoints } = storage;
  const time = { now: 1_000 * DAY };
  const clock = () => time.now;
  const { model, asked } = teamModel([{ id: 'reads' }, { id: 'waits' }], (agent, messages) =>
    agent === 'waits' && messages.at(-1)?.getType() === 'human'
      ? [{ id: 'c1', name: 'create_event', args: { title: 'Lunch' } }]
      : `${agent} is done.`,
  );
  const network: ReturnType<typeof openNetworkOn> = openNetworkOn(
    { store, checkpoints, close: storage.close },
    { model, clock, graphs: teamGraphs([{ name: 'reads' }, { name: 'waits' }], () => network) },
  );
  network.runs.start();
  const rule = recordRetention(store, createTestRemoval({ store, checkpoints, clock }), KEEP);
  const sweep = async () =>
    (await rule.forget(time.now - KEEP, 200)) + (await rule.forget(time.now - KEEP, 200));

  const itemId = await network.send('do it all', { graph: 'team' });
  await network.runs.idle();
  const before = await countRecords(store);
  time.now += 2 * KEEP;
  expect(await sweep()).toBe(0);
  expect(await countRecords(store)).toEqual(before);

  const threadId = taskThreadId(THREAD, itemId, 'waits');
  const call = await network.call('c1', threadId);
  const shown = { callKey: callKey(threadId, 'c1'), digest: call.digest, place: placeDigest(call) };
  await network.gate.decisions.decide([{ ...shown, type: 'approve' }], ana);
  await network.runs.idle();
  expect(await network.item(itemId)).toMatchObject({ state: 'answered', response: 'Composed.' });
  expect(asked.filter((agent) => agent === 'reads')).toHaveLength(1);

  time.now += 2 * KEEP;
  expect(await sweep()).toBeGreaterThan(0);
  expect(await countRecords(store)).toMatchObject({ threads: 0, messages: 0, calls: 0, requests: 0 });
});
