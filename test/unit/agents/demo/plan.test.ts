import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { describe, expect, it } from 'vitest';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import type { DemoCall } from '../../../../src/agents/demo/turn.ts';

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const calendar = named(
  'calendar__create_event',
  'calendar__list_events',
  'calendar__update_event',
  'ask_user',
);
const simulation = named(
  'simulation__load_simulation',
  'simulation__set_parameter_value',
  'simulation__run_simulation',
  'ask_user',
);
const planning = named('make_plan');

function calls(
  messages: readonly BaseMessage[],
  tools: readonly { readonly name: string }[],
): readonly DemoCall[] {
  const now = Date.parse('2026-11-23T08:00:00Z');
  const reply = demoReply({ messages, tools, now, timeZone: 'Europe/Berlin', hasBanner: true });
  if ('text' in reply) throw new Error(reply.text);
  return reply.toolCalls;
}

const said = (text: string) => [new HumanMessage(text)];

/** The conversation after these calls of the model ended so. */
function endedWith(
  messages: readonly BaseMessage[],
  made: readonly DemoCall[],
  ends: readonly string[],
): BaseMessage[] {
  const toolCalls = made.map(({ name, arguments: args }, index) => {
    return { id: `call_${messages.length}_${index}`, name, args };
  });
  const results = toolCalls.map(({ id }, index) => {
    return new ToolMessage({ tool_call_id: id, content: ends[index] ?? '', status: 'success' });
  });
  return [...messages, new AIMessage({ content: '', tool_calls: toolCalls }), ...results];
}

describe('the demo model where it plans', () => {
  it('makes the calls of a change the steps of a plan', () => {
    const [plan] = calls(said('plan: create 2 events: Standup at 10am and Lunch at 12pm'), [
      ...calendar,
      ...planning,
    ]);
    expect(plan).toMatchObject({
      name: 'make_plan',
      arguments: {
        title: 'create 2 events: Standup at 10am and Lunch at 12pm',
        steps: [
          { tool: 'calendar__create_event', arguments: { title: 'Standup' }, needs: [] },
          { tool: 'calendar__create_event', arguments: { title: 'Lunch' }, needs: [] },
        ],
      },
    });
  });

  it('looks up directly what it needs for the plan', () => {
    const [look] = calls(said('move Standup to Friday'), [...calendar, ...planning]);
    expect(look?.name).toBe('calendar__list_events');
  });

  it('plans what needs the id of a simulation once that is loaded', () => {
    const tools = [...simulation, ...planning];
    const first = said('simulate 500 mg twice a day for a 70 kg person');
    const [plan] = calls(first, tools);
    expect(plan?.arguments.steps).toMatchObject([
      { tool: 'simulation__load_simulation', arguments: {} },
      { tool: 'simulation__set_parameter_value', needs_result_of: [1] },
      { tool: 'simulation__set_parameter_value', needs_result_of: [1] },
      { tool: 'simulation__set_parameter_value', needs_result_of: [1] },
      { tool: 'simulation__run_simulation', needs_result_of: [1] },
    ]);
    const made = endedWith(first, plan ? [plan] : [], ['Proposed.']);
    const loaded = endedWith(
      made,
      [{ name: 'simulation__load_simulation', arguments: {} }],
      ['Loaded sim_1, one'],
    );
    const id = { simulation_id: 'sim_1' };
    expect(calls(loaded, tools)[0]?.arguments.steps).toEqual([
      {
        tool: 'simulation__set_parameter_value',
        arguments: { ...id, parameter: 'dose', value: 500, unit: 'mg' },
        needs: [],
      },
      {
        tool: 'simulation__set_parameter_value',
        arguments: { ...id, parameter: 'dose_interval', value: 12, unit: 'h' },
        needs: [],
      },
      {
        tool: 'simulation__set_parameter_value',
        arguments: { ...id, parameter: 'body_weight', value: 70, unit: 'kg' },
        needs: [],
      },
      { tool: 'simulation__run_simulation', arguments: id, needs: [1, 2, 3] },
    ]);
  });
});

it('says what was done in the order that people gave the plan', () => {
  const tools = [...simulation, ...planning];
  const place = (now: number, before: number) =>
    `\nIn the order that Ana gave the plan, this is step ${now}, not ${before}.`;
  const first = said('simulate 500 mg twice a day for a 70 kg person');
  const loaded = endedWith(
    first,
    [{ name: 'simulation__load_simulation', arguments: {} }],
    ['Loaded sim_1, one'],
  );
  const set = (parameter: string, value: number) => {
    return { name: 'simulation__set_parameter_value', arguments: { parameter, value } };
  };
  const run = { name: 'simulation__run_simulation', arguments: {} };
  const steps = [set('dose', 500), set('dose_interval', 12), set('body_weight', 70), run];
  const ends = [
    `Dose is set.${place(2, 1)}`,
    `Interval is set.${place(3, 2)}`,
    `Weight is set.${place(1, 3)}`,
    'It ran.',
  ];
  const messages = endedWith(loaded, steps, ends);
  const reply = demoReply({
    messages,
    tools,
    now: Date.parse('2026-11-23T08:00:00Z'),
    timeZone: 'Europe/Berlin',
    hasBanner: true,
  });
  expect('text' in reply && reply.text).toMatch(
    /Weight is set\.[\s\S]*Dose is set\.[\s\S]*Interval is set\.[\s\S]*It ran\./,
  );
  expect('text' in reply && reply.text).not.toContain('In the order');
});

describe('the demo model without plans', () => {
  it('loads a simulation, sets it, and runs it when that is done', () => {
    const first = said('simulate 1 g once a day');
    const load = calls(first, simulation);
    expect(load.map(({ name }) => name)).toEqual(['simulation__load_simulation']);
    const loaded = endedWith(first, load, ['Loaded sim_1, one']);
    const set = calls(loaded, simulation);
    expect(set.map(({ arguments: { parameter, value } }) => [parameter, value])).toEqual([
      ['dose', 1],
      ['dose_interval', 24],
    ]);
    const run = calls(endedWith(loaded, set, ['It is.', 'It is.']), simulation);
    expect(run).toEqual([{ name: 'simulation__run_simulation', arguments: { simulation_id: 'sim_1' } }]);
  });
});

it('asks for the unit of a dose, again after an answer that names none, and calls nothing', () => {
  const tools = [...simulation, ...planning];
  const first = said('simulate 500 twice a day');
  const asked = calls(first, tools);
  expect(asked).toMatchObject([{ name: 'ask_user', arguments: { question: '500 of what: mg, g or ug?' } }]);
  const unclear = endedWith(first, asked, ['Answered by Ana: maybe']);
  const again = calls(unclear, tools);
  expect(again).toEqual(asked);
  expect(calls(endedWith(unclear, again, ['Answered by Ana: mg']), tools)[0]?.name).toBe('make_plan');
});
