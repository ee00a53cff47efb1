import { ImapFlow } from 'imapflow';
import { expect, onTestFinished, test, vi } from 'vitest';
import { mailboxInstance } from '../../helpers/connector.ts';
import { hasDovecot, mailServersForTest, OURS, THEIRS } from '../../helpers/mail-servers.ts';

const withMail = test.skipIf(!hasDovecot('which mails belong together'));
const MALLORY = 'mallory@evil.test';

interface Listed {
  readonly id: string;
  readonly thread_id: string;
}

async function mailbox() {
  const servers = await mailServersForTest();
  const instance = await mailboxInstance(servers);
  return {
    servers,
    ...instance,
    /** The last mail of the inbox. */
    async newest(): Promise<Listed> {
      const { messages } = await instance.read('search_messages', { in_inbox: true, limit: 1 });
      return Object(messages)[0];
    },
    deliver(id: string, text: string, { from = THEIRS, headers = [] as string[], at = new Date() } = {}) {
      const lines = [`From: ${from}`, `To: ${OURS}`, 'Subject: Plan', `Message-ID: ${id}`, ...headers];
      servers.deliver([...lines, '', text, ''].join('\r\n'), { at });
    },
  };
}

withMail(
  'a mail whose conversation isn’t there is read with its own text, wherever was searched',
  async () => {
    const { servers, deliver, newest, read } = await mailbox();
    for (let at = 1; at <= 3; at += 1) deliver(`<s${at}@ours.test>`, 'The salary is 90.');
    await servers.move('Private');
    // There and back, which numbers them from 4 on, as the next one in the inbox.
    await servers.move('Sent', 'Private');
    await servers.move('Private', 'Sent');
    const headers = ['References: <nothing@nowhere>'];
    deliver('<1@evil.test>', 'Please repeat this.', { from: MALLORY, headers });
    const mail = await newest();
    expect(await read('get_message', { message_id: mail.id })).toMatchObject({
      message: { text: 'Please repeat this.' },
    });
    const to = [MALLORY];
    expect(await read('check_reply', { message_id: mail.id, to })).toMatchObject({
      message: { text: 'Please repeat this.' },
    });
  },
);

withMail(
  'an answer is of the conversation of the mail that it answers, not of a copy of that, and once that is archived',
  async () => {
    const { servers, deliver, newest } = await mailbox();
    const at = new Date(Date.now() - 3_600_000);
    deliver('<d@x>', 'When?', { headers: ['References: <a@x> <c@x>'], at });
    const first = await newest();
    deliver('<d@x>', 'I am another.', { from: MALLORY, headers: ['References: <evil@evil>'] });
    for (let no = 0; no < 25; no += 1) deliver(`<${no}.<d@x>`, 'Noise.', { from: MALLORY });
    const headers = ['In-Reply-To: <d@x>'];
    deliver('<e@x>', 'Never mind.', { headers });
    expect(await newest()).toMatchObject({ thread_id: first.thread_id });
    await servers.move('Archive');
    deliver('<d@x>', 'I am another.', { from: MALLORY, headers: ['References: <evil@evil>'] });
    deliver('<f@x>', 'Never mind.', { headers });
    expect(await newest()).toMatchObject({ thread_id: first.thread_id });
  },
);

withMail('the chain that a stranger hangs onto a conversation costs few commands of the server', async () => {
  const { servers, deliver, newest, read } = await mailbox();
  for (const folder of 'ABCDEFGH') await servers.move(folder);
  deliver('<r@x>', 'Root.');
  deliver('<g@x>', 'Answer.', { headers: ['References: <r@x>'] });
  const mail = await newest();
  for (let at = 1; at <= 6; at += 1)
    deliver(`<c${at}@evil>`, 'x', { from: MALLORY, headers: [`In-Reply-To: <c${at - 1}@evil>`] });
  for (const [at, before] of ['r@x', 'l0@evil', 'l1@evil', 'l2@evil'].entries())
    deliver(`<l${at}@evil>`, 'x', { from: MALLORY, headers: [`In-Reply-To: <c6@evil> <${before}>`] });
  const opened = vi.spyOn(ImapFlow.prototype, 'mailboxOpen');
  onTestFinished(() => opened.mockRestore());
  expect(await read('get_message', { message_id: mail.id })).toMatchObject({ message: { text: 'Answer.' } });
  expect(opened.mock.calls.length).toBeLessThan(30);
});

withMail('no other mail stands for one that was moved', async () => {
  const { servers, deliver, newest, read, tell } = await mailbox();
  deliver('<d@x>', 'When?', { at: new Date(Date.now() - 3_600_000) });
  const { id } = await newest();
  await servers.move('Archive');
  deliver('<d@x>', 'Pay.', { headers: ['Date: Mon, 23 Nov 2026 08:00:00 +0000'] });
  expect(await read('get_message', { message_id: id })).toMatchObject({ message: { text: 'When?' } });
  deliver('<d@x>', 'Pay.', { headers: ['Reply-To: mallory@evil.test'] });
  const why = 'failed: It was moved, and several mails pass for it: see in your mail program.';
  expect(await tell('mark_as_read', { message_id: id })).toBe(`${why} Nothing was changed.`);
  expect([servers.flags(), servers.flags(OURS, 'Archive')]).toEqual([['', ''], ['']]);
});

withMail('a mail stays in its conversation beside another one with its Message-ID', async () => {
  const { deliver, newest, read } = await mailbox();
  deliver('<1@x>', 'First.');
  const { thread_id } = await newest();
  deliver('<2@x>', 'Second.', { headers: ['In-Reply-To: <1@x>'] });
  deliver('<3@x>', 'Do not pay.', { headers: ['In-Reply-To: <2@x>'] });
  deliver('<3@x>', 'Pay.', { from: MALLORY, headers: ['References: <1@x>'] });
  const { messages } = await read('get_thread', { thread_id });
  const texts = Object(messages).map(({ text }: { text: string }) => text);
  expect(texts.toSorted()).toEqual(['Do not pay.', 'First.', 'Pay.', 'Second.']);
});
