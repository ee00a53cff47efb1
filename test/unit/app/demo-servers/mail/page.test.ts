import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ANA, BOB, openLocalMail } from './helpers.ts';

/** The mailboxes, with their page on a port of its own. */
async function openPage() {
  const local = await openLocalMail();
  const server = createServer((request, response) => {
    if (!local.mail.page(request, response)) response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address: AddressInfo | string | null = server.address();
  const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const read = async (path: string) => (await fetch(new URL(path, base))).text();
  return { ...local, base, read };
}

test('the page shows the mailboxes, and what an approved reply has brought into them', async () => {
  const { read, news, call } = await openPage();
  const before = await read('/mail?of=bob%40example.com');
  expect(before).toContain('Bob Berger');
  expect(before).not.toContain('Re: Agenda for the workshop');
  const { messages } = await news(ANA);
  const id = messages.find(({ subject }) => subject.startsWith('Agenda'))?.id;
  const to = ['bob@example.com', 'eve@outside.test'];
  await call(ANA, 'reply_to_message', { message_id: id, to, body: 'You open it.' });
  expect(await read('/mail?of=bob%40example.com')).toContain('Re: Agenda for the workshop');
  expect(await read('/mail?of=eve%40outside.test')).toContain('You open it.');
  expect(await read('/mail?of=ana%40example.com')).toMatch(/id="sent"[\s\S]*Re: Agenda for the workshop/);
});

test('Persian and emoji are sent and shown to the letter', async () => {
  const { read, news, call } = await openPage();
  const { messages } = await news(ANA);
  const id = messages.find(({ subject }) => subject.startsWith('Agenda'))?.id;
  const body = 'زنگ می\u200Cزنم. 👩\u200D🚀 👨\u200D👩\u200D👧';
  const begin = (await news(BOB)).next;
  await call(ANA, 'reply_to_message', { message_id: id, to: ['bob@example.com'], body });
  const [reply] = (await news(BOB, begin)).messages;
  expect(await call(BOB, 'get_message', { message_id: reply?.id })).toMatchObject({
    message: { text: body },
  });
  expect(await read(`/mail?of=bob%40example.com&show=${reply?.id}`)).toContain(body);
});

test('a mail is shown as text alone, whatever it says', async () => {
  const { read, sendIn, news } = await openPage();
  const begin = (await news(BOB)).next;
  const text = '<script>alert(1)</script> <img src=x>';
  await sendIn({ from: '"<b>Eve" <eve@outside.test>', to: 'bob@example.com', subject: '<i>hi', text });
  const { messages } = await news(BOB, begin);
  const list = await read('/mail?of=bob%40example.com');
  const mail = await read(`/mail?of=bob%40example.com&show=${messages[0]?.id}`);
  for (const page of [list, mail]) expect(page).not.toMatch(/<script>alert|<i>hi|<b>Eve|<img/);
  expect(mail).toContain('&#60;script&#62;alert(1)');
});

test('what nobody would see in a mail is written out, and what is written from the right turns nothing around', async () => {
  const { read, sendIn, news } = await openPage();
  const begin = (await news(BOB)).next;
  const from = '"Eve\u202Egro.elpmaxe\u200B ליאת" <eve@outside.test>';
  const text = 'Pay\u2066 me,\u00A0now';
  await sendIn({ from, to: 'bob@example.com', subject: 'invoice\u202Efdp.exe', text });
  const { messages } = await news(BOB, begin);
  const list = await read('/mail?of=bob%40example.com');
  const mail = await read(`/mail?of=bob%40example.com&show=${messages[0]?.id}`);
  for (const page of [list, mail]) {
    expect(page).toContain('invoice⟨U+202E⟩fdp.exe');
    expect(page).toMatch(/<bdi>[^<]*Eve⟨U\+202E⟩gro\.elpmaxe⟨U\+200B⟩ ליאת/);
    expect(page).toContain('Pay me, now');
    expect(page).not.toMatch(/[\u202E\u200B\u2066\u00A0]/);
  }
});

test('somebody who has no mail program writes to a mailbox in the page', async () => {
  const { base, news } = await openPage();
  const begin = (await news(BOB)).next;
  const send = (form: Readonly<Record<string, string>>) =>
    fetch(new URL('/mail', base), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
  const mail = {
    from: 'visitor@outside.test',
    to: 'bob@example.com',
    subject: 'Hello',
    body: 'Are you there?',
  };
  const sent = await send(mail);
  expect(sent.status).toBe(303);
  expect(sent.headers.get('location')).toBe('/mail?of=bob%40example.com');
  expect((await news(BOB, begin)).messages).toMatchObject([
    { subject: 'Hello', from: 'visitor@outside.test' },
  ]);
  expect((await send({ ...mail, from: 'nobody' })).status).toBe(400);
  expect((await news(BOB, begin)).messages).toHaveLength(1);
});
