import { setTimeout as after } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { GateEvent } from '../../../../src/gate/call/events.ts';
import { recordKey } from '../../../../src/gate/types.ts';
import { outbox as rows } from '../../../../src/slack/outbox/collections.ts';
import { announceGate, timeUntilShown } from '../../../../src/slack/outbox/enqueue.ts';
import { ana } from '../../../helpers/people.ts';
import { call, openOutbox, said } from '../../../helpers/slack-outbox.ts';
import { callRecord } from '../cards/fixtures.ts';

/** A call with its card in #general, and what happens to it, as the gate tells the outbox. */
async function openCard() {
  const scene = await openOutbox();
  const threadId = scene.threadId('general');
  const record = callRecord({ threadId, requestId: 'r1' });
  const card = call(recordKey(record));
  await scene.present('general', card, said('waits'));
  const decision = { type: 'approve' as const, actor: ana, at: Date.now(), feedback: null };
  const happen = async (
    type: 'decided' | 'started' | 'ended',
    state: 'approved' | 'executing' | 'succeeded',
    words: string,
  ) => {
    const changed = callRecord({ threadId, requestId: 'r1', state, decision });
    const event: GateEvent = type === 'decided' ? { type, calls: [changed] } : { type, call: changed };
    scene.show(card, said(words));
    await scene.store.commit({ put: [...announceGate(event, Date.now)] });
    scene.wake('general', { dueInMs: timeUntilShown(event, Date.now) });
  };
  return {
    scene,
    happen,
    /** What the card was changed to, in order. */
    changes: () => scene.driver.calls('chat.update').map(({ args }) => args.text),
    decidedAt: decision.at,
    /** How often somebody looks from now on for what waits in a channel. */
    countLooks() {
      const query = vi.spyOn(scene.store, 'query');
      return () => query.mock.calls.filter(([collection]) => collection.name === rows.name).length;
    },
  };
}

it('a card that is approved, runs and is done within a moment is changed once', async () => {
  const { scene, happen, changes } = await openCard();
  await happen('decided', 'approved', 'approved');
  await happen('started', 'executing', 'running');
  await after(100);
  expect(changes()).toEqual([]);
  await happen('ended', 'succeeded', 'done');
  await scene.emptied();
  await after(1_000);
  expect(changes()).toEqual(['done']);
});

it('a call that is slow is seen to run within a second of the click, and then to be done', async () => {
  const { scene, happen, changes, decidedAt } = await openCard();
  await happen('decided', 'approved', 'approved');
  await after(300);
  await happen('started', 'executing', 'running');
  await vi.waitFor(() => expect(changes()).toEqual(['running']), { timeout: 3_000, interval: 10 });
  expect((scene.driver.calls('chat.update')[0]?.at ?? 0) - decidedAt).toBeGreaterThanOrEqual(700);
  await happen('ended', 'succeeded', 'done');
  await scene.emptied();
  expect(changes()).toEqual(['running', 'done']);
});

it('a state that waits to be shown outlasts the process', async () => {
  const { scene, happen, changes } = await openCard();
  await happen('decided', 'approved', 'approved');
  await scene.outbox.stop();
  expect(changes()).toEqual([]);
  await scene.start().start();
  await scene.emptied();
  expect(changes()).toEqual(['approved']);
});

it('what is new in the channel does not wait for it', async () => {
  const { scene, happen, changes } = await openCard();
  await happen('decided', 'approved', 'approved');
  scene.show(call('other'), said('another card'));
  await scene.post('general', call('other'));
  await vi.waitFor(() => expect(scene.shown('general')).toContain('another card'), { interval: 10 });
  expect(changes()).toEqual([]);
  await scene.emptied();
  expect(changes()).toEqual(['approved']);
});

it('nobody looks for it before it is due', async () => {
  const { happen, changes, countLooks } = await openCard();
  const looks = countLooks();
  await happen('decided', 'approved', 'approved');
  await happen('started', 'executing', 'running');
  await after(100);
  expect(looks()).toBe(0);
  await vi.waitFor(() => expect(changes()).toEqual(['running']), { timeout: 3_000, interval: 10 });
  expect(looks()).toBeGreaterThan(0);
});

it('what is due later is shown in time where it comes while something else is being shown', async () => {
  const { scene, happen, changes, decidedAt } = await openCard();
  const showing = Promise.withResolvers<void>();
  scene.world.set('call:slow', async () => {
    await showing.promise;
    return { messages: [said('slow')], onlyUpdate: false };
  });
  await scene.post('general', call('slow'));
  await after(50);
  await happen('decided', 'approved', 'approved');
  showing.resolve();
  await vi.waitFor(() => expect(changes()).toEqual(['approved']), { timeout: 3_000, interval: 10 });
  expect((scene.driver.calls('chat.update')[0]?.at ?? 0) - decidedAt).toBeLessThan(2_000);
});
