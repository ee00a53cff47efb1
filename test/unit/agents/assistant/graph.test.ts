import { afterEach, describe, expect, it } from 'vitest';
import { createFakeHub, ended, type FakeTool, success } from '../../../helpers/fake-hub.ts';
import { type House, type HouseOptions, openHouse } from '../../../helpers/house.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

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
const mail: FakeTool = { server: 'mail', name: 'send_mail', run: () => ended(success('sent')) };

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

describe('the graph', () => {
  const nodesOf = async ({ checkpointer }: ReturnType<typeof open>) => {
    const nodes = new Set<string>();
    for await (const { checkpoint } of checkpointer.list({
      configurable: { thread_id: 'slack:T1:C1:1.0' },
    })) {
      for (const name of Object.keys(checkpoint.versions_seen)) nodes.add(name);
    }
    return [...nodes].filter((name) => !name.startsWith('__')).toSorted();
  };

  it('passes over the router with nothing to route, and the formatter with nothing to say', async () => {
    const house = open();
    house.model.script([create('c1')], 'Made.');
    await house.say('make a standup');
    await house.decide('c1');
    expect(await nodesOf(house)).toEqual(['human_confirmation', 'task_executor', 'use_tools']);
  });

  it('formats a final word where the model has none', async () => {
    const house = open();
    house.model.script([create('c1')], '');
    await house.say('make a standup');
    await house.decide('c1');
    expect(await nodesOf(house)).toEqual([
      'human_confirmation',
      'response_formatter',
      'task_executor',
      'use_tools',
    ]);
  });
});
