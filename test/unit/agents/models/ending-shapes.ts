import { calls, delta, events, json, type RawAnswer, says, stream } from '../../../helpers/raw-model.ts';
import { call, DONE, list, type Row, ran, role, TITLE } from './shape.ts';

const html = (status: number): RawAnswer => ({
  status,
  type: 'text/html',
  pieces: ['<!doctype html><title>gateway</title><p>secret-backend-7 is away</p>'],
});
const tooLong = (error: object, status = 400) => json({ error }, status);
/** “Grüße” in pieces that cut each letter of more than one byte. */
const bytes = [...Buffer.from(events(delta({ ...role, content: 'Grüße 👋' })))].map((byte) =>
  Uint8Array.of(byte),
);

export const ENDINGS: readonly Row[] = [
  [
    'a refusal',
    [stream([{ ...role, refusal: 'I can’t help with that.' }])],
    { line: /declined.*I can’t help with that\./s },
  ],
  [
    'a filter in the middle',
    [stream([{ ...role, content: 'The recipe is' }], 'content_filter')],
    { line: /^The recipe is\n.*content filter/s },
  ],
  ['a filter from the beginning', [stream([role], 'content_filter')], { line: /content filter/ }],
  [
    'a prompt that is filtered',
    [tooLong({ code: 'content_filter', message: 'The prompt was filtered.' })],
    { line: /content filter/ },
  ],
  [
    'text up to the limit',
    [stream([{ ...role, content: 'One, two,' }], 'length')],
    { line: /^One, two,\n.*length/s },
  ],
  [
    'a call up to the limit',
    [
      stream(
        [{ ...role, tool_calls: [call({ function: { name: 'create_event', arguments: TITLE } })] }],
        'length',
      ),
      DONE,
    ],
    { ...ran, ran: 0, heard: /cut off/ },
  ],
  [
    'a call up to the limit each time',
    [stream([{ ...role, tool_calls: [call()] }], 'length')],
    { line: /^I tried three times.*cut off/s },
  ],
  [
    'no finish_reason',
    [{ pieces: [events(delta({ ...role, content: 'One, two,' }))] }],
    { line: /^One, two,\n.*not complete/s },
  ],
  [
    'a connection that is cut in the text',
    [{ pieces: [events(delta({ ...role, content: 'One, two,' }))], cut: true }],
    { line: /^One, two,\n.*not complete/s },
  ],
  [
    'a connection that is cut in a call',
    [
      {
        pieces: [
          events(
            delta({
              ...role,
              tool_calls: [call({ function: { name: 'create_event', arguments: '{"tit' } })],
            }),
          ),
        ],
        cut: true,
      },
      DONE,
    ],
    { ...ran, ran: 0, heard: /cut off/ },
  ],
  [
    'a connection that is cut at once',
    [{ pieces: [':\n\n'], cut: true }],
    { line: /could not be reached or failed|cannot be reached/ },
  ],
  ['an empty stream', [{ pieces: [events('[DONE]')] }], { line: /empty answer/ }],
  [
    'comments, other line ends, and none at the end',
    [
      {
        type: 'text/plain',
        pieces: [
          ': PROCESSING\r\n\r\n',
          events(delta({ ...role, content: 'Hello.' }), delta({}, 'stop')).replaceAll('\n', '\r\n'),
          'data:[DONE]',
        ],
      },
    ],
    { line: /^Hello\.$/ },
  ],
  [
    'an answer that is no stream',
    [
      json({
        choices: [{ index: 0, message: { ...role, content: 'Hello.' }, finish_reason: 'stop' }],
      }),
    ],
    { line: /^Hello\.$/ },
  ],
  ['an answer without text', [stream([role])], { line: /^I have no answer/ }],
  [
    'letters that are cut between pieces',
    [{ pieces: [...bytes, events(delta({}, 'stop'), '[DONE]')] }],
    { line: /^Grüße 👋$/ },
  ],
  ['a read that is called for ever', [calls(list())], { ran: 4, line: /^I got stuck after 9 steps/ }],
];

export const ERRORS: readonly Row[] = [
  [
    'an error page',
    [html(502), html(502), html(502)],
    { line: /provider failed \(HTTP 502\)/, hidden: /secret-backend/ },
  ],
  [
    'a page in place of an answer',
    [html(200)],
    { line: /no answer.*OPENAI_BASE_URL/, hidden: /secret-backend/ },
  ],
  [
    'an error as an event',
    [{ pieces: [events({ error: { message: 'secret-backend-7', code: 503 } })] }],
    { line: /provider failed \(HTTP 503\)/, hidden: /secret-backend/ },
  ],
  [
    'an error as an event in the text',
    [
      {
        pieces: [
          events(delta({ ...role, content: 'One, two,' }), { error: { message: 'secret-backend-7' } }),
        ],
      },
    ],
    { line: /^One, two,\n.*not complete/s, hidden: /secret-backend/ },
  ],
  [
    'an error with 200',
    [json({ error: { message: 'secret-backend-7', code: 401 } })],
    { line: /OPENAI_API_KEY/, hidden: /secret-backend/ },
  ],
  [
    'an event that is no JSON',
    [{ pieces: [events('{"choices":[')] }],
    { line: /could not be reached or failed|provider failed/ },
  ],
  [
    'a 429 without Retry-After',
    [json({ error: { message: 'slow down' } }, 429), DONE],
    { line: /^So far so good\.$/ },
  ],
  [
    'a 429 as an event',
    [{ pieces: [events({ error: { message: 'slow down', code: 429 } })] }, DONE],
    { line: /^So far so good\.$/ },
  ],
  [
    'no quota left',
    [json({ error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } }, 429)],
    { line: /quota/ },
  ],
];

export const THINKING: readonly Row[] = [
  [
    'the end of thoughts in a code block',
    [says('Close it:\n```\n</think>\n```')],
    { line: /^Close it:\n```\n<\/think>\n```$/ },
  ],
  [
    'thoughts before the answer',
    [says('<think>secret plan</think>\n\nHello.')],
    { line: /^Hello\.$/, hidden: /secret|think>/ },
  ],
  [
    'thoughts in pieces',
    [
      stream([
        { ...role, content: '<th' },
        { content: 'ink>secret ' },
        { content: 'plan</thi' },
        { content: 'nk>Hello.' },
      ]),
    ],
    { line: /^Hello\.$/, hidden: /secret|think>/ },
  ],
  [
    'thoughts that never end',
    [says('<think>secret plan')],
    { line: /^I have no answer/, hidden: /secret|think>/ },
  ],
  ['thoughts whose beginning is in the prompt', [says('secret plan</think>Hello.')], { line: /^Hello\.$/ }],
  [
    'thoughts between sentences',
    [says('One.\n<think>secret plan</think>\nTwo.')],
    { line: /^One\.\s+Two\.$/, hidden: /secret|think>/ },
  ],
  [
    'thoughts in a field of their own',
    [stream([{ ...role, reasoning_content: 'secret plan' }, { content: 'Hello.' }])],
    { line: /^Hello\.$/, hidden: /secret/ },
  ],
  [
    'content in parts, as Mistral sends it',
    [
      stream([
        {
          ...role,
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'secret' }] },
            { type: 'text', text: 'Hello.' },
          ],
        },
      ]),
    ],
    { line: /^Hello\.$/, hidden: /secret/ },
  ],
  ['a tag that is only spoken of', [says('Write `<think>` first.')], { line: /^Write `<think>` first\.$/ }],
];

export const CONTEXT: readonly Row[] = [
  [
    'a limit per minute',
    { message: 'Request too large for gpt-4 on tokens per min (TPM): Limit 30000, Requested 40000.' },
  ],
  ['a code', { code: 'context_length_exceeded', message: 'no' }],
  ['vLLM’s words', { message: "This model's maximum context length is 8192 tokens." }],
  ['Anthropic’s words', { message: 'prompt is too long: 200534 tokens > 200000 maximum' }],
  [
    'llama.cpp’s words',
    { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' },
  ],
].map(([what, error]) => [
  `a conversation that is too long, in ${String(what)}`,
  [tooLong(Object(error))],
  { line: /^This conversation is too long for the model/ },
]);
