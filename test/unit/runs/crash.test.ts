import { type BaseMessage, isHumanMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { policySchema } from '../../../src/gate/policy/schema.ts';
import { createFakeHub, type FakeHub, slowTool } from '../../helpers/fake-hub.ts';
import { type Network, type NetworkOptions, openNetwork, startNetwork } from '../../helpers/network.ts';
import { ana, THREAD } from '../../helpers/people.ts';
import { type CutAt, cutAtEachWrite, puts } from '../../helpers/power.ts';
import { callAndReport, ScriptedModel } from '../../helpers/scripted-model.ts';

const CALL_ID = 'c1';
const ITEM_ID = 'm1';

function open(tool: string, hub: FakeHub, options: NetworkOptions = {}): Network {
  return openNetwork({ hub, model: callAndReport(tool, CALL_ID), ...options });
}

/** Says the message and approves its call, as far as the process gets; true when it lost its power. */
async function live(network: Network): Promise<boolean> {
  network.runs.start();
  const whole = async () => {
    await network.say('make a standup', { itemId: ITEM_ID });
    await network.decide(CALL_ID);
  };
  await Promise.race([whole(), network.power.cut]);
  const wasCut = !network.power.isOn();
  network.kill();
  return wasCut;
}

/** A second process on the same file: the message comes again if its sender was not told of it, and so on. */
async function liveOn(network: Network): Promise<void> {
  network.runs.start();
  await network.runs.sweep();
  await network.say('make a standup', { itemId: ITEM_ID });
  if (await network.isPending(CALL_ID)) await network.decide(CALL_ID);
  // The person looks, and says what is so.
  const happened = network.hub.sent.length > 0;
  if (await network.isInDoubt(CALL_ID)) await network.settle(CALL_ID, happened ? 'happened' : 'not_happened');
}

async function crashAndGoOn(cutAt: CutAt, tool = 'create_event', hub = createFakeHub()) {
  const first = open(tool, hub, { cutAt });
  const wasCut = await live(first);
  const second = open(tool, hub, { path: first.path });
  await liveOn(second);
  return {
    first,
    second,
    wasCut,
    async close() {
      await second.close();
      await first.close();
    },
  };
}

describe('a process that ends', () => {
  it.each<[string, CutAt]>([
    [
      'after the message was received',
      ({ change }) => (puts(change, 'mailbox', { state: 'queued' }) ? 'after' : null),
    ],
    [
      'after the message was taken',
      ({ change }) => (puts(change, 'mailbox', { state: 'running' }) ? 'after' : null),
    ],
    [
      'after the interrupt, before its request opens',
      ({ change }) => (puts(change, 'requests', { state: 'open' }) ? 'before' : null),
    ],
    [
      'after the request opened',
      ({ change }) => (puts(change, 'requests', { state: 'open' }) ? 'after' : null),
    ],
    [
      'after the decision, before the call is sent',
      ({ change }) => (puts(change, 'calls', { state: 'executing' }) ? 'before' : null),
    ],
    ['after the outcome', ({ change }) => (puts(change, 'calls', { state: 'succeeded' }) ? 'after' : null)],
    [
      'after the request closed, before the graph resumes',
      ({ change }) => (puts(change, 'requests', { state: 'closed' }) ? 'after' : null),
    ],
    [
      'after the graph came to its end, before the answer is kept',
      ({ change }) => (puts(change, 'mailbox', { state: 'answered' }) ? 'before' : null),
    ],
  ])('%s loses nothing and runs the call once', async (_when, cutAt) => {
    const hub = createFakeHub();
    const world = await crashAndGoOn(cutAt, 'create_event', hub);
    expect(world.wasCut).toBe(true);
    expect(hub.count('create_event')).toBe(1);
    expect(await world.second.item(ITEM_ID)).toMatchObject({
      state: 'answered',
      response: 'Result: created Standup',
    });
    await world.second.expectWhole();
    await world.close();
  });

  it('during the call leaves it in doubt, does not send it again, and goes on by what a person says', async () => {
    const hub = createFakeHub(slowTool('calendar', 'slow_event', new Promise(() => {})));
    const first = open('slow_event', hub);
    first.runs.start();
    await first.say('make it', { itemId: ITEM_ID });
    void first.decide(CALL_ID);
    await hub.sentTimes('slow_event', 1);
    first.kill();

    const second = open('slow_event', hub, { path: first.path });
    second.runs.start();
    await second.runs.sweep();
    await second.runs.idle();
    expect(hub.count('slow_event')).toBe(1);
    expect(await second.isInDoubt(CALL_ID)).toBe(true);
    expect((await second.item(ITEM_ID)).state).toBe('running');
    await second.settle(CALL_ID, 'happened');
    expect(await second.resultOf(CALL_ID)).toBe('Ana says that it happened.');
    expect((await second.item(ITEM_ID)).state).toBe('answered');
    expect(hub.count('slow_event')).toBe(1);
    await second.expectWhole();
  });

  it.each(['before', 'after'] as const)(
    '%s any write sends the call at most once and concludes the message',
    async (side) => {
      const writes = await cutAtEachWrite(side, async (cutAt, at) => {
        const hub = createFakeHub();
        const { first, second, wasCut, close } = await crashAndGoOn(cutAt, 'create_event', hub);
        const { state } = await second.call(CALL_ID);
        // Between the intent and the sending, what is in doubt has not happened; a person says so.
        const what = `${state}, sent ${hub.count('create_event')} times`;
        const fits = ['succeeded, sent 1 times', 'failed, sent 0 times'];
        expect(fits.map((fit) => [at, fit])).toContainEqual([at, what]);
        expect([at, (await second.item(ITEM_ID)).state]).toEqual([at, 'answered']);
        await second.expectWhole();
        await close();
        return { wasCut, power: first.power };
      });
      expect(writes.filter((kind) => kind === 'checkpoint')).toHaveLength(2);
      expect(writes.length).toBeGreaterThan(8);
    },
    120_000,
  );

  it('after a doubt that is asked about again, between any two writes, sends once for each approval', async () => {
    /** Dies while the call is sent, and leaves its database. */
    const diedWhileSending = async (hub: FakeHub): Promise<Network> => {
      const network = open('create_event', hub, {
        cutAt: ({ change }) => (puts(change, 'calls', { state: 'succeeded' }) ? 'before' : null),
      });
      expect(await live(network)).toBe(true);
      return network;
    };
    const askAgain = async (network: Network): Promise<void> => {
      network.runs.start();
      await network.runs.sweep();
      await network.runs.idle();
      if (await network.isInDoubt(CALL_ID)) await network.settle(CALL_ID, 'ask_again');
      if (await network.isPending(CALL_ID)) await network.decide(CALL_ID);
    };
    const writes = await cutAtEachWrite('after', async (cutAt, at) => {
      const hub = createFakeHub();
      const first = await diedWhileSending(hub);
      const second = open('create_event', hub, { path: first.path, cutAt });
      await Promise.race([askAgain(second), second.power.cut]);
      const wasCut = !second.power.isOn();
      second.kill();
      const third = open('create_event', hub, { path: first.path });
      third.runs.start();
      await third.runs.sweep();
      await third.runs.idle();
      if (await third.isInDoubt(CALL_ID)) await third.settle(CALL_ID, 'happened');
      if (await third.isPending(CALL_ID)) await third.decide(CALL_ID);
      expect([at, (await third.call(CALL_ID)).state]).toEqual([at, 'succeeded']);
      expect(hub.count('create_event')).toBeLessThanOrEqual(2);
      expect([at, (await third.item(ITEM_ID)).state]).toEqual([at, 'answered']);
      await third.expectWhole();
      for (const network of [third, second, first]) await network.close();
      return { wasCut, power: second.power };
    });
    expect(writes.length).toBeGreaterThan(5);
  }, 120_000);

  /** Asks a question, is told what was used for it, and then answers whatever comes. */
  const asking = () =>
    new ScriptedModel((messages: readonly BaseMessage[]) => {
      const last = messages.at(-1);
      if (messages.filter((it) => isHumanMessage(it)).length === 1 && last && isHumanMessage(last)) {
        return { calls: [{ id: CALL_ID, name: 'ask_user', args: { question: 'At what time?' } }] };
      }
      return { text: `Heard: ${last?.text}` };
    });

  it.each(['before', 'after'] as const)('%s a reply is taken as the answer uses it once', async (side) => {
    const cutAt: CutAt = ({ change }) => (puts(change, 'calls', { state: 'succeeded' }) ? side : null);
    const first = startNetwork({ model: asking(), cutAt });
    await first.say('make a standup', { itemId: ITEM_ID });
    await Promise.race([first.say('at ten', { itemId: 'm2' }), first.power.cut]);
    expect(first.power.isOn()).toBe(false);
    first.kill();
    const second = startNetwork({ model: asking(), path: first.path });
    await second.runs.sweep();
    await second.runs.idle();
    expect(await second.resultOf(CALL_ID)).toBe('at ten');
    expect(await second.item(ITEM_ID)).toMatchObject({ state: 'answered', response: 'Heard: at ten' });
    expect(await second.item('m2')).toMatchObject({ state: 'answered', runId: null, response: null });
    await second.expectWhole();
  });

  describe('while a message is used as feedback', () => {
    async function cutOff(
      side: 'before' | 'after',
      click: (network: Network) => Promise<void>,
    ): Promise<Network> {
      const cutAt: CutAt = ({ change }) => (puts(change, 'calls', { state: 'rejected' }) ? side : null);
      const first = open('create_event', createFakeHub(), { cutAt });
      first.runs.start();
      await first.say('make a standup', { itemId: ITEM_ID });
      await first.say('make it ten', { itemId: 'm2' });
      await Promise.race([click(first), first.power.cut]);
      expect(first.power.isOn()).toBe(false);
      first.kill();
      const second = open('create_event', createFakeHub(), { path: first.path });
      second.runs.start();
      await second.runs.sweep();
      await second.runs.idle();
      return second;
    }
    async function expectUsedOnce(second: Network): Promise<void> {
      expect(await second.resultOf(CALL_ID)).toBe('Sent back by Ana with feedback: make it ten');
      expect(await second.item('m2')).toMatchObject({ state: 'answered', runId: null, response: null });
      await second.expectWhole();
    }

    it('keeps it for another click, before the commit', async () => {
      const second = await cutOff('before', (network) => network.runs.useAsFeedback('m2', ana));
      expect((await second.item('m2')).state).toBe('held');
      await second.runs.useAsFeedback('m2', ana);
      await second.runs.idle();
      await expectUsedOnce(second);
    });

    it('has used it, after the commit', async () => {
      const second = await cutOff('after', (network) => network.runs.useAsFeedback('m2', ana));
      await expectUsedOnce(second);
    });
  });

  it('during a call of an idempotent tool sends it again, and nobody is asked', async () => {
    const policy = policySchema.parse({ idempotent: ['calendar.create_event'] });
    const hub = createFakeHub();
    const cutAt: CutAt = ({ change }) => (puts(change, 'calls', { state: 'succeeded' }) ? 'before' : null);
    const first = open('create_event', hub, { policy, cutAt });
    expect(await live(first)).toBe(true);
    const second = open('create_event', hub, { policy, path: first.path });
    second.runs.start();
    await second.runs.sweep();
    await second.runs.idle();
    expect(hub.count('create_event')).toBe(2);
    expect(await second.call(CALL_ID)).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect((await second.item(ITEM_ID)).response).toBe('Result: created Standup');
    await second.expectWhole();
  });

  it('between any two writes leaves a thread that can be stopped and used again', async () => {
    let stops = 0;
    const writes = await cutAtEachWrite('after', async (cutAt, at) => {
      const hub = createFakeHub();
      const first = open('create_event', hub, { cutAt });
      const wasCut = await live(first);
      const second = open('create_event', hub, { path: first.path });
      const stopped = await second.runs.cancel(THREAD, ana);
      second.runs.start();
      await second.runs.sweep();
      await second.runs.idle();
      if (stopped) {
        // A graph that had come to its end has nothing left to stop, and its answer is told.
        const { state } = await second.item(ITEM_ID);
        expect([
          [at, 'cancelled'],
          [at, 'answered'],
        ]).toContainEqual([at, state]);
        await second.expectWhole();
        second.model.script('I am still here.');
        const next = await second.say('hello?', { itemId: 'm2' });
        expect([at, next.response]).toEqual([at, 'I am still here.']);
        stops += 1;
      }
      await second.close();
      await first.close();
      return { wasCut, power: first.power };
    });
    expect(writes.length).toBeGreaterThan(8);
    expect(stops).toBeGreaterThan(5);
  }, 120_000);
});
