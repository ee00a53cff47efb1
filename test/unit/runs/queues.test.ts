import { expect, it } from 'vitest';
import { mailbox } from '../../../src/runs/collections.ts';
import { writtenWithout } from '../../helpers/damage.ts';
import { openNetwork, startNetwork } from '../../helpers/network.ts';

const EMPTY = { count: 0, oldestAt: null };

it('counts messages that no worker has begun, and says since when the first of them waits', async () => {
  let now = 1_000;
  const network = openNetwork({ clock: () => now });
  await network.send('1');
  now = 5_000;
  await network.send('2', { threadId: 'slack:T1:C2:1.0' });
  expect(await network.runs.queues()).toEqual({
    messages: { count: 2, oldestAt: 1_000 },
    held: EMPTY,
    running: EMPTY,
    people: EMPTY,
    calls: EMPTY,
  });
});

it('tells what runs from what is held until people have decided', async () => {
  const network = startNetwork({ clock: () => 1_000 });
  network.model.script([{ id: 'c1', name: 'create_event', args: { title: 'Standup' } }]);
  await network.say('make a standup');
  await network.say('and the weather?');
  const one = { count: 1, oldestAt: 1_000 };
  const asked = { messages: EMPTY, held: one, running: one, people: one, calls: EMPTY };
  expect(await network.runs.queues()).toEqual(asked);
  network.model.script('Made it.', 'Sunny.');
  await network.decide('c1');
  const none = { messages: EMPTY, held: EMPTY, running: EMPTY, people: EMPTY, calls: EMPTY };
  expect(await network.runs.queues()).toEqual(none);
});

it('messages of an earlier version, which knew of no queues, are counted after the start', async () => {
  const network = openNetwork({ clock: () => 1_000 });
  const itemId = await network.send('1');
  await writtenWithout(network.store, { collection: mailbox, ids: [itemId], unknown: ['openByState'] });
  expect((await network.runs.queues()).messages).toEqual(EMPTY);
  expect(await network.runs.migrate()).toBe(1);
  expect((await network.runs.queues()).messages).toEqual({ count: 1, oldestAt: 1_000 });
});
