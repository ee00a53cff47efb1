import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { CONNECTORS } from '../../../src/connectors/all.ts';
import { answering, IMPOSSIBLE_META, ToolProblem } from '../../../src/lib/text/tool-answers.ts';
import { toOutcome } from '../../../src/mcp/protocol/results.ts';

/** What a tool says where its service answers with this text. */
async function ask(name: string, tool: string, args: Record<string, unknown>, body: string, status = 200) {
  const connector = CONNECTORS.get(name);
  if (!connector || !('createServer' in connector)) throw new Error(`no connector ${name}`);
  const fetch = async () => new Response(body, { status, headers: { 'content-type': 'application/json' } });
  const readDocument = async () => ({ problem: 'is not read here' });
  const service = { apiUrl: 'https://service.test', key: 'key', topic: null, fetch, readDocument };
  const server = connector.createServer(service);
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  return client.callTool({ name: tool, arguments: args });
}

/** Lists within one another, which JSON.parse reads at any depth. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const EVENT = `{"id":"e","start":{},"end":{},"attendees":[{"email":"ana@example.com","more":${DEEP}}]}`;
const PART = '{"mimeType":"text/plain","headers":[],"body":{"size":0}}';
const mail = (more: string) => `{"id":"m","threadId":"t","snippet":"",${more}}`;
const nested = Array.from({ length: 5_000 }).reduce<string>(
  (inside) => `{"mimeType":"multipart/mixed","headers":[],"body":{"size":0},"parts":[${inside}]}`,
  PART,
);

test.each([
  ['google-calendar', 'get_event', { event_id: 'e' }, EVENT, 'Google Calendar'],
  [
    'google-calendar',
    'update_event',
    { event_id: 'e', add_guests: ['bob@example.com'] },
    EVENT,
    'Google Calendar',
  ],
  ['gmail', 'get_message', { message_id: 'm' }, mail(`"payload":${nested}`), 'Gmail'],
  ['github', 'get_repository', { repository: 'ana/garden' }, DEEP, 'GitHub'],
  ['web-search', 'search_web', { query: 'roses' }, `{"results":${DEEP}}`, 'The web search'],
])(
  'what %s answers to %s is nested beyond all reason, and that is said',
  async (name, tool, args, body, title) => {
    const { isError, content } = await ask(name, tool, args, body);
    expect(isError).toBe(true);
    expect(content).toMatchObject([
      {
        text: expect.stringMatching(
          new RegExp(`^${title} answered with something that is nested too deeply\\. Nothing was`),
        ),
      },
    ]);
  },
);

test('a time that there isn’t is none, and the rest is read', async () => {
  const dated = mail(`"internalDate":"99999999999999999","payload":${PART}`);
  expect(await ask('gmail', 'get_message', { message_id: 'm' }, dated)).toMatchObject({
    structuredContent: { message: { id: 'm', arrived_at: null } },
  });
  const thread = { channel: 'C012AB3CD', thread_ts: '1732437000.000100' };
  const answered = '{"ok":true,"messages":[{"ts":"99999999999999.1","text":"Hello"}]}';
  expect(await ask('slack', 'get_thread', thread, answered)).toMatchObject({
    structuredContent: { messages: [{ text: 'Hello', at: null }] },
  });
});

test.each([
  ['404 is of what isn’t there', 404, '{"message":"Not Found"}', true],
  ['410 is of what was deleted', 410, '{"message":"This issue was deleted"}', true],
  ['403 isn’t', 403, '{"message":"Resource not accessible by integration"}', undefined],
  ['400 isn’t', 400, '{}', undefined],
  ['JSON that is broken isn’t', 200, '{"number":', undefined],
  ['an unexpected answer isn’t', 200, '[]', undefined],
  ['one that is nested too deeply isn’t', 200, DEEP, undefined],
])('of what services answer to a read, %s', async (_what, status, body, isImpossible) => {
  const issue = { repository: 'ana/garden', number: 3 };
  const result = await ask('github', 'get_issue', issue, body, status);
  const outcome = toOutcome(result, { server: 'github', name: 'get_issue' });
  expect(outcome).toMatchObject({ status: 'failed' });
  expect('isImpossible' in outcome ? outcome.isImpossible : undefined).toBe(isImpossible);
});

test('what a tool says itself is of what isn’t there', async () => {
  const deleted = '{"ok":true,"user":{"id":"U012AB3CD","name":"dan","deleted":true}}';
  expect(await ask('slack', 'get_person', { person: 'U012AB3CD' }, deleted)).toMatchObject({
    isError: true,
    _meta: { [IMPOSSIBLE_META]: true },
  });
});

test('an error of the runtime’s is no answer, one of a tool’s is', async () => {
  const overflow = (): never => overflow();
  const [first, second] = [
    () => overflow(),
    () => {
      throw new ToolProblem('there is no such event');
    },
  ].map((run) => answering('Nothing was read.', run));
  expect((await first)?.content).toEqual([
    {
      type: 'text',
      text: 'This tool can make no sense of what it was given, or of what it read. Nothing was read.',
    },
  ]);
  expect((await second)?.content).toMatchObject([{ text: 'There is no such event. Nothing was read.' }]);
  await expect(answering('', () => Promise.reject(new TypeError('x')))).rejects.toThrow('x');
});
