import { expect, it } from 'vitest';
import { HOUR, MINUTE, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { BOB, BOX, chooseAnew, openWaiting } from '../../helpers/inbox-newer.ts';
import { onBothStorages, openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana, bob } from '../../helpers/people.ts';

const DAY = 24 * HOUR;

onBothStorages((openTwice) => {
  it.each(['before it posts', 'after it posts'])(
    'tells the thread once that a mail came, where a process is cut off %s',
    async (at) => {
      const { one, other, place, thread, next, pass, work } = await openWaiting([{}], openTwice);
      place.instead.tellNewer = async (...given) => {
        if (at === 'after it posts') await place.places.tellNewer(...given);
        throw new Error('cut off');
      };
      await next();
      await work(other);
      pass(2 * MINUTE);
      await work(other);
      await work(one, other);
      await next();
      expect(place.newer).toEqual([{ thread, subject: 'Question 2' }]);
    },
  );

  it('answers what waited for a draft, after the mailbox was off and on again and a process ended', async () => {
    const { one, other, place, asked, found, decide, next, turnOn, work, pass } = await openWaiting(
      [{}],
      openTwice,
    );
    await next();
    await one.turnOff(ana, BOX);
    await next();
    expect(await found('listed')).toEqual(['m2']);
    await turnOn({ pace: 'daily' });
    expect(await found('listed')).toEqual([]);
    await decide();
    pass(MINUTE);
    await work(other);
    expect((await asked()).map((words) => /m\d/.exec(words)?.[0])).toEqual(['m1', 'm2']);
    expect(place.newer).toHaveLength(1);
  });
});

it('tells at once, also of what needs no answer, which is listed and isn’t told once more', async () => {
  const { place, thread, found, next } = await openWaiting([
    { text: 'notify: Never mind.' },
    { text: 'ignore: Ha.' },
  ]);
  await next();
  await next();
  expect(place.newer.map(({ subject }) => subject).toSorted()).toEqual(['Question 2', 'Question 3']);
  expect(new Set(place.newer.map((one) => one.thread))).toEqual(new Set([thread]));
  expect(place.digests).toEqual([]);
  expect([await found('listed'), await found('ignored'), await found('responding')]).toEqual([
    ['m2'],
    ['m3'],
    ['m1'],
  ]);
});

it('tells of no more than twenty on a day, whoever sends how many', async () => {
  const flood = Array.from({ length: 25 }, () => ({ text: 'notify: And another thing.' }));
  const { place, found, next } = await openWaiting(flood);
  for (let looks = 0; looks < 12; looks += 1) await next();
  expect(place.newer).toHaveLength(20);
  expect(await found('listed')).toHaveLength(25);
});

it('lists what its thread could not be told of', async () => {
  const { place, pass, next } = await openWaiting([{ text: 'notify: Never mind.' }]);
  place.instead.tellNewer = () => Promise.reject(new Error('Slack is down'));
  await next();
  expect(place.digests).toEqual([]);
  place.instead.tellNewer = async () => null;
  await next();
  pass(2 * MINUTE);
  await next();
  await next();
  expect(place.newer).toEqual([]);
  expect(place.digests.map(({ subjects }) => subjects)).toEqual([['Question 2']]);
});

it('says of a draft which newer mail it doesn’t know, also where it was drafted once more since', async () => {
  const { one, thread, time, next } = await openWaiting([{ text: 'notify: Stop.' }, { thread_id: 'other' }]);
  expect(await one.newerThan(thread, time.now)).toBeNull();
  await next();
  expect((await one.newerThan(thread, time.now + DAY))?.subject).toBe('Question 2');
  expect(await one.newerThan('slack:T1:D1:none', 0)).toBeNull();
});

it.each(['the model is down', 'twenty newer ones came that day'])(
  'says it as soon as the newer mail is taken, also while %s',
  async (why) => {
    const isFlood = why.startsWith('twenty');
    const flood = Array.from({ length: isFlood ? 20 : 0 }, () => ({ text: 'notify: And another thing.' }));
    const { one, model, place, server, thread, time, next, find } = await openWaiting(flood);
    for (let looks = 0; isFlood && looks < 10; looks += 1) await next();
    expect(place.newer).toHaveLength(flood.length);
    const isDown = () => {
      model.instead = isDown;
      return Promise.reject(new Error('the model is down'));
    };
    if (!isFlood) await isDown().catch(() => undefined);
    const draftedAt = time.now;
    place.shownDrafts.length = 0;
    server.mails.push(mailOf(99, { thread_id: 't', text: 'notify: Stop.' }));
    await next();
    await next();
    // Its thread isn't told of it.
    expect(place.newer).toHaveLength(flood.length);
    expect(isFlood || (await find('m99')) === undefined).toBe(true);
    expect((await one.newerThan(thread, draftedAt))?.messageId).toBe('m99');
    expect(place.shownDrafts.splice(0)).toEqual([thread]);
  },
);

it('says of all that came, so that none is missed which a process took whose clock is behind', async () => {
  const { one, thread, time, next } = await openWaiting([{ text: 'notify: Stop.' }]);
  await next();
  const before = await one.newerThan(thread, time.now + DAY);
  expect(before?.all).toHaveLength(1);
  // The mail that is answered is none of them, whatever the clock said as it was drafted.
  expect((await one.newerThan(thread, 0))?.all).toEqual(before?.all);
});

it('says which mail was answered in a thread as its agent asked something, also once another one is', async () => {
  const { one, thread, time, decide, next } = await openWaiting([{}]);
  const asked = time.now;
  await next();
  await decide();
  await next();
  expect((await one.answeredAt(thread, time.now))?.subject).toBe('Question 2');
  expect((await one.answeredAt(thread, asked))?.subject).toBe('Question 1');
  expect(await one.answeredAt('slack:T1:D1:none', time.now)).toBeNull();
});

it('offers to leave a draft no longer at once where it was accepted', async () => {
  const { one, place, thread, next } = await openWaiting([{ text: 'notify: Never mind.' }]);
  await next();
  await one.agentAccepted(thread);
  await expect.poll(() => place.shown).toEqual([['Question 2: late']]);
});

it('tells nothing where nothing is drafted any more, nor of another conversation', async () => {
  const { place, decide, next } = await openWaiting([{ text: 'notify: Thanks.' }, { thread_id: 'other' }]);
  await decide();
  await next();
  await next();
  expect(place.newer).toEqual([]);
});

it('tells of what came while the thread of the first one was being opened', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, other, place, server, pass, work, next } = opened;
  await opened.turnOn();
  server.mails.push(mailOf(1, { thread_id: 't' }));
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: opens, resolve: isOpening } = Promise.withResolvers<void>();
  place.instead.openMail = async (...given) => {
    isOpening();
    await goesOn;
    return place.places.openMail(...given);
  };
  pass(MINUTE);
  const slow = work(one);
  await opens;
  server.mails.push(mailOf(2, { thread_id: 't', text: 'notify: Never mind.' }));
  pass(MINUTE);
  await work(other);
  goOn();
  await slow;
  place.busy = (await place.begun())[0]?.thread ?? '';
  await next();
  expect(place.newer.map(({ subject }) => subject)).toEqual(['Question 2']);
});

it('gives what waited its turn where the mailbox is turned off and on at once', async () => {
  const { one, asked, decide, next, turnOn } = await openWaiting([{}]);
  await next();
  await one.turnOff(ana, BOX);
  await turnOn();
  await decide();
  await next();
  expect(await asked()).toHaveLength(2);
});

it('lists what was to be answered in a mailbox that was off for weeks, once it’s on again', async () => {
  const { one, place, asked, found, decide, pass, next, turnOn, work } = await openWaiting([{}]);
  await next();
  await one.turnOff(ana, BOX);
  await next();
  await decide();
  pass(20 * DAY);
  await turnOn();
  await work(one);
  expect(await asked()).toHaveLength(1);
  expect(await found('listed')).toEqual(['m2']);
  expect(place.digests.flatMap(({ subjects }) => subjects)).toEqual(['Question 2']);
});

it('lists what nobody had judged as the mailbox was turned off', async () => {
  const { one, model, place, find, next, turnOn } = await openWaiting([{}]);
  model.instead = async () => Promise.reject(new Error('the model is down'));
  await next();
  await one.turnOff(ana, BOX);
  await next();
  expect(await find('m2')).toMatchObject({
    state: 'listed',
    reason: 'The mailbox was turned off before anybody had judged this one.',
  });
  await turnOn();
  await next();
  expect(place.newer.map(({ subject }) => subject)).toEqual(['Question 2']);
});

it('leaves the draft for the newer mail, which is answered with it, as its owner says', async () => {
  const { one, place, thread, find, asked, next } = await openWaiting([{}]);
  await next();
  const stopped: string[] = [];
  const stop = async (threadId: string) => {
    stopped.push(threadId);
    place.busy = null;
    return [];
  };
  const { id = '' } = (await find('m2')) ?? {};
  await expect(one.draftAnew(bob.id, id, stop)).rejects.toMatchObject({ code: 'not_allowed' });
  await one.draftAnew(ana.id, id, stop);
  expect(stopped).toEqual([thread]);
  expect(await find('m1')).toMatchObject({
    state: 'listed',
    reason: 'Its draft was dropped for a newer mail of the conversation.',
  });
  await next();
  expect((await asked()).at(-1)).toMatch(/"m2".*answer both with one mail/);
  expect(await one.mailOf(thread)).toMatchObject({ mail: { messageId: 'm2' } });
  await expect(one.draftAnew(ana.id, id, stop)).rejects.toThrow('is being answered');
  expect(stopped).toEqual([thread]);
});

it('has a mail answered that only came to be known, where its owner wants that', async () => {
  const { one, place, find, asked, next } = await openWaiting([{ text: 'notify: On Saturday, then.' }]);
  await next();
  const { id = '' } = (await find('m2')) ?? {};
  await one.draftAnew(ana.id, id, async () => {
    place.busy = null;
    return [];
  });
  await next();
  expect((await asked()).at(-1)).toContain('"m2"');
  expect(await find('m2')).toMatchObject({ state: 'responding', reason: 'You asked for an answer.' });
});

it('says nothing of a draft that was left where the first answer was sent before', async () => {
  const { one, find, asked, decide, next } = await openWaiting([{ text: 'notify: On Saturday, then.' }]);
  await next();
  await decide();
  const { id = '' } = (await find('m2')) ?? {};
  await one.draftAnew(ana.id, id, async () => []);
  await next();
  expect((await asked()).at(-1)).toMatch(/"m2"\}\.$/);
});

it('leaves the draft for the newer mail, though the run that is stopped says first that it left it', async () => {
  const { one, place, thread, find, asked, next } = await openWaiting([{}]);
  await next();
  const { id = '' } = (await find('m2')) ?? {};
  await one.draftAnew(ana.id, id, async () => {
    await one.agentLeft(thread);
    place.busy = null;
    return [];
  });
  expect((await find('m1'))?.reason).toBe('Its draft was dropped for a newer mail of the conversation.');
  await next();
  expect((await asked()).at(-1)).toContain('answer both with one mail');
});

it('leaves nothing where what was drafted is not stopped, as when it was accepted', async () => {
  const { one, find, next } = await openWaiting([{}]);
  await next();
  const [first, { id = '' } = {}] = [await find('m1'), (await find('m2')) ?? {}];
  await expect(one.draftAnew(ana.id, id, () => Promise.reject(new Error('accepted')))).rejects.toThrow();
  expect(await find('m1')).toEqual(first);
});

it('is done with the mail whose draft was left, by a call of its own, once a reply was sent to both', async () => {
  const { one, place, marked, thread, find, next } = await openWaiting([{}]);
  await next();
  const { id = '' } = (await find('m2')) ?? {};
  await one.draftAnew(ana.id, id, async () => {
    place.busy = null;
    return [];
  });
  await next();
  // A node of the graph runs again where its process ended.
  for (const _time of [1, 2]) {
    expect(await one.agentDone(thread, 'm2', { repliedTo: [BOB] })).toEqual({ marked: 1, stay: 0 });
  }
  expect(marked).toEqual(['m1']);
  expect((await one.mails(BOX, 'done')).map(({ messageId }) => messageId).toSorted()).toEqual(['m1', 'm2']);
});

it.each(['nothing was sent', 'it is answered anew'])(
  'keeps the mail whose draft was left where %s',
  async (why) => {
    const { one, place, marked, thread, find, next } = await openWaiting([{}]);
    await next();
    const [{ id: first = '' } = {}, { id = '' } = {}] = [await find('m1'), await find('m2')];
    await one.draftAnew(ana.id, id, async () => {
      place.busy = null;
      return [];
    });
    await next();
    if (why === 'it is answered anew') await one.reply(ana.id, first);
    await one.agentDone(thread, 'm2', {
      repliedTo: why === 'nothing was sent' ? [] : [BOB],
    });
    expect(marked).toEqual([]);
    expect(await find('m1')).toMatchObject({ state: why === 'nothing was sent' ? 'listed' : 'responding' });
  },
);

it('is done with all earlier mails, where the draft for each was left for the next one', async () => {
  const opened = await openWaiting([{}]);
  const { one, place, server, marked, thread, next } = opened;
  await next();
  await chooseAnew(opened, 'm2');
  place.busy = thread;
  server.mails.push(mailOf(3, { thread_id: 't' }));
  await next();
  await chooseAnew(opened, 'm3');
  expect(await one.agentDone(thread, 'm3', { repliedTo: [BOB] })).toEqual({ marked: 2, stay: 0 });
  expect(marked.toSorted()).toEqual(['m1', 'm2']);
});

it('answers what waited for its turn with the newer mail, and is done with it, too', async () => {
  const opened = await openWaiting([{}, {}]);
  const { one, marked, thread, find, asked, next } = opened;
  await next();
  await chooseAnew(opened, 'm3');
  expect((await asked()).at(-1)).toMatch(/"m3".*read_conversation.*answer all of them with one mail/);
  expect(await find('m2')).toMatchObject({
    state: 'listed',
    reason: 'A newer mail of the conversation is answered in its place.',
  });
  await next();
  expect(await asked()).toHaveLength(2);
  expect(await one.agentDone(thread, 'm3', { repliedTo: [BOB] })).toEqual({ marked: 2, stay: 0 });
  expect(marked.toSorted()).toEqual(['m1', 'm2']);
});

it('says how many earlier mails stay listed where they can’t be marked as read, or nothing was sent', async () => {
  const opened = await openWaiting([{}]);
  const { one, marking, thread, find, next } = opened;
  await next();
  await chooseAnew(opened, 'm2');
  marking.isRefused = true;
  expect(await one.agentDone(thread, 'm2', { repliedTo: [BOB] })).toEqual({ marked: 0, stay: 1 });
  expect(await find('m1')).toMatchObject({ state: 'listed' });
  expect(await one.agentLeft(thread)).toBe(1);
});

it('shows the line on a newer mail as that is by then', async () => {
  const opened = await openWaiting([{}, { text: 'notify: Thanks.' }]);
  const { one, place, thread, find, next, pass, work } = opened;
  await next();
  const { id = '' } = (await find('m2')) ?? {};
  await one.draftAnew(ana.id, id, async () => []);
  await work(one);
  expect(place.shown).toContainEqual(['Question 3: chosen']);
  expect(place.shown).toContainEqual(['Question 2: joined']);
  place.busy = null;
  pass(MINUTE);
  await work(one);
  await work(one);
  expect(place.shown).toContainEqual(['Question 3: begun']);
  await one.agentDone(thread, 'm3', { repliedTo: [BOB] });
  await work(one);
  expect(place.shown).toContainEqual(['Question 2: done']);
  expect(place.shown).toContainEqual(['Question 3: done']);
});
