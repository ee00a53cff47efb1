import { expect, it, vi } from 'vitest';
import { mails } from '../../../src/inbox/collections.ts';
import { put } from '../../../src/storage/store.ts';
import { MINUTE, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { openWaiting } from '../../helpers/inbox-newer.ts';
import { onBothStorages, openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana } from '../../helpers/people.ts';

const BOX = 'slack:T1:U1:mail';

async function openWith(count: number, openTwice = openSqliteTwice) {
  const opened = await openInboxes(await openTwice());
  await opened.turnOn();
  for (let number = 1; number <= count; number += 1) {
    opened.server.mails.push(mailOf(number, { text: 'notify: news' }));
  }
  return {
    ...opened,
    told: () => opened.place.digests.flatMap(({ subjects }) => subjects),
  };
}

onBothStorages((openTwice) => {
  it.each(['before it posts', 'after it posts'])(
    'tells of each mail in one digest where a process is cut off %s, though more came by then',
    async (at) => {
      const { place, server, next, told, pass } = await openWith(1, openTwice);
      place.instead.postDigest = async (...given) => {
        if (at === 'after it posts') await place.places.postDigest(...given);
        throw new Error('cut off');
      };
      await next();
      server.mails.push(mailOf(2, { text: 'notify: news' }));
      await next();
      pass(2 * MINUTE);
      await next();
      await next();
      expect(told()).toEqual(['Question 1', 'Question 2']);
    },
  );

  it('tells of them though mails come all the time after its post has failed', async () => {
    const { one, other, place, server, work, pass, told } = await openWith(1, openTwice);
    place.instead.postDigest = () => Promise.reject(new Error('Slack is down'));
    for (let number = 2; number <= 6; number += 1) {
      server.mails.push(mailOf(number, { text: 'notify: news' }));
      for (let times = 0; times < 12; times += 1) {
        pass(5_000);
        await work(one, other);
      }
    }
    expect(told()).toContain('Question 1');
  });

  it('tells of a mail that is listed while a digest is posted in the next one', async () => {
    const { one, other, place, server, work, pass, told, next } = await openWith(1, openTwice);
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: posts, resolve: isPosting } = Promise.withResolvers<void>();
    place.instead.postDigest = async (...given) => {
      isPosting();
      await goesOn;
      return place.places.postDigest(...given);
    };
    pass(MINUTE);
    const slow = work(one);
    await posts;
    server.mails.push(mailOf(2, { text: 'notify: news' }));
    pass(MINUTE);
    await work(other);
    goOn();
    await slow;
    await next();
    expect(told()).toEqual(['Question 1', 'Question 2']);
  });

  it.each(['before it is shown', 'after it is shown'])(
    'shows a posted digest as its mails are now, where a process is cut off %s',
    async (at) => {
      const { one, other, place, next, pass, work } = await openWith(2, openTwice);
      await next();
      const [later, first] = await one.mails(BOX, 'listed');
      await one.reply(ana.id, first?.id ?? '');
      await next();
      place.shown.length = 0;
      place.instead.showDigest = async (...given) => {
        if (at === 'after it is shown') await place.places.showDigest(...given);
        throw new Error('cut off');
      };
      // Both at once are one change of it.
      await Promise.all([
        one.agentDone((await place.begun())[0]?.thread ?? '', first?.messageId ?? ''),
        one.done(ana.id, later?.id ?? ''),
      ]);
      await work(one);
      pass(2 * MINUTE);
      await work(one, other);
      await next();
      const shown = ['Question 1: done', 'Question 2: done'];
      expect(place.shown.map((lines) => lines.toSorted())).toEqual(
        at === 'after it is shown' ? [shown, shown] : [shown],
      );
    },
  );

  it('shows a digest once more where a mail changes while it’s shown', async () => {
    const { one, other, place, next, pass, work } = await openWith(2, openTwice);
    await next();
    const [later, first] = await one.mails(BOX, 'listed');
    await one.done(ana.id, first?.id ?? '');
    place.instead.showDigest = async (...given) => {
      await one.done(ana.id, later?.id ?? '');
      await place.places.showDigest(...given);
    };
    pass(MINUTE);
    await work(one);
    await work(one, other);
    expect(place.shown.map((lines) => lines.filter((line) => line.endsWith('done')).length)).toEqual([1, 2]);
  });

  it('shows a digest anew whose mail changed before it was known where it was posted', async () => {
    const { one, place, next } = await openWith(1, openTwice);
    place.instead.postDigest = async (...given) => {
      const posted = await place.places.postDigest(...given);
      const [mail] = await one.mails(BOX, 'listed');
      await one.done(ana.id, mail?.id ?? '');
      return posted;
    };
    await next();
    await next();
    expect(place.shown).toEqual([['Question 1: done']]);
  });

  it('shows a digest anew whose mail said what becomes of its sender, also as that is undone elsewhere', async () => {
    const { one, place, next } = await openWith(1, openTwice);
    await next();
    await next();
    const shown = place.shown.length;
    const [mail] = await one.mails(BOX, 'listed');
    const { id } = await one.neverAgain(ana.id, mail?.id ?? '');
    await next();
    expect(place.shown).toHaveLength(shown + 1);
    await one.undo(ana.id, id);
    await next();
    expect(place.shown).toHaveLength(shown + 2);
  });

  it('tells of many in several', async () => {
    const { place, next, told } = await openWith(45, openTwice);
    for (let looks = 0; looks < 30; looks += 1) await next();
    expect(new Set(told()).size).toBe(45);
    expect(told()).toHaveLength(45);
    expect(Math.max(...place.digests.map(({ subjects }) => subjects.length))).toBeLessThanOrEqual(20);
  });
});

it('says of each how many were ignored since the one before, each mail once, and none that its owner wrote', async () => {
  const { one, place, server, next, model, turnOn, pass } = await openWith(1);
  await turnOn({ pace: 'now' });
  const add = (first: number, ...texts: readonly string[]) =>
    server.mails.push(...texts.map((text, at) => mailOf(first + at, { text, own: text === 'ignore: own' })));
  const lookOften = async () => {
    for (let looks = 0; looks < 4; looks += 1) await next();
  };
  const counted = () => place.digests.map(({ ignored }) => ignored);
  add(2, 'ignore: Buy!', 'ignore: Buy more!', 'ignore: own');
  await lookOften();
  add(5, 'notify: news');
  await lookOften();
  expect(counted().slice(1)).toEqual([2]);
  // One that is judged only after the next list was posted is in the one after that.
  const judgeOthers: typeof model.ask = async ({ text }) => {
    model.instead = judgeOthers;
    if (text.includes('Late')) throw new Error('cut off');
    return JSON.stringify({ verdict: 'notify', reason: 'because' });
  };
  model.instead = judgeOthers;
  add(6, 'ignore: Late');
  await next();
  add(7, 'notify: more news');
  await lookOften();
  expect(await one.mails(BOX, 'new')).toHaveLength(1);
  expect(counted().slice(1)).toEqual([2, 0]);
  model.instead = null;
  pass(10 * MINUTE);
  await lookOften();
  add(8, 'notify: the latest news');
  await lookOften();
  expect(counted().slice(1)).toEqual([2, 0, 1]);
});

it('tells nothing of what its owner was done with before', async () => {
  const { one, next, told, turnOn, pass } = await openWith(2);
  await turnOn({ pace: 'hourly' });
  await next();
  const [first] = await one.mails(BOX, 'listed');
  await one.done(ana.id, first?.id ?? '');
  pass(30 * MINUTE);
  await next();
  expect(told()).toHaveLength(1);
});

it('tells in a list of a mail that a thread’s line told of, too, where it couldn’t be marked as read', async () => {
  const { one, place, find, next, marking } = await openWaiting([{ text: 'notify: x' }]);
  await next();
  await next();
  expect([place.newer.length, place.digests]).toEqual([1, []]);
  marking.fails = 'mail could not be reached';
  await one.done(ana.id, (await find('m2'))?.id ?? '');
  await next();
  await next();
  await next();
  expect(place.digests.map(({ subjects }) => subjects)).toEqual([['Question 2']]);
});

it('tells once more, with the reason, of a mail that its owner was done with and that couldn’t be marked as read', async () => {
  const { one, next, marking, place, server, turnOn } = await openInboxes(await openSqliteTwice());
  const box = await turnOn();
  server.mails.push(mailOf(1, { text: 'notify: x' }));
  await next();
  const [mail] = await one.mails(box.id, 'listed');
  marking.fails = 'mail could not be reached.';
  await one.done(ana.id, mail?.id ?? '');
  expect(await one.mails(box.id, 'listed')).toEqual([]);
  await next();
  await next();
  expect(await one.mails(box.id, 'listed')).toMatchObject([
    { reason: 'It couldn’t be marked as read: mail could not be reached.' },
  ]);
  expect(place.digests.map(({ subjects }) => subjects)).toEqual([['Question 1'], ['Question 1']]);
  marking.fails = null;
  await one.done(ana.id, mail?.id ?? '');
  await next();
  expect(await one.mails(box.id, 'done')).toHaveLength(1);
});

it('tells nothing of a mailbox that is off, and tells it once it is on again', async () => {
  const { one, next, told, turnOn, pass } = await openWith(1);
  await turnOn({ pace: 'hourly' });
  await next();
  await one.turnOff(ana, BOX);
  pass(90 * MINUTE);
  await next();
  expect(told()).toEqual([]);
  await turnOn({ pace: 'now' });
  await next();
  expect(told()).toEqual(['Question 1']);
});

it('is posted nowhere once its owner is gone', async () => {
  const { place, server, turnOn, next } = await openInboxes(await openSqliteTwice());
  await turnOn();
  server.mails.push(mailOf(1, { text: 'notify: x' }));
  place.instead.check = async () => 'owner_left';
  await next();
  expect(place.digests).toEqual([]);
  expect(place.told).toEqual(['mail off: owner_left']);
});

it('tells of all mails of an hour, twenty at a time, one digest after the other', async () => {
  const { place, server, turnOn, next } = await openInboxes(await openSqliteTwice());
  await turnOn({ pace: 'hourly' });
  server.mails.push(...Array.from({ length: 45 }, (_, index) => mailOf(index + 1, { text: 'notify: x' })));
  for (let minutes = 0; minutes < 40; minutes += 1) await next();
  expect(place.digests.map(({ subjects }) => subjects.length)).toEqual([20, 20, 5]);
  expect(new Set(place.digests.flatMap(({ subjects }) => subjects)).size).toBe(45);
});

it('tells of what was unread as it was turned on once all of that is judged, and then by the chosen pace', async () => {
  const { one, place, server, turnOn, work, pass } = await openInboxes(await openSqliteTwice());
  server.unread.push(...Array.from({ length: 7 }, (_, at) => mailOf(at + 1, { text: 'notify: news' })));
  const { id } = await turnOn({ pace: 'daily' });
  await work(one);
  await one.set(ana.id, id, { pace: 'hourly' });
  for (let seconds = 0; seconds < 50; seconds += 10) {
    pass(10_000);
    await work(one);
  }
  expect(place.digests.map(({ subjects }) => subjects.length)).toEqual([7]);
  server.mails.push(mailOf(8, { text: 'notify: later' }));
  for (let minutes = 0; minutes < 5; minutes += 1) {
    pass(MINUTE);
    await work(one);
  }
  expect(place.digests).toHaveLength(1);
  pass(30 * MINUTE);
  await work(one);
  expect(place.digests.at(-1)?.subjects).toEqual(['Question 8']);
});

it('tells within two minutes of what is judged by then, where the model doesn’t answer for one of them', async () => {
  const { one, model, place, server, turnOn, work, pass } = await openInboxes(await openSqliteTwice());
  server.unread.push(mailOf(1, { text: 'notify: news' }), mailOf(2, { text: 'notify: news' }));
  await turnOn({ pace: 'daily' });
  const { ask } = model;
  model.ask = async (request, signal) => {
    if (request.text.includes('Question 1')) throw new Error('down');
    return ask(request, signal);
  };
  for (let seconds = 0; seconds <= 110; seconds += 10) {
    await work(one);
    pass(10_000);
  }
  expect(place.digests).toEqual([]);
  await work(one);
  expect(place.digests.map(({ subjects }) => subjects)).toEqual([['Question 2']]);
});

it('tells of what was unread as soon as any of it is judged, where the model doesn’t answer for some minutes', async () => {
  const { one, model, place, server, turnOn, work, pass } = await openInboxes(await openSqliteTwice());
  server.unread.push(mailOf(1, { text: 'notify: news' }));
  await turnOn({ pace: 'daily' });
  const { ask } = model;
  model.ask = () => Promise.reject(new Error('down'));
  for (let minutes = 0; minutes < 5; minutes += 1) {
    await work(one);
    pass(MINUTE);
  }
  model.ask = ask;
  for (let minutes = 0; minutes < 10; minutes += 1) {
    await work(one);
    pass(MINUTE);
  }
  expect(place.digests.map(({ subjects }) => subjects)).toEqual([['Question 1']]);
});

it.each(['nothing else is listed', 'another list was just posted'])(
  'lists what its thread can’t tell after all, also where that is found out as it looks whether %s',
  async (when) => {
    const stores = await openSqliteTwice();
    const { place, server, one, work, pass, next, find } = await openWaiting(
      [{ text: 'notify: Never mind.' }],
      async () => stores,
    );
    place.instead.tellNewer = () => Promise.reject(new Error('Slack is down'));
    await next();
    expect(place.digests).toEqual([]);
    const { id = '' } = (await find('m2')) ?? {};
    const isAnother = when.startsWith('another');
    if (isAnother) server.mails.push(mailOf(9, { text: 'notify: news' }));
    // Between the two reads by which a list knows whether there is more to tell, and whether there may be.
    let reads = 0;
    const { query, count } = stores[0];
    async function afterRead(index: string) {
      if (index !== 'untold' && index !== 'unsure') return;
      if (isAnother && place.digests.length === 0) return;
      reads += 1;
      const stored = reads === 1 ? await stores[1].get(mails, id) : null;
      if (stored === null) return;
      const untellable = { ...stored.value, notice: 'none' as const, lookAt: null };
      await stores[1].commit({ put: [put(mails, id, untellable)] });
    }
    vi.spyOn(stores[0], 'query').mockImplementation(async (...asked) => {
      const page = await query.apply(stores[0], asked);
      await afterRead(asked[1]);
      return page;
    });
    vi.spyOn(stores[0], 'count').mockImplementation(async (...asked) => {
      const counted = await count.apply(stores[0], asked);
      await afterRead(asked[1]);
      return counted;
    });
    pass(MINUTE);
    await work(one);
    expect(reads).toBeGreaterThanOrEqual(1);
    await next();
    const told = place.digests.flatMap(({ subjects }) => subjects);
    expect(told).toEqual([...(isAnother ? ['Question 9'] : []), 'Question 2']);
  },
);
