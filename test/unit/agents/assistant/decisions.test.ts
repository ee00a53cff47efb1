import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeHub, guardedTool } from '../../../helpers/fake-hub.ts';
import { type House, type HouseOptions, openHouse } from '../../../helpers/house.ts';

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

const create = (id: string, args: object | string = { title: 'Standup' }) => ({
  id,
  name: 'create_event',
  args,
});
const list = (id: string) => ({ id, name: 'list_events', args: {} });

describe('decisions on several calls', () => {
  const three = [create('c1', { title: 'One' }), create('c2', { title: 'Two' }), list('r1')];
  let house: House;
  beforeEach(async () => {
    house = open();
    house.model.script(three);
    await house.say('two events and the list');
  });

  it('wait for all who are asked, and run what was approved meanwhile', async () => {
    expect(house.hub.sent).toEqual([]);
    await house.decide('c1');
    expect(house.hub.sent.map((call) => call.arguments)).toEqual([{ title: 'One' }]);
    expect(house.model.seen).toHaveLength(1);
  });

  it('that approve all run all', async () => {
    house.model.script('Made both.');
    await house.decide('c1');
    await house.decide('c2');
    expect(house.hub.sent).toHaveLength(3);
    expect(await house.resultOf('r1')).toBe('no events');
    await house.expectWhole();
  });

  it('that reject one tell the model why, and run the others', async () => {
    house.model.script('Made one.');
    await house.decide('c1', { type: 'reject', feedback: 'make it 10am' });
    await house.decide('c2');
    expect(await house.resultOf('c1')).toBe('Rejected by Ana: make it 10am');
    expect(await house.resultOf('c2')).toBe('created Two');
    expect(house.hub.sent.map(({ name }) => name)).toEqual(['create_event', 'list_events']);
    await house.expectWhole();
  });

  it('that edit one run what was edited, and tell the model so', async () => {
    house.model.script('Made both.');
    await house.decide('c1', { type: 'edit', arguments: { title: 'Retro' } });
    await house.decide('c2');
    expect(house.hub.sent[0]?.arguments).toEqual({ title: 'Retro' });
    expect(await house.resultOf('c1')).toMatch(/^Ana changed the arguments.*"Retro".*\ncreated Retro$/);
  });

  it('that ignore one end the run without asking the model again, and without what was not run yet', async () => {
    await house.decide('c1');
    await house.decide('c2', { type: 'ignore' });
    expect(house.model.seen).toHaveLength(1);
    expect(house.hub.sent.map(({ name }) => name)).toEqual(['create_event']);
    expect(await house.resultOf('c1')).toBe('created One');
    expect(await house.resultOf('r1')).toMatch(/^Not run/);
    const [item] = house.runEvents.filter(({ type }) => type === 'answered');
    expect(item?.item.response).toMatch(/^OK\. I didn.t run what you ignored/);
    await house.expectWhole();
  });

  it('that come to a withdrawal end the run without words, and without what was not run yet', async () => {
    const held = await house.say('never mind');
    house.model.script('Gladly.');
    await house.runs.withdrawFor(held.itemId, held.actor);
    await house.runs.idle();
    expect(house.hub.sent).toEqual([]);
    expect(
      house.runEvents.filter(({ type }) => type === 'answered').map(({ item }) => item.response),
    ).toEqual([null, 'Gladly.']);
    await house.expectWhole();
  });
});

describe('a run in which all was rejected', () => {
  it('goes back to the model, which may propose a corrected call', async () => {
    const house = open();
    house.model.script([create('c1')], [create('c2', { title: 'Retro' })], 'Made it.');
    await house.say('make a standup');
    await house.decide('c1', { type: 'reject', feedback: 'call it retro' });
    expect((await house.call('c2')).state).toBe('pending');
    await house.decide('c2');
    expect(house.hub.sent.map((call) => call.arguments)).toEqual([{ title: 'Retro' }]);
    await house.expectWhole();
  });
});

describe('a call whose server wants a sign-in first', () => {
  it.each([
    ['an allowed', 'read_mail', false],
    ['an approved', 'send_mail', true],
  ])('pauses the run and goes on after it, for %s call', async (_what, name, approve) => {
    let signedIn = false;
    const house = open({ hub: createFakeHub(guardedTool('mail', name, () => signedIn)) });
    house.model.script([{ id: 'c1', name, args: {} }], 'There.');
    const { itemId } = await house.say('mail');
    if (approve) await house.decide('c1');
    expect(await house.call('c1')).toMatchObject({ state: 'blocked', need: { kind: 'oauth_url' } });
    expect(house.model.seen).toHaveLength(1);

    signedIn = true;
    await house.gate.elicitation.retry(house.keyOf('c1'), (await house.item(itemId)).actor);
    await house.runs.idle();
    expect(await house.resultOf('c1')).toBe(`${name} done`);
    expect((await house.item(itemId)).response).toBe('There.');
    await house.expectWhole();
  });

  it('does not send its siblings again', async () => {
    let signedIn = false;
    const house = open({ hub: createFakeHub(guardedTool('mail', 'read_mail', () => signedIn)) });
    house.model.script([{ id: 'c1', name: 'read_mail', args: {} }, list('r1')], 'There.');
    const { actor } = await house.say('mail and calendar');
    signedIn = true;
    await house.gate.elicitation.retry(house.keyOf('c1'), actor);
    await house.runs.idle();
    expect(house.hub.count('list_events')).toBe(1);
    await house.expectWhole();
  });
});
