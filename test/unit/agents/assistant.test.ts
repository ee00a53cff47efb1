import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeHub, guardedTool } from '../../helpers/fake-hub.ts';
import { type House, type HouseOptions, openHouse } from '../../helpers/house.ts';
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

const create = (id: string, args: object | string = { title: 'Standup' }) => ({
  id,
  name: 'create_event',
  args,
});
const list = (id: string) => ({ id, name: 'list_events', args: {} });
const mail = {
  server: 'mail',
  name: 'send_mail',
  run: () => ({ kind: 'ended', outcome: { status: 'succeeded', content: [], structured: null } }),
} as const;

describe('an answer without calls', () => {
  it('is told as it is, and streamed as it comes', async () => {
    const house = open();
    house.model.script('Good morning, Ana.');
    expect((await house.say('hello')).response).toBe('Good morning, Ana.');
    const tokens = house.live.flatMap((event) => (event.type === 'token' ? [event.text] : []));
    expect(tokens.join('')).toBe('Good morning, Ana.');
    expect(tokens.length).toBeGreaterThan(1);
  });

  it('that is empty is put into words', async () => {
    const house = open();
    house.model.script('');
    expect((await house.say('hello')).response).toBe('I have no answer to that.');
  });

  it('that is empty after actions says how they ended', async () => {
    const house = open();
    house.model.script([list('r1')], '', [list('r2'), { id: 'x1', name: 'drop_calendar', args: {} }], '');
    expect((await house.say('list')).response).toBe('Done.');
    expect((await house.say('list and drop')).response).toBe(
      '1 of 2 actions were done; the others were not.',
    );
  });

  it('comes from the whole conversation so far', async () => {
    const house = open();
    house.model.script('Hello.', 'As I said.');
    await house.say('hello');
    await house.say('again');
    expect(house.model.seen[1]?.map((message) => message.getType())).toEqual([
      'system',
      'human',
      'ai',
      'human',
    ]);
  });
});

describe('the router', () => {
  const choose = (...tool_types: string[]) => [{ id: 'x', name: 'choose_tool_types', args: { tool_types } }];

  it('is not asked when there is one type of tools', async () => {
    const routerModel = new ScriptedModel();
    const house = open({ routerModel });
    house.model.script('Hello.');
    await house.say('hello');
    expect(routerModel.seen).toEqual([]);
    expect(house.model.offered[0]).toContain('create_event');
  });

  it('narrows the tools to the types that it chooses', async () => {
    const house = open({ routerModel: new ScriptedModel([choose('mail')]), hub: createFakeHub(mail) });
    house.model.script('Hello.');
    await house.say('hello');
    expect(house.model.offered[0]).toEqual(['send_mail', 'ask_user']);
  });

  it.each([
    ['an answer without a choice', 'mail, I think'],
    ['an unreadable choice', [{ id: 'x', name: 'choose_tool_types', args: { types: 'mail' } }]],
    ['types that do not exist', choose('post')],
    ['a failure that passes', { error: Object.assign(new Error('slow down'), { status: 429 }) }],
  ])('narrows nothing by %s', async (_what, reply) => {
    const house = open({ routerModel: new ScriptedModel([reply]), hub: createFakeHub(mail) });
    house.model.script('Hello.');
    expect((await house.say('hello')).response).toBe('Hello.');
    expect(house.model.offered[0]).toEqual(expect.arrayContaining(['send_mail', 'create_event']));
  });

  it('that is not let in by its provider is told to the people, for an admin has to mend it', async () => {
    const error = Object.assign(new Error('bad key'), { status: 401 });
    const house = open({ routerModel: new ScriptedModel([{ error }]), hub: createFakeHub(mail) });
    expect((await house.say('hello')).response).toMatch(/OPENAI_API_KEY/);
  });
});

describe('calls', () => {
  it('that the policy allows run without a question', async () => {
    const house = open();
    house.model.script([list('r1')], 'No events.');
    expect((await house.say('what is on?')).response).toBe('No events.');
    expect(await house.resultOf('r1')).toBe('no events');
    expect(house.events.map(({ type }) => type)).toEqual(['started', 'ended']);
    await house.expectWhole();
  });

  it('that the policy denies are answered with its reason, and nobody is asked', async () => {
    const house = open();
    house.model.script([{ id: 'x1', name: 'drop_calendar', args: {} }], 'I may not.');
    expect((await house.say('drop it')).response).toBe('I may not.');
    expect(await house.resultOf('x1')).toBe('Not run: the policy does not allow this (calendars stay).');
    expect(house.hub.sent).toEqual([]);
    await house.expectWhole();
  });

  it('that fail are told to the model', async () => {
    const house = open();
    house.model.script([{ id: 'b1', name: 'break_event', args: {} }], 'It is full.');
    await house.say('break it');
    await house.decide('b1');
    expect(await house.resultOf('b1')).toBe('Failed: the calendar is full');
    await house.expectWhole();
  });

  it('of a tool that nobody offers are answered, and nobody is asked', async () => {
    const house = open();
    house.model.script([{ id: 'x1', name: 'no_such_tool', args: {} }], 'Sorry.');
    expect((await house.say('do it')).response).toBe('Sorry.');
    expect(await house.resultOf('x1')).toMatch(/There is no tool called no_such_tool/);
    await house.expectWhole();
  });

  it.each<[string, object | string, RegExp]>([
    ['that do not fit the schema', { title: 5 }, /title must be a string/],
    ['that are no JSON', '{"title": Standup', /no complete JSON object/],
    ['that were cut off', '{"title": "Stan', /no complete JSON object/],
    ['that are a list', '["Standup"]', /no complete JSON object/],
    ['with half a character', '{"title": "\\ud800"}', /cannot say exactly/],
  ])('with arguments %s come back to the model, and nobody is asked', async (_what, args, result) => {
    const house = open();
    house.model.script([create('c1', args)], 'Sorry.');
    expect((await house.say('make a standup')).response).toBe('Sorry.');
    expect(await house.resultOf('c1')).toMatch(result);
    expect(house.hub.sent).toEqual([]);
    expect(house.events.filter(({ type }) => type === 'opened')).toEqual([]);
    await house.expectWhole();
  });

  it('with broken arguments do not run, though their tool needs none and the policy allows it', async () => {
    const house = open();
    house.model.script([{ id: 'r1', name: 'list_events', args: '{"day": ' }], 'Sorry.');
    await house.say('what is on?');
    expect(house.hub.sent).toEqual([]);
    await house.expectWhole();
  });

  it('with a call_id of an earlier call are calls of their own', async () => {
    const house = open();
    house.model.script([list('same')], 'One.', [list('same')], 'Two.');
    await house.say('what is on?');
    await house.say('and now?');
    expect(house.hub.count('list_events')).toBe(2);
    await house.expectWhole();
  });

  it('with one call_id for two are two', async () => {
    const house = open();
    house.model.script([list('same'), list('same')], 'Done.');
    await house.say('list twice');
    expect(house.hub.count('list_events')).toBe(2);
    await house.expectWhole();
  });

  it('without a call_id get one', async () => {
    const house = open();
    house.model.script([{ name: 'list_events', args: {} }], 'Done.');
    await house.say('what is on?');
    expect(house.hub.count('list_events')).toBe(1);
    await house.expectWhole();
  });
});

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
    expect(item?.item.response).toMatch(/^As you wish/);
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
    await house.gate.retry(house.keyOf('c1'), (await house.item(itemId)).actor);
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
    await house.gate.retry(house.keyOf('c1'), actor);
    await house.runs.idle();
    expect(house.hub.count('list_events')).toBe(1);
    await house.expectWhole();
  });
});

describe('a run that cannot go on', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a time-out',
      Object.assign(new Error('Request timed out.'), { name: 'TimeoutError' }),
      /did not answer in time/,
    ],
    ['a rate limit', Object.assign(new Error('slow down'), { status: 429 }), /rate limit/],
    [
      'a key that is not accepted',
      Object.assign(new Error('sk-secret is wrong'), { status: 401 }),
      /OPENAI_API_KEY/,
    ],
    ['a model that does not exist', Object.assign(new Error('no'), { status: 404 }), /check MODEL/],
    ['any other failure', new Error('socket hang up at 10.0.0.1'), /could not be reached or failed/],
  ])('for %s says so in plain words, and leaves the thread usable', async (_what, error, words) => {
    const house = open();
    house.model.script({ error }, 'Here I am.');
    const item = await house.say('hello');
    expect(item.state).toBe('failed');
    expect(item.response).toMatch(words);
    expect(item.response).not.toMatch(/sk-secret|10\.0\.0\.1/);
    expect((await house.say('again')).response).toBe('Here I am.');
    await house.expectWhole();
  });

  it('after a call keeps what had run, and leaves the thread usable', async () => {
    const house = open();
    house.model.script([create('c1')], { error: new Error('gone') }, 'It was made.');
    const { itemId } = await house.say('make a standup');
    await house.decide('c1');
    expect((await house.item(itemId)).state).toBe('failed');
    expect(await house.resultOf('c1')).toBe('created Standup');
    expect((await house.say('was it made?')).response).toBe('It was made.');
    await house.expectWhole();
  });

  it('for too many steps says so, and leaves the thread usable', async () => {
    const house = open({ maxSteps: 6 });
    let count = 0;
    const model = () => {
      count += 1;
      return [list(`r${count}`)];
    };
    house.model.script(...Array.from({ length: 3 }, () => model));
    const item = await house.say('go on for ever');
    expect(item.state).toBe('failed');
    expect(item.response).toMatch(/^I stopped after 6 steps/);
    expect((await house.messages()).length).toBeGreaterThan(2);
    await house.expectWhole();
    house.model.script('Here I am.');
    expect((await house.say('hello')).response).toBe('Here I am.');
    await house.expectWhole();
  });

  it('because the record could not be read after the interrupt goes on when it can', async () => {
    let failures = 1;
    const house = open({
      agentPorts: (ports) => ({
        ...ports,
        async callsOf(threadId, callIds) {
          failures -= 1;
          if (failures === 0) throw new Error('the store is away');
          return ports.callsOf(threadId, callIds);
        },
      }),
    });
    house.model.script([create('c1')], 'Here I am.');
    const { itemId } = await house.say('make a standup');
    await house.decide('c1');
    expect((await house.item(itemId)).state).toBe('failed');
    expect(house.hub.count('create_event')).toBe(1);
    expect(await house.resultOf('c1')).toBe('created Standup');
    expect((await house.say('hello')).response).toBe('Here I am.');
    await house.expectWhole();
  });
});

describe('the graph', () => {
  it('has the nodes of the design, in its order', async () => {
    const house = open();
    house.model.script([create('c1')], 'Made.');
    await house.say('make a standup');
    await house.decide('c1');
    const nodes = new Set<string>();
    for await (const { checkpoint } of house.checkpointer.list({
      configurable: { thread_id: 'slack:T1:C1:1.0' },
    })) {
      for (const name of Object.keys(checkpoint.versions_seen)) nodes.add(name);
    }
    expect([...nodes].filter((name) => !name.startsWith('__')).toSorted()).toEqual(
      ['human_confirmation', 'policy_router', 'response_formatter', 'task_executor', 'use_tools'].toSorted(),
    );
  });
});
