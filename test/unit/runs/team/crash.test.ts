import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { isOpenDoubt } from '../../../../src/gate/call/lifecycle.ts';
import { placeDigest } from '../../../../src/gate/call/order.ts';
import { taskThreadId } from '../../../../src/runs/team/ids.ts';
import { createFakeHub, type FakeHub } from '../../../helpers/fake-hub.ts';
import { type Network, openNetwork } from '../../../helpers/network.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { type CutAt, cutAtEachWrite } from '../../../helpers/power.ts';
import { teamGraphs, teamModel } from '../../../helpers/team.ts';

const ITEM_ID = 'm1';
const CALL_ID = 'c1';
const TASKS = [{ id: 'reads' }, { id: 'beside' }, { id: 'makes', depends_on: ['reads'] }];
const MAKES = taskThreadId(THREAD, ITEM_ID, 'makes');

/** A team of which one agent makes an event once another has read, beside a third. */
function open(hub: FakeHub, more: { readonly cutAt?: CutAt; readonly path?: string } = {}): Network {
  const { model } = teamModel(TASKS, (agent, messages) =>
    agent === 'makes' && messages.at(-1)?.getType() === 'human'
      ? [{ id: CALL_ID, name: 'create_event', args: { title: 'Lunch' } }]
      : `${agent} is done.`,
  );
  const agents = TASKS.map(({ id }) => ({ name: id }));
  const network: Network = openNetwork({
    hub,
    model,
    graphs: teamGraphs(agents, () => network),
    ...more,
  });
  return network;
}

/** Asks the team, and decides what is asked about, as far as the process gets. */
async function live(network: Network): Promise<void> {
  const { gate } = network;
  network.runs.start();
  await network.runs.sweep();
  await network.say('do it all', { itemId: ITEM_ID, graph: 'team' });
  const call = await gate.calls.get(callKey(MAKES, CALL_ID));
  if (call === null) return;
  const shown = { callKey: callKey(MAKES, CALL_ID), digest: call.digest };
  if (call.state === 'pending')
    await gate.decisions.decide([{ ...shown, place: placeDigest(call), type: 'approve' }], ana);
  // The person looks, and says what is so.
  const answer = network.hub.count('create_event') > 0 ? 'happened' : 'not_happened';
  if (isOpenDoubt(call))
    await gate.decisions.settleDoubt(shown.callKey, ana, { digest: call.digest, answer });
  await network.runs.idle();
}

it.each(['before', 'after'] as const)(
  'a team whose process ends %s any write carries out each task to its end, and sends its call at most once',
  async (side) => {
    const writes = await cutAtEachWrite(side, async (cutAt, at) => {
      const hub = createFakeHub();
      const first = open(hub, { cutAt });
      await Promise.race([live(first), first.power.cut]);
      const wasCut = !first.power.isOn();
      first.kill();
      const second = open(hub, { path: first.path });
      await live(second);

      expect([at, (await second.item(ITEM_ID)).state]).toEqual([at, 'answered']);
      expect([at, (await second.item(ITEM_ID)).response]).toEqual([at, 'Composed.']);
      const { state } = await second.call(CALL_ID, MAKES);
      const what = `${state}, sent ${hub.count('create_event')} times`;
      const fits = ['succeeded, sent 1 times', 'failed, sent 0 times'];
      expect(fits.map((fit) => [at, fit])).toContainEqual([at, what]);
      const view = await second.runs.team(ITEM_ID);
      const made = state === 'succeeded' ? 'done' : 'not_done';
      expect([at, view?.tasks.map((task) => `${task.taskId} ${task.state}`).toSorted()]).toEqual([
        at,
        ['beside done', `makes ${made}`, 'reads done'],
      ]);
      for (const threadId of [THREAD, ...TASKS.map(({ id }) => taskThreadId(THREAD, ITEM_ID, id))])
        await second.expectWhole(threadId);
      await second.close();
      await first.close();
      return { wasCut, power: first.power };
    });
    expect(writes.length).toBeGreaterThan(12);
  },
  240_000,
);
