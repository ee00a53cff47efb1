import { afterEach, describe, expect, it } from 'vitest';
import { threads, work } from '../../../src/runs/collections.ts';
import { askingTool, createFakeHub, slowTool } from '../../helpers/fake-hub.ts';
import { ana, bob, type House, type HouseOptions, HTTP, openHouse, THREAD } from '../../helpers/house.ts';
import { ScriptedModel } from '../../helpers/scripted-model.ts';

const houses: House[] = [];
afterEach(async () => {
  for (const house of houses.splice(0)) await house.close();
});

function open(options: HouseOptions = {}): House {
  const house = openHouse(options);
  houses.push(house);
  house.runs.start();
  return house;
}

const create = (id: string, title = 'Standup') => [{ id, name: 'create_event', args: { title } }];

describe('receiving', () => {
  it('makes the message, its thread and the mark of work durable before anything else', async () => {
    const house = openHouse();
    houses.push(house);
    await house.send('hello', { itemId: 'm1' });
    expect(await house.item('m1')).toMatchObject({ state: 'queued', text: 'hello', actor: ana });
    expect((await house.store.get(threads, THREAD))?.value.surface.kind).toBe('slack');
    expect(await house.store.get(work, THREAD)).not.toBeNull();
  });

  it('takes the same message once', async () => {
    const house = open();
    house.model.script('Hello.', 'Hello again.');
    await house.say('hello', { itemId: 'm1' });
    await house.say('hello', { itemId: 'm1' });
    expect(house.model.seen).toHaveLength(1);
  });

  it('takes one of the same message that comes many times at once', async () => {
    const house = openHouse();
    houses.push(house);
    const message = { threadId: THREAD, surface: HTTP, itemId: 'm1', actor: ana, text: 'hello', at: 1 };
    const results = await Promise.all(Array.from({ length: 20 }, () => house.runs.receive(message)));
    expect(results.filter((isNew) => isNew)).toHaveLength(1);
  });
});

describe('messages of one thread', () => {
  it('are answered one after another, in the order in which they were sent', async () => {
    const house = open();
    const first = Promise.withResolvers<void>();
    house.model.script({ text: 'one', until: first.promise }, 'two', 'three');
    const ids = [await house.send('1'), await house.send('2'), await house.send('3')];
    await house.model.askedTimes(1);
    first.resolve();
    await house.runs.idle();
    const answers = await Promise.all(ids.map(async (id) => (await house.item(id)).response));
    expect(answers).toEqual(['one', 'two', 'three']);
  });

  it('of different threads do not wait for one another', async () => {
    const house = open();
    const never = Promise.withResolvers<void>();
    house.model.script({ text: 'slow', until: never.promise }, 'quick');
    await house.send('1');
    await house.model.askedTimes(1);
    const other = await house.send('2', { threadId: 'slack:T1:C2:1.0' });
    while ((await house.item(other)).state !== 'answered') await new Promise(setImmediate);
    never.resolve();
    await house.runs.idle();
  });
});

describe('a message while a request is open', () => {
  async function waiting(options: HouseOptions = {}) {
    const house = open(options);
    house.model.script(create('c1'));
    const first = await house.say('make a standup');
    return { house, first };
  }

  it('is held, people are told, and it is answered when the request has ended', async () => {
    const { house, first } = await waiting();
    const second = await house.say('and the weather?');
    expect(second.state).toBe('held');
    expect(house.runEvents.filter(({ type }) => type === 'held')).toHaveLength(1);
    house.model.script('Made it.', 'Sunny.');
    await house.decide('c1');
    expect((await house.item(first.itemId)).response).toBe('Made it.');
    expect((await house.item(second.itemId)).response).toBe('Sunny.');
    await house.expectWhole();
  });

  it('can be used as the reason for a rejection', async () => {
    const { house, first } = await waiting();
    const second = await house.say('make it 10am');
    house.model.script('I will not make it then.');
    await house.runs.useAsFeedback(second.itemId, ana);
    await house.runs.idle();
    expect(await house.call('c1')).toMatchObject({
      state: 'rejected',
      decision: { feedback: 'make it 10am' },
    });
    expect(await house.item(second.itemId)).toMatchObject({ state: 'answered', response: null });
    expect((await house.item(first.itemId)).response).toBe('I will not make it then.');
    expect(house.model.seen).toHaveLength(2);
    await house.expectWhole();
  });

  it('can take the place of what waits', async () => {
    const { house, first } = await waiting();
    const second = await house.say('never mind, the weather?');
    house.model.script('Sunny.');
    await house.runs.withdrawFor(second.itemId, ana);
    await house.runs.idle();
    expect((await house.call('c1')).state).toBe('cancelled');
    expect(await house.item(first.itemId)).toMatchObject({ state: 'answered', response: null });
    expect((await house.item(second.itemId)).response).toBe('Sunny.');
    await house.expectWhole();
  });

  it('is of no use to anybody but the requester of what waits', async () => {
    const { house } = await waiting();
    const second = await house.say('I want it off', { actor: bob });
    await expect(house.runs.useAsFeedback(second.itemId, bob)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    await expect(house.runs.withdrawFor(second.itemId, bob)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    expect((await house.call('c1')).state).toBe('pending');
  });

  it('is of no use any more when the request has ended', async () => {
    const { house } = await waiting();
    const second = await house.say('make it 10am');
    house.model.script('Made it.', 'At ten, then.');
    await house.decide('c1');
    await expect(house.runs.useAsFeedback(second.itemId, ana)).rejects.toMatchObject({
      refusal: 'already_decided',
    });
  });

  it('over HTTP takes the place of what waits by itself', async () => {
    const house = open();
    house.model.script(create('c1'), 'Sunny.');
    const first = await house.say('make a standup', { surface: HTTP });
    const second = await house.say('the weather?', { surface: HTTP });
    expect((await house.call('c1')).state).toBe('superseded');
    expect(await house.item(first.itemId)).toMatchObject({ state: 'answered', response: null });
    expect(second.response).toBe('Sunny.');
    await house.expectWhole();
  });
});

describe('a question', () => {
  const ask = [{ id: 'q1', name: 'ask_user', args: { question: 'At what time?' } }];

  it('is answered by a reply in the thread, which is no message of its own', async () => {
    const house = open();
    house.model.script(ask, 'At ten, then.');
    const first = await house.say('make a standup');
    const reply = await house.say('at ten');
    expect(await house.resultOf('q1')).toBe('at ten');
    expect((await house.item(first.itemId)).response).toBe('At ten, then.');
    expect(reply).toMatchObject({ state: 'answered', response: null });
    await house.expectWhole();
  });

  it('is not answered by what was written before it was asked', async () => {
    const house = open({ clock: steps() });
    const thought = Promise.withResolvers<void>();
    house.model.script({ calls: ask, until: thought.promise }, 'At ten, then.', 'Sunny.');
    await house.send('make a standup');
    await house.model.askedTimes(1);
    const early = await house.send('and the weather?');
    thought.resolve();
    await house.runs.idle();
    expect((await house.item(early)).state).toBe('held');
    expect((await house.call('q1')).state).toBe('pending');
    await house.decide('q1', { type: 'answer', feedback: 'at ten' });
    expect((await house.item(early)).response).toBe('Sunny.');
  });

  it('is answered by what was written before it was asked, when a person says so', async () => {
    const house = open({ clock: steps() });
    const thought = Promise.withResolvers<void>();
    house.model.script({ calls: ask, until: thought.promise }, 'At ten, then.');
    await house.send('make a standup');
    await house.model.askedTimes(1);
    const early = await house.send('at ten');
    thought.resolve();
    await house.runs.idle();
    await expect(house.runs.useAsFeedback(early, ana)).rejects.toMatchObject({ refusal: 'already_decided' });
    await expect(house.runs.useAsAnswer(early, bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    expect((await house.item(early)).state).toBe('held');
    await house.runs.useAsAnswer(early, ana);
    await house.runs.idle();
    expect(await house.resultOf('q1')).toBe('at ten');
    expect(await house.item(early)).toMatchObject({ state: 'answered', usedAs: 'answer', response: null });
    await house.expectWhole();
  });

  it('whose time is over is not answered by a reply, which is then a message', async () => {
    const clock = { now: 1_000 };
    const house = open({ clock: () => clock.now, requestLifetimeMs: 10 });
    house.model.script(ask, 'Nobody answered.', 'You said at ten.');
    const first = await house.say('make a standup');
    clock.now += 10;
    const reply = await house.say('at ten');
    expect((await house.call('q1')).state).toBe('expired');
    expect((await house.item(first.itemId)).response).toBe('Nobody answered.');
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
    const house = open();
    house.model.script(create('c1'));
    const first = await house.say('make a standup');
    expect(await house.runs.cancel(THREAD, ana)).toBe(true);
    await house.runs.idle();
    expect((await house.call('c1')).state).toBe('cancelled');
    expect(await house.item(first.itemId)).toMatchObject({
      state: 'cancelled',
      response: 'Stopped by Ana. What had already run is not undone.',
    });
    expect(house.model.seen).toHaveLength(1);
    await house.expectWhole();
    house.model.script('Still here.');
    expect((await house.say('hello?')).response).toBe('Still here.');
    await house.expectWhole();
  });

  it.each([
    ['an approved', 'slow_event', true],
    ['an allowed', 'list_slowly', false],
  ])('reaches %s call that runs, which is then in doubt', async (_what, name, approve) => {
    const hub = createFakeHub(slowTool('calendar', name, new Promise(() => {})));
    const house = open({ hub });
    house.model.script([{ id: 'c1', name, args: {} }]);
    const itemId = await house.send('do it');
    if (approve) {
      await house.runs.idle();
      void house.decide('c1');
    }
    await hub.sentTimes(name, 1);
    expect(await house.runs.cancel(THREAD, ana)).toBe(true);
    await house.runs.idle();
    expect((await house.call('c1')).state).toBe('in_doubt');
    expect((await house.item(itemId)).state).toBe('cancelled');
    expect(await house.resultOf('c1')).toMatch(/^It is unclear/);
    await house.expectWhole();
    house.model.script('Still here.');
    expect((await house.say('hello?')).response).toBe('Still here.');
  });

  it('reaches a model that is thinking', async () => {
    const house = open();
    house.model.script({ text: 'never', until: new Promise(() => {}) });
    const itemId = await house.send('think');
    await house.model.askedTimes(1);
    await house.runs.cancel(THREAD, ana);
    await house.runs.idle();
    expect((await house.item(itemId)).state).toBe('cancelled');
    expect(house.errors).toEqual([]);
    house.model.script('Still here.');
    expect((await house.say('hello?')).response).toBe('Still here.');
    await house.expectWhole();
  });

  it('does not send what was approved and not sent yet', async () => {
    const house = open();
    house.model.script(create('c1'));
    await house.say('make a standup');
    await house.runs.stop();
    await house.decide('c1');
    await house.runs.cancel(THREAD, ana);

    const next = open({ path: house.path, hub: house.hub });
    await next.runs.sweep();
    await next.runs.idle();
    expect(house.hub.sent).toEqual([]);
    expect((await next.call('c1')).state).toBe('cancelled');
    await next.expectWhole();
  });

  it('leaves the next message of the thread alone', async () => {
    const house = open();
    house.model.script({ text: 'never', until: new Promise(() => {}) }, 'I am here.');
    await house.send('think');
    await house.model.askedTimes(1);
    const next = await house.send('hello?');
    await house.runs.cancel(THREAD, ana);
    await house.runs.idle();
    expect(await house.item(next)).toMatchObject({ state: 'answered', response: 'I am here.' });
  });

  it('is refused to anybody but the person for whom it runs', async () => {
    const house = open();
    house.model.script(create('c1'));
    await house.say('make a standup');
    await expect(house.runs.cancel(THREAD, bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    expect((await house.call('c1')).state).toBe('pending');
  });

  it('of a thread on which nothing runs says so', async () => {
    const house = open();
    house.model.script('Hello.');
    await house.say('hello');
    expect(await house.runs.cancel(THREAD, ana)).toBe(false);
  });
});

describe('a form that a running call asks for', () => {
  it('is answered by a person while the call runs', async () => {
    const house = open({ hub: createFakeHub(askingTool('calendar', 'book_room')) });
    house.model.script([{ id: 'c1', name: 'book_room', args: {} }], 'Booked.');
    await house.say('book a room');
    const decided = house.decide('c1');
    while ((await house.call('c1')).need === null) await new Promise(setImmediate);
    const answer = { action: 'accept', content: { room: 'A' } } as const;
    await house.gate.elicitation.answer(house.keyOf('c1'), 'form1', answer, ana);
    await decided;
    expect(await house.resultOf('c1')).toBe('accept {"room":"A"}');
    await house.expectWhole();
  });

  it('is closed by a message over HTTP, which has its turn when the call has ended', async () => {
    const house = open({ hub: createFakeHub(askingTool('calendar', 'book_room')) });
    house.model.script([{ id: 'c1', name: 'book_room', args: {} }], 'Nothing booked.', 'Sunny.');
    await house.say('book a room', { surface: HTTP });
    const decided = house.decide('c1');
    while ((await house.call('c1')).need === null) await new Promise(setImmediate);
    const second = await house.say('the weather?', { surface: HTTP });
    await decided;
    expect(await house.resultOf('c1')).toBe('cancel null');
    expect(second.response).toBe('Sunny.');
    await house.expectWhole();
  });

  it('is put away when the run is stopped', async () => {
    const house = open({ hub: createFakeHub(askingTool('calendar', 'book_room')) });
    house.model.script([{ id: 'c1', name: 'book_room', args: {} }]);
    await house.say('book a room');
    const decided = house.decide('c1');
    while ((await house.call('c1')).need === null) await new Promise(setImmediate);
    await house.runs.cancel(THREAD, ana);
    await decided;
    expect((await house.call('c1')).need).toBeNull();
    await house.expectWhole();
  });
});

describe('the sweep', () => {
  it('finds a message that no wake-up told of', async () => {
    const first = openHouse();
    houses.push(first);
    const itemId = await first.send('hello');
    const house = open({ path: first.path, model: new ScriptedModel(['Hello.']) });
    await house.runs.sweep();
    await house.runs.idle();
    expect((await house.item(itemId)).response).toBe('Hello.');
  });

  it('ends what nobody decided in time, and the model hears that nobody answered', async () => {
    const clock = { now: 1_000 };
    const house = open({ clock: () => clock.now, requestLifetimeMs: 10 });
    house.model.script(create('c1'), 'Nobody answered.');
    const item = await house.say('make a standup');
    clock.now += 10;
    await house.runs.sweep();
    await house.runs.idle();
    expect(await house.resultOf('c1')).toMatch(/^Not run: nobody answered in time/);
    expect((await house.item(item.itemId)).response).toBe('Nobody answered.');
    await house.expectWhole();
  });

  it('leaves a thread alone that waits for a person', async () => {
    const house = open();
    house.model.script(create('c1'));
    await house.say('make a standup');
    expect(await house.store.get(work, THREAD)).toBeNull();
  });
});
