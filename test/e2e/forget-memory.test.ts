import { expect, it, onTestFinished } from 'vitest';
import { forgetPerson } from '../../src/app/commands/forget-person.ts';
import { BLANK, memories } from '../../src/memory/collections.ts';
import { put } from '../../src/storage/store.ts';
import { mailOf, openInboxes } from '../helpers/inbox.ts';
import { ana, bob } from '../helpers/people.ts';
import { createTestRemoval } from '../helpers/removal.ts';
import { createTestSchedules, termsOf } from '../helpers/schedules.ts';
import { openTestStorage } from '../helpers/storage.ts';

it('who forgets a person forgets what is remembered of them, once it is confirmed, and nobody else’s', async () => {
  const { store, checkpoints, close } = await openTestStorage();
  onTestFinished(close);
  const item = {
    id: 'i',
    kind: 'preference',
    key: 'tone',
    text: 'casual',
    learnedAt: 1,
    place: null,
    messageId: 'm',
  } as const;
  const record = { ...BLANK, items: [item] };
  await store.commit({ put: [ana, bob].map(({ id }) => put(memories, id, record)) });
  const printed: string[] = [];
  const forget = (isConfirmed: boolean) =>
    forgetPerson({
      indexes: [],
      ...{ store, isConfirmed, personId: ana.id, clock: Date.now },
      removal: createTestRemoval({ store, checkpoints, clock: Date.now }),
      print: (text) => void printed.push(text),
    });
  await forget(false);
  expect(printed.join('\n')).toContain('1 things that they said of themselves');
  expect(await store.get(memories, ana.id)).not.toBeNull();
  await forget(true);
  expect(await store.get(memories, ana.id)).toBeNull();
  expect(await store.get(memories, bob.id)).not.toBeNull();
});

it('who forgets a person deletes what they have scheduled, once it is confirmed, and nobody else’s', async () => {
  const { store, checkpoints, close } = await openTestStorage();
  onTestFinished(close);
  const schedules = createTestSchedules(store, Date.now);
  for (const person of [ana, ana, bob]) await schedules.create(termsOf(), person);
  const printed: string[] = [];
  const forget = (isConfirmed: boolean) =>
    forgetPerson({
      indexes: [],
      ...{ store, isConfirmed, personId: ana.id, clock: Date.now },
      removal: createTestRemoval({ store, checkpoints, clock: Date.now }),
      print: (text) => void printed.push(text),
    });
  await forget(false);
  expect(printed.join('\n')).toContain('2 schedules and reminders');
  expect(await schedules.list(ana.id)).toHaveLength(2);
  await forget(true);
  expect(await schedules.list(ana.id)).toEqual([]);
  expect(await schedules.list(bob.id)).toHaveLength(1);
});

it('who forgets a person deletes their mailboxes, mails and what was learned, and nobody else’s', async () => {
  const { store, checkpoints } = await openTestStorage();
  const { one, server, next } = await openInboxes([store, store]);
  for (const person of [ana, bob]) await one.turnOn(person, { server: 'mail', timeZone: 'UTC' });
  server.mails.push(mailOf(1, { text: 'notify: news' }));
  await next();
  for (const { id } of [ana, bob]) await one.addPreference(id, 'response_preferences', 'Be brief');
  const printed: string[] = [];
  const forget = (isConfirmed: boolean) =>
    forgetPerson({
      indexes: [],
      ...{ store, isConfirmed, personId: ana.id, clock: Date.now },
      removal: createTestRemoval({ store, checkpoints, clock: Date.now }),
      print: (text) => void printed.push(text),
    });
  await forget(false);
  const found = '1 mailboxes with what was noted of 1 mails, and 1 things learned of how they answer';
  expect(printed.join('\n')).toContain(found);
  expect(await one.list(ana.id)).toHaveLength(1);
  await forget(true);
  expect([await one.list(ana.id), await one.preferences(ana.id), await one.history(ana.id)]).toEqual([
    [],
    [],
    [],
  ]);
  expect(await one.mails(`${ana.id}:mail`, 'listed')).toEqual([]);
  expect(await one.mails(`${bob.id}:mail`, 'listed')).toHaveLength(1);
  expect(await one.preferences(bob.id)).toHaveLength(1);
  server.mails.push(mailOf(2, { text: 'notify: news' }));
  await next();
  expect(await one.mails(`${ana.id}:mail`, 'listed')).toEqual([]);
});
