import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { demoReply } from '../../../../src/agents/demo/reply.ts';
import type { DemoCall, DemoReply } from '../../../../src/agents/demo/turn.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

const timeZone = 'Europe/Berlin';
/** A Monday, early. */
const now = DateTime.fromISO('2026-11-23T08:00:00', { zone: timeZone }).toMillis();
const ALL = ['documents', 'calendar', 'simulation', 'code'];

function reply(messages: readonly BaseMessage[], tools: readonly string[]): DemoReply {
  return demoReply({ messages, tools: tools.map((name) => ({ name })), now, timeZone, hasBanner: true });
}

function master(request: string, agents = ALL): DemoReply {
  const prompt = ['Your agents:', ...agents.map((name) => `- ${name}: does it; tools: ${name}.*`)].join('\n');
  return reply([new SystemMessage(prompt), new HumanMessage(request)], ['ask_user', 'make_team_plan']);
}

function firstCall(given: DemoReply): DemoCall | undefined {
  return 'toolCalls' in given ? given.toolCalls[0] : undefined;
}

function text(given: DemoReply): string {
  return 'text' in given ? given.text : '';
}

/** The tasks of a plan, a line each: who needs whom, and for what. */
function tasks(given: DemoReply): unknown {
  const plan = firstCall(given)?.arguments.execution_plan;
  if (!Array.isArray(plan)) return given;
  return plan.map((task) => {
    const { id, depends_on: needs, task: what } = Object(task);
    return `${id}${needs.length > 0 ? ` after ${needs.join(', ')}` : ''}: ${what}`;
  });
}

describe('with agents that the script does not know', () => {
  const prompt = [
    'Your agents:',
    '- prices: Finds what things cost; for example: "What does a bolt cost?"',
    '- stock: Knows the warehouse; can: count bolts; tools: stock.find_prices',
    '- weather: Says what the weather is',
  ].join('\n');
  const ask = (request: string) =>
    reply([new SystemMessage(prompt), new HumanMessage(request)], ['ask_user', 'make_team_plan']);

  it('the master gives a request to each that it has a word of, and to nobody by any word', () => {
    expect(tasks(ask('what do bolts cost?'))).toEqual([
      'prices: what do bolts cost?',
      'stock: what do bolts cost?',
    ]);
    expect(tasks(ask('show me the warehouse'))).toEqual(['stock: show me the warehouse']);
    expect(text(ask('what is that?'))).toContain('Nothing was begun.');
  });

  const taking = (...required: string[]) => ({
    required,
    properties: Object.fromEntries(required.map((name) => [name, { type: 'string' }])),
  });
  const asked = (tools: readonly { name: string; parameters?: unknown }[], task = 'count the bolts') =>
    demoReply({
      messages: [
        new SystemMessage('You are the agent “stock” of a team: Knows the warehouse.'),
        new HumanMessage(task),
      ],
      ...{ tools, now, timeZone, hasBanner: true },
    });

  it('each calls a tool that fits by its name and needs a text at the most, or knows nothing better', () => {
    const [two, one] = [
      { name: 'stock__count_bolts_at', parameters: taking('place', 'day') },
      { name: 'stock__count_bolts', parameters: taking('what') },
    ];
    const elsewhere = { name: 'stock__read_prices', parameters: taking() };
    expect(firstCall(asked([elsewhere, two, one]))).toEqual({
      name: 'stock__count_bolts',
      arguments: { what: 'count the bolts' },
    });
    expect(firstCall(asked([{ name: 'stock__bolts' }]))).toEqual({ name: 'stock__bolts', arguments: {} });
    expect(text(asked([elsewhere, two]))).toContain('I only follow a script');
    const finds = { name: 'stock__find_in_documents', parameters: taking('what') };
    expect(firstCall(asked([finds], 'find bolts in the documents'))?.name).toBe('stock__find_in_documents');
  });
});

describe('the master', () => {
  it.each([
    [
      'what is in the travel policy, and what is on my calendar this week?',
      ['documents: What is in the travel policy?', 'calendar: What is on my calendar this week'],
    ],
    [
      '<@U1> what is in the travel policy and what is in my calendar this week?',
      ['documents: What is in the travel policy?', 'calendar: What is in my calendar this week'],
    ],
    [
      'find the budget in the documents, add it up in Python, then put a meeting about it into the calendar tomorrow at 10:00',
      [
        'documents: Find the budget in the documents.',
        'code after documents: Add the budget up in Python.',
        'calendar after code: Put a meeting about the budget into the calendar tomorrow at 10:00',
      ],
    ],
    [
      'Take the budget and the Q3 sales from the documents, compare them in Python, and book a meeting',
      [
        'documents: Find the budget in the documents.',
        'documents-2: Find the Q3 sales in the documents.',
        'code after documents, documents-2: Compare the budget and the Q3 sales in Python.',
        'calendar after code: Book a meeting about the budget and the Q3 sales',
      ],
    ],
    [
      'create a meeting called Standup tomorrow at 9am, and simulate 500 mg twice a day for a 70 kg person',
      [
        'calendar: Create a meeting called Standup tomorrow at 9am',
        'simulation: Simulate 500 mg twice a day for a 70 kg person',
      ],
    ],
  ])('plans “%s”', (request, expected) => {
    expect(tasks(master(request))).toEqual(expected);
  });

  it('begins nothing where a part is for none of its agents, and says what it can plan for', () => {
    const said = text(master('what is in the travel policy, and paint the office'));
    expect(said).toContain('Nothing was begun');
    expect(said).toMatch(/I can plan for:\n- documents: /);
    expect(text(master('add it up in Python'))).toContain('Nothing was begun');
  });

  it('plans only for agents that the team has, and offers no others', () => {
    const said = text(master('what is on my calendar this week?', ['documents']));
    expect(said).toContain('- documents: ');
    expect(said).not.toContain('- calendar: ');
  });
});

const TASK_END = '\n\nThis is your part of a plan. Do this, and no more: others do the rest.';

/** The message with a task, as an agent gets it. */
function given(task: string, needed: JsonObject = {}): HumanMessage {
  const rows = Object.entries(needed).map(([id, results]) => {
    return `| ${JSON.stringify({ [id]: { agent: 'documents', done: true, brought: { answer: 'Found.', results } } })}`;
  });
  const brought = rows.length > 0 ? ['What the parts before yours brought. It is data:', ...rows] : [];
  return new HumanMessage([`${task}${TASK_END}`, 'It is for this message:', '| all', ...brought].join('\n'));
}

function member(agent: string, messages: readonly BaseMessage[], tools: readonly string[]): DemoReply {
  return reply([new SystemMessage(`You are the agent “${agent}” of a team: it works.`), ...messages], tools);
}

function ended(call: DemoCall | undefined, content: string, status: 'success' | 'error' = 'success') {
  const args = call?.arguments ?? {};
  return [
    new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: call?.name ?? '', args }] }),
    new ToolMessage({ tool_call_id: 'call_1', content, status }),
  ];
}

describe('its agents', () => {
  const TABLE =
    '| team | 2025 spent | 2026 budget |\n| --- | --- | --- |\n| Sales | 9 | 450,000 |\n| Total | 9 | 450,000 |';
  const SALES = 'region,month,revenue_eur,returns_eur\nDACH,2026-07,100,5\nDACH,2026-08,200,5';

  it('documents searches for what its task is about, and quotes each passage with where it stands', () => {
    const task = given('What is in the travel policy?');
    const search = firstCall(member('documents', [task], ['documents__search_documents']));
    expect(search?.arguments).toEqual({ query: 'the travel policy', limit: 5 });
    const found =
      'Documents are still being learned. 2 passages fit.\n\n[1] travel.md, Booking, line 7\n> Trains\n> come first.\n\n[2] other.md, line 1\n> Elsewhere.';
    const said = member('documents', [task, ...ended(search, found)], []);
    expect(text(said)).toBe(
      'In the documents, about the travel policy:\n- Trains come first. (travel.md, Booking, line 7)\n\nDocuments are still being learned.',
    );
  });

  it.each([
    ['What do the documents say about parental leave?', 'parental leave'],
    ['What does the document say on leave', 'leave'],
    ['What does the travel policy say?', 'the travel policy'],
  ])('documents searches for the subject of a question: %s', (asked, query) => {
    const search = firstCall(member('documents', [given(asked)], ['documents__search_documents']));
    expect(search?.arguments).toEqual({ query, limit: 5 });
  });

  it('documents looks for the figures of what is to be found', () => {
    const task = given('Find the budget in the documents.');
    const search = firstCall(member('documents', [task], ['documents__search_documents']));
    const table = TABLE.replace(/^/gm, '> ');
    const found = `2 passages fit.\n\n[1] budget.md, Reserve, line 27\n> Five per cent is held back.\n\n[2] budget.md, Summary, line 7\n${table}`;
    const said = text(member('documents', [task, ...ended(search, found)], []));
    expect(said).toContain('- Sales 450,000 (budget.md, Summary, line 7)');
    expect(said).not.toContain('held back');
  });

  const needed = {
    documents: [
      { arguments: { query: 'the budget' }, result: `Quoted:\n\nbudget.md, line 7:\n${TABLE}`, sources: [] },
    ],
    'documents-2': [
      { arguments: { query: 'the Q3 sales' }, result: `Quoted:\n\nq3.csv, line 2:\n${SALES}`, sources: [] },
    ],
  };

  it('code hands its program the amounts that the documents brought, without their totals', () => {
    const task = given('Compare the budget and the Q3 sales in Python.', needed);
    const run = firstCall(member('code', [task], ['code__run_code']));
    expect(run?.arguments).toMatchObject({ language: 'python', code: expect.stringContaining('first:.1%') });
    expect(JSON.parse(String(run?.arguments.stdin))).toEqual({
      budget: [['Sales', 450_000]],
      'Q3 sales': [
        ['DACH 2026-07', 100],
        ['DACH 2026-08', 200],
      ],
    });
    const printed = JSON.stringify({ stdout: 'budget: 450,000 in all\n', exit_code: 0 });
    expect(text(member('code', [task, ...ended(run, `It printed.\n${printed}`)], []))).toBe(
      'The program printed:\n- budget: 450,000 in all',
    );
  });

  it('code writes in JavaScript where there is no Python', () => {
    const task = given('Add the budget up in Python.', needed);
    const run = firstCall(member('code', [task], ['code__run_code']));
    const misfit = ended(run, 'Not run: the arguments do not fit: language must be "javascript".', 'error');
    const again = firstCall(member('code', [task, ...misfit], ['code__run_code']));
    expect(again?.arguments).toMatchObject({ language: 'javascript' });
  });

  it('code runs nothing where no amounts came', () => {
    expect(text(member('code', [given('Add the budget up.')], ['code__run_code']))).toContain(
      'no program was run',
    );
  });

  it('calendar and simulation do what their task says, as they do it for people', () => {
    const task = given('Put a meeting about the budget into the calendar tomorrow at 10:00');
    expect(firstCall(member('calendar', [task], ['calendar__create_event']))?.arguments).toMatchObject({
      title: 'Meeting about the budget',
      start: '2026-11-24T10:00:00',
    });
    const simulated = given('Simulate 500 mg twice a day for a 70 kg person');
    expect(firstCall(member('simulation', [simulated], ['simulation__load_simulation']))?.name).toBe(
      'simulation__load_simulation',
    );
  });
});

describe('the composer', () => {
  const composed = (...outputs: readonly object[]) => {
    const lines = ['All tasks have ended.', ...outputs.map((output) => JSON.stringify(output))];
    const call = { name: 'make_team_plan', arguments: {} };
    return text(reply([new HumanMessage('all'), ...ended(call, lines.join('\n'))], []));
  };

  it('cites a passage where it is quoted, and a result after its first line', () => {
    const said = composed(
      {
        ...{ task: 'documents', agent: 'documents', what: 'Find it.', done: true },
        brought: {
          answer: 'In the documents:\n- Trains first. (travel.md, line 7)',
          results: [{ result: '', sources: ['[1] travel.md, line 7', '[2] travel.md, line 9'] }],
        },
      },
      {
        ...{ task: 'calendar', agent: 'calendar', what: 'List it.', done: true },
        brought: {
          answer: 'You have one event:\n\n| When |',
          results: [{ result: '', sources: ['[3] List events, calendar'] }],
        },
      },
    );
    expect(said).toBe('In the documents:\n- Trains first. [1]\n\nYou have one event [3]:\n\n| When |');
  });

  it('cites where what another program brought is from', () => {
    const sources = ['[1] prices.pdf, p. 3'];
    const price = { what: 'Find the price.', done: true, brought: { answer: 'It costs 12.', sources } };
    expect(composed(price)).toBe('It costs 12 [1].');
  });

  it('says what was not done, and why', () => {
    const rejected = { what: 'Book a meeting.', done: false, error: 'denied_by_user', brought: {} };
    const failed = { what: 'Add it up.', done: false, error: 'The server is down.', brought: {} };
    expect(composed(rejected, failed)).toBe(
      'Not done: “Book a meeting”. It was rejected.\n\nNot done: “Add it up”. The server is down.',
    );
  });
});
