import { expect, it } from 'vitest';
import { FairSlots } from '../../../src/lib/slots/fair-slots.ts';
import { WorkerSlot } from '../../../src/runs/limits/worker-slot.ts';

it('a thread that waits holds no worker, and goes on once it has one again', async () => {
  const slots = new FairSlots(1);
  const [one, other] = ['ana', 'bob'].map((owner) => new WorkerSlot(slots, owner));
  const happened: string[] = [];
  await one?.take();
  const answer = Promise.withResolvers<void>();
  const waiting = one?.during(() => answer.promise).then(() => happened.push('one goes on'));
  await other?.take();
  answer.resolve();
  // Whoever has the only worker works on meanwhile.
  await new Promise((turn) => setImmediate(turn));
  happened.push('other is done');
  other?.give();
  await waiting;
  expect(happened).toEqual(['other is done', 'one goes on']);
});
