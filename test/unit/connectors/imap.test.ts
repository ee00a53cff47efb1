import { expect, test } from 'vitest';
import { ANA, BOB } from '../../fixtures/oauth/instance.ts';
import { mailboxInstance } from '../../helpers/connector.ts';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../../helpers/mail-servers.ts';

const withMail = test.skipIf(!hasDovecot('mailboxes'));

async function mailbox() {
  const servers = await mailServersForTest();
  const instance = await mailboxInstance(servers);
  const { next } = await instance.read('list_new_messages');
  return { servers, ...instance, beginning: String(next) };
}

withMail('a mail that comes from outside is listed once, and stays unread', async () => {
  const { servers, read, beginning } = await mailbox();
  await servers.send({
    from: `"Cleo" <${THEIRS}>`,
    to: OURS,
    subject: 'Hello',
    text: 'Are you there?',
    messageId: '<1@theirs.test>',
  });
  const first = await read('list_new_messages', { after: beginning });
  expect(first).toMatchObject({
    messages: [
      {
        id: expect.stringMatching(/^[\w-]+$/),
        mail_id: '<1@theirs.test>',
        thread_id: expect.stringMatching(/^[\w-]+$/),
        from: `"Cleo" <${THEIRS}>`,
        to: OURS,
        subject: 'Hello',
        unread: true,
        automatic: null,
        beginning: 'Are you there?',
      },
    ],
    restarted: false,
  });
  expect(await read('list_new_messages', { after: first.next })).toMatchObject({ messages: [] });
  expect(servers.flags()).toEqual(['']);
});

withMail(
  'at first the newest of those that nobody has read are listed, of as many days as asked',
  async () => {
    const { servers, read, beginning } = await mailbox();
    const at = new Date(Date.now() - 3 * 24 * 3_600_000);
    servers.deliver(`From: ${THEIRS}\r\nSubject: Old\r\n\r\nx\r\n`, { at });
    for (let at = 1; at <= 3; at += 1) servers.deliver(`From: ${THEIRS}\r\nSubject: No. ${at}\r\n\r\nx\r\n`);
    const { next } = await read('list_new_messages', { after: beginning });
    expect(await read('list_new_messages', { unread_days: 2, limit: 2 })).toMatchObject({
      messages: [{ subject: 'No. 2' }, { subject: 'No. 3' }],
      next,
      restarted: false,
    });
    expect(await read('list_new_messages')).toMatchObject({ messages: [], next });
    expect(await read('list_new_messages', { unread_days: 4 })).toMatchObject({
      messages: [{ subject: 'Old' }, {}, {}, {}],
    });
  },
);

withMail('more than fit are listed one after another, and none is missed', async () => {
  const { servers, read, beginning } = await mailbox();
  for (let at = 1; at <= 5; at += 1) servers.deliver(`From: ${THEIRS}\r\nSubject: No. ${at}\r\n\r\nx\r\n`);
  const subjects: unknown[] = [];
  let after = beginning;
  for (let look = 0; look < 4; look += 1) {
    const found = await read('list_new_messages', { after, limit: 2 });
    if (Array.isArray(found.messages)) subjects.push(found.messages.map((one) => Object(one).subject));
    after = String(found.next);
  }
  expect(subjects).toEqual([['No. 1', 'No. 2'], ['No. 3', 'No. 4'], ['No. 5'], []]);
});

withMail(
  'where the server has numbered its mails anew, those of today that nobody has read are listed',
  async () => {
    const { servers, read, beginning } = await mailbox();
    servers.deliver(`From: ${THEIRS}\r\nSubject: Unread\r\n\r\nx\r\n`);
    servers.deliver(`From: ${THEIRS}\r\nSubject: Read\r\n\r\nx\r\n`);
    const at = new Date(Date.now() - 25 * 3_600_000);
    servers.deliver(`From: ${THEIRS}\r\nSubject: Of yesterday\r\n\r\nx\r\n`, { at });
    const listed = await read('list_new_messages', { after: beginning });
    const [, { id }] = Object(listed.messages);
    await read('mark_as_read', { message_id: id });
    servers.renumber();
    const again = await read('list_new_messages', { after: listed.next });
    expect(again).toMatchObject({ messages: [{ subject: 'Unread' }], restarted: true });
    expect(await read('list_new_messages', { after: again.next })).toMatchObject({
      messages: [],
      restarted: false,
    });
  },
);

withMail('a reply arrives there with its place in the conversation, and a copy lies in Sent', async () => {
  const { servers, read, tell, beginning } = await mailbox();
  await servers.send({
    from: THEIRS,
    to: OURS,
    subject: 'Plan',
    text: 'When?',
    messageId: '<2@theirs.test>',
    references: ['<0@theirs.test>', '<1@theirs.test>'],
  });
  const { messages } = await read('list_new_messages', { after: beginning });
  const [{ id, thread_id }] = Object(messages);
  const sent = await read('reply_to_message', { message_id: id, to: [THEIRS], cc: [], body: 'At ten.\nAna' });
  expect(sent).toEqual({ id: expect.stringMatching(/^\d+-1-\w{12}-m-[\w-]+$/), thread_id });
  const [reply] = await servers.read(THEIRS);
  expect(reply).toMatchObject({
    subject: 'Re: Plan',
    inReplyTo: '<2@theirs.test>',
    references: ['<0@theirs.test>', '<1@theirs.test>', '<2@theirs.test>'],
    from: { value: [{ address: OURS, name: 'Ana Ours' }] },
  });
  expect(reply?.text?.trim()).toBe('At ten.\nAna');
  expect(await servers.read(OURS, 'Sent')).toMatchObject([{ messageId: reply?.messageId }]);
  expect(servers.flags()).toEqual(['R']);
  const thread = await read('get_thread', { thread_id });
  expect(thread).toMatchObject({
    messages: [
      { id, text: 'When?', own: false },
      { id: sent.id, text: 'At ten.\nAna', own: true, warnings: [] },
    ],
  });
  expect(await tell('get_message', { message_id: sent.id })).toMatch(/^“Re: Plan” from "Ana Ours"/);
});

withMail('a mail that was moved or archived since is read, answered and marked there', async () => {
  const { servers, read, tell, beginning } = await mailbox();
  const mail = { from: THEIRS, to: OURS, subject: 'Plan', text: 'When?', messageId: '<1@theirs.test>' };
  await servers.send(mail);
  const [{ id }] = Object((await read('list_new_messages', { after: beginning })).messages);
  await servers.move('Archive');
  // It isn't to be taken for that one.
  await servers.send({ ...mail, from: 'mallory@evil.test', text: 'Pay.' });
  expect(await read('get_message', { message_id: id })).toMatchObject({ message: { text: 'When?' } });
  await read('reply_to_message', { message_id: id, to: [THEIRS], cc: [], body: 'At ten.' });
  expect(await servers.read(THEIRS)).toMatchObject([{ inReplyTo: '<1@theirs.test>' }]);
  await read('mark_as_read', { message_id: id });
  expect([servers.flags(OURS, 'Archive'), servers.flags()]).toEqual([['RS'], ['']]);
  await servers.move('Trash', 'Archive');
  expect(await tell('reply_to_message', { message_id: id, to: [THEIRS], cc: [], body: 'x' })).toBe(
    'failed: There is no such mail, or it was moved or deleted, and can’t be found any more: see in your mail program. Nothing was sent.',
  );
});

withMail('an answer that names only the reply that it answers stays in the conversation', async () => {
  const { servers, read, beginning } = await mailbox();
  const mail = { from: THEIRS, to: OURS, subject: 'Plan', text: 'When?' };
  const newest = async () => Object((await read('list_new_messages', { after: beginning })).messages).at(-1);
  await servers.send({ ...mail, messageId: '<1@theirs.test>' });
  const { id, thread_id } = await newest();
  const reply = async (message_id: string) => {
    await read('reply_to_message', { message_id, to: [THEIRS], cc: [], body: 'At ten.' });
    return (await servers.read(THEIRS)).at(-1);
  };
  const first = await reply(id);
  await servers.send({ ...mail, inReplyTo: first?.messageId, messageId: '<2@theirs.test>' });
  await servers.send({ ...mail, inReplyTo: '<2@theirs.test>', messageId: '<3@theirs.test>' });
  const last = await newest();
  expect(last).toMatchObject({ mail_id: '<3@theirs.test>', thread_id });
  const references = ['<1@theirs.test>', first?.messageId, '<2@theirs.test>', '<3@theirs.test>'];
  const { messages } = await read('get_thread', { thread_id });
  expect(Object(messages).map(({ mail_id }: { mail_id: string }) => mail_id)).toEqual(references);
  expect(await reply(last.id)).toMatchObject({ references });
  await read('mark_as_read', { message_id: last.id });
  expect(servers.flags()).toEqual(['R', '', 'RS']);
  // What nobody has is the beginning, as ever.
  await servers.send({ ...mail, inReplyTo: '<0@theirs.test>', messageId: '<4@theirs.test>' });
  expect((await newest()).thread_id).not.toBe(thread_id);
});

withMail(
  'who writes under its own address isn’t its owner, even with the Message-ID of what they sent',
  async () => {
    const { servers, read, beginning } = await mailbox();
    await read('send_message', { to: [THEIRS], cc: [], bcc: [], subject: 'Plan', body: 'At ten.' });
    const [{ messageId = '' } = {}] = await servers.read(THEIRS);
    servers.deliver(
      `Message-ID: ${messageId}\r\nFrom: Ana Ours <${OURS}>\r\nTo: ${OURS}\r\nSubject: Plan\r\n\r\nPay.\r\n`,
    );
    const { messages } = await read('list_new_messages', { after: beginning });
    expect(messages).toMatchObject([{ own: false }]);
    const [{ id }] = Object(messages);
    expect(await read('get_message', { message_id: id })).toMatchObject({
      message: { own: false, warnings: [expect.stringContaining(`from your own address ${OURS}`)] },
    });
  },
);

withMail('it is offered to its owner alone, and used for nobody else', async () => {
  const { hub, send } = await mailbox();
  const names = async (person?: typeof ANA) => (await hub.tools(person)).map(({ name }) => name);
  expect(await names(ANA)).toEqual([
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
  expect(await names(BOB)).toEqual([]);
  expect(await names({ id: 'api:U1', name: 'A program' })).toEqual([]);
  expect(await send('list_new_messages', BOB)).toMatchObject({
    outcome: {
      status: 'failed',
      message: 'imap belongs to somebody else, for whom alone it is used; nothing was done.',
    },
  });
});

withMail('what it answers is its owner’s alone, but of a channel’s mailbox', async () => {
  const servers = await mailServersForTest();
  const own = await mailboxInstance(servers);
  const shared = await mailboxInstance(servers, { channel: 'C0SUPPORT1' });
  const [ofOwner, ofChannel] = [
    await own.send('list_new_messages', ANA),
    await shared.send('list_new_messages', ANA),
  ];
  expect(ofOwner).toMatchObject({ outcome: { status: 'succeeded', ownAccount: true } });
  expect(ofChannel).toMatchObject({ outcome: { status: 'succeeded' } });
  expect(ofChannel).not.toMatchObject({ outcome: { ownAccount: true } });
  expect(await shared.hub.tools(BOB)).toEqual([]);
});

withMail('rules can be set for its tools by whoever is offered none of them', async () => {
  const { hub } = await mailbox();
  const reply = (await hub.tools()).find(({ name }) => name === 'reply_to_message');
  expect(reply).toMatchObject({ server: 'imap', title: 'Reply to message', outputSchema: null });
  expect(reply?.description).not.toContain('Answers a mail');
});
