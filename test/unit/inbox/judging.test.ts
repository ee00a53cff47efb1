import { expect, it } from 'vitest';
import { AppError } from '../../../src/lib/errors.ts';
import { HOUR, MINUTE, mailOf, openInboxes, type ServedMail } from '../../helpers/inbox.ts';
import { onBothStorages, openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana, bob } from '../../helpers/people.ts';

const BOX = 'slack:T1:U1:mail';

/** Mail that came to Ana a minute ago. */
async function openWith(
  mails: readonly ServedMail[],
  {
    openTwice = openSqliteTwice,
    ...options
  }: { openTwice?: typeof openSqliteTwice; draftsPerDay?: number } = {},
) {
  const opened = await openInboxes(await openTwice(), options);
  await opened.turnOn();
  opened.server.mails.push(...mails);
  return {
    ...opened,
    /** Each mail of a state, with the reason. */
    async state(state: Parameters<typeof opened.one.mails>[1]) {
      return (await opened.one.mails(BOX, state))
        .map(({ subject, reason }) => `${subject}: ${reason}`)
        .toSorted();
    },
  };
}

onBothStorages((openTwice) => {
  it('ignores, lists or answers as the model says, with its reason', async () => {
    const mails = [
      mailOf(1, { text: 'ignore: sale' }),
      mailOf(2, { text: 'notify: news' }),
      mailOf(3, { text: 'respond: when?' }),
    ];
    const { state, next, place } = await openWith(mails, { openTwice });
    await next();
    expect(await state('ignored')).toEqual(['Question 1: because ignore']);
    expect(await state('listed')).toEqual(['Question 2: because notify']);
    expect(await state('responding')).toEqual(['Question 3: because respond']);
    expect((await place.begun()).map(({ asked }) => asked)).toEqual([
      'Answer the mail that came. Read it with mail.get_message {"message_id":"m3"}.',
    ]);
    expect(place.digests.map(({ subjects }) => subjects)).toEqual([['Question 2']]);
  });

  it('drafts no more than a day’s limit, over both processes, and lists the others with that reason', async () => {
    const mails = [1, 2, 3, 4, 5].map((number) => mailOf(number));
    const { state, next, pass, server, place } = await openWith(mails, { openTwice, draftsPerDay: 3 });
    await next();
    await next();
    await next();
    expect(await state('responding')).toHaveLength(3);
    const reason = '3 answers were drafted today, which is the limit. Reply drafts one more.';
    expect(await state('listed')).toEqual([`Question 4: ${reason}`, `Question 5: ${reason}`]);
    pass(24 * HOUR);
    server.mails.push(mailOf(6));
    await next();
    expect(await place.begun()).toHaveLength(4);
  });

  it('judges a mail once more where the process that did was cut off', async () => {
    const { state, one, other, model, work, pass, server } = await openWith(
      [mailOf(1, { text: 'notify: x' })],
      {
        openTwice,
      },
    );
    pass(MINUTE);
    // As a process that is killed while the model thinks: nothing of it is heard again.
    model.instead = () => new Promise(() => undefined);
    await one.work[0]?.runNow();
    void one.work[1]?.runNow();
    await expect.poll(() => server.asked).toContain('get_message');
    pass(2 * MINUTE);
    await work(other);
    expect(await state('listed')).toEqual(['Question 1: because notify']);
  });
});

it('has the owner judge what the model’s answer doesn’t say', async () => {
  const { state, next, model } = await openWith([mailOf(1)]);
  model.instead = async () => 'I would say that this is important.';
  await next();
  expect(await state('listed')).toEqual([
    'Question 1: The model’s answer couldn’t be read, so nobody has judged this one.',
  ]);
});

it('tries a model that is down again, and after hours has the owner judge', async () => {
  const opened = await openWith([mailOf(1, { text: 'notify: x' })]);
  const { state, next, model, one, logged } = opened;
  const down = async () => {
    throw new Error('down');
  };
  model.instead = down;
  await next();
  expect(await state('new')).toHaveLength(1);
  expect(logged).toContain('failed to judge a mail; trying again: Error: down');
  await next();
  expect(await state('listed')).toEqual(['Question 1: because notify']);
  opened.server.mails.push(mailOf(2, { text: 'notify: x' }));
  for (let minutes = 0; minutes < 400; minutes += 1) {
    model.instead = down;
    await opened.next();
  }
  expect((await one.mails(BOX, 'listed')).map(({ reason }) => reason)).toContain(
    'Nobody could judge this one for hours: the mail server or the model didn’t answer.',
  );
});

it('judges a mail later that is refused for now, and is there', async () => {
  const { one, state, server, next } = await openWith([mailOf(1, { text: 'notify: x' })]);
  server.instead = (tool) =>
    tool === 'get_message' ? Promise.resolve({ problem: { why: 'refused', said: 'Not now' } }) : null;
  await next();
  expect(await state('new')).toHaveLength(1);
  expect(await one.list(ana.id)).toMatchObject([{ problem: null }]);
  server.instead = null;
  await next();
  expect(await state('listed')).toEqual(['Question 1: because notify']);
});

it('lists mails unjudged where the owner’s limit is used up, with what is odd about their senders', async () => {
  const warnings = ['examp1e.com looks like example.com'];
  const { one, state, next, model } = await openWith([mailOf(1, { warnings })]);
  model.instead = async () => {
    throw new AppError({ code: 'limit_reached', userMessage: 'Used up.' });
  };
  await next();
  expect(await state('listed')).toEqual([
    'Question 1: Your limit for today is used up, so nobody has judged this one.',
  ]);
  expect(await one.mails('slack:T1:U1:mail', 'listed')).toMatchObject([{ warnings }]);
});

it.each(['auto_reply', 'bounce', 'newsletter', 'notification'])(
  'drafts no answer to a mail that is automatic: %s',
  async (automatic) => {
    const { state, next, place } = await openWith([mailOf(1, { automatic })]);
    await next();
    expect(await state('listed')).toEqual([
      'Question 1: A program sent it, so no answer is drafted. because respond',
    ]);
    expect(await place.begun()).toEqual([]);
  },
);

it('asks nobody about a mail of the owner’s own, which is never answered', async () => {
  const { state, next, model } = await openWith([mailOf(1, { own: true })]);
  await next();
  expect(await state('ignored')).toEqual(['Question 1: You wrote it yourself.']);
  expect(model.questions).toEqual([]);
});

it.each([
  ['by its date', { date: 'Tue, 1 Oct 2019 10:00:00 +0200' }],
  ['by when its server took it', { arrived_at: '2026-11-08T08:00:00Z' }],
])('drafts no answer to a mail that is old %s', async (_, more) => {
  const { state, next } = await openWith([
    mailOf(1, more),
    mailOf(2, { date: '2026-11-10T08:00:00Z' }),
    mailOf(3, { date: '?' }),
  ]);
  await next();
  expect(await state('listed')).toEqual([
    'Question 1: It’s older than two weeks, so no answer is drafted. because respond',
  ]);
  expect(await state('responding')).toHaveLength(2);
});

it('judges a mail that names the owner as its sender though they didn’t write it, as forms of sites do', async () => {
  const form = mailOf(1, { from: 'Ana <ana@example.org>', to: 'Ana <Ana@example.org>', own: false });
  const { state, next } = await openWith([form]);
  await next();
  expect(await state('responding')).toEqual(['Question 1: because respond']);
});

it('asks with the rules, the background and what was learned, and with the mail as data', async () => {
  const { one, next, model } = await openWith([mailOf(1, { warnings: ['It names several senders'] })]);
  await one.set(ana.id, BOX, { background: 'I sell pots.', rules: 'Invoices: notify\n\n Bob: respond ' });
  await one.addPreference(ana.id, 'triage_preferences', 'Newsletters of florists: notify');
  await one.addPreference(ana.id, 'response_preferences', 'Be brief');
  await next();
  const asked: unknown = JSON.parse(model.questions[0] ?? '');
  expect(asked).toMatchObject({
    background: 'I sell pots.',
    rules: ['Invoices: notify', 'Bob: respond'],
    preferences: ['Newsletters of florists: notify'],
    mail: {
      from: 'Bob <bob@example.com>',
      text: 'respond: When do we meet?',
      warnings: ['It names several senders'],
    },
  });
  expect((await one.mails(BOX, 'responding'))[0]?.warnings).toEqual(['It names several senders']);
});

it('never tells again of a sender, without a model, and does again where that is undone', async () => {
  const opened = await openWith([mailOf(1, { text: 'notify: x' })]);
  const { one, server, state, next, model } = opened;
  await next();
  const [mail] = await one.mails(BOX, 'listed');
  await expect(one.neverAgain(bob.id, mail?.id ?? '')).rejects.toMatchObject({ code: 'not_allowed' });
  const change = await one.neverAgain(ana.id, mail?.id ?? '');
  expect(change).toMatchObject({ what: 'added', after: 'Mails from bob@example.com: ignore them' });
  expect(await one.neverAgain(ana.id, mail?.id ?? '')).toMatchObject({ id: change.id });
  const asked = model.questions.length;
  server.mails.push(mailOf(2, { text: 'notify: x', from: 'Roberta <BOB@example.com>' }));
  await next();
  expect(await state('ignored')).toEqual(['Question 2: You don’t want to see mails from this address.']);
  expect(model.questions).toHaveLength(asked);
  await one.undo(ana.id, change.id);
  server.mails.push(mailOf(3, { text: 'notify: x' }));
  await next();
  expect(await state('listed')).toContain('Question 3: because notify');
});

it('answers a mail that was only listed once its owner wants that, and no other person', async () => {
  const { one, other, next, place } = await openWith([mailOf(1, { text: 'notify: x' })], { draftsPerDay: 0 });
  await next();
  const [mail] = await one.mails(BOX, 'listed');
  const id = mail?.id ?? '';
  await expect(one.reply(bob.id, id)).rejects.toMatchObject({ code: 'not_allowed' });
  await Promise.allSettled([one.reply(ana.id, id), other.reply(ana.id, id)]);
  await next();
  expect(await place.begun()).toHaveLength(1);
  await expect(one.reply(ana.id, id)).rejects.toMatchObject({ code: 'not_applicable' });
  await expect(one.done(ana.id, id)).rejects.toMatchObject({ code: 'not_applicable' });
});

it('answers nothing in a mailbox that is off', async () => {
  const { one, next, place } = await openWith([mailOf(1, { text: 'notify: x' })]);
  await next();
  const [mail] = await one.mails(BOX, 'listed');
  await one.turnOff(ana, BOX);
  await expect(one.reply(ana.id, mail?.id ?? '')).rejects.toMatchObject({ code: 'not_applicable' });
  await next();
  expect(await place.begun()).toEqual([]);
});

it('asks a model again about a sender once what was learned of them is worded anew', async () => {
  const { one, server, next, state } = await openWith([mailOf(1, { text: 'notify: x' })]);
  await next();
  const [mail] = await one.mails(BOX, 'listed');
  await one.neverAgain(ana.id, mail?.id ?? '');
  const [learned] = await one.preferences(ana.id);
  await one.changePreference(ana.id, learned?.id ?? '', 'Mails of bob@example.com: ignore those about pots');
  server.mails.push(mailOf(2, { text: 'notify: x' }));
  await next();
  expect(await state('listed')).toContain('Question 2: because notify');
});

it('marks a mail as read once, however often its owner is done with it', async () => {
  const { one, other, next, marked, state } = await openWith([mailOf(1, { text: 'notify: x' })]);
  await next();
  const [mail] = await one.mails(BOX, 'listed');
  const id = mail?.id ?? '';
  await expect(one.done(bob.id, id)).rejects.toMatchObject({ code: 'not_allowed' });
  await Promise.allSettled([one.done(ana.id, id), other.done(ana.id, id)]);
  await one.done(ana.id, id);
  expect(marked).toEqual(['m1']);
  expect(await state('listed')).toEqual([]);
});

it('asks the model about five hundred mails of a day, and lists the others', async () => {
  const mails = Array.from({ length: 510 }, (_, index) => mailOf(index + 1, { text: 'ignore: x' }));
  const { one, next, model, pass, server, state } = await openWith(mails);
  for (let looks = 0; looks < 200; looks += 1) await next();
  expect(model.questions).toHaveLength(500);
  expect((await one.mails(BOX, 'listed')).map(({ reason }) => reason)).toEqual(
    Array.from({ length: 10 }, () => 'More than 500 mails came today, so nobody has judged this one.'),
  );
  pass(24 * HOUR);
  server.mails.push(mailOf(511, { text: 'notify: x' }));
  await next();
  expect(await state('listed')).toContain('Question 511: because notify');
});

it('marks a first mail from a domain that looks like one whose mails were answered, unless that was marked itself', async () => {
  const shop = mailOf(1, { from: 'Cy <cy@flowershop.test>' });
  const odd = mailOf(2, { from: 'Eve <eve@northwimd.test>', warnings: ['It names several senders'] });
  const { one, next, place, server, model } = await openWith([shop, odd]);
  await next();
  await next();
  for (const { thread, asked } of await place.begun()) {
    const change = { tool: 'send_email', before: {}, after: {}, words: '' } as const;
    await one.learnFrom({
      id: `of ${thread}`,
      threadId: thread,
      personId: ana.id,
      kind: 'accept',
      ...change,
    });
    await one.agentDone(thread, /m[12]/.exec(asked)?.[0] ?? '');
  }
  server.mails.push(
    mailOf(3, { from: 'Cy <cy@f1owershop.test>' }),
    mailOf(4, { from: 'Cy <cy@flowershop.test>' }),
    mailOf(5, { from: 'Bo <bo@northwind.test>' }),
  );
  await next();
  await next();
  const told = 'f1owershop.test looks like flowershop.test and isn’t';
  const responding = await one.mails(BOX, 'responding');
  expect(responding.map(({ from, warnings }) => [from, warnings]).toSorted()).toEqual([
    ['Bo <bo@northwind.test>', []],
    ['Cy <cy@f1owershop.test>', [told]],
    ['Cy <cy@flowershop.test>', []],
  ]);
  expect(model.questions.filter((text) => text.includes(told))).toHaveLength(1);
});

it('tells the model that a conversation was answered here only where a draft to it was accepted and its mail is done', async () => {
  const { one, next, place, server, model } = await openWith([mailOf(1, { thread_id: 't' })]);
  let count = 1;
  const isTold = async () => {
    count += 1;
    server.mails.push(mailOf(count, { thread_id: 't', text: `notify: ${count}` }));
    await next();
    await next();
    const asked = model.questions.find((text) => text.includes(`notify: ${count}`));
    return asked?.includes('answered here before');
  };
  await next();
  await next();
  const [thread = ''] = (await place.begun()).map((begun) => begun.thread);
  const decide = (kind: 'ignore' | 'accept') =>
    one.learnFrom({
      ...{ id: kind, threadId: thread, personId: ana.id, tool: 'send_email', kind },
      ...{ before: null, after: null, words: '' },
    });
  expect(await isTold()).toBe(false);
  await decide('ignore');
  await one.agentLeft(thread);
  expect(await isTold()).toBe(false);
  await decide('accept');
  expect(await isTold()).toBe(false);
  await one.agentDone(thread, 'm1');
  expect(await isTold()).toBe(true);
});
