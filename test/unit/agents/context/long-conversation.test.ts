import { expect, it } from 'vitest';
import { createPlanner } from '../../../../src/agents/index.ts';
import { answersBy, type CountedRequest, startCountingModel } from '../../../helpers/counting-model.ts';
import { createFakeHub, ended, success } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { calls, json, says } from '../../../helpers/raw-model.ts';
import { teamGraphs } from '../../../helpers/team.ts';

/** What the model takes, by its own count, in tokens. */
const WINDOW = 16_000;
/** What one list of events takes is about a tenth of that. */
const EVENTS = JSON.stringify(
  Array.from({ length: 40 }, (_, day) => ({
    id: `evt_${day}`,
    start: `2026-11-${(day % 28) + 1}T09:00:00+01:00`,
  })),
);

type Graph = 'assistant' | 'planner' | 'team';

/** A task of a team for these words; null where its master answers itself. */
function planFor(words: string) {
  const [task, turn = ''] = /turn (\d+): list them/.exec(words) ?? [];
  if (task === undefined) return null;
  const plan = {
    analysis: { intent: 'See the events' },
    execution_plan: [{ id: 'list', agent: 'diary', task }],
  };
  return toCall(`plan_${turn}`, 'make_team_plan', plan);
}

/** A team: its master plans, its agent lists and gives all of it back, and its composer answers. */
function answerInTeam(asked: CountedRequest) {
  const instructions = asked.messages[0]?.content ?? '';
  if (!instructions.includes('You are the agent')) return answersBy(planFor)(asked);
  const hasListed = asked.messages.some(({ role }) => role === 'tool');
  return hasListed ? says(EVENTS) : answersBy((words) => callFor('team', words))(asked);
}

function toCall(id: string, name: string, args: object) {
  return calls({ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } });
}

/** What the model calls for these words: a list in most turns, something to decide in others. */
function callFor(graph: Graph, words: string) {
  const [, turn = ''] = /turn (\d+): /.exec(words) ?? [];
  const [name, args] = words.includes('create')
    ? ['create_event', { title: `Event ${turn}` }]
    : words.includes('list')
      ? ['list_events', {}]
      : [null, {}];
  if (name === null) return null;
  const isPlanned = graph === 'planner' && name === 'create_event';
  const plan = { title: `Plan ${turn}`, steps: [{ tool: name, arguments: args }] };
  const [tool, given] = isPlanned ? (['make_plan', plan] as const) : ([name, args] as const);
  return toCall(`call_${turn}`, tool, given);
}

const isSummary = ({ messages }: CountedRequest) =>
  messages[0]?.content?.startsWith('Write the summary') ?? false;

async function start(graph: Graph) {
  let summaries = 0;
  const converse = graph === 'team' ? answerInTeam : answersBy((words) => callFor(graph, words));
  const { model, requests } = await startCountingModel(WINDOW, (asked) => {
    if (!isSummary(asked)) return converse(asked);
    summaries += 1;
    // Every third time it is down.
    return summaries % 3 === 0 ? json({ error: { message: 'down' } }, 400) : says(`Summary ${summaries}.`);
  });
  const hub = createFakeHub({ server: 'calendar', name: 'list_events', run: () => ended(success(EVENTS)) });
  const network = startNetwork({
    hub,
    agentPorts: (ports) => ({
      ...ports,
      models: { main: model, router: null },
      summaries: { model, stopping: new AbortController().signal },
      limits: { ...ports.limits, contextTokens: WINDOW },
    }),
    graphs: (ports) => ({
      planner: createPlanner(ports),
      ...teamGraphs([{ name: 'diary' }], () => network)(ports),
    }),
  });
  // Of a team, those with which a turn begins: each of its models is told something else.
  const isOfConversation = ({ messages }: CountedRequest) =>
    graph !== 'team' || messages[0]?.content?.includes('You lead a team');
  const asked = () => requests.filter((request) => !isSummary(request) && isOfConversation(request));
  return { network, requests, asked };
}

it.each<[Graph, number]>([
  ['assistant', 500],
  ['planner', 500],
  ['team', 500],
])(
  'the %s answers each of %i turns, with a model that refuses what is too long',
  { timeout: 600_000 },
  async (graph, turns) => {
    const { network, requests, asked } = await start(graph);
    for (let turn = 1; turn <= turns; turn += 1) {
      // A team's calls are decided in threads of its agents.
      const isDecided = graph !== 'team' && turn % 20 === 3;
      const words = `turn ${turn}: ${isDecided ? 'create it' : turn % 2 === 0 ? 'list them' : 'hello'}`;
      const { itemId, response } = await network.say(words, { graph });
      if (!isDecided) {
        expect(response).toBe(`Answer to ${words}`);
        continue;
      }
      const callId = graph === 'planner' ? `call_${turn}:1` : `call_${turn}`;
      await network.decide(callId, turn % 40 === 3 ? { type: 'reject' } : {});
      expect(await network.item(itemId)).toMatchObject({ response: `Answer to ${words}` });
    }
    expect(requests.filter(({ isRefused }) => isRefused)).toEqual([]);
    expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThanOrEqual(WINDOW);
    expectKnown(asked(), graph, turns);
    // A team's master is asked once in a turn, so that each new record and each summary is seen in a larger part of its requests.
    expectSteps(asked(), graph === 'team' ? 0.35 : 0.15);
    expect(network.errors).toEqual([]);
  },
);

/** The last request knows what was rejected and approved long ago; of what was given to a team, some do until it's summed up. */
function expectKnown(requests: readonly CountedRequest[], graph: Graph, turns: number): void {
  const records = requests.map(({ messages }) => messages[1]?.content ?? '');
  const record = records.at(-1) ?? '';
  expect(record).toMatch(/^The system’s record of the earlier part/);
  if (graph === 'team') expect(records.join('\n')).toMatch(/record of the earlier part[^\0]*make_team_plan/);
  else {
    expect(record).toMatch(/people rejected[^\n]*\n[\s\S]*?create_event/);
    expect(record).toMatch(/create_event .*, approved by "Ana": /);
  }
  if (turns > 100) expect(record).toMatch(/A summary of the beginning, which you wrote:\n\| Summary \d+\./);
}

/** What is sent begins as in the turn before, up to the message that was the last one then, in most turns. */
function expectSteps(requests: readonly CountedRequest[], most: number): void {
  const changed = requests.slice(1).filter(({ parts }, index) => {
    const before = requests[index]?.parts ?? [];
    const last = before.findLastIndex((part) => part.startsWith('{"role":"user"'));
    return before.slice(0, last).some((part, place) => part !== parts[place]);
  });
  expect(changed.length / requests.length).toBeLessThan(most);
}
