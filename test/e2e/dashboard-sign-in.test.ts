import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/http/api/keys.ts';
import { formToken } from '../../src/http/web/session/sessions.ts';
import { startAppWithModel, type TestApp } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { askedOnTheWeb } from '../helpers/decide-on-web.ts';
import { createVisitor, type Visited, type Visitor } from '../helpers/web-visitor.ts';

const ADMIN_KEY = 'a-key-of-an-admin-who-looks-2718';

async function start() {
  const { app, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: ADMIN_KEY },
    file: { mcpServers: {} },
  });
  return { app, driver };
}

/** The link that `/countersign dashboard` answers this person with. */
async function askForLink({ driver }: Pick<TestApp, 'driver'>, who: string): Promise<string> {
  const [said = ''] = await driver.as(who).command('/countersign dashboard', 'general');
  const link = /https?:\/\/\S+\/sign-in\/link\?link=[\w-]+/.exec(said)?.[0];
  if (link === undefined) throw new Error(`No link in\n${said}`);
  return link;
}

/** Presses the button of a link's page. */
function enter(visitor: Visitor, page: Visited): Promise<Visited> {
  const link = new URL(page.url).searchParams.get('link') ?? '';
  return visitor.visit(page.url.replace(/\?.*/, ''), { link });
}

const enterWithKey = (app: { readonly publicUrl: string }, visitor: Visitor, key: string) =>
  visitor.visit(`${app.publicUrl}/sign-in/key`, { key });

/** The keys of the app, as another process has them. */
function keysIn<T>(app: Pick<TestApp, 'inStore'>, use: (keys: ApiKeys) => Promise<T>): Promise<T> {
  const secrets = () => 'k'.repeat(43);
  return app.inStore((store) =>
    use(createApiKeys({ store, clock: Date.now, secrets, environmentKey: null })),
  );
}

/** Listens to what a page of this visitor would hear. */
function openStream(app: Pick<TestApp, 'publicUrl'>, visitor: Visitor): Promise<Response> {
  const cookies = visitor.jar.get(new URL(app.publicUrl).host) ?? new Map<string, string>();
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return fetch(`${app.publicUrl}/dashboard/events`, { headers: { cookie } });
}

async function untilEnd({ status, body }: Response): Promise<string> {
  expect(status).toBe(200);
  for await (const _ of body ?? []);
  return 'ended';
}

describe('signing out', () => {
  it('ends the session itself, and pages that are open', async () => {
    const { app } = await start();
    const visitor = createVisitor();
    const page = await enter(visitor, await visitor.visit(await askForLink(app, 'ana')));
    const stream = await openStream(app, visitor);
    const kept = new Map(visitor.jar.get(new URL(app.publicUrl).host));
    const after = await visitor.press(page, 'Sign out');
    expect([after.status, after.url]).toEqual([401, `${app.publicUrl}/dashboard`]);
    expect(visitor.jar.get(new URL(app.publicUrl).host)).toEqual(new Map());
    expect(await untilEnd(stream)).toBe('ended');

    const copied = createVisitor();
    copied.jar.set(new URL(app.publicUrl).host, kept);
    expect((await copied.visit(`${app.publicUrl}/dashboard`)).status).toBe(401);
  });

  it('is refused without what the page’s form carries', async () => {
    const { app } = await start();
    const visitor = createVisitor();
    await enter(visitor, await visitor.visit(await askForLink(app, 'ana')));
    expect((await visitor.visit(`${app.publicUrl}/sign-out`, { token: 'made up' })).status).toBe(403);
    expect((await visitor.visit(`${app.publicUrl}/dashboard`)).status).toBe(200);
  });
});

describe('a link from Slack', () => {
  it('signs in whoever asked for it, once', async () => {
    const { app } = await start();
    const link = await askForLink(app, 'ana');
    const visitor = createVisitor();
    const page = await visitor.visit(link);
    expect(page.text).toContain('Sign in as Ana');
    const dashboard = await enter(visitor, page);
    expect(dashboard.url).toBe(`${app.publicUrl}/dashboard`);
    expect(dashboard.text).toContain('Signed in as Ana');

    const second = createVisitor();
    expect((await second.visit(link)).status).toBe(403);
    expect((await enter(second, page)).status).toBe(403);
    expect((await second.visit(`${app.publicUrl}/dashboard`)).status).toBe(401);
  });

  it('is not used up by programs that open it', async () => {
    const { app } = await start();
    const link = await askForLink(app, 'ana');
    for (const method of ['GET', 'HEAD', 'GET']) {
      const answer = await fetch(link, { method });
      expect(answer.status).toBe(200);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    const visitor = createVisitor();
    expect((await enter(visitor, await visitor.visit(link))).text).toContain('Signed in as Ana');
  });

  it('lets one of two in who use it at once', async () => {
    const { app } = await start();
    const page = await createVisitor().visit(await askForLink(app, 'ana'));
    const both = await Promise.all([enter(createVisitor(), page), enter(createVisitor(), page)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
  });

  it('is refused from a form of another page', async () => {
    const { app } = await start();
    const link = new URL(await askForLink(app, 'ana'));
    const answer = await fetch(`${link.origin}${link.pathname}`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ link: link.searchParams.get('link') ?? '' }),
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  it('is not enough to approve a call that is decided on the web: its page asks for Slack', async () => {
    const town = await askedOnTheWeb();
    const address = await town.addressFor('bob');
    const visitor = createVisitor();
    await enter(visitor, await visitor.visit(await askForLink(town.app, 'bob')));
    const page = await visitor.visit(address);
    expect(page.status).toBe(200);
    const asks = [
      'Its rule wants it approved by somebody who has signed in with Slack, and you signed in by a link. You can reject it as you are.',
      'Sign in with Slack',
    ];
    for (const words of ['rent’ (ledger.add_entry)', ...asks]) expect(page.text).toContain(words);
    expect(page.html).not.toContain('value="approve"');
    const dashboard = await visitor.visit(`${town.app.publicUrl}/dashboard`);
    // It offers no click that would do nothing.
    for (const words of asks) expect(dashboard.text).toContain(words);
    expect(dashboard.html).not.toContain('value="approve"');
    const { digest } = await town.call();
    const [secret = ''] = visitor.jar.get(new URL(address).host)?.values() ?? [];
    const token = formToken({ secret }, address.split('/').at(-1) ?? '', digest);
    const sent = await visitor.visit(address, { token, digest, word: 'approve' });
    expect(sent.status).toBe(401);
    for (const words of [
      'Nothing was approved or rejected: ',
      'rent’ (ledger.add_entry) still waits',
      ...asks,
    ])
      expect(sent.text).toContain(words);
    expect((await town.call()).state).toBe('pending');
    const asked = await visitor.follow(sent, 'Sign in with Slack');
    const back = await visitor.press(asked, 'I am Bob Berger');
    expect(back.url).toBe(address);
    await visitor.press(back, 'Approve');
    await town.cardSays('Approved by Bob on the web');
  });
});

it('a sign-in by a link is enough to reject a call that is approved on the web only', async () => {
  const town = await askedOnTheWeb();
  const address = await town.addressFor('bob');
  const visitor = createVisitor();
  await enter(visitor, await visitor.visit(await askForLink(town.app, 'bob')));
  await visitor.press(await visitor.visit(address), 'Reject', { feedback: 'Paid already' });
  await town.cardSays('Rejected by Bob');
  expect(JSON.stringify(await town.model.heard())).toContain('Paid already');
});

describe('where people can’t sign in with Slack', () => {
  const withoutClient = { SLACK_CLIENT_ID: '', SLACK_CLIENT_SECRET: '' };

  it('a link signs in, and is enough for a call that is decided on the web', async () => {
    const town = await askedOnTheWeb({}, undefined, {}, withoutClient);
    const address = await town.addressFor('bob');
    const visitor = createVisitor();
    const before = await visitor.visit(address);
    expect(before.status).toBe(401);
    expect(before.text).toContain('/countersign dashboard');
    expect(before.html).not.toContain('/sign-in/slack');
    expect((await visitor.visit(`${town.app.publicUrl}/sign-in/slack?dashboard=`)).status).toBe(404);
    await enter(visitor, await visitor.visit(await askForLink(town.app, 'bob')));
    const page = await visitor.visit(address);
    expect(page.status).toBe(200);
    await visitor.press(page, 'Approve');
    await town.cardSays('Approved by Bob on the web');
  });

  it('a key signs in, and decides nothing that is decided on the web', async () => {
    const town = await askedOnTheWeb({}, undefined, {}, { ...withoutClient, COUNTERSIGN_API_KEY: ADMIN_KEY });
    const visitor = createVisitor();
    const { text } = await enterWithKey(town.app, visitor, ADMIN_KEY);
    expect(text).toContain('Signed in as env');
    expect((await visitor.visit(await town.addressFor('bob'))).status).toBe(401);
  });

  it('and nobody has said where people reach it, a link says that it opens on this machine only', async () => {
    const { app, driver } = await startAppWithModel({ file: { mcpServers: {} }, env: withoutClient });
    const [said = ''] = await driver.as('ana').command('/countersign dashboard', 'general');
    expect(said).toContain('only on the machine');
    const visitor = createVisitor();
    const page = await visitor.visit(await askForLink({ driver }, 'ana'));
    expect((await enter(visitor, page)).url).toBe(`${app.url}/dashboard`);
  });
});

describe('a sign-in with a key', () => {
  it('sees what an admin sees, and is out at once when the key is revoked', async () => {
    const { app } = await start();
    const key = await keysIn(app, (keys) => keys.create('desk', ['admin']));
    const visitor = createVisitor();
    const dashboard = await enterWithKey(app, visitor, key);
    expect(dashboard.url).toBe(`${app.publicUrl}/dashboard`);
    expect(dashboard.text).toContain('Signed in as desk');
    expect((await visitor.visit(`${app.publicUrl}/dashboard/calls`)).text).toContain('Every call');
    expect((await visitor.visit(`${app.publicUrl}/dashboard/health`)).status).toBe(200);
    await keysIn(app, (keys) => keys.revoke('desk'));
    expect((await visitor.visit(`${app.publicUrl}/dashboard`)).status).toBe(401);
  });

  it('comes back to the page that was asked for, with its filters, also after a wrong one', async () => {
    const { app } = await start();
    const visitor = createVisitor();
    const asked = `${app.publicUrl}/dashboard/calls?person=Ana`;
    const form = await visitor.follow(await visitor.visit(asked), 'Sign in with an API key');
    const again = await visitor.press(form, 'Sign in', { key: 'wrong' });
    expect(again.status).toBe(403);
    const page = await visitor.press(again, 'Sign in', { key: ADMIN_KEY });
    expect(page.url).toBe(asked);
    const forged = await visitor.visit(`${app.publicUrl}/sign-in/key`, {
      key: ADMIN_KEY,
      dashboard: '.evil.test/',
    });
    expect(forged.url).toBe(`${app.publicUrl}/dashboard`);
  });

  it('ends with the key: an open page hears of it when the key is revoked', async () => {
    const { app } = await start();
    const key = await keysIn(app, (keys) => keys.create('desk', ['admin']));
    const visitor = createVisitor();
    await enterWithKey(app, visitor, key);
    const stream = await openStream(app, visitor);
    await keysIn(app, (keys) => keys.revoke('desk'));
    expect(await untilEnd(stream)).toBe('ended');
  });

  it('ends with the key of the environment, when the program starts with another', async () => {
    const { app } = await start();
    const visitor = createVisitor();
    await enterWithKey(app, visitor, ADMIN_KEY);
    await app.restart();
    expect((await visitor.visit(`${app.publicUrl}/dashboard`)).status).toBe(200);
    await app.restart({}, { COUNTERSIGN_API_KEY: 'another-key-of-an-admin-3141' });
    expect((await visitor.visit(`${app.publicUrl}/dashboard`)).status).toBe(401);
    await app.restart({}, { COUNTERSIGN_API_KEY: '' });
    expect((await visitor.visit(`${app.publicUrl}/dashboard`)).status).toBe(401);
  });

  it('waits ever longer after wrong ones, and then answers that there were too many', async () => {
    const { app } = await start();
    const before = performance.now();
    const tries = await Promise.all(
      Array.from({ length: 40 }, () => enterWithKey(app, createVisitor(), 'wrong')),
    );
    expect(new Set(tries.map(({ status }) => status))).toContain(429);
    expect(performance.now() - before).toBeGreaterThan(500);
  });

  it('is refused without the scope, and with no key', async () => {
    const { app } = await start();
    const key = await keysIn(app, (keys) => keys.create('reader', ['read', 'run']));
    for (const wrong of [key, 'nothing']) {
      const visitor = createVisitor();
      const page = await enterWithKey(app, visitor, wrong);
      expect(page.status).toBe(403);
      expect(page.text).not.toContain(wrong);
      expect((await visitor.visit(`${app.publicUrl}/dashboard`)).status).toBe(401);
    }
  });

  it('decides nothing that is somebody else’s to decide', async () => {
    const { app, driver } = await startAppWithModel({
      web: true,
      env: { COUNTERSIGN_API_KEY: ADMIN_KEY },
      file: {
        programs: { env: { title: 'Builder', for: 'U0BOB00001', channel: 'C0GENERAL1' } },
        mcpServers: {},
      },
    });
    const writing = fetch(`${app.url}/agent/begin`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: 'day', name: 'write', args_summary: 'to d', timeout_s: 60 }),
    }).then((answer) => answer.json());
    const card = await driver.waitForMessage((message) => driver.text(message).includes('to d'));
    const desk = await keysIn(app, (keys) => keys.create('desk', ['admin']));
    const visitor = createVisitor();
    await enterWithKey(app, visitor, desk);
    const list = await visitor.visit(`${app.publicUrl}/dashboard/calls`);
    const [, id = ''] = /calls\/([\w-]{22})"/.exec(list.html) ?? [];
    expect((await visitor.visit(`${app.publicUrl}/decide/${id}`)).status).toBe(403);
    await driver.as('bob').click(card, 'Approve');
    expect(await writing).toMatchObject({ approved: true });
  });
});

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null)('the pages of the sign-in', () => {
  it.each([1100, 390])('have no barriers, at a width of %i pixels', async (width) => {
    const { app } = await start();
    const context = await browser?.newContext({ viewport: { width, height: 800 } });
    if (!context) throw new Error('There is no browser.');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const look = async () => {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), colorScheme).toEqual([]);
      }
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    };
    await page.goto(`${app.publicUrl}/dashboard`);
    await look();
    await page.goto(`${app.publicUrl}/sign-in/key`);
    await look();
    await page.goto(await askForLink(app, 'ana'));
    await look();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Nothing waits for you' }).waitFor();
    await look();
  });
});
