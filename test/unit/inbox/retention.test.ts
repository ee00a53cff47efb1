import { expect, it } from 'vitest';
import { mails } from '../../../src/inbox/collections.ts';
import { mailRetention } from '../../../src/inbox/index.ts';
import { HOUR, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { openSqliteTwice } from '../../helpers/inbox-storage.ts';
import { ana } from '../../helpers/people.ts';

const DAY = 24 * HOUR;

it('keeps mails for as long as records are kept, for ninety days at most, and preferences for good', async () => {
  const { one, store, server, turnOn, next, time } = await openInboxes(await openSqliteTwice());
  await turnOn();
  for (let number = 1; number <= 4; number += 1) server.mails.push(mailOf(number, { text: 'ignore: x' }));
  await next();
  await next();
  await one.addPreference(ana.id, 'response_preferences', 'Be brief');
  const rule = mailRetention({ store, keepForMs: null });
  expect(rule.keepForMs).toBe(90 * DAY);
  expect(mailRetention({ store, keepForMs: DAY }).keepForMs).toBe(DAY);
  expect(await rule.forget(time.now - DAY, 100)).toBe(0);
  expect(await rule.forget(time.now + 1, 3)).toBe(3);
  expect(await rule.forget(time.now + 1, 3)).toBe(1);
  expect(await store.count(mails, 'byAge', {}, 10)).toBe(0);
  expect(await one.preferences(ana.id)).toHaveLength(1);
});
