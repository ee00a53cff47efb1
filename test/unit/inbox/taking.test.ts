import { expect, it } from 'vitest';
import { NO_THREAD } from '../../../src/gate/types.ts';
import type { MailState } from '../../../src/inbox/ports.ts';
import { entriesOf } from '../../helpers/audit.ts';
import { HOUR, MINUTE, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { onBothStorages, openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana, bob } from '../../helpers/people.ts';

type Opened = Awaited<ReturnType<typeof openInboxes>>;

const BOX = 'slack:T1:U1:mail';

async function subjects({ one }: Opened, state: MailState): Promise<readonly string[]> {
  return (await one.mails(BOX, state)).map(({ subject }) => subject).toSorted();
}

function listed(number: number, more: Parameters<typeof mailOf>[1] = {}) {
  return mailOf(number, { text: 'notify: news', ...more });
}

onBothStorages((openTwice) => {
  it('takes each mail once, whichever process looks, and none that was there before', async () => {
    const opened = await openInboxes(await openTwice());
    const { server, turnOn, next, place } = opened;
    server.mails.push(listed(1));
    await turnOn();
    await next();
    expect(await subjects(opened, 'listed')).toEqual([]);
    server.mails.push(listed(2), listed(3));
    await next();
    await next();
    expect(await subjects(opened, 'listed')).toEqual(['Question 2', 'Question 3']);
    expect(place.digests.flatMap((it) => it.subjects).toSorted()).toEqual(['Question 2', 'Question 3']);
  });

  it('begins with what nobody has read of the last days, each once, however often it’s turned on', async () => {
    const opened = await openInboxes(await openTwice());
    const { one, server, turnOn, next } = opened;
    server.unread.push(listed(1), listed(2, { mail_id: '<1@example.com>' }), listed(3));
    await turnOn();
    await turnOn();
    await next();
    await one.turnOff(ana, BOX);
    server.unread.push(listed(4));
    await turnOn();
    await next();
    expect(await subjects(opened, 'listed')).toEqual(['Question 1', 'Question 3', 'Question 4']);
  });

  it('takes none that was there before of another account, which its owner has connected since the last look', async () => {
    const opened = await openInboxes(await openTwice());
    const { server, turnOn, next } = opened;
    server.account = 'ana@example.com';
    await turnOn();
    server.mails.push(listed(1), listed(2));
    server.account = 'ana@example.org';
    await next();
    expect(await subjects(opened, 'listed')).toEqual([]);
    server.mails.push(listed(3));
    await next();
    expect(await subjects(opened, 'listed')).toEqual(['Question 3']);
  });

  it('takes a mail once that is delivered twice, also at once, but not another sender’s with its Message-ID', async () => {
    const opened = await openInboxes(await openTwice());
    const { server, turnOn, next } = opened;
    await turnOn();
    const again = { mail_id: '<1@example.com>' };
    server.mails.push(listed(1), listed(2, again));
    await next();
    server.mails.push(listed(3, again), listed(4, { ...again, from: 'Eve <eve@other.test>' }));
    await next();
    expect(await subjects(opened, 'listed')).toEqual(['Question 1', 'Question 4']);
  });

  it('takes more than a list has, in order', async () => {
    const opened = await openInboxes(await openTwice());
    const { server, turnOn, next } = opened;
    await turnOn();
    for (let number = 1; number <= 50; number += 1) server.mails.push(listed(number));
    for (let looks = 0; looks < 30; looks += 1) await next();
    expect(await subjects(opened, 'listed')).toHaveLength(50);
  });

  it.each(['before', 'after'])('loses none where a process is cut off %s the commit', async (when) => {
    const stores = await openTwice();
    const opened = await openInboxes(stores);
    const { one, other, server, turnOn, work, pass } = opened;
    await turnOn();
    server.mails.push(listed(1));
    pass(MINUTE);
    const { commit } = stores[0];
    stores[0].commit = async (change) => {
      const takes = change.put?.some(({ collection }) => collection === 'inbox_mails') === true;
      if (!takes) return commit.call(stores[0], change);
      stores[0].commit = commit;
      if (when === 'after') await commit.call(stores[0], change);
      throw new Error('cut off');
    };
    await one.work[0]?.runNow();
    pass(2 * MINUTE);
    await work(other);
    pass(2 * MINUTE);
    await work(one, other);
    expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
  });

  it('takes nothing by a look that stood still until another process had looked', async () => {
    const opened = await openInboxes(await openTwice());
    const { one, other, server, turnOn, work, pass, next } = opened;
    await turnOn();
    server.mails.push(listed(1));
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: looks, resolve: isLooking } = Promise.withResolvers<void>();
    server.instead = (tool) => {
      if (tool !== 'list_new_messages') return null;
      server.instead = null;
      isLooking();
      return goesOn.then(() => ({ structured: { messages: [{ ...listed(9) }], next: '9' }, account: null }));
    };
    pass(MINUTE);
    const slow = one.work[0]?.runNow();
    await looks;
    pass(2 * MINUTE);
    await work(other);
    goOn();
    await slow;
    await next();
    expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
  });
});

it('tells the owner once where the server no longer knew what is new, and goes on', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, other, place, server, turnOn, next, work, pass } = opened;
  await turnOn();
  server.mails.push(listed(1));
  server.instead = (tool) => {
    if (tool !== 'list_new_messages') return null;
    server.instead = null;
    return Promise.resolve({
      structured: { messages: [], next: '0', restarted: true },
      account: null,
    });
  };
  pass(MINUTE);
  await work(one, other);
  await next();
  await next();
  expect(place.told).toEqual(['mail: gap']);
  expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
});

it('looks once a minute, by one process', async () => {
  const { one, other, server, turnOn, work, pass, next } = await openInboxes(await openSqliteTwice());
  await turnOn();
  await next();
  const before = server.asked.length;
  pass(MINUTE / 2);
  await work(one, other);
  expect(server.asked).toHaveLength(before);
  await next();
  await work(one, other);
  expect(server.asked).toHaveLength(before + 1);
});

it('rests where nobody can read it, says so once, and goes on by itself', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, server, turnOn, next, pass, place } = opened;
  await turnOn();
  server.instead = () => Promise.resolve({ problem: { why: 'not_connected', said: '' } });
  for (let looks = 0; looks < 25; looks += 1) await next();
  expect(place.told).toEqual(['mail: not_connected']);
  expect(await one.list(ana.id)).toMatchObject([{ isOn: true, problem: { why: 'not_connected' } }]);
  server.instead = null;
  server.mails.push(listed(1));
  pass(10 * MINUTE);
  await next();
  expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
  expect(await one.list(ana.id)).toMatchObject([{ problem: null }]);
});

it('that is refused says so once however that is worded, and keeps the newest words', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, server, turnOn, next, pass, place } = opened;
  await turnOn();
  let said = 'Wrong password';
  server.instead = () => Promise.resolve({ problem: { why: 'refused', said } });
  await next();
  said = 'The account is locked';
  pass(10 * MINUTE);
  await next();
  expect(place.told).toEqual(['mail: refused Wrong password']);
  expect(await one.list(ana.id)).toMatchObject([{ problem: { why: 'refused', said } }]);
});

it('goes on though one of its mails is gone', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, server, place, turnOn, next } = opened;
  await turnOn();
  server.mails.push(listed(1));
  const problem = { why: 'refused', said: 'No such mail' } as const;
  server.instead = (tool) =>
    tool === 'get_message' ? Promise.resolve({ problem, isImpossible: true }) : null;
  await next();
  expect(place.told).toEqual([]);
  expect(await one.list(ana.id)).toMatchObject([{ problem: null }]);
  // At once, and not as if the server hadn't answered.
  const reason = expect.stringContaining('isn’t in the mailbox any more');
  expect(await one.mails('slack:T1:U1:mail', 'listed')).toMatchObject([{ subject: 'Question 1', reason }]);
});

it('judges no mail while all of the mailbox is refused', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { server, turnOn, next, pass } = opened;
  await turnOn();
  server.mails.push(listed(1));
  let asked = 0;
  server.instead = (tool) => {
    asked += 1;
    // The password changes right after the mail was listed.
    if (tool === 'list_new_messages' && asked === 1) return null;
    return Promise.resolve({ problem: { why: 'refused', said: 'Wrong password' } });
  };
  await next();
  expect(await subjects(opened, 'new')).toEqual(['Question 1']);
  server.instead = null;
  pass(10 * MINUTE);
  await next();
  expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
});

it('goes on where a server that gave no answer gives one again', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { server, turnOn, next } = opened;
  await turnOn();
  server.mails.push(listed(1));
  server.instead = () => Promise.reject(new Error('down'));
  await next();
  server.instead = null;
  await next();
  expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
});

it('says once where its server has given no answer for an hour, and goes on looking', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, server, turnOn, next, place } = opened;
  await turnOn();
  const isDown = async (minutes: number) => {
    server.instead = () => Promise.reject(new Error('certificate has expired'));
    for (let looks = 0; looks < minutes; looks += 1) await next();
  };
  await isDown(59);
  server.instead = null;
  await next();
  await isDown(59);
  expect(place.told).toEqual([]);
  await isDown(10);
  expect(place.told).toEqual(['mail: silent']);
  expect(await one.list(ana.id)).toMatchObject([{ isOn: true, problem: { why: 'silent', said: '' } }]);
  server.instead = null;
  server.mails.push(listed(1));
  await next();
  expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
  expect(await one.list(ana.id)).toMatchObject([{ problem: null }]);
  await isDown(59);
  expect(place.told).toHaveLength(1);
});

it('is turned off where its owner has left, which is told once and is in the audit', async () => {
  const { one, place, turnOn, next, server, store } = await openInboxes(await openSqliteTwice());
  await turnOn();
  place.instead.check = async () => 'owner_left';
  for (let looks = 0; looks < 6; looks += 1) await next();
  expect(place.told).toEqual(['mail off: owner_left']);
  expect(await one.list(ana.id)).toMatchObject([{ isOn: false }]);
  const before = server.asked.length;
  await next();
  expect(server.asked).toHaveLength(before);
  const entries = await entriesOf(store, NO_THREAD);
  expect(entries.map(({ what }) => what)).toEqual(['mailbox_on', 'mailbox_off']);
});

it('is turned off by its owner alone, takes nothing then, and begins anew with what comes after', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, server, turnOn, next } = opened;
  const { id } = await turnOn();
  await one.set(ana.id, id, { rules: 'Invoices: notify' });
  await expect(one.turnOff(bob, id)).rejects.toMatchObject({ code: 'not_allowed' });
  await one.turnOff(ana, id);
  server.mails.push(listed(1));
  await next();
  expect(await subjects(opened, 'listed')).toEqual([]);
  expect(await turnOn()).toMatchObject({ isOn: true, rules: 'Invoices: notify' });
  await next();
  server.mails.push(listed(2));
  await next();
  expect(await subjects(opened, 'listed')).toEqual(['Question 2']);
});

it('misses nothing where one that is on is turned on once more', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { server, turnOn, next } = opened;
  await turnOn();
  server.mails.push(listed(1));
  await turnOn({ timeZone: 'UTC' });
  await next();
  expect(await subjects(opened, 'listed')).toEqual(['Question 1']);
});

it.each([
  ['not_connected', 'connect it'],
  ['not_allowed', 'An admin can allow'],
  ['gone', 'There’s no mailbox'],
  ['refused', 'mail says: “Not with this password”'],
] as const)('is not turned on where it can’t be read: %s', async (why, words) => {
  const { one, server, turnOn } = await openInboxes(await openSqliteTwice());
  server.instead = () => Promise.resolve({ problem: { why, said: 'Not with this password' } });
  await expect(turnOn()).rejects.toMatchObject({ userMessage: expect.stringContaining(words) });
  expect(await one.list(ana.id)).toEqual([]);
});

it.each([
  [1, true],
  [4, true],
  [5, false],
])(
  'is turned on where its server is only just being started: the first %i reads fail',
  async (fail, isOn) => {
    const { one, server, turnOn } = await openInboxes(await openSqliteTwice());
    let reads = 0;
    server.instead = () => {
      reads += 1;
      return reads <= fail ? Promise.reject(new Error('down')) : null;
    };
    const turned = turnOn();
    if (isOn) await turned;
    else
      await expect(turned).rejects.toMatchObject({
        userMessage: expect.stringContaining('try again in a minute'),
      });
    expect((await one.list(ana.id)).length).toBe(isOn ? 1 : 0);
  },
);

it('is not turned on where the operator wants none, and none is looked at', async () => {
  const { turnOn, server, next } = await openInboxes(await openSqliteTwice(), { isEnabled: false });
  await expect(turnOn()).rejects.toMatchObject({ code: 'not_applicable' });
  await next();
  expect(server.asked).toEqual([]);
});

it('tells hourly at the full hour, and daily at eight of the owner’s clocks', async () => {
  const opened = await openInboxes(await openSqliteTwice());
  const { one, place, server, turnOn, next, pass } = opened;
  const { id } = await turnOn({ pace: 'hourly' });
  server.mails.push(listed(1));
  await next();
  expect(place.digests).toEqual([]);
  pass(29 * MINUTE);
  await next();
  expect(place.digests).toHaveLength(1);
  await one.set(ana.id, id, { pace: 'daily' });
  server.mails.push(listed(2), listed(3));
  await next();
  pass(21 * HOUR);
  await next();
  expect(place.digests).toHaveLength(1);
  pass(HOUR);
  await next();
  expect(place.digests.at(-1)?.subjects).toEqual(['Question 2', 'Question 3']);
});

it.each([
  ['is turned on once its server has been started, which nobody has to read of', 3, []],
  [
    'is not turned on where its server doesn’t answer, which is logged once',
    99,
    ['failed to look at a mailbox'],
  ],
] as const)('a mailbox %s', async (_, failures, lines) => {
  const { server, logged, turnOn } = await openInboxes(await openSqliteTwice());
  let failed = 0;
  server.instead = (tool) => {
    failed += 1;
    return tool === 'list_new_messages' && failed <= failures
      ? Promise.reject(new Error('mail isn’t ready'))
      : null;
  };
  const said = await turnOn().then(
    ({ isOn }) => String(isOn),
    (error: unknown) => String(error),
  );
  expect(said).toMatch(failures < 5 ? 'true' : /mail doesn’t answer, so the mailbox wasn’t turned on/);
  expect(logged).toEqual(lines);
});
