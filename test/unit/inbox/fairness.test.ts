import { expect, it } from 'vitest';
import type { ReadUnattended } from '../../../src/inbox/ports.ts';
import { MINUTE, mailOf, openInboxes, type ServedMail } from '../../helpers/inbox.ts';
import { openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana, bob } from '../../helpers/people.ts';

const BOB = { server: 'mail', timeZone: 'Europe/Berlin', pace: 'now' } as const;

/** A mail server with a mailbox for each person. */
function createServer() {
  const boxes = new Map<string, ServedMail[]>();
  const of = (id: string): ServedMail[] => {
    const own = boxes.get(id) ?? [];
    boxes.set(id, own);
    return own;
  };
  const read: ReadUnattended = async ({ name, arguments: args, person }) => {
    const mails = of(person.id);
    if (name === 'get_message') {
      const message = { ...mails.find(({ id }) => id === args.message_id) };
      return { account: null, structured: JSON.parse(JSON.stringify({ message })) };
    }
    const from = typeof args.after === 'string' ? Number(args.after) : mails.length;
    const messages = mails.slice(from, from + 20);
    return {
      account: null,
      structured: JSON.parse(JSON.stringify({ messages, next: String(from + messages.length) })),
    };
  };
  return { of, read };
}

it('takes up a mail within a minute, though somebody else gets a thousand', async () => {
  const server = createServer();
  const { one, pass, work, turnOn } = await openInboxes(await openSqliteTwice(), { read: server.read });
  await turnOn();
  await one.turnOn(bob, BOB);
  const [mailbox] = await one.list(bob.id);
  for (let number = 1; number <= 1_000; number += 1) {
    server.of(ana.id).push(mailOf(number, { text: 'notify: x' }));
  }
  const pause = async () => {
    pass(5_000);
    await work(one);
  };
  for (let passes = 0; passes < 36; passes += 1) await pause();
  server.of(bob.id).push(mailOf(9_001, { text: 'respond: urgent' }));
  let waited = 0;
  const taken = async () => (await one.mails(mailbox?.id ?? '', 'responding')).length;
  while ((await taken()) === 0 && waited < 5 * MINUTE) {
    await pause();
    waited += 5_000;
  }
  expect(waited).toBeLessThanOrEqual(75_000);
});

it('looks at a mailbox, though somebody else’s mail server doesn’t answer', async () => {
  const server = createServer();
  const { promise: answers, resolve: answer } = Promise.withResolvers<void>();
  let isHanging = false;
  const read: ReadUnattended = async (asked) => {
    if (isHanging && asked.person.id === ana.id) await answers;
    return server.read(asked);
  };
  const { one, pass, work, turnOn } = await openInboxes(await openSqliteTwice(), { read });
  await turnOn();
  await one.turnOn(bob, BOB);
  const [mailbox] = await one.list(bob.id);
  isHanging = true;
  pass(MINUTE);
  const first = one.work.map((step) => step.runNow());
  server.of(bob.id).push(mailOf(9_001, { text: 'notify: x' }));
  await Promise.all(first);
  pass(MINUTE);
  await Promise.all(one.work.map((step) => step.runNow()));
  expect(await one.mails(mailbox?.id ?? '', 'listed')).toHaveLength(1);
  answer();
  await work(one);
});
