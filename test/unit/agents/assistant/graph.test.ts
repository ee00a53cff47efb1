import { describe, expect, it } from 'vitest';
import { createFakeHub, ended, type FakeTool, success } from '../../../helpers/fake-hub.ts';
import { type Network, startNetwork } from '../../../helpers/network.ts';
import { ScriptedModel } from '../../../helpers/scripted-model.ts';

const create = (id: string, args: object | string = { title: 'Standup' }) => ({
  id,
  name: 'create_event',
  args,
});
const list = (id: string) => ({ id, name: 'list_events', args: {} });
const mail: FakeTool = { server: 'mail', name: 'send_mail', run: () => ended(success('sent')) };

describe('an answer without calls', () => {
  it('is told as it is, and streamed as it comes', async () => {
    const network = startNetwork();
    network.model.script('Good morning, Ana.');
    expect((await network.say('hello')).response).toBe('Good morning, Ana.');
    const tokens = network.live.flatMap((event) => (event.type === 'token' ? [event.text] : []));
    expect(tokens.join('')).toBe('Good morning, Ana.');
    expect(tokens.length).toBeGreaterThan(1);
  });

  it('that is empty is put into words', async () => {
    const network = startNetwork();
    network.model.script('');
    expect((await network.say('hello')).response).toBe('I have no answer to that.');
  });

  it('that is empty after actions says how they ended', async () => {
    const network = startNetwork();
    network.model.script([list('r1')], '', [list('r2'), { id: 'x1', name: 'drop_calendar', args: {} }], '');
    expect((await network.say('list')).response).toBe('Done.');
    expect((await network.say('list and drop')).response).toBe(
      '1 of 2 actions were done; the others were not.',
    );
  });

  it('comes from the whole conversation so far', async () => {
    const network = startNetwork();
    network.model.script('Hello.', 'As I said.');
    await network.say('hello');
    await network.say('again');
    expect(network.model.seen[1]?.map((message) => message.getType())).toEqual([
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
    const network = startNetwork({ routerModel });
    network.model.script('Hello.');
    await network.say('hello');
    expect(routerModel.seen).toEqual([]);
    expect(network.model.offered[0]).toContain('create_event');
  });

  it('narrows the tools to the types that it chooses', async () => {
    const network = startNetwork({
      routerModel: new ScriptedModel([choose('mail')]),
      hub: createFakeHub(mail),
    });
    network.model.script('Hello.');
    await network.say('hello');
    expect(network.model.offered[0]).toEqual(['send_mail', 'ask_user']);
  });

  it.each([
    ['an answer without a choice', 'mail, I think'],
    ['an unreadable choice', [{ id: 'x', name: 'choose_tool_types', args: { types: 'mail' } }]],
    ['types that do not exist', choose('post')],
    ['a failure that passes', { error: Object.assign(new Error('slow down'), { status: 429 }) }],
    [
      'messages that are too long for it',
      { error: Object.assign(new Error('prompt is too long'), { status: 400 }) },
    ],
    [
      'a model that refuses to have its tool chosen',
      { error: Object.assign(new Error('tool_choice is not supported in thinking mode'), { status: 400 }) },
    ],
  ])('narrows nothing by %s', async (_what, reply) => {
    const network = startNetwork({ routerModel: new ScriptedModel([reply]), hub: createFakeHub(mail) });
    network.model.script('Hello.');
    expect((await network.say('hello')).response).toBe('Hello.');
    expect(network.model.offered[0]).toEqual(expect.arrayContaining(['send_mail', 'create_event']));
  });

  it('that is not let in by its provider is told to the people, for an admin has to mend it', async () => {
    const error = Object.assign(new Error('bad key'), { status: 401 });
    const network = startNetwork({ routerModel: new ScriptedModel([{ error }]), hub: createFakeHub(mail) });
    expect((await network.say('hello')).response).toMatch(/OPENAI_API_KEY/);
  });
});

describe('calls', () => {
  it('that the policy allows run without a question', async () => {
    const network = startNetwork();
    network.model.script([list('r1')], 'No events.');
    expect((await network.say('what is on?')).response).toBe('No events.');
    expect(await network.resultOf('r1')).toBe('no events');
    expect(network.events.map(({ type }) => type)).toEqual(['started', 'ended']);
    await network.expectWhole();
  });

  it('that the policy denies are answered with its reason, and nobody is asked', async () => {
    const network = startNetwork();
    network.model.script([{ id: 'x1', name: 'drop_calendar', args: {} }], 'I may not.');
    expect((await network.say('drop it')).response).toBe('I may not.');
    expect(await network.resultOf('x1')).toBe('Not run: the policy does not allow this (calendars stay).');
    expect(network.hub.sent).toEqual([]);
    await network.expectWhole();
  });

  it('that fail are told to the model', async () => {
    const network = startNetwork();
    network.model.script([{ id: 'b1', name: 'break_event', args: {} }], 'It is full.');
    await network.say('break it');
    await network.decide('b1');
    expect(await network.resultOf('b1')).toBe('Failed: the calendar is full');
    await network.expectWhole();
  });

  it('of a tool that nobody offers are answered, and nobody is asked', async () => {
    const network = startNetwork();
    network.model.script([{ id: 'x1', name: 'no_such_tool', args: {} }], 'Sorry.');
    expect((await network.say('do it')).response).toBe('Sorry.');
    expect(await network.resultOf('x1')).toMatch(/There is no tool called no_such_tool/);
    await network.expectWhole();
  });

  it.each<[string, object | string, RegExp]>([
    ['that do not fit the schema', { title: 5 }, /title must be a string/],
    ['that are no JSON', '{"title": Standup', /no complete JSON object/],
    ['that were cut off', '{"title": "Stan', /no complete JSON object/],
    ['that are a list', '["Standup"]', /no complete JSON object/],
    ['with half a character', '{"title": "\\ud800"}', /represent exactly/],
  ])('with arguments %s come back to the model, and nobody is asked', async (_what, args, result) => {
    const network = startNetwork();
    network.model.script([create('c1', args)], 'Sorry.');
    expect((await network.say('make a standup')).response).toBe('Sorry.');
    expect(await network.resultOf('c1')).toMatch(result);
    expect(network.hub.sent).toEqual([]);
    expect(network.events.filter(({ type }) => type === 'opened')).toEqual([]);
    await network.expectWhole();
  });

  it('with broken arguments do not run, though their tool needs none and the policy allows it', async () => {
    const network = startNetwork();
    network.model.script([{ id: 'r1', name: 'list_events', args: '{"day": ' }], 'Sorry.');
    await network.say('what is on?');
    expect(network.hub.sent).toEqual([]);
    await network.expectWhole();
  });

  it('with a call_id of an earlier call are calls of their own', async () => {
    const network = startNetwork();
    network.model.script([list('same')], 'One.', [list('same')], 'Two.');
    await network.say('what is on?');
    await network.say('and now?');
    expect(network.hub.count('list_events')).toBe(2);
    await network.expectWhole();
  });

  it('with one call_id for two are two', async () => {
    const network = startNetwork();
    network.model.script([list('same'), list('same')], 'Done.');
    await network.say('list twice');
    expect(network.hub.count('list_events')).toBe(2);
    await network.expectWhole();
  });

  it('without a call_id get one', async () => {
    const network = startNetwork();
    network.model.script([{ name: 'list_events', args: {} }], 'Done.');
    await network.say('what is on?');
    expect(network.hub.count('list_events')).toBe(1);
    await network.expectWhole();
  });
});

describe('the graph', () => {
  const nodesOf = async ({ checkpointer }: Network) => {
    const nodes = new Set<string>();
    for await (const { checkpoint } of checkpointer.list({
      configurable: { thread_id: 'slack:T1:C1:1.0' },
    })) {
      for (const name of Object.keys(checkpoint.versions_seen)) nodes.add(name);
    }
    return [...nodes].filter((name) => !name.startsWith('__')).toSorted();
  };

  it('passes over the router with nothing to route, and the formatter with nothing to say', async () => {
    const network = startNetwork();
    network.model.script([create('c1')], 'Made.');
    await network.say('make a standup');
    await network.decide('c1');
    expect(await nodesOf(network)).toEqual(['human_confirmation', 'task_executor', 'use_tools']);
  });

  it('formats a final word where the model has none', async () => {
    const network = startNetwork();
    network.model.script([create('c1')], '');
    await network.say('make a standup');
    await network.decide('c1');
    expect(await nodesOf(network)).toEqual([
      'human_confirmation',
      'response_formatter',
      'task_executor',
      'use_tools',
    ]);
  });
});
