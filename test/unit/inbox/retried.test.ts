import { expect, it } from 'vitest';
import { MINUTE, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { openWaiting } from '../../helpers/inbox-newer.ts';
import { openSqliteTwice } from '../../helpers/inbox-storage.ts';

const BOX = 'slack:T1:U1:mail';

/** A mail whose answer failed in part, and is listed; what failed is tried again. */
async function openRetried({ isDone = false, isNoted = true } = {}) {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, place, server, next } = opened;
  await opened.turnOn();
  server.mails.push(mailOf(1));
  await next();
  const [{ thread } = { thread: '' }] = await place.begun();
  if (isDone) await one.agentDone(thread, 'm1');
  else if (isNoted) await one.agentLeft(thread);
  await one.retried(thread, { run: 'call:k1', messageId: null });
  const states = async () =>
    Promise.all(
      (['listed', 'responding', 'done'] as const).map(async (it) => (await one.mails(BOX, it)).length),
    );
  /** What was tried again has ended so. */
  const end = async (how: 'sent' | 'failed' | 'stopped') => {
    place.ends.set('call:k1', { how, said: 'no such calendar' });
    opened.pass(2 * MINUTE);
    await opened.work(one);
  };
  return { ...opened, thread, states, end };
}

it('what failed of an answer is followed once it’s tried again, and the mail is done with it, and told so', async () => {
  const { states, end, marked, next, place } = await openRetried();
  expect(await states()).toEqual([0, 1, 0]);
  await end('sent');
  // It's being marked as read, which may yet fail.
  expect([await states(), marked, place.told]).toEqual([[0, 1, 0], ['m1'], []]);
  await next();
  expect(await states()).toEqual([0, 0, 1]);
  expect(place.told).toEqual(['Question 1 marked']);
});

it('the mail is done as soon as it’s told that what was tried again has ended', async () => {
  const { one, other, place, marked } = await openRetried();
  place.ends.set('call:k1', { how: 'sent', said: '' });
  await one.callEnded('call:k2');
  expect(marked).toEqual([]);
  // Only the process in which it ended is told; where another one hears of it later, there's nothing left to do.
  for (const process of [one, other]) await process.callEnded('call:k1');
  expect([marked, place.told]).toEqual([['m1'], []]);
  await other.callEnded('call:marks m1');
  expect(place.told).toEqual(['Question 1 marked']);
});

it('it’s followed, too, where nobody has noted yet that the run before it ended', async () => {
  const { end, next, states } = await openRetried({ isNoted: false });
  await end('sent');
  await next();
  expect(await states()).toEqual([0, 0, 1]);
});

it.each([
  ['failed', 'Its answer failed, so nothing waits for you: no such calendar'],
  ['stopped', 'Its answer was stopped.'],
] as const)('a mail is listed again where what was tried again has %s', async (how, reason) => {
  const { one, end, marked } = await openRetried();
  await end(how);
  expect(await one.mails(BOX, 'listed')).toMatchObject([{ reason }]);
  expect(marked).toEqual([]);
});

it('a mail is listed again, with the reason, where it can’t be marked as read', async () => {
  const { one, end, marking, place } = await openRetried();
  marking.isRefused = true;
  await end('sent');
  expect(await one.mails(BOX, 'listed')).toMatchObject([{ reason: 'The policy denies it.' }]);
  expect(place.told).toEqual([]);
});

it('a mail is listed again, and its thread told nothing, where marking it as read fails', async () => {
  const { one, end, marking, next, place } = await openRetried();
  marking.fails = 'mail could not be reached.';
  await end('sent');
  await next();
  const reason = 'It couldn’t be marked as read: mail could not be reached.';
  expect(await one.mails(BOX, 'listed')).toMatchObject([{ reason }]);
  expect(place.told).toEqual([]);
});

it('a mail that is done stays so', async () => {
  const { states } = await openRetried({ isDone: true });
  expect(await states()).toEqual([0, 0, 1]);
});

it.each(['listed', 'done'] as const)(
  'the mail is followed whose answer is tried again, where a later one of its thread is %s',
  async (state) => {
    const opened = await openWaiting([{}]);
    const { one, place, thread, marked, find, next, pass, work } = opened;
    await next();
    await one.agentLeft(thread);
    place.busy = null;
    await next();
    if (state === 'done') await one.agentDone(thread, 'm2');
    else await one.agentLeft(thread);
    pass(MINUTE);
    await one.retried(thread, { run: 'call:k1', messageId: 'm1' });
    expect(await one.mailOf(thread)).toMatchObject({ mail: { messageId: 'm1' } });
    place.ends.set('call:k1', { how: 'sent', said: '' });
    pass(2 * MINUTE);
    await work(one);
    expect(marked).toEqual(['m1']);
    expect((await find('m2'))?.state).toBe(state === 'done' ? undefined : 'listed');
  },
);
