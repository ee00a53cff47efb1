import { expect, it } from 'vitest';
import type { AgentPorts } from '../../../../src/agents/ports.ts';
import { type CountedRequest, startCountingModel } from '../../../helpers/counting-model.ts';
import { createFakeHub, ended, type FakeTool, success } from '../../../helpers/fake-hub.ts';
import { startNetwork } from '../../../helpers/network.ts';
import { calls, json, type RawAnswer, says } from '../../../helpers/raw-model.ts';

const WINDOW = 8_000;
const MEGABYTE = 1_000_000;

/** What the router answers, which isn't streamed. */
const CHOSEN = json({
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'r1',
            type: 'function',
            function: { name: 'choose_tool_types', arguments: '{"tool_types":["calendar"]}' },
          },
        ],
      },
    },
  ],
});

interface Options {
  readonly answers: readonly RawAnswer[];
  readonly tool?: FakeTool;
  readonly window?: number;
  readonly ports?: (ports: AgentPorts) => Partial<AgentPorts>;
  readonly hasRouter?: boolean;
}

/** A conversation with a model that takes {@link WINDOW} tokens and gives these answers. */
async function start({ answers, tool, window = WINDOW, ports, hasRouter = false }: Options) {
  const left = [...answers];
  const { model, requests } = await startCountingModel(WINDOW, ({ messages }) => {
    const isRouter = messages[0]?.content?.startsWith('Choose which types') ?? false;
    return isRouter ? CHOSEN : (left.shift() ?? says('Done.'));
  });
  const network = startNetwork({
    hub: createFakeHub(...(tool ? [tool] : [])),
    agentPorts: (given) => ({
      ...given,
      models: { main: model, router: hasRouter ? model : null },
      limits: { ...given.limits, contextTokens: window },
      ...ports?.(given),
    }),
  });
  return { network, requests };
}

const call = (name: string, args: object, id = name) =>
  calls({ index: 0, id, type: 'function', function: { name, arguments: JSON.stringify(args) } });

function expectWithin(requests: readonly CountedRequest[]): void {
  for (const { tokens, isRefused } of requests) {
    expect(isRefused).toBe(false);
    expect(tokens).toBeLessThanOrEqual(WINDOW);
  }
}

const last = (requests: readonly CountedRequest[], role: string) =>
  requests.at(-1)?.messages.findLast((message) => message.role === role)?.content ?? '';

it.each([
  ['of words', 'word '.repeat(MEGABYTE / 5)],
  ['of one word', 'x'.repeat(MEGABYTE)],
  [
    'of ids',
    Array.from({ length: MEGABYTE / 50 }, (_, row) => `id-${row}-a8f5f167f44f4964e6c998dee827110c`).join(
      '\n',
    ),
  ],
  ['in Chinese', '对话太长'.repeat(MEGABYTE / 12)],
])('a message of a megabyte %s is cut, with its beginning and end, and answered', async (_what, words) => {
  const tool = { server: 'wiki', name: 'read_page', run: () => ended(success('ok')) };
  const { network, requests } = await start({ answers: [says('It is long.')], tool, hasRouter: true });
  expect(await network.say(`Read this: ${words} What is it?`)).toMatchObject({ response: 'It is long.' });
  expectWithin(requests);
  expect(requests).toHaveLength(2);
  expect(last(requests, 'user')).toMatch(
    /:\nRead this: [\s\S]*\[cut: \d+ more characters are left out here\][\s\S]* What is it\?$/,
  );
});

it('a result that is too long by itself is cut, and read on by the id of its call', async () => {
  const text = `${'line '.repeat(6_200)}the end`;
  const { network, requests } = await start({
    answers: [
      call('list_events', {}, 'c1'),
      call('read_result', { result: 'c1', find: 'the end' }, 'c2'),
      says('I have read its end.'),
    ],
    tool: { server: 'calendar', name: 'list_events', run: () => ended(success(text)) },
  });
  expect(await network.say('list them')).toMatchObject({ response: 'I have read its end.' });
  expectWithin(requests);
  expect(requests[1]?.messages.at(-1)?.content).toMatch(
    /\[To read on: read_result with result "c1" and from \d+, or find\.\]$/,
  );
  expect(last(requests, 'tool')).toMatch(/line the end\n\[characters \d+ to 31007, the end\]$/);
});

it('many large results of one answer share the room, each with its call', async () => {
  const asked = Array.from({ length: 12 }, (_, index) => ({
    index,
    id: `c${index}`,
    type: 'function',
    function: { name: 'list_events', arguments: '{}' },
  }));
  const { network, requests } = await start({
    answers: [calls(...asked), says('All read.')],
    tool: { server: 'calendar', name: 'list_events', run: () => ended(success('row '.repeat(5_000))) },
  });
  expect(await network.say('list them all')).toMatchObject({ response: 'All read.' });
  expectWithin(requests);
  expect(requests.at(-1)?.messages.filter(({ role }) => role === 'tool')).toHaveLength(12);
});

it('a tool whose definition has no room is left out, and the model is told', async () => {
  const inputSchema = { type: 'object', description: 'long '.repeat(MEGABYTE / 5) };
  const { network, requests } = await start({
    answers: [says('Hello.')],
    tool: { server: 'wiki', name: 'edit_page', inputSchema, run: () => ended(success('ok')) },
  });
  expect(await network.say('hello')).toMatchObject({ response: 'Hello.' });
  expectWithin(requests);
  expect(requests.at(-1)?.messages[0]?.content).toContain(
    'the definitions of these tools are too long to be given to you: edit_page.',
  );
});

it('instructions that leave no room for a conversation are named as what an admin has to shorten', async () => {
  const { network, requests } = await start({
    answers: [],
    ports: ({ prompt }) => ({ prompt: { ...prompt, instructions: 'Be kind. '.repeat(3_000) } }),
  });
  const { response } = await network.say('hello');
  expect(response).toMatch(
    /^The tools and instructions leave no room .* agent\.context_tokens, or to shorten agent\.instructions/,
  );
  expect(requests).toEqual([]);
});
