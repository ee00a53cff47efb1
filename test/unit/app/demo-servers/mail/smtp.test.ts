import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createTransport } from 'nodemailer';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { ANA, openLocalMail } from './helpers.ts';

type Local = Awaited<ReturnType<typeof openLocalMail>>;

const FROM = 'visitor@outside.test';
const people = (count: number) => Array.from({ length: count }, (_, index) => `p${index}@outside.test`);

async function send({ mail }: Pick<Local, 'mail'>, to: readonly string[], text = 'Hello') {
  const transport = createTransport({ host: '127.0.0.1', port: await mail.listen(), ignoreTLS: true });
  try {
    return await transport.sendMail({
      envelope: { from: FROM, to: [...to] },
      from: FROM,
      subject: 'Hi',
      text,
    });
  } finally {
    transport.close();
  }
}

async function mailboxes(file: string): Promise<string[]> {
  const { messages } = z
    .object({ messages: z.array(z.object({ mailbox: z.string(), isExample: z.boolean() })) })
    .parse(JSON.parse(await readFile(file, 'utf8')));
  return messages.filter((one) => !one.isExample).map(({ mailbox }) => mailbox);
}

test('a mail has twenty recipients and a megabyte at most', async () => {
  const local = await openLocalMail();
  expect(await send(local, people(300))).toMatchObject({
    accepted: people(20),
    rejected: expect.objectContaining({ length: 280 }),
  });
  expect(await mailboxes(local.file)).toEqual(people(20));
  await expect(send(local, people(1), 'x'.repeat(70).concat('\n').repeat(20_000))).rejects.toMatchObject({
    responseCode: 552,
  });
});

test('what is sent from a mailbox reaches more recipients than one mail has', async () => {
  const local = await openLocalMail();
  const mail = { to: people(30), cc: [], bcc: [], subject: 'All', body: 'Hello all.' };
  await local.call(ANA, 'send_message', mail);
  expect((await mailboxes(local.file)).filter((one) => one.endsWith('@outside.test'))).toEqual(people(30));
});

test('the mails of a burst are written together, and each that was taken is kept at a stop', async () => {
  const local = await openLocalMail();
  await send(local, ['first@outside.test']);
  let writes = 0;
  const watcher = watch(dirname(local.file), (_event, name) => {
    if (name === 'mail.json') writes += 1;
  });
  onTestFinished(() => watcher.close());
  await Promise.all(people(40).map((one) => send(local, [one])));
  expect((await mailboxes(local.file)).toSorted()).toEqual(['first@outside.test', ...people(40)].toSorted());
  expect(writes).toBeLessThan(20);

  const sent: string[] = [];
  const sends = ['x', 'y', 'z'].map((name) => `${name}@outside.test`);
  const all = sends.map((one) => send(local, [one]).then(() => void sent.push(one)));
  await Promise.race(all);
  await local.mail.stop();
  await Promise.allSettled(all);
  expect(await mailboxes(local.file)).toEqual(expect.arrayContaining(sent));
});
