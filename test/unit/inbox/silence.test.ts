import { expect, it } from 'vitest';
import { HOUR, mailOf, openInboxes } from '../../helpers/inbox.ts';
import { openSqliteTwice } from '../../helpers/inbox-storage.ts';

it('is none while nobody looked, as nothing was running', async () => {
  const { server, turnOn, next, pass, place } = await openInboxes(await openSqliteTwice());
  await turnOn();
  await next();
  server.instead = () => Promise.reject(new Error('down'));
  await next();
  pass(9 * HOUR);
  for (let looks = 0; looks < 50; looks += 1) await next();
  expect(place.told).toEqual([]);
  for (let looks = 0; looks < 20; looks += 1) await next();
  expect(place.told).toEqual(['mail: silent']);
});

it('is told, too, while as many mails wait as are taken', async () => {
  const { server, turnOn, next, place } = await openInboxes(await openSqliteTwice());
  await turnOn();
  server.mails.push(...Array.from({ length: 21 }, (_, index) => mailOf(index + 1)));
  server.instead = (tool) => (tool === 'get_message' ? Promise.reject(new Error('down')) : null);
  for (let looks = 0; looks < 70; looks += 1) await next();
  expect(place.told).toEqual([]);
  server.instead = () => Promise.reject(new Error('down'));
  for (let looks = 0; looks < 70; looks += 1) await next();
  expect(place.told).toEqual(['mail: silent']);
});
