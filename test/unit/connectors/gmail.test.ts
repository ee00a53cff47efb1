import { expect, test } from 'vitest';
import { ANA } from '../../fixtures/oauth/instance.ts';
import { googleInstance } from '../../helpers/connector.ts';

const MAIL = { to: ['bob@example.com'], subject: 'Plan', body: 'On Friday.' };

async function ana() {
  const { signIn, mail, send, hub, service } = await googleInstance();
  await signIn(ANA, 'ana');
  return {
    hub,
    service,
    mail: (tool: string, args: object = {}) => mail(tool, ANA, args),
    /** The structured part of what a tool gives. */
    async get(tool: string, args: object = {}): Promise<Record<string, unknown>> {
      const result = await send('gmail', tool, ANA, args);
      if (result.kind !== 'ended' || result.outcome.status !== 'succeeded')
        throw new Error(JSON.stringify(result));
      return { ...result.outcome.structured };
    },
  };
}

test('its tools are reads that read, and writes that are asked for', async () => {
  const { hub } = await ana();
  const tools = (await hub.tools(ANA)).filter(({ server }) => server === 'gmail');
  const writes = ['create_draft', 'mark_as_read', 'reply_to_message', 'send_draft', 'send_message'];
  expect(tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name)).toEqual(writes);
  expect(tools.filter(({ outputSchema }) => outputSchema === null)).toEqual([]);
});

test('mails are found by Gmail’s search, page by page', async () => {
  const { get, mail } = await ana();
  expect(await get('search_messages', { query: 'from:bob' })).toMatchObject({
    messages: [
      {
        id: 'msg_roses',
        thread_id: 'thr_roses',
        from: 'Bob <bob@example.com>',
        subject: 'Roses',
        unread: true,
        beginning: 'When do we plant the roses?',
      },
    ],
    next_page: null,
  });
  const first = await get('search_messages', { limit: 1 });
  const second = await get('search_messages', { limit: 1, page_token: first.next_page });
  expect([first.messages, second.messages]).toMatchObject([[{ id: 'msg_roses' }], [{ id: 'msg_news' }]]);
  expect(await mail('search_messages', { query: 'subject:tulips' })).toMatch(/^0 messages\./);
});

test('of an attached text of megabytes the beginning is given, with how much more there is', async () => {
  const { get, service } = await ana();
  const head = ['From: bob@example.com', 'Content-Type: multipart/mixed; boundary=x', '', '--x'];
  const file = ['Content-Type: text/csv', 'Content-Disposition: attachment; filename=a.csv', ''];
  const text = [...head, ...file, '1234567\n'.repeat(300_000), '--x--'].join('\r\n');
  const raw = Buffer.from(text).toString('base64url');
  const stored = await service.ask('ana', 'POST', '/gmail/v1/users/me/messages', { raw });
  const message_id = Object(stored).id;
  const { message } = await get('get_message', { message_id });
  const [{ id: attachment_id }] = Object(message).attachments;
  const { text: read } = await get('get_attachment', { message_id, attachment_id });
  expect(read).toMatch(/^1234567\s.*\[2\d{6} more characters\]$/s);
});

test('a mail is read as its text, or as what its HTML shows', async () => {
  const { get } = await ana();
  expect(await get('get_message', { message_id: 'msg_roses' })).toMatchObject({
    message: { text: 'When do we plant the roses?', attachments: [] },
  });
  expect(await get('get_message', { message_id: 'msg_news' })).toMatchObject({
    message: { text: 'Bulbs\n\nHalf price.' },
  });
});

test('a mail is sent, in any language', async () => {
  const { mail, get } = await ana();
  const words = { subject: 'Überraschung 🌹', body: 'Grüße aus 東京 🌹' };
  expect(await mail('send_message', { ...MAIL, ...words, cc: ['carol@example.com'] })).toMatch(
    /^Sent to bob@example.com\./,
  );
  const { messages } = await get('search_messages', { query: 'in:sent' });
  expect(messages).toMatchObject([{ from: 'ana@example.com', to: 'bob@example.com', beginning: words.body }]);
});

test('a reply is in the conversation of what it answers', async () => {
  const { get, mail, service } = await ana();
  const reply = { message_id: 'msg_roses', to: ['bob@example.com'], body: 'On Friday.' };
  expect(await mail('reply_to_message', reply)).toMatch(/^Sent to bob@example.com\./);
  const { messages } = await get('get_thread', { thread_id: 'thr_roses' });
  expect(messages).toMatchObject([
    { subject: 'Roses', text: 'When do we plant the roses?' },
    { subject: 'Re: Roses', text: 'On Friday.', from: 'ana@example.com', to: 'bob@example.com' },
  ]);
  const { body } = service.seen().find(({ path }) => path.endsWith('/messages/send')) ?? { body: '{}' };
  const sent = Buffer.from(String(JSON.parse(body).raw), 'base64url').toString();
  expect(sent).toContain('\r\nIn-Reply-To: <roses-1@example.com>\r\nReferences: <roses-1@example.com>\r\n');
});

test('a draft is written, found and sent, with the text that was given when it was sent', async () => {
  const { get, mail } = await ana();
  const { draft_id: id } = await get('create_draft', { ...MAIL, reply_to: 'msg_roses' });
  expect(await get('search_drafts')).toMatchObject({
    drafts: [{ draft_id: id, message: { subject: 'Plan', thread_id: 'thr_roses' } }],
  });
  expect(await mail('search_messages', { query: 'in:sent' })).toMatch(/^0 messages/);
  // Changed at Gmail after people had seen it, which doesn't matter: what they approved is sent.
  expect(await mail('send_draft', { draft_id: id, ...MAIL, body: 'On Saturday.' })).toMatch(/^Sent to bob/);
  expect(await mail('search_drafts')).toMatch(/^0 drafts/);
  const { messages } = await get('search_messages', { query: 'in:sent' });
  expect(messages).toMatchObject([{ beginning: 'On Saturday.', thread_id: 'thr_roses' }]);
});

test('a draft with attachments isn’t sent without them', async () => {
  const { mail, service, get } = await ana();
  const { draft_id: id } = await get('create_draft', MAIL);
  await service.ask('ana', 'PUT', `/gmail/v1/users/me/drafts/${id}`, { message: { raw: WITH_FILE } });
  expect(await mail('send_draft', { draft_id: id, ...MAIL })).toBe(
    'failed: The draft has attachments, which would be lost; it can be sent in Gmail. Nothing was sent.',
  );
  expect(await mail('search_messages', { query: 'in:sent' })).toMatch(/^0 messages/);
});

const WITH_FILE = Buffer.from(
  [
    'To: bob@example.com',
    'Subject: Plan',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: text/plain',
    '',
    'On Friday.',
    '--x',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename="plan.csv"',
    '',
    'a,b',
    '--x--',
  ].join('\r\n'),
).toString('base64url');

test.each([
  ['no address', { ...MAIL, to: ['bob'] }],
  ['an address with a name, which could say another', { ...MAIL, to: ['ana@example.com <bob@example.com>'] }],
  ['another header in the subject', { ...MAIL, subject: 'Plan\r\nBcc: carol@example.com' }],
  ['nobody', { ...MAIL, to: [] }],
])('%s is not sent', async (_what, args) => {
  const { mail, service } = await ana();
  expect(await mail('send_message', args)).toMatch(/^failed/);
  expect(service.seen()).toEqual([]);
});
