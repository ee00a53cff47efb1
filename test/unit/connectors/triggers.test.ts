import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CONNECTORS } from '../../../src/connectors/all.ts';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import { createArgumentValidator } from '../../../src/mcp/arguments/validator.ts';
import { createSend } from '../../../src/mcp/calls/send.ts';
import type { Connector, MailboxConnector } from '../../../src/mcp/ports.ts';
import { createTriggers } from '../../../src/schedules/index.ts';
import type { TriggerWhen } from '../../../src/schedules/ports.ts';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { connectorInstance, googleInstance, mailboxInstance } from '../../helpers/connector.ts';
import { GITHUB_CLIENT, startGitHub } from '../../helpers/github.ts';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../../helpers/mail-servers.ts';
import { testReads } from '../../helpers/unrecorded-reads.ts';

const DECLARED = [...CONNECTORS].flatMap(([name, connector]) =>
  Object.entries(connector.triggers ?? {}).map(([trigger, terms]) => ({ name, connector, trigger, terms })),
);
const listSchema = z.object({
  type: z.literal('array'),
  items: z.object({ properties: z.record(z.string(), z.json()) }),
});
const answerSchema = z.object({ properties: z.record(z.string(), z.json()) });

/** What the trigger is, with the examples of its parts filled in. */
function filledIn(name: string, { trigger, terms }: (typeof DECLARED)[number]): TriggerWhen {
  const parts = Object.entries(terms.parts).map(([part, { example }]) => [part, example]);
  return { kind: 'trigger', server: name, trigger, words: '', given: Object.fromEntries(parts) };
}

async function createServer(connector: Connector | MailboxConnector) {
  const readDocument = async () => ({ problem: '' });
  if ('createServer' in connector) {
    return connector.createServer({
      apiUrl: 'https://service.test',
      key: null,
      topic: null,
      readDocument,
      fetch,
    });
  }
  const at = { url: new URL('imap://mail.test'), host: 'mail.test', port: 143, security: 'none' } as const;
  return connector.createMailbox({
    ...{ address: 'ana@mail.test', name: null, user: 'ana', password: 'secret', trash: null },
    ...{ imap: at, smtp: at, readDocument, exchange: () => Promise.reject(new Error('is not asked')) },
  });
}

async function listTools(connector: Connector | MailboxConnector) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await (await createServer(connector)).connect(ours);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(theirs);
  return (await client.listTools()).tools;
}

describe.each(DECLARED)('the trigger $trigger of $name', (declared) => {
  const { name, connector, terms } = declared;
  const when = filledIn(name, declared);
  const validate = createArgumentValidator();
  const configured = { [name]: connector.triggers ?? {} };

  async function find(tool: string) {
    const found = (await listTools(connector)).find((one) => one.name === tool);
    if (!found) throw new Error(`${name} has no tool ${tool}`);
    return found;
  }

  /** What is said of each of a list. */
  async function listedBy(tool: string) {
    const answer = answerSchema.parse((await find(tool)).outputSchema);
    return listSchema.parse(answer.properties[terms.things.in]).items.properties;
  }

  it('lists by a tool that only reads and takes its arguments, and finds ids and times where they are', async () => {
    let asked: JsonObject | null = null;
    const triggers = createTriggers({
      configured,
      async read({ arguments: args }) {
        asked = args;
        return { why: 'silent', said: null };
      },
    });
    await triggers.look(when, ANA);
    const tool = await find(terms.list.tool);
    expect(tool.annotations).toMatchObject({ readOnlyHint: true });
    expect(asked).not.toBeNull();
    expect(await validate(z.custom<JsonObject>(isJsonObject).parse(tool.inputSchema), asked ?? {})).toEqual(
      [],
    );
    const listed = await listedBy(terms.list.tool);
    expect(listed).toHaveProperty(terms.things.id);
    expect(listed).toHaveProperty(terms.things.since);
  });

  it('has each read by a tool that only reads, and takes its id as it was listed', async () => {
    const listed = await listedBy(terms.list.tool);
    const isNumber = JSON.stringify(listed[terms.things.id]).match(/"(?:integer|number)"/) !== null;
    const triggers = createTriggers({ configured, read: async () => ({ why: 'silent', said: null }) });
    const { arguments: each } = triggers.describe(when, [isNumber ? 7 : 'abc'], 0);
    const tool = await find(terms.read.tool);
    expect(tool.annotations).toMatchObject({ readOnlyHint: true });
    const [args] = z.tuple([z.custom<JsonObject>(isJsonObject)]).parse(each);
    expect(await validate(z.custom<JsonObject>(isJsonObject).parse(tool.inputSchema), args)).toEqual([]);
  });
});

it('an issue that is opened, and a pull request, are found at GitHub; a repository that is gone is refused with its words', async () => {
  const { clientId, clientSecret } = GITHUB_CLIENT;
  const { url } = await startGitHub();
  const oauth = { client_id: clientId, client_secret: clientSecret };
  const { hub, signIn, ask } = await connectorInstance('github', { api_url: url, oauth });
  const { read } = testReads({
    ...{ send: createSend(hub.connections), offer: async (person) => ({ tools: await hub.tools(person) }) },
  });
  const triggers = createTriggers({ configured: { github: CONNECTORS.get('github')?.triggers ?? {} }, read });
  const when = (repository: string): TriggerWhen => ({
    ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened', words: '', given: { repository } },
  });
  expect(await triggers.look(when('ana/garden'), ANA)).toMatchObject({ why: 'not_connected' });
  await signIn(ANA, 'ana');
  await ask('create_issue', ANA, { repository: 'ana/garden', title: 'Water the roses' });
  expect(await triggers.look(when('ana/garden'), ANA)).toMatchObject({
    things: [{ id: 1, since: expect.any(Number) }],
  });
  expect(await triggers.look(when('ana/gone'), ANA)).toMatchObject({
    why: 'refused',
    said: expect.stringMatching(/GitHub (?:has nothing like that|refused)/),
  });
});

it('a connector whose settings are missing at a start is silent, and not gone', async () => {
  const oauth = { client_id: '$' + '{GITHUB_ID}', client_secret: '$' + '{GITHUB_SECRET}' };
  const { hub } = await connectorInstance('github', { oauth });
  expect(hub.status()).toMatchObject([{ state: 'setup_required' }]);
  const { read } = testReads({
    ...{ send: createSend(hub.connections), offer: async (person) => ({ tools: await hub.tools(person) }) },
  });
  const triggers = createTriggers({ configured: { github: CONNECTORS.get('github')?.triggers ?? {} }, read });
  const when: TriggerWhen = {
    ...{ kind: 'trigger', server: 'github', trigger: 'issue_opened', words: '' },
    given: { repository: 'ana/garden' },
  };
  expect(await triggers.look(when, ANA)).toMatchObject({ why: 'silent' });
});

it('an event that is added is found at Google Calendar', async () => {
  const { hub, signIn, service } = await googleInstance({ names: ['google-calendar'] });
  await signIn(ANA, 'ana');
  const { read } = testReads({
    ...{ send: createSend(hub.connections), offer: async (person) => ({ tools: await hub.tools(person) }) },
  });
  const triggers = createTriggers({
    configured: { 'google-calendar': CONNECTORS.get('google-calendar')?.triggers ?? {} },
    read,
  });
  const start = { dateTime: '2026-12-01T16:00:00Z' };
  const event = { summary: 'Tea', start, end: { dateTime: '2026-12-01T17:00:00Z' } };
  const made = z
    .object({ id: z.string() })
    .parse(await service.ask('ana', 'POST', '/calendar/v3/calendars/primary/events', event));
  const when: TriggerWhen = {
    ...{ kind: 'trigger', server: 'google-calendar', trigger: 'event_added', words: '', given: {} },
  };
  expect(await triggers.look(when, ANA)).toMatchObject({
    things: expect.arrayContaining([{ id: made.id, since: expect.any(Number) }]),
  });
});

it.skipIf(!hasDovecot('triggers of mailboxes'))(
  'mails that come, from anybody or somebody, are found by IMAP',
  async () => {
    const servers = await mailServersForTest();
    const { hub } = await mailboxInstance(servers);
    const { read } = testReads({
      ...{ send: createSend(hub.connections), offer: async (person) => ({ tools: await hub.tools(person) }) },
      rules: [{ name: 'searching', tools: 'imap.search_messages', action: 'allow' }],
    });
    const triggers = createTriggers({ configured: { imap: CONNECTORS.get('imap')?.triggers ?? {} }, read });
    const look = (trigger: string, given: TriggerWhen['given'] = {}) =>
      triggers.look({ kind: 'trigger', server: 'imap', trigger, words: '', given }, ANA);
    await servers.send({ from: THEIRS, to: OURS, subject: 'Roses', text: 'They are here.' });
    const found = { things: [{ id: expect.any(String), since: expect.any(Number) }] };
    expect(await look('mail_came')).toMatchObject(found);
    expect(await look('mail_came_from', { sender: THEIRS })).toMatchObject(found);
    expect(await look('mail_came_from', { sender: 'bob@example.com' })).toMatchObject({ things: [] });
  },
);
