import type { Message } from '@countersign/slack-emulator';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createBrowser } from '../helpers/browser.ts';
import { linkIn } from '../helpers/dialogue-connections.ts';
import { serviceEntries } from '../helpers/dialogue-services.ts';
import { startGoogle } from '../helpers/google.ts';
import { startMailApp } from '../helpers/real-mail.ts';

const POLL = { timeout: 20_000 };
const MESSAGES = '/gmail/v1/users/me/messages';
const sentSchema = z.object({ raw: z.string(), threadId: z.string().optional() });
const storedSchema = z.object({
  id: z.string(),
  threadId: z.string(),
  labelIds: z.array(z.string()).default([]),
});
type Who = 'ana' | 'bob';

/** The app, and Google with a mailbox each of Ana and Bob, who have signed in and had theirs watched. */
async function start() {
  const google = await startGoogle();
  const { gmail } = serviceEntries('google', google);
  const opened = await startMailApp({ mcpServers: { gmail: z.looseObject({}).parse(gmail) }, web: true });
  const { driver, types, looks, find } = opened;
  const inDm = (who: Who) => driver.as(who).dmChannel;
  /** By the link of the modal that they have open. */
  const signIn = async (who: Who): Promise<void> => {
    const person = driver.as(who);
    const link = linkIn(await person.waitForModal()) ?? '';
    await createBrowser(who, person.id).signIn(link);
    await person.close();
  };
  for (const who of ['ana', 'bob'] as const) {
    const person = driver.as(who);
    expect(await types('on', inDm(who), who)).toContain('connect it in my Home');
    await person.useElement('Connect…', undefined, await person.openHome());
    await signIn(who);
    expect(await types('on', inDm(who), who)).toContain('I look at your mailbox gmail from now on');
  }
  return {
    ...{ google, inDm, ...opened },
    /** Accepts, for which nothing more is asked of Google than at the one sign-in. */
    async accepts(who: Who, card: Message): Promise<void> {
      await driver.as(who).click(card, 'Accept');
      await find(['marked as read'], inDm(who));
    },
    async mailComes(who: Who, subject: string, headers: readonly string[] = [], threadId?: string) {
      const head = [
        'From: Cleo <cleo@theirs.test>',
        `To: ${who}@example.com`,
        `Subject: ${subject}`,
        ...headers,
      ];
      const raw = Buffer.from(`${head.join('\r\n')}\r\n\r\n${subject} of ${who}?`).toString('base64url');
      const message = { raw, labelIds: ['INBOX', 'UNREAD'], ...(threadId && { threadId }) };
      const stored = storedSchema.parse(await google.ask(who, 'POST', MESSAGES, message));
      await looks();
      return stored;
    },
    /** What was sent from somebody's mailbox, in order. */
    sentBy: (who: Who) =>
      google
        .seen()
        .filter(
          ({ login, method, path }) => login === who && method === 'POST' && path.endsWith('/messages/send'),
        )
        .map(({ body }) => {
          const { raw, threadId } = sentSchema.parse(JSON.parse(body));
          return { threadId, text: Buffer.from(raw, 'base64url').toString() };
        }),
    async labels(who: Who, id: string): Promise<readonly string[]> {
      return storedSchema.parse(await google.ask(who, 'GET', `${MESSAGES}/${id}`)).labelIds;
    },
  };
}

it('the mailboxes of two people are watched and answered, each for its own person', async () => {
  const { google, driver, card, accepts, shown, inDm, mailComes, sentBy, labels, called } = await start();
  const roses = await mailComes('ana', 'Roses', [
    'Message-ID: <r1@theirs.test>',
    'References: <r0@theirs.test>',
  ]);
  const sails = await mailComes('bob', 'Sails', ['Message-ID: <s1@theirs.test>']);
  const cards = { ana: await card('Roses', inDm('ana')), bob: await card('Sails', inDm('bob')) };
  const all = (who: Who) =>
    shown(inDm(who))
      .map((message) => driver.text(message))
      .join('\n');
  expect(all('ana')).not.toContain('Sails');
  expect(all('bob')).not.toContain('Roses');
  await accepts('ana', cards.ana);
  await accepts('bob', cards.bob);
  const [toRoses, ...others] = sentBy('ana');
  expect(others).toEqual([]);
  expect(toRoses?.threadId).toBe(roses.threadId);
  expect(toRoses?.text).toMatch(/^In-Reply-To: <r1@theirs\.test>\r$/m);
  expect(toRoses?.text).toMatch(/^References: <r0@theirs\.test>\s+<r1@theirs\.test>\r$/m);
  expect(toRoses?.text).toMatch(/^To: .*cleo@theirs\.test/m);
  expect(sentBy('bob')).toMatchObject([{ threadId: sails.threadId }]);
  for (const [who, { id }] of [
    ['ana', roses],
    ['bob', sails],
  ] as const) {
    await expect.poll(() => labels(who, id), POLL).not.toContain('UNREAD');
  }
  expect(await called('mark_as_read')).toEqual(['succeeded', 'succeeded']);
  const whoAsked = (id: string) =>
    new Set(google.seen().flatMap(({ login, path }) => (path.includes(id) ? [login] : [])));
  expect(whoAsked(roses.id)).toEqual(new Set(['ana']));
  expect(whoAsked(sails.id)).toEqual(new Set(['bob']));
});

it('a conversation goes on in one thread over a restart, and whose sign-in is withdrawn is told once', async () => {
  const { app, google, driver, card, accepts, threads, inDm, mailComes, shown, looks } = await start();
  const first = await mailComes('ana', 'Roses', ['Message-ID: <r1@theirs.test>']);
  const asks = await card('Roses');
  await app.restart();
  await accepts('ana', asks);
  await mailComes(
    'ana',
    'Re: Roses',
    ['Message-ID: <r2@theirs.test>', 'References: <r1@theirs.test>'],
    first.threadId,
  );
  expect((await card('Re: Roses')).threadTs).toBe(asks.threadTs);
  expect(threads()).toHaveLength(1);
  google.forgetAll();
  await looks();
  await app.pass(11 * 60_000);
  const told = shown(inDm('bob')).map((message) => driver.text(message));
  expect(told).toEqual([expect.stringContaining('Connect it in my Home')]);
});
