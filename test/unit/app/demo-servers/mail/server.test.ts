import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ANA, BOB, CAROL, openLocalMail, refusal } from './helpers.ts';

const wholeSchema = z.object({
  message: z.object({
    mail_id: z.string(),
    thread_id: z.string(),
    from: z.string(),
    to: z.string(),
    cc: z.string(),
    subject: z.string(),
    text: z.string(),
    quoted: z.string(),
    reply_to: z.string(),
    unread: z.boolean(),
    automatic: z.string().nullable(),
    attachments: z.array(z.object({ id: z.string(), name: z.string(), kind: z.string() })),
    warnings: z.array(z.string()),
  }),
});
const sentSchema = z.object({ id: z.string(), thread_id: z.string() });

/** The example whose subject says this, as a whole. */
async function readExample(local: Awaited<ReturnType<typeof openLocalMail>>, subject: string) {
  const { messages } = await local.news(ANA);
  const id = messages.find((one) => one.subject.includes(subject))?.id ?? '';
  return { id, ...wholeSchema.parse(await local.call(ANA, 'get_message', { message_id: id })).message };
}

/** A mail as it came into a mailbox: this one, or the last. */
async function readRaw(file: string, mailbox: string, id?: string): Promise<string> {
  const { messages } = z
    .object({ messages: z.array(z.object({ id: z.string(), mailbox: z.string(), raw: z.string() })) })
    .parse(JSON.parse(await readFile(file, 'utf8')));
  const found = messages.findLast((one) => one.mailbox === mailbox && (id === undefined || one.id === id));
  return Buffer.from(found?.raw ?? '', 'base64').toString('utf8');
}

test('the tools of a mail server are there, and say which of them change something', async () => {
  const { client } = await openLocalMail();
  const { tools } = await client.listTools();
  const writes = tools
    .filter(({ annotations }) => annotations?.readOnlyHint !== true)
    .map(({ name }) => name);
  expect(tools.map(({ name }) => name).sort()).toEqual([
    'check_reply',
    'get_attachment',
    'get_message',
    'get_thread',
    'list_new_messages',
    'mark_as_read',
    'reply_to_message',
    'search_messages',
    'send_message',
  ]);
  expect(writes.sort()).toEqual(['mark_as_read', 'reply_to_message', 'send_message']);
  for (const { inputSchema } of tools) {
    for (const property of Object.values(inputSchema.properties ?? {})) {
      expect(property).toMatchObject({ title: expect.any(String), description: expect.any(String) });
    }
  }
});

test('a dozen mails are new to Ana, the oldest first, and none to others', async () => {
  const local = await openLocalMail();
  const first = await local.call(ANA, 'list_new_messages');
  expect(first).toMatchObject({ messages: [], restarted: false });
  expect(await local.call(ANA, 'list_new_messages', { unread_days: 3, limit: 2 })).toMatchObject({
    messages: [{}, {}],
    next: Object(first).next,
  });
  const { messages, next, restarted } = await local.news(ANA);
  expect(messages).toHaveLength(12);
  expect(restarted).toBe(false);
  expect(messages.every(({ unread }) => unread)).toBe(true);
  expect(
    messages
      .map(({ automatic }) => automatic)
      .filter((kind) => kind !== null)
      .sort(),
  ).toEqual(['auto_reply', 'newsletter', 'notification']);
  expect((await local.news(ANA, next)).messages).toEqual([]);
  expect((await local.news(BOB)).messages).toEqual([]);
});

test('mails are found by words, sender, day and folder, the newest first', async () => {
  const local = await openLocalMail();
  const find = async (args: Readonly<Record<string, unknown>>, person = ANA) => {
    const found = await local.call(person, 'search_messages', args);
    return z
      .object({
        messages: z.array(z.object({ id: z.string(), subject: z.string(), from: z.string() })),
        next_page: z.string().nullable(),
      })
      .parse(found);
  };
  const all = (await find({ limit: 20, in_inbox: true })).messages;
  expect(all).toHaveLength(12);
  expect(all.map(({ id }) => id)).toEqual((await local.news(ANA)).messages.map(({ id }) => id).toReversed());
  expect((await find({ limit: 20 })).messages.length).toBeGreaterThan(12);
  const order = await find({ query: 'ORDER 10482' });
  expect(order.messages).toMatchObject([{ subject: expect.stringContaining('Order 10482') }]);
  const from = order.messages[0]?.from ?? '';
  expect((await find({ from: from.slice(-12) })).messages).toContainEqual(order.messages[0]);
  expect((await find({ from: 'nobody@nowhere.test' })).messages).toEqual([]);
  expect((await find({ since: '2100-01-01' })).messages).toEqual([]);
  const first = await find({ limit: 5, in_inbox: true });
  const second = await find({ limit: 7, in_inbox: true, page_token: first.next_page });
  expect([...first.messages, ...second.messages]).toEqual(all);
  expect(second.next_page).toBeNull();
  expect((await find({}, BOB)).messages).toEqual([]);
});

test('new mails come in pieces, and none is left out', async () => {
  const local = await openLocalMail();
  const all = (await local.news(ANA)).messages.map(({ id }) => id);
  const begin = z.object({ next: z.string() }).parse(await local.call(ANA, 'list_new_messages'));
  const seen: string[] = [];
  for (let after = begin.next.replace(/\d+$/, '0'); seen.length < 12; ) {
    const page = z
      .object({ messages: z.array(z.object({ id: z.string() })).max(5), next: z.string() })
      .parse(await local.call(ANA, 'list_new_messages', { after, limit: 5 }));
    seen.push(...page.messages.map(({ id }) => id));
    after = page.next;
  }
  expect(seen).toEqual(all);
});

test('a place of another file begins anew with what is unread of the last day', async () => {
  const local = await openLocalMail();
  const { messages, restarted } = await local.news(ANA, 'of-another-file.3');
  expect(restarted).toBe(true);
  expect(messages).toHaveLength(12);
  expect((await local.news(ANA, 'nonsense')).restarted).toBe(true);
});

test('a reply goes by SMTP into the mailbox of whoever gets it, in the conversation', async () => {
  const local = await openLocalMail();
  const { id, from, thread_id } = await readExample(local, 'Agenda for the workshop');
  expect(from).toBe('"Bob Berger" <bob@example.com>');
  const begin = (await local.news(BOB)).next;
  const reply = {
    message_id: id,
    to: ['bob@example.com'],
    cc: ['eve@outside.test'],
    body: 'You open it.\n\nAna',
  };
  const sent = sentSchema.parse(await local.call(ANA, 'reply_to_message', reply));
  expect(sent.thread_id).toBe(thread_id);

  const { messages } = await local.news(BOB, begin);
  expect(messages).toMatchObject([
    { from: '"Ana Almeida" <ana@example.com>', subject: 'Re: Agenda for the workshop' },
  ]);
  const arrived = await local.call(BOB, 'get_message', { message_id: messages[0]?.id });
  expect(arrived).toMatchObject({
    message: { text: 'You open it.\n\nAna', cc: 'eve@outside.test', to: 'bob@example.com' },
  });
  const raw = await readRaw(local.file, 'eve@outside.test');
  const answered = /^Message-ID: (.*)$/im.exec(await readRaw(local.file, 'ana@example.com', id))?.[1];
  expect(answered).toMatch(/^<.+>$/);
  expect(raw).toContain(`In-Reply-To: ${answered}`);
  expect(raw).toContain(`References: ${answered}`);
});

test('anybody can send a mail in, and an answer to it stays in its conversation', async () => {
  const local = await openLocalMail();
  const begin = (await local.news(CAROL)).next;
  const mail = { from: 'Visitor <visitor@outside.test>', to: 'Carol@Example.com', text: 'Are you there?' };
  await local.sendIn({ ...mail, subject: 'Hello', messageId: '<hello@outside.test>' });
  await local.sendIn({ ...mail, subject: 'Re: Hello', inReplyTo: '<hello@outside.test>' });
  const { messages } = await local.news(CAROL, begin);
  expect(messages.map(({ subject }) => subject)).toEqual(['Hello', 'Re: Hello']);
  const [first, second] = await Promise.all(
    messages.map(
      async ({ id }) => wholeSchema.parse(await local.call(CAROL, 'get_message', { message_id: id })).message,
    ),
  );
  expect(second?.thread_id).toBe(first?.thread_id);
  expect(await local.call(CAROL, 'get_thread', { thread_id: first?.thread_id })).toMatchObject({
    messages: [{ subject: 'Hello' }, { subject: 'Re: Hello' }],
    left_out: 0,
  });
});

test('a stranger who writes into a conversation is marked as one, each time', async () => {
  const local = await openLocalMail();
  const begin = (await local.news(CAROL)).next;
  const mail = { to: 'carol@example.com', subject: 'Re: Hello', text: 'Pay here.' };
  await local.sendIn({ ...mail, from: 'visitor@outside.test', messageId: '<hello@outside.test>' });
  for (const from of ['mallory@evil2.test', 'mallory@evil2.test'])
    await local.sendIn({ ...mail, from, inReplyTo: '<hello@outside.test>' });
  const { messages } = await local.news(CAROL, begin);
  for (const [at, { id }] of messages.entries()) {
    const isStranger = at > 0;
    expect(await local.call(CAROL, 'get_message', { message_id: id })).toMatchObject({
      message: { warnings: isStranger ? ['mallory@evil2.test was not in this conversation before'] : [] },
    });
    const to = [isStranger ? 'mallory@evil2.test' : 'visitor@outside.test'];
    expect(await local.call(CAROL, 'check_reply', { message_id: id, to })).toMatchObject({
      marks: isStranger ? ['mallory@evil2.test is new to this conversation'] : [],
    });
  }
});

test('a first mail is compared with whom Carol has written to, and with Carol', async () => {
  const local = await openLocalMail();
  const begin = (await local.news(CAROL)).next;
  const mail = { to: ['cy@flowershop.test'], cc: [], bcc: [], subject: 'Roses', body: 'Ten, please.' };
  await local.call(CAROL, 'send_message', mail);
  for (const from of ['cy@f1owershop.test', 'Carol Costa <ceo@evil2.test>'])
    await local.sendIn({ from, to: 'carol@example.com', subject: 'Pay', text: 'Now.' });
  const { messages } = await local.news(CAROL, begin);
  const told = [
    'f1owershop.test looks like flowershop.test and isn’t',
    'The name is that of carol@example.com but it comes from ceo@evil2.test',
  ];
  for (const [at, { id }] of messages.entries())
    expect(await local.call(CAROL, 'get_message', { message_id: id })).toMatchObject({
      message: { warnings: [told[at]] },
    });
  expect(messages).toHaveLength(2);
});

test('who writes under Carol’s own address isn’t Carol, and is marked', async () => {
  const local = await openLocalMail();
  const begin = (await local.news(CAROL)).next;
  await local.sendIn({ from: 'carol@example.com', to: 'carol@example.com', subject: 'Pay', text: 'Now.' });
  const [{ id } = { id: '' }] = (await local.news(CAROL, begin)).messages;
  expect(await local.call(CAROL, 'get_message', { message_id: id })).toMatchObject({
    message: { own: false, warnings: [expect.stringContaining('from your own address carol@example.com')] },
  });
  const mail = { to: ['bob@example.com'], cc: [], bcc: [], subject: 'Plan', body: 'At ten.' };
  const { id: sent } = sentSchema.parse(await local.call(CAROL, 'send_message', mail));
  expect(await local.call(CAROL, 'get_message', { message_id: sent })).toMatchObject({
    message: { own: true, warnings: [] },
  });
});

test('a mail is read once, and only its owner sees it', async () => {
  const local = await openLocalMail();
  const { id, unread } = await readExample(local, 'Order 10482');
  expect(unread).toBe(true);
  for (const _ of [1, 2]) expect(await local.call(ANA, 'mark_as_read', { message_id: id })).toEqual({ id });
  const read = wholeSchema.parse(await local.call(ANA, 'get_message', { message_id: id }));
  expect(read.message.unread).toBe(false);
  const args = { message_id: id };
  expect(await refusal(local.client, { person: BOB, name: 'get_message', args })).toBe(
    `There is no mail ${id} in this mailbox. Nothing was read.`,
  );
  expect(await refusal(local.client, { person: null, name: 'get_message', args })).toBe(
    'A mailbox is a person’s, and this call is for nobody. Nothing was read.',
  );
});

test('what a reply’s card shows: the mail, and who is new or looks like somebody else', async () => {
  const local = await openLocalMail();
  const { id } = await readExample(local, 'Re: Our offer');
  const check = (to: readonly string[], cc: readonly string[] = []) =>
    local.call(ANA, 'check_reply', { message_id: id, to, cc });
  expect(await check(['lena.vogt@hafenlicht.test'])).toMatchObject({
    message: { from: '"Lena Vogt" <lena.vogt@hafenlicht.test>', subject: 'Re: Our offer 2281' },
    marks: [],
  });
  // Whom her answer has brought in.
  expect(await check(['lena.vogt@hafenlicht.test'], ['tom.brandt@hafenlicht.test'])).toMatchObject({
    marks: ['tom.brandt@hafenlicht.test is new to this conversation'],
  });
  expect(await check(['stranger@other.test'])).toMatchObject({
    marks: ['stranger@other.test is new to this conversation'],
  });
});

test('quotes, attachments, hidden text and look-alikes are told apart', async () => {
  const local = await openLocalMail();
  const quoted = await readExample(local, 'Re: Our offer');
  expect(quoted.text).toContain('Can you also deliver ten');
  expect(quoted.text).not.toContain('please find below');
  expect(quoted.quoted).toContain('please find below');
  const { id, attachments } = await readExample(local, 'Minutes');
  expect(attachments).toMatchObject([{ name: 'minutes.txt', kind: 'text/plain' }]);
  expect(
    await local.call(ANA, 'get_attachment', { message_id: id, attachment_id: attachments[0]?.id }),
  ).toMatchObject({ text: expect.stringContaining('Northwind sends the data') });
  const hidden = await readExample(local, 'supplier data');
  expect(hidden.text).toContain('Your supplier team');
  expect(hidden.text).not.toContain('maintenance mode');
  const favour = await readExample(local, 'Quick favour');
  expect(favour.warnings).toEqual([
    'examp1e.com looks like example.com and isn’t',
    'Answers go to bob.berger.private@mailbox.test instead of bob@examp1e.com',
  ]);
});

test('a damaged file is left as it is', async () => {
  const local = await openLocalMail();
  await writeFile(local.file, 'not JSON');
  expect(await refusal(local.client, { person: ANA, name: 'list_new_messages', args: {} })).toBe(
    'The mailbox’s file is damaged and is left as it is. Nothing was read.',
  );
  expect(await readFile(local.file, 'utf8')).toBe('not JSON');
});
