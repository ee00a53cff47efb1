import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeHub, guardedTool } from '../../../helpers/fake-hub.ts';
import { type Network, startNetwork } from '../../../helpers/network.ts';

const create = (id: string, args: object | string = { title: 'Standup' }) => ({
  id,
  name: 'create_event',
  args,
});
const list = (id: string) => ({ id, name: 'list_events', args: {} });

describe('decisions on several calls', () => {
  const three = [create('c1', { title: 'One' }), create('c2', { title: 'Two' }), list('r1')];
  let network: Network;
  beforeEach(async () => {
    network = startNetwork();
    network.model.script(three);
    await network.say('two events and the list');
  });

  it('wait for all who are asked, and run what was approved meanwhile', async () => {
    expect(network.hub.sent).toEqual([]);
    await network.decide('c1');
    expect(network.hub.sent.map((call) => call.arguments)).toEqual([{ title: 'One' }]);
    expect(network.model.seen).toHaveLength(1);
  });

  it('that approve all run all', async () => {
    network.model.script('Made both.');
    await network.decide('c1');
    await network.decide('c2');
    expect(network.hub.sent).toHaveLength(3);
    expect(await network.resultOf('r1')).toBe('no events');
    await network.expectWhole();
  });

  it('that reject one tell the model why, and run the others', async () => {
    network.model.script('Made one.');
    await network.decide('c1', { type: 'reject', feedback: 'make it 10am' });
    await network.decide('c2');
    expect(await network.resultOf('c1')).toBe('Rejected by Ana: make it 10am');
    expect(await network.resultOf('c2')).toBe('created Two');
    expect(network.hub.sent.map(({ name }) => name)).toEqual(['create_event', 'list_events']);
    await network.expectWhole();
  });

  it('that edit one run what was edited, and tell the model so', async () => {
    network.model.script('Made both.');
    await network.decide('c1', { type: 'edit', arguments: { title: 'Retro' } });
    await network.decide('c2');
    expect(network.hub.sent[0]?.arguments).toEqual({ title: 'Retro' });
    expect(await network.resultOf('c1')).toMatch(/^Ana changed the arguments.*"Retro".*\ncreated Retro$/);
  });

  it('that ignore one end the run without asking the model again, and without what was not run yet', async () => {
    await network.decide('c1');
    await network.decide('c2', { type: 'ignore' });
    expect(network.model.seen).toHaveLength(1);
    expect(network.hub.sent.map(({ name }) => name)).toEqual(['create_event']);
    expect(await network.resultOf('c1')).toBe('created One');
    expect(await network.resultOf('r1')).toMatch(/^Not run/);
    const [item] = network.runEvents.filter(({ type }) => type === 'answered');
    expect(item?.item.response).toMatch(/^OK\. I didn.t run what you ignored/);
    await network.expectWhole();
  });

  it('that come to a withdrawal end the run without words, and without what was not run yet', async () => {
    const held = await network.say('never mind');
    network.model.script('Gladly.');
    await network.runs.withdrawFor(held.itemId, held.actor);
    await network.runs.idle();
    expect(network.hub.sent).toEqual([]);
    expect(
      network.runEvents.filter(({ type }) => type === 'answered').map(({ item }) => item.response),
    ).toEqual([null, 'Gladly.']);
    await network.expectWhole();
  });
});

describe('a run in which all was rejected', () => {
  it('goes back to the model, which may propose a corrected call', async () => {
    const network = startNetwork();
    network.model.script([create('c1')], [create('c2', { title: 'Retro' })], 'Made it.');
    await network.say('make a standup');
    await network.decide('c1', { type: 'reject', feedback: 'call it retro' });
    expect((await network.call('c2')).state).toBe('pending');
    await network.decide('c2');
    expect(network.hub.sent.map((call) => call.arguments)).toEqual([{ title: 'Retro' }]);
    await network.expectWhole();
  });
});

describe('a call whose server wants a sign-in first', () => {
  it.each([
    ['an allowed', 'read_mail', false],
    ['an approved', 'send_mail', true],
  ])('pauses the run and goes on after it, for %s call', async (_what, name, approve) => {
    let signedIn = false;
    const network = startNetwork({ hub: createFakeHub(guardedTool('mail', name, () => signedIn)) });
    network.model.script([{ id: 'c1', name, args: {} }], 'There.');
    const { itemId } = await network.say('mail');
    if (approve) await network.decide('c1');
    expect(await network.call('c1')).toMatchObject({ state: 'blocked', need: { kind: 'oauth_url' } });
    expect(network.model.seen).toHaveLength(1);

    signedIn = true;
    await network.gate.elicitation.retry(network.keyOf('c1'), (await network.item(itemId)).actor);
    await network.runs.idle();
    expect(await network.resultOf('c1')).toBe(`${name} done`);
    expect((await network.item(itemId)).response).toBe('There.');
    await network.expectWhole();
  });

  it('does not send its siblings again', async () => {
    let signedIn = false;
    const network = startNetwork({ hub: createFakeHub(guardedTool('mail', 'read_mail', () => signedIn)) });
    network.model.script([{ id: 'c1', name: 'read_mail', args: {} }, list('r1')], 'There.');
    const { actor } = await network.say('mail and calendar');
    signedIn = true;
    await network.gate.elicitation.retry(network.keyOf('c1'), actor);
    await network.runs.idle();
    expect(network.hub.count('list_events')).toBe(1);
    await network.expectWhole();
  });
});
