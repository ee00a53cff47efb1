import { expect, it } from 'vitest';
import { mails } from '../../../src/inbox/collections.ts';
import { put } from '../../../src/storage/store.ts';
import {
  HOUR,
  MINUTE,
  mailOf,
  openInboxes,
  type ServedMail,
  type TestInboxPlaces,
} from '../../helpers/inbox.ts';
import { onBothStorages, openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana } from '../../helpers/people.ts';

const BOX = 'slack:T1:U1:mail';

async function openWith(served: readonly ServedMail[], openTwice = openSqliteTwice) {
  const opened = await openInboxes(await openTwice());
  await opened.turnOn();
  opened.server.mails.push(...served);
  return opened;
}

function crash(): never {
  throw new Error('cut off');
}

/** Cuts a process off at a step of beginning the run. */
function cutOff(place: TestInboxPlaces, at: string): void {
  if (at === 'before it posts') place.instead.openMail = async () => crash();
  else if (at === 'after it posts')
    place.instead.openMail = async (...given) => {
      await place.places.openMail(...given);
      return crash();
    };
  else
    place.instead.beginMail = async (...given) => {
      if (at === 'after the commit') await place.places.beginMail(...given);
      return crash();
    };
}

async function threads(place: TestInboxPlaces): Promise<readonly string[]> {
  return (await place.begun()).map(({ thread }) => thread);
}

onBothStorages((openTwice) => {
  it.each(['before it posts', 'after it posts', 'before the commit', 'after the commit'])(
    'begins one run with a mail where a process is cut off %s',
    async (at) => {
      const { one, other, place, next, pass, work } = await openWith([mailOf(1)], openTwice);
      cutOff(place, at);
      await next();
      await work(other);
      pass(2 * MINUTE);
      await work(other);
      await work(one, other);
      expect(await threads(place)).toEqual(['slack:T1:D1:1']);
      expect(place.opened.size).toBe(1);
      expect(await one.mails(BOX, 'responding')).toMatchObject([{ slackThread: 'slack:T1:D1:1' }]);
    },
  );

  it('begins one run where a process stands still until another has begun it', async () => {
    const { one, other, place, pass, work } = await openWith([mailOf(1)], openTwice);
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begins, resolve: isBeginning } = Promise.withResolvers<void>();
    place.instead.beginMail = async (...given) => {
      isBeginning();
      await goesOn;
      return place.places.beginMail(...given);
    };
    pass(MINUTE);
    const slow = work(one);
    await begins;
    await work(other);
    pass(2 * MINUTE);
    await work(other);
    expect(await threads(place)).toEqual(['slack:T1:D1:1']);
    goOn();
    await slow;
    expect(await threads(place)).toEqual(['slack:T1:D1:1']);
    expect(place.opened.size).toBe(1);
  });

  it('leaves a thread that is being opened to whoever opens it, whose clock is behind', async () => {
    const { one, other, place, pass, time, work } = await openWith([mailOf(1)], openTwice);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const { promise: posts, resolve: isPosting } = Promise.withResolvers<void>();
    place.instead.check = async () => {
      time.now += 10 * MINUTE;
      return null;
    };
    place.instead.openMail = async (...given) => {
      isPosting();
      await answered;
      return place.places.openMail(...given);
    };
    pass(MINUTE);
    const slow = work(one);
    await posts;
    await work(other);
    expect(place.posts).toBe(0);
    answer();
    await slow;
    expect(await threads(place)).toEqual(['slack:T1:D1:1']);
    expect([place.posts, place.opened.size]).toEqual([1, 1]);
  });

  it('opens one thread for two mails of a conversation that come at once', async () => {
    const both = [mailOf(1, { thread_id: 't' }), mailOf(2, { thread_id: 't' })];
    const { place, next } = await openWith(both, openTwice);
    await next();
    await next();
    await next();
    expect(await threads(place)).toEqual(['slack:T1:D1:1', 'slack:T1:D1:1']);
  });
});

it('adds a mail to the thread of its conversation, once nothing waits there', async () => {
  const { one, place, server, next } = await openWith([mailOf(1, { thread_id: 't' })]);
  await next();
  const [thread] = await threads(place);
  place.busy = thread ?? '';
  server.mails.push(mailOf(2, { thread_id: 't' }), mailOf(3));
  await next();
  await next();
  expect(await threads(place)).toEqual([thread, 'slack:T1:D1:2']);
  place.busy = null;
  await next();
  expect(await threads(place)).toEqual([thread, 'slack:T1:D1:2', thread]);
  expect(await one.mailOf(thread ?? '')).toMatchObject({ mail: { messageId: 'm2' }, mailbox: { id: BOX } });
});

it('keeps conversations of two mailboxes apart', async () => {
  const { one, place, server, next } = await openWith([]);
  await one.turnOn(ana, { server: 'other', timeZone: 'Europe/Berlin' });
  server.mails.push(mailOf(1, { thread_id: 't' }));
  await next();
  await next();
  expect(await threads(place)).toEqual(['slack:T1:D1:1', 'slack:T1:D1:2']);
});

it('tells the place of a mail whether its owner has several mailboxes', async () => {
  const { one, place, server, next } = await openWith([mailOf(1)]);
  const told: (boolean | undefined)[] = [];
  const listen = () => {
    place.instead.openMail = async (toAnswer, posting) => {
      told.push(toAnswer.isOneOfSeveral);
      return place.places.openMail(toAnswer, posting);
    };
  };
  listen();
  await next();
  await one.turnOn(ana, { server: 'other', timeZone: 'Europe/Berlin' });
  server.mails.push(mailOf(2));
  listen();
  await next();
  expect(told).toEqual([false, true]);
});

/** Two mails of a conversation, of which the first was left unread before the second came. */
async function openLeft() {
  const opened = await openWith([mailOf(1, { thread_id: 't' })]);
  const { one, place, server, next } = opened;
  await next();
  const [thread = ''] = await threads(place);
  await one.agentLeft(thread);
  const [mail] = await one.mails(BOX, 'listed');
  server.mails.push(mailOf(2, { thread_id: 't' }));
  await next();
  const found = async (state: 'listed' | 'responding' | 'done') =>
    (await one.mails(BOX, state)).map(({ messageId }) => messageId);
  return { ...opened, thread, mail, found };
}

it('is done once the agent has marked it as read, and no other of its thread', async () => {
  const { one, thread, found, place } = await openLeft();
  await one.agentDone(thread, 'm2');
  expect([await found('listed'), await found('responding'), await found('done')]).toEqual([
    ['m1'],
    [],
    ['m2'],
  ]);
  // Its thread has told of it.
  expect(place.digests).toEqual([]);
  await one.agentDone(thread, 'm1');
  expect(await found('done')).toHaveLength(2);
});

it('can be answered anew, or be done, where its draft was left', async () => {
  const { one, thread, mail, found, place, next, marked } = await openLeft();
  await one.agentDone(thread, 'm2');
  await one.reply(ana.id, mail?.id ?? '');
  await next();
  expect(await threads(place)).toEqual([thread, thread, thread]);
  expect(await one.mailOf(thread)).toMatchObject({ mail: { messageId: 'm1' } });
  expect(await found('responding')).toEqual(['m1']);
  await one.agentLeft(thread);
  await one.done(ana.id, mail?.id ?? '');
  expect(marked).toEqual(['m1']);
});

it('isn’t left by a thread that it has yet to be added to', async () => {
  const { one, thread, mail, found, place, next } = await openLeft();
  await one.agentDone(thread, 'm2');
  place.busy = thread;
  await one.reply(ana.id, mail?.id ?? '');
  await next();
  await one.agentLeft(thread);
  expect(await found('responding')).toEqual(['m1']);
});

const FAILED = { how: 'failed', said: 'The model refuses that.\nTry again.' } as const;

onBothStorages((openTwice) => {
  it.each([
    [FAILED, 'Its answer failed, so nothing waits for you: The model refuses that. Try again.'],
    [{ how: 'stopped', said: '' } as const, 'Its answer was stopped.'],
    [{ how: 'gone', said: '' } as const, 'Its answer has ended, and it wasn’t marked as read.'],
  ])('lists a mail once whose run has ended without an answer: $how', async (end, reason) => {
    const { one, place, next, pass, work, other } = await openWith([mailOf(1)], openTwice);
    await next();
    await next();
    const [mail] = await one.mails(BOX, 'responding');
    place.ends.set(mail?.id ?? '', end);
    pass(15 * MINUTE);
    await work(one, other);
    await next();
    expect(await one.mails(BOX, 'listed')).toMatchObject([{ messageId: 'm1', reason }]);
    // Its thread has told of it.
    expect(place.digests).toEqual([]);
  });
});

it('lists a mail whose run failed where a process was cut off as it said so, and answers it again', async () => {
  const { one, other, place, next, pass, work } = await openWith([mailOf(1)]);
  await next();
  const [{ id = '' } = {}] = await one.mails(BOX, 'responding');
  place.ends.set(id, FAILED);
  place.instead.findEnd = async () => crash();
  pass(MINUTE);
  await work(one);
  expect(await one.mails(BOX, 'responding')).toHaveLength(1);
  pass(2 * MINUTE);
  await work(other);
  expect(await one.mails(BOX, 'listed')).toHaveLength(1);
  await one.reply(ana.id, id);
  await next();
  const [thread] = await threads(place);
  expect(await threads(place)).toEqual([thread, thread]);
  expect(await one.mails(BOX, 'responding')).toMatchObject([{ reason: 'You asked for an answer.' }]);
  await one.agentDone(thread ?? '', 'm1');
  pass(20 * MINUTE);
  await next();
  expect(await one.mails(BOX, 'done')).toHaveLength(1);
});

it('follows a run in a mailbox that is off, too', async () => {
  const { one, place, next, pass } = await openWith([mailOf(1)]);
  await next();
  await one.turnOff(ana, BOX);
  const [{ id = '' } = {}] = await one.mails(BOX, 'responding');
  await next();
  expect(await one.mails(BOX, 'responding')).toHaveLength(1);
  place.ends.set(id, FAILED);
  pass(15 * MINUTE);
  await next();
  expect(await one.mails(BOX, 'listed')).toHaveLength(1);
});

it('knows no mail of a thread that it did not open', async () => {
  const { one } = await openWith([]);
  expect(await one.mailOf('slack:T1:D1:9')).toBeNull();
  await one.agentDone('slack:T1:D1:9', 'm1');
  await one.agentLeft('slack:T1:D1:9');
});

it('turns a mailbox off whose place takes no messages, and only lists what was to be answered', async () => {
  const { one, place, next, pass, work } = await openWith([mailOf(1)]);
  place.instead.openMail = async () => null;
  await next();
  expect(place.told).toEqual(['mail off: place_closed']);
  await work(one);
  pass(2 * MINUTE);
  await work(one);
  expect(await one.mails(BOX, 'listed')).toHaveLength(1);
  expect(await threads(place)).toEqual([]);
});

it('answers nothing in the name of somebody who has left', async () => {
  const { one, place, next, pass, work } = await openWith([mailOf(1)]);
  place.instead.check = async () => 'owner_left';
  await next();
  await work(one);
  pass(2 * MINUTE);
  await work(one);
  expect(place.posts).toBe(0);
  expect(place.told).toEqual(['mail off: owner_left']);
});

it.each([
  ['many mails of its conversation came after it', 25, -HOUR],
  ['another process, whose clock is ahead, began one there', 1, HOUR],
])('answers in a thread what was begun there last, also where %s', async (_what, count, ms) => {
  const { one, place, next, store, time } = await openWith([mailOf(1, { thread_id: 't' })]);
  await next();
  await next();
  const [thread = ''] = await threads(place);
  const [{ id } = { id: '' }] = await one.mails(BOX, 'responding');
  const first = await store.get(mails, id);
  if (first === null) throw new Error('there is no mail');
  await one.agentLeft(thread);
  const later = Array.from({ length: count }, (_, at) => ({
    ...{ ...first.value, messageId: `later${at}`, state: 'done' as const, run: null, lookAt: null },
    ...{ takenAt: first.value.takenAt + 1 + at, begunAt: time.now + ms },
  }));
  await store.commit({ put: later.map((value, at) => put(mails, `${BOX}:later${at}`, value)) });
  await one.reply(ana.id, id);
  await next();
  await next();
  expect(await threads(place)).toEqual([thread, thread]);
  expect(await one.mailOf(thread)).toMatchObject({ mail: { messageId: 'm1' } });
});
