import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { keepPictures } from '../helpers/picture.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const ANA = 'U0ANA00001';
const BOB = 'U0BOB00001';
const CAROL = 'U0CAROL001';
const NAMES = /agent\.agent_\w+(?=<\/a>)/g;

/** The app with a program of Bob's, which has read three times and waits to write; Ana is an admin. */
async function start(rules: readonly object[] = []) {
  const { app, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      admins: [ANA],
      programs: { env: { title: 'Builder', for: BOB, channel: 'C0GENERAL1' } },
      policy: { rules: [...rules, { tools: 'agent.agent_read_*', action: 'allow' }] },
      mcpServers: {},
    },
  });
  const post = (path: string, body: object) =>
    fetch(`${app.url}/agent/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.json());
  const begin = (name: string, more: object = {}) => post('begin', { session_id: 'day', name, ...more });
  for (const name of ['read_a', 'read_b', 'read_c']) await begin(name);
  const writing = begin('write_d', { args_summary: 'to d', timeout_s: 60 });
  const card = await driver.waitForMessage((message) => driver.text(message).includes('to d'));
  /** A page of the dashboard, as this person sees it who has just signed in for it. */
  const visit = async (who: string, path = '') => {
    const visitor = createVisitor();
    const page = await signIn(visitor, app, who, `${app.publicUrl}/dashboard${path}`);
    return { visitor, page };
  };
  return { app, driver, writing, card, post, visit };
}

describe('the pages of calls', () => {
  it('lists what the address asks for, newest first, and comes back to it after the sign-in', async () => {
    const { visit } = await start();
    const { page, visitor } = await visit('ana', '/calls?tool=read');
    expect(page.url).toContain('/dashboard/calls?tool=read');
    const found = [...page.html.matchAll(/agent\.agent_\w+(?=<\/a>)/g)].map(([name]) => name);
    expect(found).toEqual(['agent.agent_read_c', 'agent.agent_read_b', 'agent.agent_read_a']);
    expect(page.html).toContain('aria-current="page">Calls</a>');

    const waiting = await visitor.visit(`${page.url.split('?')[0]}?state=pending&program=builder&person=bob`);
    expect(waiting.html.match(/agent\.agent_\w+(?=<\/a>)/g)).toEqual(['agent.agent_write_d']);
    for (const typed of ['@bob', BOB, BOB.toLowerCase()]) {
      const found = await visitor.visit(`${page.url.split('?')[0]}?person=${encodeURIComponent(typed)}`);
      expect(found.html.match(NAMES), typed).toHaveLength(4);
    }
    const nobody = await visitor.visit(`${page.url.split('?')[0]}?person=Nemo`);
    expect(nobody.text).toContain('Nobody called Nemo has asked for any of these calls.');
    const long = await visitor.visit(`${page.url.split('?')[0]}?to=2001-01-01`);
    expect(long.text).toContain('There is no such call.');
  });

  it('shows a call as on its card, who decided it, and what its session did', async () => {
    const { driver, writing, card, visit } = await start();
    await driver.as(BOB).click(card, 'Approve');
    await writing;
    const { page, visitor } = await visit('ana', '/calls?tool=write');
    const call = await visitor.follow(page, 'agent.agent_write_d');
    expect(call.status).toBe(200);
    expect(call.text).toContain('to d');
    expect(call.text).toMatch(/Approved by Bob/);
    const session = await visitor.follow(call, 'Builder, session day');
    const steps = [...session.html.matchAll(/agent\.agent_\w+(?=<\/a>)/g)].map(([name]) => name);
    expect(steps).toEqual([
      'agent.agent_read_a',
      'agent.agent_read_b',
      'agent.agent_read_c',
      'agent.agent_write_d',
    ]);
    expect(session.text).toMatch(/Approved by Bob/);
    expect(session.text).toContain('nothing is known of the risk');
  });

  it('shows others than admins only what was asked for in their name', async () => {
    const { visit } = await start();
    const admin = await visit('ana', '/calls?tool=write');
    const [, address = ''] = /href="([^"]*\/dashboard\/calls\/[\w-]{22})"/.exec(admin.page.html) ?? [];
    const requester = await visit('bob', '/calls?tool=write');
    expect((await requester.visitor.visit(address)).status).toBe(200);
    const { visitor, page } = await visit('carol', '/calls');
    expect(page.text).toContain('There is no such call.');
    expect((await visitor.visit(address)).status).toBe(404);
    const base = page.url.replace('/calls', '');
    const timeline = await visitor.visit(`${base}/sessions/timeline?program=key%3Aenv&session=day`);
    expect(timeline.status).toBe(404);
    expect((await visitor.visit(`${base}/sessions`)).text).toContain('There are no sessions yet.');
    expect((await visitor.visit(`${base}/audit`)).status).toBe(403);
  });

  it('shows whoever decides for somebody else the calls that wait for them and that they decided', async () => {
    const approved = { tools: 'agent.agent_write_*', action: 'ask', approvers: `user:${CAROL}` };
    const { app, driver, writing, card, visit, post } = await start([approved]);
    const { visitor } = await visit('carol');
    const visitAll = (path: string) => visitor.visit(`${app.publicUrl}/dashboard${path}`);
    expect((await visitAll('/calls')).text).toContain('There is no such call.');
    const waiting = await visitAll('/calls?which=waiting');
    expect(waiting.html.match(NAMES)).toEqual(['agent.agent_write_d']);
    const before = await visitor.follow(waiting, 'agent.agent_write_d');
    expect(before.text).toContain('Nobody has decided.');
    const receipt = `${before.url}/receipt`;
    expect((await visitor.visit(receipt)).status).toBe(404);

    await driver.as('carol').click(card, 'Approve');
    await writing;
    const decided = await visitAll('/calls?which=decided');
    expect(decided.html.match(NAMES)).toEqual(['agent.agent_write_d']);
    const after = await visitor.follow(decided, 'agent.agent_write_d');
    expect(after.text).toMatch(/Approved by Carol/);
    const { call_id: id } = await writing;
    expect(await post('end', { session_id: 'day', call_id: id, status: 'ok' })).toEqual({ ok: true });
    const ended = await visitor.visit(before.url);
    const saved = await visitor.follow(ended, 'Download the receipt');
    expect(saved.headers.get('content-disposition')).toMatch(/^attachment; filename="receipt-/);
    expect(saved.html).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  it('finds calls by what is in them, and by days of a zone', async () => {
    const { app, visit } = await start();
    const { visitor } = await visit('ana');
    const find = async (query: string) =>
      (await visitor.visit(`${app.publicUrl}/dashboard/calls?${query}`)).html.match(NAMES) ?? [];
    expect(await find('text=TO+D')).toEqual(['agent.agent_write_d']);
    expect(await find('text=nowhere')).toEqual([]);
    // It is Monday, 23 November, 8:00 UTC: in Honolulu that day is Sunday.
    expect(await find('from=2026-11-23&to=2026-11-23')).toHaveLength(4);
    expect(await find('to=2026-11-22&zone=Pacific%2FHonolulu')).toHaveLength(4);
    expect(await find('from=2026-11-23&zone=Pacific%2FHonolulu')).toEqual([]);
  });

  it('lists the sessions, each with a link to its timeline', async () => {
    const { visit } = await start();
    const { page, visitor } = await visit('bob', '/sessions');
    expect(page.text).toContain('Builder, session day');
    const timeline = await visitor.follow(page, 'Builder, session day');
    expect(timeline.status).toBe(200);
    expect(timeline.text).toContain('Waiting');
  });

  it.each(['state=bogus', 'from=tomorrow', 'colour=red', 'zone=Middle-earth'])(
    'lists nothing where %s is asked for, and says why',
    async (filter) => {
      const { visit } = await start();
      const { page, visitor } = await visit('ana', '/calls');
      const { text } = await visitor.visit(`${page.url}?${filter}`);
      expect(text).toContain(`so nothing was searched: ${filter.split('=')[0]}.`);
      expect(text).not.toContain('read_a');
    },
  );

  it('answers a cursor that nobody gave out with a page', async () => {
    const { visit } = await start();
    const { page, visitor } = await visit('ana', '/calls');
    expect((await visitor.visit(`${page.url}?cursor=made-up`)).status).toBe(400);
  });
});

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null)('the pages of calls in a browser', () => {
  it.each([1100, 390])('have no barriers, at a width of %i pixels, and work by keyboard', async (width) => {
    const { app, visit } = await start();
    await visit('ana');
    const context = await browser?.newContext({
      viewport: { width, height: 800 },
      timezoneId: 'Asia/Tokyo',
      locale: 'en-GB',
    });
    if (!context) throw new Error('There is no browser.');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${app.publicUrl}/dashboard/calls`);
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'I am Ana' }).click();
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    const time = page.locator('time').first();
    const exact = (await time.getAttribute('datetime')) ?? '';
    const inTokyo = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Asia/Tokyo' });
    expect(await time.textContent()).toContain(inTokyo.format(new Date(exact)));
    expect(await time.getAttribute('title')).toBe(exact);

    expect(await page.locator('#zone').inputValue()).toBe('Asia/Tokyo');
    const timeline = '/sessions/timeline?program=key%3Aenv&session=day';
    for (const path of ['/calls', '/calls?text=d&which=waiting', '/sessions', timeline]) {
      await page.goto(`${app.publicUrl}/dashboard${path}`);
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page), `${path}, ${colorScheme}`).toEqual([]);
      }
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
      const hidden = await page
        .getByRole('region')
        .evaluateAll((all) => all.map((it) => it.scrollWidth - it.clientWidth));
      expect(Math.max(0, ...hidden), `${path}: columns out of sight`).toBe(0);
      if (width === 1100 && path === '/calls') await keepPictures(page, 'dashboard-calls');
    }
    await page.getByRole('link', { name: 'agent.agent_read_a' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'What became of it' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(problems.filter((text) => !text.includes('401'))).toEqual([]);
  });
});
