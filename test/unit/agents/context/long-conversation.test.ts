import { expect, it } from 'vitest';
import { createPlanner } from '../../../../src/agents/index.ts';
import { answersBy, type CountedRequest, startCountingModel } from '../../../helpers/counting-model.ts';
import { createFakeHub, ended, success } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { calls, json, says } from '../../../helpers/raw-model.ts';

/** What the model takes, by its own count, in tokens. */
const WINDOW = 16_000;
/** What one list of events takes is about a tenth of that. */
const EVENTS = JSON.stringify(
  Array.from({ length: 40 }, (_, day) => ({
    id: `evt_${day}`,
    start: `2026-11-${(day % 28) + 1}T09:00:00+01:00`,
  })),
);

type Graph = 'assistant' | 'planner';

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
  const called = isPlanned ? ['make_plan', plan] : [name, args];
  const [tool, given] = called;
  const id = `call_${turn}`;
  return calls({
    index: 0,
    id,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(given) },
  });
}

const isSummary = ({ messages }: CountedRequest) =>
  messages[0]?.content?.startsWith('Write the summary') ?? false;

async function start(graph: Graph) {
  let summaries = 0;
  const converse = answersBy((words) => callFor(graph, words));
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
    graphs: (ports) => ({ planner: createPlanner(ports) }),
  });
  return { network, requests, asked: () => requests.filter((request) => !isSummary(request)) };
}

it.each<[Graph, number]>([
  ['assistant', 500],
  ['planner', process.env.TEST_ALL === undefined ? 60 : 500],
])(
  'the %s answers each of %i turns, with a model that refuses what is too long',
  { timeout: 600_000 },
  async (graph, turns) => {
    const { network, requests, asked } = await start(graph);
    for (let turn = 1; turn <= turns; turn += 1) {
      const isDecided = turn % 20 === 3;
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
    expectKnown(asked().at(-1), turns);
    expectSteps(asked());
    expect(network.errors).toEqual([]);
  },
);

/** The last request knows what was rejected and approved long ago. */
function expectKnown(request: CountedRequest | undefined, turns: number): void {
  const record = request?.messages[1]?.content ?? '';
  expect(record).toMatch(/^The system’s record of the earlier part/);
  expect(record).toMatch(/people rejected[^\n]*\n[\s\S]*?create_event/);
  expect(record).toMatch(/create_event .*, approved by "Ana": /);
  if (turns > 100) expect(record).toMatch(/A summary of the beginning, which you wrote:\n\| Summary \d+\./);
}

/** What is sent begins as in the turn before, up to the message that was the last one then, in most turns. */
function expectSteps(requests: readonly CountedRequest[]): void {
  const changed = requests.slice(1).filter(({ parts }, index) => {
    const before = requests[index]?.parts ?? [];
    const last = before.findLastIndex((part) => part.startsWith('{"role":"user"'));
    return before.slice(0, last).some((part, place) => part !== parts[place]);
  });
  expect(changed.length / requests.length).toBeLessThan(0.15);
}
