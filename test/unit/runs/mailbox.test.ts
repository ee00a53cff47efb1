import { describe, expect, it } from 'vitest';
import { threads, work } from '../../../src/runs/collections.ts';
import { askingTool, createFakeHub, slowTool } from '../../helpers/fake-hub.ts';
import { HTTP, type NetworkOptions, openNetwork, startNetwork } from '../../helpers/network.ts';
import { ana, bob, THREAD } from '../../helpers/people.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const create = (id: string, title = 'Standup') => [{ id, name: 'create_event', args: { title } }];

describe('receiving', () => {
  it('makes the message, its thread and the mark of work durable before anything else', async () => {
    const network = openNetwork();
    await network.send('hello', { itemId: 'm1' });
    expect(await network.item('m1')).toMatchObject({ state: 'queued', text: 'hello', actor: ana });
    expect((await network.store.get(threads, THREAD))?.value.surface.kind).toBe('slack');
    expect(await network.store.get(work, THREAD)).not.toBeNull();
  });

  it('takes the same message once', async () => {
    const network = startNetwork();
    network.model.script('Hello.', 'Hello again.');
    await network.say('hello', { itemId: 'm1' });
    await network.say('hello', { itemId: 'm1' });
    expect(network.model.seen).toHaveLength(1);
  });

  it('takes one of the same message that comes many times at once', async () => {
    const network = openNetwork();
    const message = { threadId: THREAD, surface: HTTP, itemId: 'm1', actor: ana, text: 'hello', at: 1 };
    const results = await Promise.all(Array.from({ length: 20 }, () => network.runs.receive(message)));
    expect(results.filter((isNew) => isNew)).toHaveLength(1);
  });
});

describe('messages of one thread', () => {
  it('are answered one after another, in the order in which they were sent', async () => {
    const network = startNetwork();
    const first = Promise.withResolvers<void>();
    network.model.script({ text: 'one', until: first.promise }, 'two', 'three');
    const ids = [await network.send('1'), await network.send('2'), await network.send('3')];
    await network.model.askedTimes(1);
    first.resolve();
    await network.runs.idle();
    const answers = await Promise.all(ids.map(async (id) => (await network.item(id)).response));
    expect(answers).toEqual(['one', 'two', 'three']);
  });

  it('of different threads do not wait for one another', async () => {
    const network = startNetwork();
    const never = Promise.withResolvers<void>();
    network.model.script({ text: 'slow', until: never.promise }, 'quick');
    await network.send('1');
    await network.model.askedTimes(1);
    const other = await network.send('2', { threadId: 'slack:T1:C2:1.0' });
    while ((await network.item(other)).state !== 'answered') await new Promise(setImmediate);
    never.resolve();
    await network.runs.idle();
  });
});

describe('a message while a request is open', () => {
  async function waiting(options: NetworkOptions = {}) {
    const network = startNetwork(options);
    network.model.script(create('c1'));
    const first = await network.say('make a standup');
    return { network, first };
  }

  it('is held, people are told, and it is answered when the request has ended', async () => {
    const { network, first } = await waiting();
    const second = await network.say('and the weather?');
    expect(second.state).toBe('held');
    expect(network.runEvents.filter(({ type }) => type === 'held')).toHaveLength(1);
    network.model.script('Made it.', 'Sunny.');
    await network.decide('c1');
    expect((await network.item(first.itemId)).response).toBe('Made it.');
    expect((await network.item(second.itemId)).response).toBe('Sunny.');
    await network.expectWhole();
  });

  it('can be used as the reason for a rejection', async () => {
    const { network, first } = await waiting();
    const second = await network.say('make it 10am');
    network.model.script('I will not make it then.');
    await network.runs.useAsFeedback(second.itemId, ana);
    await network.runs.idle();
    expect(await network.call('c1')).toMatchObject({
      state: 'rejected',
      decision: { feedback: 'make it 10am' },
    });
    expect(await network.item(second.itemId)).toMatchObject({ state: 'answered', response: null });
    expect((await network.item(first.itemId)).response).toBe('I will not make it then.');
    expect(network.model.seen).toHaveLength(2);
    await network.expectWhole();
  });

  it('can take the place of what waits', async () => {
    const { network, first } = await waiting();
    const second = await network.say('never mind, the weather?');
    network.model.script('Sunny.');
    await network.runs.withdrawFor(second.itemId, ana);
    await network.runs.idle();
    expect((await network.call('c1')).state).toBe('cancelled');
    expect(await network.item(first.itemId)).toMatchObject({ state: 'answered', response: null });
    expect((await network.item(second.itemId)).response).toBe('Sunny.');
    await network.expectWhole();
  });

  it('is of no use to anybody but the requester of what waits', async () => {
    const { network } = await waiting();
    const second = await network.say('I want it off', { actor: bob });
    await expect(network.runs.useAsFeedback(second.itemId, bob)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    await expect(network.runs.withdrawFor(second.itemId, bob)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    expect((await network.call('c1')).state).toBe('pending');
  });

  it('is used on nothing but what waited when its button was shown', async () => {
    const { network } = await waiting();
    await network.say('move it to six');
    const third = await network.say('and what is on my calendar?');
    const { requestId } = await network.call('c1');
    network.model.script('Made it.', create('c2'));
    await network.decide('c1');
    expect((await network.call('c2')).state).toBe('pending');
    const { useAsFeedback, useAsAnswer, withdrawFor } = network.runs;
    for (const use of [useAsFeedback, useAsAnswer, withdrawFor])
      await expect(use(third.itemId, ana, requestId)).rejects.toMatchObject({ refusal: 'changed' });
    const { requestId: now } = await network.call('c2');
    network.model.script('Nothing then.', 'It is empty.');
    await useAsFeedback(third.itemId, ana, now);
    expect((await network.call('c2')).state).toBe('rejected');
  });

  it('is of no use any more when the request has ended', async () => {
    const { network } = await waiting();
    const second = await network.say('make it 10am');
    network.model.script('Made it.', 'At ten, then.');
    await network.decide('c1');
    await expect(network.runs.useAsFeedback(second.itemId, ana)).rejects.toMatchObject({
      refusal: 'already_decided',
    });
  });

  it('over HTTP takes the place of what waits by itself', async () => {
    const network = startNetwork();
    network.model.script(create('c1'), 'Sunny.');
    const first = await network.say('make a standup', { surface: HTTP });
    const second = await network.say('the weather?', { surface: HTTP });
    expect((await network.call('c1')).state).toBe('superseded');
    expect(await network.item(first.itemId)).toMatchObject({ state: 'answered', response: null });
    expect(second.response).toBe('Sunny.');
    await network.expectWhole();
  });
});

describe('a question', () => {
  const ask = [{ id: 'q1', name: 'ask_user', args: { question: 'At what time?' } }];

  it('is answered by a reply in the thread, which is no message of its own', async () => {
    const network = startNetwork();
    network.model.script(ask, 'At ten, then.');
    const first = await network.say('make a standup');
    const reply = await network.say('at ten');
    expect(await network.resultOf('q1')).toBe('at ten');
    expect((await network.item(first.itemId)).response).toBe('At ten, then.');
    expect(reply).toMatchObject({ state: 'answered', response: null });
    await network.expectWhole();
  });

  it('is not answered by what was written before it was asked', async () => {
    const network = startNetwork({ clock: steps() });
    const thought = Promise.withResolvers<void>();
    network.model.script({ calls: ask, until: thought.promise }, 'At ten, then.', 'Sunny.');
    await network.send('make a standup');
    await network.model.askedTimes(1);
    const early = await network.send('and the weather?');
    thought.resolve();
    await network.runs.idle();
    expect((await network.item(early)).state).toBe('held');
    expect((await network.call('q1')).state).toBe('pending');
    await network.decide('q1', { type: 'answer', feedback: 'at ten' });
    expect((await network.item(early)).response).toBe('Sunny.');
  });

  it('is answered by what was written before it was asked, when a person says so', async () => {
    const network = startNetwork({ clock: steps() });
    const thought = Promise.withResolvers<void>();
    network.model.script({ calls: ask, until: thought.promise }, 'At ten, then.');
    await network.send('make a standup');
    await network.model.askedTimes(1);
    const early = await network.send('at ten');
    thought.resolve();
    await network.runs.idle();
    await expect(network.runs.useAsFeedback(early, ana)).rejects.toMatchObject({
      refusal: 'already_decided',
    });
    await expect(network.runs.useAsAnswer(early, bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    expect((await network.item(early)).state).toBe('held');
    await network.runs.useAsAnswer(early, ana);
    await network.runs.idle();
    expect(await network.resultOf('q1')).toBe('at ten');
    expect(await network.item(early)).toMatchObject({ state: 'answered', usedAs: 'answer', response: null });
    await network.expectWhole();
  });

  it('whose time is over is not answered by a reply, which is then a message', async () => {
    const clock = { now: 1_000 };
    const network = startNetwork({ clock: () => clock.now, requestLifetimeMs: 10 });
    network.model.script(ask, 'Nobody answered.', 'You said at ten.');
    const first = await network.say('make a standup');
    clock.now += 10;
    const reply = await network.say('at ten');
    expect((await network.call('q1')).state).toBe('expired');
    expect((await network.item(first.itemId)).response).toBe('Nobody answered.');
    expect(reply.response).toBe('You said at ten.');
  });

  /** A clock that goes on by a millisecond whenever it is read. */
  function steps(): () => number {
    let now = 1_000;
    return () => {
      now += 1;
      return now;
    };
  }
});

describe('cancelling', () => {
  it('ends what waits, tells who stopped it, and leaves the thread usable', async () => {
    const network = startNetwork();
    network.model.script(create('c1'));
    const first = await network.say('make a standup');
    expect(await network.runs.cancel(THREAD, ana)).toBe(true);
    await network.runs.idle();
    expect((await network.call('c1')).state).toBe('cancelled');
    expect(await network.item(first.itemId)).toMatchObject({
      state: 'cancelled',
      response: 'Stopped by Ana. What had already run is not undone.',
    });
    expect(network.model.seen).toHaveLength(1);
    await network.expectWhole();
    network.model.script('Still here.');
    expect((await network.say('hello?')).response).toBe('Still here.');
    await network.expectWhole();
  });

  it.each([
    ['an approved', 'slow_event', true],
    ['an allowed', 'list_slowly', false],
  ])('reaches %s call that runs, which is then in doubt', async (_what, name, approve) => {
    const hub = createFakeHub(slowTool('calendar', name, new Promise(() => {})));
    const network = startNetwork({ hub });
    network.model.script([{ id: 'c1', name, args: {} }]);
    const itemId = await network.send('do it');
    if (approve) {
      await network.runs.idle();
      void network.decide('c1');
    }
    await hub.sentTimes(name, 1);
    expect(await network.runs.cancel(THREAD, ana)).toBe(true);
    await network.runs.idle();
    expect((await network.call('c1')).state).toBe('in_doubt');
    expect((await network.item(itemId)).state).toBe('cancelled');
    expect(await network.resultOf('c1')).toMatch(/^It is unclear/);
    await network.expectWhole();
    network.model.script('Still here.');
    expect((await network.say('hello?')).response).toBe('Still here.');
  });

  it('reaches a model that is thinking', async () => {
    const network = startNetwork();
    network.model.script({ text: 'never', until: new Promise(() => {}) });
    const itemId = await network.send('think');
    await network.model.askedTimes(1);
    await network.runs.cancel(THREAD, ana);
    await network.runs.idle();
    expect((await network.item(itemId)).state).toBe('cancelled');
    expect(network.errors).toEqual([]);
    network.model.script('Still here.');
    expect((await network.say('hello?')).response).toBe('Still here.');
    await network.expectWhole();
  });

  it('does not send what was approved and not sent yet', async () => {
    const network = startNetwork();
    network.model.script(create('c1'));
    await network.say('make a standup');
    await network.runs.stop();
    await network.decide('c1');
    await network.runs.cancel(THREAD, ana);

    const next = startNetwork({ path: network.path, hub: network.hub });
    await next.runs.sweep();
    await next.runs.idle();
    expect(network.hub.sent).toEqual([]);
    expect((await next.call('c1')).state).toBe('cancelled');
    await next.expectWhole();
  });

  it('leaves the next message of the thread alone', async () => {
    const network = startNetwork();
    network.model.script({ text: 'never', until: new Promise(() => {}) }, 'I am here.');
    await network.send('think');
    await network.model.askedTimes(1);
    const next = await network.send('hello?');
    await network.runs.cancel(THREAD, ana);
    await network.runs.idle();
    expect(await network.item(next)).toMatchObject({ state: 'answered', response: 'I am here.' });
  });

  it('is refused to anybody but the person for whom it runs', async () => {
    const network = startNetwork();
    network.model.script(create('c1'));
    await network.say('make a standup');
    await expect(network.runs.cancel(THREAD, bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    expect((await network.call('c1')).state).toBe('pending');
  });

  it('of a thread on which nothing runs says so', async () => {
    const network = startNetwork();
    network.model.script('Hello.');
    await network.say('hello');
    expect(await network.runs.cancel(THREAD, ana)).toBe(false);
  });
});

describe('a form that a running call asks for', () => {
  it('is answered by a person while the call runs', async () => {
    const network = startNetwork({ hub: createFakeHub(askingTool('calendar', 'book_room')) });
    network.model.script([{ id: 'c1', name: 'book_room', args: {} }], 'Booked.');
    await network.say('book a room');
    const decided = network.decide('c1');
    while ((await network.call('c1')).need === null) await new Promise(setImmediate);
    const answer = { action: 'accept', content: { room: 'A' } } as const;
    await network.gate.elicitation.answer(network.keyOf('c1'), ana, { elicitationId: 'form1', answer });
    await decided;
    expect(await network.resultOf('c1')).toBe('accept {"room":"A"}');
    await network.expectWhole();
  });

  it('is closed by a message over HTTP, which has its turn when the call has ended', async () => {
    const network = startNetwork({ hub: createFakeHub(askingTool('calendar', 'book_room')) });
    network.model.script([{ id: 'c1', name: 'book_room', args: {} }], 'Nothing booked.', 'Sunny.');
    await network.say('book a room', { surface: HTTP });
    const decided = network.decide('c1');
    while ((await network.call('c1')).need === null) await new Promise(setImmediate);
    const second = await network.say('the weather?', { surface: HTTP });
    await decided;
    expect(await network.resultOf('c1')).toBe('cancel null');
    expect(second.response).toBe('Sunny.');
    await network.expectWhole();
  });

  it('is put away when the run is stopped', async () => {
    const network = startNetwork({ hub: createFakeHub(askingTool('calendar', 'book_room')) });
    network.model.script([{ id: 'c1', name: 'book_room', args: {} }]);
    await network.say('book a room');
    const decided = network.decide('c1');
    while ((await network.call('c1')).need === null) await new Promise(setImmediate);
    await network.runs.cancel(THREAD, ana);
    await decided;
    expect((await network.call('c1')).need).toBeNull();
    await network.expectWhole();
  });
});

describe('the sweep', () => {
  it('finds a message that no wake-up told of', async () => {
    const first = openNetwork();
    const itemId = await first.send('hello');
    const network = startNetwork({ path: first.path, model: new ScriptedModel(['Hello.']) });
    await network.runs.sweep();
    await network.runs.idle();
    expect((await network.item(itemId)).response).toBe('Hello.');
  });

  it('ends what nobody decided in time, and the model hears that nobody answered', async () => {
    const clock = { now: 1_000 };
    const network = startNetwork({ clock: () => clock.now, requestLifetimeMs: 10 });
    network.model.script(create('c1'), 'Nobody answered.');
    const item = await network.say('make a standup');
    clock.now += 10;
    await network.runs.sweep();
    await network.runs.idle();
    expect(await network.resultOf('c1')).toMatch(/^Not run: nobody answered in time/);
    expect((await network.item(item.itemId)).response).toBe('Nobody answered.');
    await network.expectWhole();
  });

  it('leaves a thread alone that waits for a person', async () => {
    const network = startNetwork();
    network.model.script(create('c1'));
    await network.say('make a standup');
    expect(await network.store.get(work, THREAD)).toBeNull();
  });
});
