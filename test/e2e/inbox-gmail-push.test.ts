import { expect, it } from 'vitest';
import { z } from 'zod';
import { createBrowser } from '../helpers/browser.ts';
import { linkIn } from '../helpers/dialogue-connections.ts';
import { serviceEntries } from '../helpers/dialogue-services.ts';
import { startGoogle } from '../helpers/google.ts';
import { type Forged, SERVICE_ACCOUNT, TOPIC } from '../helpers/pubsub.ts';
import { startMailApp } from '../helpers/real-mail.ts';

const POLL = { timeout: 20_000 };
const AT_ONCE = { timeout: 1_000, interval: 20 };
const entrySchema = z.looseObject({ oauth: z.looseObject({}) });
type Who = 'ana' | 'bob';

/** The app, whose mailboxes are looked at once a minute, and Google, which tells of Ana's and Bob's. */
async function start() {
  const google = await startGoogle();
  const gmail = entrySchema.parse(serviceEntries('google', google).gmail);
  const push = { topic: TOPIC, service_account: SERVICE_ACCOUNT };
  const mcpServers = { gmail: { ...gmail, push } };
  const opened = await startMailApp({ mcpServers, web: true, lookSeconds: 60 });
  const { app, driver, types } = opened;
  const inDm = (who: Who) => driver.as(who).dmChannel;
  for (const who of ['ana', 'bob'] as const) {
    const person = driver.as(who);
    await types('on', inDm(who), who);
    await person.useElement('Connect…', undefined, await person.openHome());
    const link = linkIn(await person.waitForModal()) ?? '';
    await createBrowser(who, person.id).signIn(link);
    await person.close();
    expect(await types('on', inDm(who), who)).toContain('I look at your mailbox gmail from now on');
  }
  const { pubsub } = google;
  // The first look, by which Google learns that it's to tell.
  await app.pass(0);
  await expect
    .poll(() => ['ana', 'bob'].map((who) => pubsub.isWatched(`${who}@example.com`)), POLL)
    .toEqual([true, true]);
  const endpoint = `${app.publicUrl}/push/gmail`;
  return {
    ...{ google, pubsub, inDm, ...opened },
    /** How often somebody's mailbox was looked at. */
    looksAt: (who: Who) =>
      google.seen().filter(({ login, path }) => login === who && path.includes('/history?')).length,
    /** A mail that comes, of which nothing is told. */
    async mailComes(who: Who, subject: string): Promise<void> {
      const head = ['From: Cleo <cleo@theirs.test>', `To: ${who}@example.com`, `Subject: ${subject}`];
      const raw = Buffer.from(`${head.join('\r\n')}\r\n\r\n${subject} of ${who}?`).toString('base64url');
      await google.ask(who, 'POST', '/gmail/v1/users/me/messages', { raw, labelIds: ['INBOX', 'UNREAD'] });
    },
    async push(
      address: string,
      forged: Forged | null = {},
      body = pubsub.envelope(address),
    ): Promise<number> {
      const token = forged && (await pubsub.token(google.url, endpoint, forged));
      const headers = {
        'content-type': 'application/json',
        ...(token && { authorization: `Bearer ${token}` }),
      };
      return (await fetch(endpoint, { method: 'POST', headers, body })).status;
    },
  };
}

it('a push has a mailbox looked at within a second, its own and nobody else’s', async () => {
  const { driver, find, push, mailComes, looksAt, card, threads, inDm } = await start();
  const before = { ana: looksAt('ana'), bob: looksAt('bob') };
  await mailComes('ana', 'Roses');
  await mailComes('bob', 'Sails');
  expect(await push('ana@example.com')).toBe(204);
  await expect.poll(() => looksAt('ana'), AT_ONCE).toBe(before.ana + 1);
  await card('Roses', inDm('ana'));
  expect(looksAt('bob')).toBe(before.bob);
  expect(
    threads(inDm('bob'))
      .map(({ text }) => text)
      .join(),
  ).not.toContain('Sails');
  expect(await push('bob@example.com')).toBe(204);
  await driver.as('bob').click(await card('Sails', inDm('bob')), 'Accept');
  // They gave that right as they signed in.
  await find(['The mail is marked as read'], inDm('bob'));
  // Twice, and late.
  expect(await push('ana@example.com')).toBe(204);
  await expect.poll(() => looksAt('ana'), POLL).toBe(before.ana + 2);
  expect(threads(inDm('ana'))).toHaveLength(1);
});

it('what isn’t Google’s, or is of no mailbox here, has nothing looked at', async () => {
  const { push, looksAt, looks, mailComes, card, app, pubsub, types, inDm } = await start();
  const before = looksAt('ana');
  await mailComes('ana', 'Roses');
  expect(await push('ana@example.com', null)).toBe(401);
  expect(await push('ana@example.com', { audience: 'https://others.test' })).toBe(401);
  expect(await push('ana@example.com', { email: 'push@others.iam.gserviceaccount.com' })).toBe(401);
  expect(await push('ana@example.com', { expiresIn: -120 })).toBe(401);
  expect(await push('ana@example.com', {}, 'x'.repeat(2_000_000))).toBe(413);
  expect(await push('somebody@example.com')).toBe(204);
  await looks();
  expect(looksAt('ana')).toBe(before);
  // A look finds what nobody told of.
  await app.pass(60_000);
  await card('Roses', inDm('ana'));
  await types('off', inDm('ana'), 'ana');
  await expect.poll(() => pubsub.isWatched('ana@example.com'), POLL).toBe(false);
  expect(pubsub.isWatched('bob@example.com')).toBe(true);
});
