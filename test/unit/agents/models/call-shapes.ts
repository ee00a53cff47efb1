import { calls, events, json, stream } from '../../../helpers/raw-model.ts';
import { call, card, DONE, list, type Row, ran, role, TITLE } from './shape.ts';

const withArguments = (args: unknown, name = 'create_event') =>
  calls(call({ function: { name, arguments: args } }));
const named = (name: string, args = TITLE) => calls(call({ function: { name, arguments: args } }));
export const IDS: readonly Row[] = [
  ['a usual call', [calls(call())], card],
  ['an id that is empty', [calls(call({ id: '' }))], card],
  ['an id that is absent', [calls(call({ id: undefined }))], card],
  ['an id that is null', [calls(call({ id: null }))], card],
  [
    'one id for two calls',
    [
      calls(
        call({ id: 'x' }),
        call({ id: 'x', function: { name: 'create_event', arguments: '{"title":"Retro"}' } }, 1),
      ),
    ],
    { cards: ['Standup', 'Retro'] },
  ],
  [
    'empty ids and one index for two calls',
    [
      calls(
        call({ id: '' }),
        call({ id: '', function: { name: 'create_event', arguments: '{"title":"Retro"}' } }),
      ),
    ],
    { cards: ['Standup', 'Retro'] },
  ],
  [
    'no ids and no indexes for two calls',
    [
      calls(
        call({ id: undefined, index: undefined }),
        call({
          id: undefined,
          index: undefined,
          function: { name: 'create_event', arguments: '{"title":"Retro"}' },
        }),
      ),
    ],
    { cards: ['Standup', 'Retro'] },
  ],
  [
    'an id and name that are empty after the first delta, as DashScope sends them',
    [
      stream(
        [
          { ...role, tool_calls: [call({ function: { name: 'create_event', arguments: '{"title":' } })] },
          { tool_calls: [{ index: 0, id: '', function: { name: '', arguments: '"Standup"}' } }] },
        ],
        'tool_calls',
      ),
    ],
    card,
  ],
  [
    'another id in each delta',
    [
      stream(
        [
          {
            ...role,
            tool_calls: [call({ id: 'a', function: { name: 'create_event', arguments: '{"title":' } })],
          },
          { tool_calls: [{ index: 0, id: 'b', function: { arguments: '"Standup"}' } }] },
        ],
        'tool_calls',
      ),
    ],
    card,
  ],
  [
    'a read whose id was used before',
    [calls(list({ id: 'x' })), calls(list({ id: 'x' })), DONE],
    { ...ran, ran: 2 },
  ],
  ['no role', [stream([{ tool_calls: [call()] }], 'tool_calls')], card],
  ['an empty role', [stream([{ role: '', tool_calls: [call()] }], 'tool_calls')], card],
  [
    'the older function_call',
    [stream([{ ...role, function_call: { name: 'create_event', arguments: TITLE } }])],
    card,
  ],
  [
    'text and call in choices of their own, as Copilot sends them for Claude',
    [
      json({
        choices: [
          { index: 0, message: { ...role, content: 'I enter it.' }, finish_reason: 'tool_calls' },
          {
            index: 0,
            message: { ...role, content: null, tool_calls: [call()] },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    ],
    card,
  ],
  [
    'a call in the second choice of an event',
    [
      {
        pieces: [
          events(
            {
              choices: [
                { index: 0, delta: { ...role, content: 'I enter it.' }, finish_reason: null },
                { index: 1, delta: { ...role, tool_calls: [call()] }, finish_reason: 'tool_calls' },
              ],
            },
            '[DONE]',
          ),
        ],
      },
    ],
    card,
  ],
  [
    'a call in an answer that is no stream',
    [
      json({
        choices: [
          {
            index: 0,
            message: { ...role, content: null, tool_calls: [call()] },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    ],
    card,
  ],
];

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const tooDeep = { ...ran, ran: 0, heard: /more than 100 levels deep/ };
export const ARGUMENTS: readonly Row[] = [
  ['empty arguments', [withArguments('', 'list_events'), DONE], ran],
  ['arguments that are null', [withArguments(null, 'list_events'), DONE], ran],
  ['arguments as an object', [withArguments({ title: 'Standup' })], card],
  ['arguments that are encoded twice', [withArguments(JSON.stringify(TITLE))], card],
  ['arguments in a fence', [withArguments(`\`\`\`json\n${TITLE}\n\`\`\``)], card],
  ['arguments as an array', [withArguments('["Standup"]'), DONE], { ...ran, ran: 0, heard: /JSON array/ }],
  [
    'arguments that are cut',
    [withArguments('{"title":"Stan'), DONE],
    { ...ran, ran: 0, heard: /not valid JSON/ },
  ],
  [
    'arguments that are no JSON',
    [withArguments('title: Standup'), DONE],
    { ...ran, ran: 0, heard: /not valid JSON/ },
  ],
  ...[101, 5_000, 100_000].map(
    (levels): Row => [`arguments that nest ${levels} levels`, [withArguments(nested(levels)), DONE], tooDeep],
  ),
  [
    'arguments as an object that nests 2000 levels',
    [withArguments(JSON.parse(nested(2_000))), DONE],
    tooDeep,
  ],
  [
    'arguments that are cut each time',
    [withArguments('{"title":"Stan')],
    { line: /^I tried three times and could not get the arguments right/ },
  ],
];

export const NAMES: readonly Row[] = [
  ['a name with a prefix', [named('functions.create_event')], card],
  ['a name with dots', [named('create.event')], card],
  ['a name in another case', [named('Create-Event')], card],
  [
    'a name that nobody offers',
    [named('create_evnts'), DONE],
    { ...ran, ran: 0, heard: /no tool called create_evnts.*create_event/s },
  ],
  ['no name', [named(''), DONE], { ...ran, ran: 0, heard: /no tool called/ }],
];
