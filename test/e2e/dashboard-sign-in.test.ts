import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiKeys, createApiKeys } from '../../src/http/api/keys.ts';
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

  it('is not enough for a call that is decided on the web: its page asks for Slack', async () => {
    const town = await askedOnTheWeb();
    const address = await town.addressFor('bob');
    const visitor = createVisitor();
    await enter(visitor, await visitor.visit(await askForLink(town.app, 'bob')));
    const page = await visitor.visit(address);
    expect(page.status).toBe(401);
    expect(page.text).toContain('Sign in with Slack');
    const dashboard = await visitor.visit(`${town.app.publicUrl}/dashboard`);
    const form = Object.fromEntries(
      [...dashboard.html.matchAll(/name="(token|digest)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
    );
    const sent = await visitor.visit(address, { ...form, word: 'approve' });
    expect(sent.status).toBe(401);
    expect((await town.call()).state).toBe('pending');
    const asked = await visitor.follow(sent, 'Sign in with Slack');
    const back = await visitor.press(asked, 'I am Bob Berger');
    expect(back.url).toBe(address);
    await visitor.press(back, 'Approve');
    await town.cardSays('Approved by Bob on the web');
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
    await page.goto(`${app.publicUrl}/sign-in/key`);
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(await askForLink(app, 'ana'));
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Nothing waits for you' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });
});
