import { expect, it } from 'vitest';
import { mails } from '../../../src/inbox/collections.ts';
import { put } from '../../../src/storage/store.ts';
import { HOUR, MINUTE, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { onBothStorages, openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana } from '../../helpers/people.ts';

const BOX = 'slack:T1:U1:mail';
const DAY = 24 * HOUR;

/** A mailbox that is on, with mails of these verdicts in one conversation, in whose thread a draft waits for the first. */
async function openWaiting(verdicts: readonly string[], openTwice = openSqliteTwice) {
  const opened = await openInboxes(await openTwice());
  const { one, place, server, turnOn, next } = opened;
  await turnOn();
  server.mails.push(mailOf(1, { thread_id: 't' }));
  await next();
  const [{ thread } = { thread: '' }] = await place.begun();
  place.busy = thread;
  server.mails.push(
    ...verdicts.map((verdict, index) => mailOf(index + 2, { thread_id: 't', text: `${verdict}: Hello` })),
  );
  await next();
  const asked = async () => (await place.begun()).map((run) => /m\d+/.exec(run.asked)?.[0]);
  const find = async (messageId: string) => {
    const all = [...(await one.mails(BOX, 'listed')), ...(await one.mails(BOX, 'responding'))];
    return all.find((mail) => mail.messageId === messageId)?.id ?? '';
  };
  /** Turned off and on, with this time between. */
  const offAndOn = async (ms = MINUTE) => {
    await one.turnOff(ana, BOX);
    await next();
    opened.pass(ms);
    await turnOn();
  };
  const decide = async () => {
    await one.agentDone(thread, 'm1');
    place.busy = null;
    await next();
  };
  return { ...opened, thread, asked, find, offAndOn, decide };
}

onBothStorages((openTwice) => {
  it.each(['reply', 'draftAnew'] as const)(
    'answers what its owner asked for by %s, after the mailbox was off and on again',
    async (how) => {
      const { one, find, asked, offAndOn, decide } = await openWaiting(['notify'], openTwice);
      const id = await find('m2');
      await (how === 'reply' ? one.reply(ana.id, id) : one.draftAnew(ana.id, id, async () => []));
      await offAndOn();
      expect(await one.mails(BOX, 'responding')).toMatchObject([
        { messageId: 'm2' },
        ...(how === 'reply' ? [{ messageId: 'm1' }] : []),
      ]);
      await decide();
      expect(await asked()).toEqual(['m1', 'm2']);
    },
  );
});

it('counts how long somebody has waited from when they asked, however old the mail is', async () => {
  const { one, find, asked, offAndOn, decide, pass } = await openWaiting(['notify', 'notify']);
  await one.reply(ana.id, await find('m2'));
  pass(13 * DAY);
  await one.reply(ana.id, await find('m3'));
  await offAndOn(2 * DAY);
  await decide();
  expect(await asked()).toEqual(['m1', 'm3']);
});

it('answers all that waited, however many listed mails nobody was told of', async () => {
  const { server, store, asked, find, next, offAndOn, decide, turnOn } = await openWaiting([]);
  await turnOn({ pace: 'daily' });
  server.mails.push(mailOf(2, { text: 'notify: Hello' }));
  await next();
  const listed = await store.get(mails, await find('m2'));
  expect(listed?.value.isTold).toBe(false);
  const others = Array.from({ length: 120 }, (_, index) => `${listed?.id}${index}`);
  await store.commit({ put: others.flatMap((id) => (listed ? [put(mails, id, listed.value)] : [])) });
  server.mails.push(mailOf(200, { thread_id: 't' }));
  await next();
  await offAndOn();
  await decide();
  expect(await asked()).toEqual(['m1', 'm200']);
});

it('answers nothing anew that its owner was done with while the mailbox was off', async () => {
  const { one, find, asked, next, decide, turnOn } = await openWaiting(['respond']);
  await one.turnOff(ana, BOX);
  await next();
  await one.done(ana.id, await find('m2'));
  await turnOn();
  await decide();
  expect(await asked()).toEqual(['m1']);
});
