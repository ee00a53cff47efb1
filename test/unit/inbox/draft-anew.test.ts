import { expect, it, vi } from 'vitest';
import { mails } from '../../../src/inbox/collections.ts';
import { put } from '../../../src/storage/store.ts';
import { mailOf } from '../../helpers/inbox.ts';
import { BOB, chooseAnew, openWaiting } from '../../helpers/inbox-newer.ts';
import { ana } from '../../helpers/people.ts';

const JOINED = /answered together with another one of its conversation.*“Reply”/;

/** The record of a mail, as it is kept. */
async function readRecord({ find, store }: Awaited<ReturnType<typeof openWaiting>>, messageId: string) {
  const stored = await store.get(mails, (await find(messageId))?.id ?? '');
  if (!stored) throw new Error(`${messageId} isn't kept`);
  return stored;
}

it('no two mails are left for each other, where the old line of one that was left is clicked', async () => {
  const opened = await openWaiting([{}, {}]);
  const { one, thread, find, next } = opened;
  await next();
  const old = (await find('m2'))?.id ?? '';
  await chooseAnew(opened, 'm3');
  let stopped = 0;
  const stop = async () => {
    stopped += 1;
    return [];
  };
  await expect(one.draftAnew(ana.id, old, stop)).rejects.toThrow(JOINED);
  expect(stopped).toBe(0);
  expect(await one.agentDone(thread, 'm3', { repliedTo: [BOB] })).toEqual({ marked: 2, stay: 0 });
});

it('a mail that was left can be chosen again once its owner has asked for an answer to it', async () => {
  const opened = await openWaiting([{}, {}]);
  const { one, thread, find, next } = opened;
  await next();
  await chooseAnew(opened, 'm3');
  await one.reply(ana.id, (await find('m2'))?.id ?? '');
  await chooseAnew(opened, 'm2');
  expect(await one.agentDone(thread, 'm2', { repliedTo: [BOB] })).toEqual({ marked: 2, stay: 0 });
});

it('work ends on mails that an earlier version left for each other', async () => {
  const opened = await openWaiting([{}, {}]);
  const { one, store, thread, find, next } = opened;
  await next();
  await chooseAnew(opened, 'm3');
  const [m2, m3] = [await readRecord(opened, 'm2'), await readRecord(opened, 'm3')];
  await store.commit({ put: [put(mails, m3.id, { ...m3.value, leftFor: m2.id })] });
  expect(await one.agentDone(thread, 'm3', { repliedTo: [BOB] })).toEqual({ marked: 2, stay: 0 });
  expect(await find('m1')).toBeUndefined();
});

it('of mails of one second, the one that was taken first waits for the other, and not the other way round', async () => {
  const opened = await openWaiting([{}, {}]);
  const { find, next } = opened;
  await next();
  await chooseAnew(opened, 'm2');
  expect(await find('m3')).toMatchObject({ state: 'responding' });
});

it('shows the line on a mail that was left while the line was posted, as the mail is then', async () => {
  const opened = await openWaiting([{}, {}]);
  const { one, place, find, next, work, pass } = opened;
  const waitsFor = (messageId: string) =>
    expect.poll(() => find(messageId)).toMatchObject({ state: 'responding' });
  place.instead.tellNewer = async (...given) => {
    const posted = await place.places.tellNewer(...given);
    await Promise.all([waitsFor('m2'), waitsFor('m3')]);
    const { id = '' } = (await find('m3')) ?? {};
    // What is drafted goes on, so that the line is all that is to be shown.
    await one.draftAnew(ana.id, id, async () => []);
    return posted;
  };
  await next();
  pass(60_000);
  await work(one);
  expect((await readRecord(opened, 'm2')).value).toMatchObject({
    notice: 'told',
    state: 'listed',
    lookAt: null,
  });
  expect(place.shown).toContainEqual(['Question 2: joined']);
});

it('leaves what somebody else still tries to send out of what it drops', async () => {
  const opened = await openWaiting([{}]);
  const { one, thread, find, next } = opened;
  await next();
  await one.agentLeft(thread);
  await one.retried(thread, { run: 'call:k1', messageId: 'm1' });
  const { id = '' } = (await find('m2')) ?? {};
  await one.draftAnew(ana.id, id, async () => ['call:k1']);
  expect(await find('m1')).toMatchObject({ state: 'responding' });
  expect(await find('m2')).toMatchObject({ state: 'responding' });
});

it('has a mail whose own run begins meanwhile go on', async () => {
  const opened = await openWaiting([{}]);
  const { one, place, find, next } = opened;
  await next();
  const { id = '' } = (await find('m2')) ?? {};
  const second = one.draftAnew(ana.id, id, async (_thread, check) => {
    // The first click.
    await chooseAnew(opened, 'm2');
    await check();
    return [];
  });
  await expect(second).rejects.toThrow('is being answered');
  expect(await place.begun()).toHaveLength(2);
  expect(await find('m2')).toMatchObject({ state: 'responding' });
});

it('leaves a mail once to which an answer is asked for as its draft is dropped', async () => {
  const opened = await openWaiting([{}]);
  const { one, place, thread, find, next } = opened;
  await next();
  const [{ id: first = '' } = {}, { id = '' } = {}] = [await find('m1'), await find('m2')];
  await one.draftAnew(ana.id, id, async () => {
    await one.agentLeft(thread);
    await one.reply(ana.id, first);
    place.busy = null;
    return [];
  });
  expect(await find('m1')).toMatchObject({ state: 'listed', reason: /dropped for a newer mail/ });
});

it('isn’t left for itself where its own run begins, and ends, while it’s read what is drafted', async () => {
  const opened = await openWaiting([{}]);
  const { store, one, thread, find, next } = opened;
  await next();
  const { id, value } = await readRecord(opened, 'm2');
  const query = store.query.bind(store);
  vi.spyOn(store, 'query').mockImplementationOnce(async (...given) => {
    await store.commit({ put: [put(mails, id, { ...value, run: 'own', slackThread: thread })] });
    return query(...given);
  });
  await one.draftAnew(ana.id, id, async () => {
    await one.agentLeft(thread);
    return [];
  });
  expect(await find('m2')).toMatchObject({ state: 'responding' });
});

it('keeps earlier mails of senders to whom no reply was sent', async () => {
  const opened = await openWaiting([
    { from: 'Di <di@example.com>' },
    { from: 'Cy <Cy@Example.com>' },
    { from: 'Eve <eve@example.com>' },
  ]);
  const { one, thread, marked, found, next } = opened;
  await next();
  await chooseAnew(opened, 'm4');
  const repliedTo = ['eve@example.com', 'Cy@example.com', '"Bob" <BOB@example.com>'];
  expect(await one.agentDone(thread, 'm4', { repliedTo })).toEqual({ marked: 2, stay: 1 });
  expect([marked.toSorted(), await found('listed')]).toEqual([['m1', 'm3'], ['m2']]);
});

it('is done with the owner’s own mail, too', async () => {
  const opened = await openWaiting([{ from: 'Ana <ana@example.org>', own: true }, {}]);
  const { one, thread, marked, find, next } = opened;
  await next();
  await one.reply(ana.id, (await find('m2'))?.id ?? '');
  await chooseAnew(opened, 'm3');
  expect(await one.agentDone(thread, 'm3', { repliedTo: [BOB] })).toMatchObject({ stay: 0 });
  expect(marked).toContain('m2');
});

it.each(['m2', 'm3'])(
  'answers all that was told of beside a draft, whichever line is clicked: %s',
  async (clicked) => {
    const opened = await openWaiting([
      { text: 'notify: On Saturday, then.' },
      { text: 'notify: Or on Sunday.' },
      { text: 'ignore: Ha.' },
    ]);
    const { one, thread, find, asked, next } = opened;
    await next();
    await chooseAnew(opened, clicked);
    expect((await asked()).at(-1)).toMatch(/"m3".*read_conversation.*answer all of them with one mail/);
    expect(await find('m2')).toMatchObject({
      state: 'listed',
      reason: 'A newer mail of the conversation is answered in its place.',
    });
    expect(await find('m4')).toMatchObject({ state: 'ignored' });
    expect(await one.agentDone(thread, 'm3', { repliedTo: [BOB] })).toEqual({ marked: 2, stay: 0 });
  },
);

it('nothing is dropped for an older mail of the conversation, to which nobody has asked for an answer', async () => {
  const opened = await openWaiting([{ text: 'notify: Twenty.', date: '2026-11-23T08:20:00Z' }]);
  const { one, place, server, thread, find, next } = opened;
  await next();
  await chooseAnew(opened, 'm2');
  place.busy = thread;
  server.mails.push(mailOf(3, { thread_id: 't', text: 'notify: Ten.', date: '2026-11-23T08:10:00Z' }));
  await next();
  const { id = '' } = (await find('m3')) ?? {};
  await expect(one.draftAnew(ana.id, id, async () => [])).rejects.toThrow('newer than that one');
  expect(await find('m2')).toMatchObject({ state: 'responding' });
});
