import { expect, it } from 'vitest';
import { cursors } from '../../../src/inbox/collections.ts';
import { HOUR, MINUTE, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { onBothStorages } from '../../helpers/inbox-storage.ts';
import { ana, bob } from '../../helpers/people.ts';

const ADDRESS = 'ana@example.com';
const servers = ['mail', 'other'].map((name) => ({
  ...{ name, channel: null, isFor: () => true, canTell: name === 'mail' },
}));

function listed(number: number) {
  return mailOf(number, { text: 'notify: news' });
}

onBothStorages((openTwice) => {
  async function open() {
    const opened = await openInboxes(await openTwice(), { servers });
    opened.server.account = ADDRESS;
    const turnedOn = await opened.turnOn();
    await opened.work(opened.one, opened.other);
    return {
      ...opened,
      turnedOn,
      listed: async () =>
        (await opened.one.mails(turnedOn.id, 'listed')).map(({ subject }) => subject).toSorted(),
    };
  }

  it('looks at once where the server tells of the owner’s account, in one process, and at no other’s', async () => {
    const { one, other, server, work, listed: subjects } = await open();
    await one.turnOn(bob, { server: 'other', timeZone: 'Europe/Berlin' });
    await work(one, other);
    server.mails.push(listed(1));
    server.asked.length = 0;
    await one.lookSoon('mail', 'somebody@example.com');
    await one.lookSoon('elsewhere', ADDRESS);
    await work(one, other);
    expect(server.asked).toEqual([]);
    await Promise.all([one.lookSoon('mail', ADDRESS), other.lookSoon('mail', ADDRESS)]);
    await one.lookSoon('mail', ADDRESS);
    await work(one, other);
    expect(server.asked.filter((name) => name === 'list_new_messages')).toEqual(['list_new_messages']);
    expect(await subjects()).toEqual(['Question 1']);
  });

  it('keeps what a look found while the server tells of more, which the next look takes', async () => {
    const { one, other, server, work, listed: subjects } = await open();
    server.mails.push(listed(1));
    await one.lookSoon('mail', ADDRESS);
    const { read } = server;
    server.read = read;
    server.instead = (name) => {
      if (name !== 'list_new_messages') return null;
      server.instead = null;
      return (async () => {
        const answer = await server.read(lastRead);
        server.mails.push(listed(2));
        await other.lookSoon('mail', ADDRESS);
        return answer;
      })();
    };
    const lastRead = { server: 'mail', name: 'list_new_messages', arguments: { after: '0' }, person: ana };
    await work(one);
    expect(await subjects()).toEqual(['Question 1']);
    await work(one, other);
    expect(await subjects()).toEqual(['Question 1', 'Question 2']);
  });

  it('asks the server each day to tell, another account at once, and no longer when it’s turned off', async () => {
    const { one, other, server, turnedOn, next, pass, work } = await open();
    expect(server.notified).toEqual([true]);
    await next();
    expect(server.notified).toEqual([true]);
    pass(24 * HOUR);
    await work(one, other);
    expect(server.notified).toEqual([true, true]);
    server.account = 'ana@example.org';
    await next();
    expect(server.notified).toEqual([true, true, true]);
    await one.turnOff(ana, turnedOn.id);
    await expect.poll(() => server.notified).toEqual([true, true, true, false]);
  });

  it('has the server no longer tell of an account only once nobody’s mailbox in it is on', async () => {
    const { one, other, server, turnedOn, work, next } = await open();
    const bobs = await one.turnOn(bob, { server: 'mail', timeZone: 'Europe/Berlin' });
    await work(one, other);
    expect(server.notified).toEqual([true, true]);
    await one.turnOff(ana, turnedOn.id);
    await next();
    expect(server.notified).toEqual([true, true]);
    await one.turnOff(bob, bobs.id);
    await expect.poll(() => server.notified).toEqual([true, true, false]);
  });

  it.each(['after', 'during'])(
    'has the server tell again where what ends that comes late, %s the look at a mailbox that is on again',
    async (when) => {
      const { one, other, server, store, time, turnedOn, turnOn, next, work } = await open();
      const { promise: late, resolve: comesNow } = Promise.withResolvers<void>();
      const isAskedAnew = async () => (await store.get(cursors, turnedOn.id))?.value.tellAt === time.now;
      const told = (notify: boolean) => {
        server.notified.push(notify);
        return { structured: { messages: [], next: '0' }, account: ADDRESS };
      };
      server.instead = (_name, _args, notify) => {
        if (notify === false) return late.then(() => told(false));
        if (notify !== true || when === 'after') return null;
        server.instead = null;
        return (async () => {
          const answer = told(true);
          comesNow();
          await expect.poll(isAskedAnew).toBe(true);
          return answer;
        })();
      };
      await one.turnOff(ana, turnedOn.id);
      await turnOn();
      await work(one, other);
      comesNow();
      await expect.poll(isAskedAnew).toBe(true);
      expect(server.notified).toEqual([true, true, false]);
      await next();
      expect(server.notified).toEqual([true, true, false, true]);
      await next();
      expect(server.notified).toEqual([true, true, false, true]);
    },
  );

  it('finds mails by looks where the server doesn’t tell, and asks again in an hour', async () => {
    const { one, other, server, turnedOn, next, pass, work, logged, listed: subjects } = await open();
    await one.turnOff(ana, turnedOn.id);
    await expect.poll(() => server.notified).toEqual([true, false]);
    let refused = 0;
    server.instead = (_name, _args, notify) => {
      if (notify === undefined) return null;
      refused += 1;
      return Promise.resolve({ problem: { why: 'refused', said: 'User not authorized' } });
    };
    await one.turnOn(ana, { server: 'mail', timeZone: 'Europe/Berlin', pace: 'now' });
    server.mails.push(listed(1));
    await next();
    await next();
    expect(await subjects()).toEqual(['Question 1']);
    expect((await one.list(ana.id))[0]?.problem).toBeNull();
    expect(logged).toContain('a mail server does not tell of new mails');
    expect(refused).toBe(1);
    pass(HOUR + MINUTE);
    await work(one, other);
    expect(refused).toBe(2);
  });
});
