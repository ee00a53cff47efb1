import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { effectsIn } from '../fixtures/servers/effects.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { BOB, CAROL } from '../helpers/decide-on-web.ts';
import { keepPictures } from '../helpers/picture.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const KEY = 'a-key-of-a-program-that-asks-2718';
const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;

/** The app, with a ledger whose entries Bob or Carol approve, and a program of Bob's. */
async function start(approvers: readonly string[] = [BOB, CAROL], rule: object = {}) {
  const { app, model, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Builder', for: 'U0BOB00001', channel: 'C0GENERAL1' } },
      policy: { rules: [{ tools: 'ledger.*', action: 'ask', approvers, ...rule }] },
      // Trusted, so that adding an entry is not destructive, and asked about once.
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'], trusted: true } },
    },
  });
  const said = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  return {
    app,
    model,
    driver,
    said,
    /** Ana asks for an entry; its card waits. */
    async ask(entry: string, more: JsonObject = {}): Promise<void> {
      driver.as('ana').post('general', `@countersign enter ${entry}`);
      await model.calls([{ name: 'ledger__add_entry', arguments: { entry, amount: 900, ...more } }]);
      await said(entry);
    },
    begin: (name: string) =>
      fetch(`${app.url}/agent/begin`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, args_summary: '{"to":"production"}', timeout_s: 60 }),
      }).then((answer) => answer.json()),
  };
}

const browser = await launchChromium();
afterAll(() => browser?.close());

/** A page of the dashboard of this person, signed in; what goes wrong in it is kept. */
async function open(app: { readonly publicUrl: string }, who: string, width = 1100) {
  const context = await browser?.newContext({ viewport: { width, height: 800 } });
  if (!context) throw new Error('There is no browser.');
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${app.publicUrl}/dashboard`);
  await page.getByRole('link', { name: 'Sign in with Slack' }).click();
  await page.getByRole('button', { name: `I am ${who}` }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, problems: () => problems.filter((text) => !text.includes('401')) };
}

const heading = (page: Page, words: string) => page.getByRole('heading', { level: 1, name: words }).waitFor();

describe.skipIf(browser === null)('the dashboard', () => {
  it('shows two people what waits, live: one decides, and the page of the other and the card change', async () => {
    const town = await start();
    const bob = await open(town.app, 'Bob Berger');
    const carol = await open(town.app, 'Carol Costa');
    await heading(bob.page, 'Nothing waits for you');
    await town.ask('rent');
    await Promise.all([
      heading(bob.page, '1 call waits for you'),
      heading(carol.page, '1 call waits for you'),
    ]);
    await keepPictures(bob.page, 'dashboard');
    expect(await carol.page.title()).toBe('(1) Waiting · Countersign');
    expect(await carol.page.getByRole('article').textContent()).toContain('rent');
    await bob.page.getByRole('button', { name: 'Approve' }).click();
    await Promise.all([
      heading(bob.page, 'Nothing waits for you'),
      heading(carol.page, 'Nothing waits for you'),
    ]);
    await town.model.says('Entered.');
    await town.said('Approved by Bob on the web');
    expect(effectsIn(town.app.folder)).toEqual({ rent: 1 });

    // And what is decided in Slack goes from the pages.
    await town.ask('taxes');
    await heading(carol.page, '1 call waits for you');
    const card = await town.said('taxes');
    await town.driver.as('carol').click(card, 'Reject');
    await heading(bob.page, 'Nothing waits for you');
    expect([...bob.problems(), ...carol.problems()]).toEqual([]);
  });

  it('has what a program asks before it acts; decided there, the program goes on and the card says so', async () => {
    const town = await start();
    const { page } = await open(town.app, 'Bob Berger');
    const answer = town.begin('deploy');
    await heading(page, '1 call waits for you');
    expect(await page.getByRole('article').textContent()).toContain('production');
    expect(await page.getByRole('article').textContent()).toContain('Requested by Builder for Bob');
    await page.getByText('Say why you reject it').click();
    await page.getByLabel('Why?').fill('Not on a Friday');
    await page.getByRole('button', { name: 'Reject' }).click();
    expect(await answer).toMatchObject({
      approved: false,
      error: expect.stringContaining('Not on a Friday'),
    });
    await town.said('Rejected by Bob');
    await page.getByText('Rejected by Bob').first().waitFor();
    expect(await page.getByRole('main').locator('section').getByRole('listitem').textContent()).toContain(
      ', asked by Builder',
    );
  });

  it('changes by itself when what a program asks is decided in Slack, and the program is answered', async () => {
    const town = await start();
    const { page, problems } = await open(town.app, 'Bob Berger');
    const loads: string[] = [];
    page.on('load', () => loads.push(page.url()));
    for (const [name, button, decided, approved] of [
      ['deploy', 'Approve', 'Approved by Bob', true],
      ['migrate', 'Reject', 'Rejected by Bob', false],
    ] as const) {
      const answer = town.begin(name);
      await heading(page, '1 call waits for you');
      expect(await page.getByRole('article').textContent()).toContain(`agent_${name}`);
      await town.driver.as('bob').click(await town.said(`agent_${name}`), button);
      expect(await answer).toMatchObject({ approved });
      await heading(page, 'Nothing waits for you');
      expect(await page.getByRole('article').count()).toBe(0);
      await page.getByText(decided).first().waitFor();
    }
    expect([loads, problems()]).toEqual([[], []]);
  });

  it('tells two calls of the same arguments apart, and finds what it missed while nothing answered', async () => {
    const town = await start();
    const { page } = await open(town.app, 'Bob Berger');
    await page.route('**/dashboard/waiting', (route) => route.fulfill({ status: 503 }), { times: 1 });
    await town.ask('rent');
    await heading(page, '1 call waits for you');
    await town.ask('rent');
    await heading(page, '2 calls wait for you');
    await page.getByText('Say why you reject it').nth(1).click();
    await page.getByLabel('Why?').nth(1).fill('Twice');
    await page.getByRole('button', { name: 'Approve' }).first().click();
    await heading(page, '1 call waits for you');
    await page.getByRole('link', { name: 'Open in Slack' }).waitFor();
  });

  it('folds long values on a phone, and approves them once all of them has been shown', async () => {
    const town = await start();
    const note = `${'a line of a long note\n'.repeat(200)}and then everything`;
    await town.ask('rent', { note });
    const { page } = await open(town.app, 'Carol Costa', 390);
    const approve = page.getByRole('button', { name: 'Approve' });
    await page.getByText('Show all of it above').waitFor();
    expect(await approve.isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Reject' }).isVisible()).toBe(true);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2_000);
    await page.getByText(`Show all ${note.length.toLocaleString('en-US')} characters`).click();
    await page.getByText('and then everything').waitFor();
    await approve.click();
    await heading(page, 'Nothing waits for you');
  });

  it('approves nothing by Enter in the field to type in, with a long value folded or without one', async () => {
    const town = await start([BOB], { confirm_by_typing: ['entry'] });
    await town.ask('rent', { note: `${'a line of a long note\n'.repeat(200)}and then everything` });
    const { page } = await open(town.app, 'Bob Berger');
    const field = page.locator('article input:not([type=hidden])');
    await field.fill('rent');
    await field.press('Enter');
    await page.getByText('Show all 4').click();
    await field.press('Enter');
    await heading(page, '1 call waits for you');
    expect(page.url()).toMatch(/dashboard$/);
    await page.getByRole('button', { name: 'Approve' }).click();
    await heading(page, 'Nothing waits for you');
  });

  it('is where a form leads back to that had to be sent twice', async () => {
    const town = await start([BOB], { rejection_reason: 'required' });
    await town.ask('rent');
    const { page } = await open(town.app, 'Bob Berger');
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByLabel('why?').fill('Paid already');
    await page.getByRole('button', { name: 'Reject' }).click();
    await heading(page, 'Nothing waits for you');
  });

  it('keeps what is being typed over a new sign-in, for the same person', async () => {
    const town = await start();
    await town.ask('rent');
    const { page } = await open(town.app, 'Bob Berger');
    const signInAs = async (who: string) => {
      await page.context().clearCookies();
      await town.ask('taxes');
      await page.getByRole('link', { name: 'Sign in with Slack' }).click();
      await page.getByRole('button', { name: `I am ${who}` }).click();
      await page.getByRole('heading', { level: 1, name: /wait/ }).waitFor();
    };
    await page.getByText('Say why you reject it').click();
    const why = page.getByLabel('Why?').first();
    await why.fill('Too much');
    await signInAs('Bob Berger');
    expect([await why.isVisible(), await why.inputValue()]).toEqual([true, 'Too much']);
    await signInAs('Carol Costa');
    expect(await why.inputValue()).toBe('');
  });

  it('is read anew, with who has signed in, once that is somebody else in this browser', async () => {
    const town = await start([BOB]);
    await town.ask('rent');
    const { page } = await open(town.app, 'Bob Berger');
    await page.getByText('Say why you reject it').click();
    await page.getByLabel('Why?').fill('Too much');
    await page.context().clearCookies();
    const other = await page.context().newPage();
    await other.goto(`${town.app.publicUrl}/dashboard`);
    await other.getByRole('link', { name: 'Sign in with Slack' }).click();
    await other.getByRole('button', { name: 'I am Carol Costa' }).click();
    await heading(other, 'Nothing waits for you');
    await town.ask('taxes');
    await heading(page, 'Nothing waits for you');
    await page.getByText('Signed in as Carol').waitFor();
    expect(await page.evaluate(() => sessionStorage.getItem('left'))).toBe(null);
  });

  it('gives up its stream in the background, and says on its return what came in', async () => {
    const town = await start();
    const { page } = await open(town.app, 'Bob Berger');
    const opened: string[] = [];
    page.on('request', (request) => request.url().includes('/events') && opened.push(request.url()));
    const turn = (hidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().includes('/events'));
    await turn(true);
    await closed;
    await town.ask('rent');
    expect(opened).toEqual([]);
    await turn(false);
    await heading(page, '1 call waits for you');
    await vi.waitFor(() => expect(opened).toHaveLength(1));
  });

  it('can be decided on while it may have no stream', async () => {
    const town = await start();
    await town.ask('rent');
    const { page } = await open(town.app, 'Bob Berger');
    await page.route('**/dashboard/events*', (route) => route.fulfill({ status: 429 }));
    // Asks at once whether anything answers, and not only when it tries for a stream again.
    const asked = page.waitForResponse('**/dashboard/waiting', { timeout: 3_000 });
    await page.reload();
    await (await asked).finished();
    expect(await page.getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true);
    await town.ask('taxes');
    await heading(page, '2 calls wait for you');
  });

  it('keeps what is being typed while something else comes in, and works by keyboard, on a phone, for all', async () => {
    const town = await start();
    await town.ask('rent');
    const { page, problems } = await open(town.app, 'Carol Costa', 390);
    await page.getByText('Say why you reject it').click();
    const why = page.getByLabel('Why?');
    await why.fill('Too m');
    await town.ask('taxes');
    await heading(page, '2 calls wait for you');
    await page.keyboard.type('uch');
    expect(await why.first().inputValue()).toBe('Too much');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findBarriers(page), colorScheme).toEqual([]);
      const folder = process.env.SHOTS;
      if (folder) await page.screenshot({ path: `${folder}/dashboard-${colorScheme}.png`, fullPage: true });
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    // From the field on: the button to approve, then the one to reject.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, '1 call waits for you');
    await town.said('Too much');
    expect(problems()).toEqual([]);
  });
});

it('shows nothing to whoever has not signed in, and of others only what waits for oneself', async () => {
  const town = await start([BOB]);
  await town.ask('rent');
  const page = await createVisitor().visit(`${town.app.publicUrl}/dashboard`);
  expect([page.status, page.text]).toEqual([401, expect.not.stringContaining('rent')]);
  for (const path of ['/dashboard/waiting', '/dashboard/events']) {
    expect((await fetch(`${town.app.publicUrl}${path}`)).status).toBe(401);
  }
  const seen = await signIn(createVisitor(), town.app, 'carol', `${town.app.publicUrl}/dashboard`);
  expect(seen.text).toContain('Nothing waits for you');
  expect(seen.text).not.toContain('rent');
  const own = await signIn(createVisitor(), town.app, 'ana', `${town.app.publicUrl}/dashboard`);
  expect(own.text).toContain('rent');
});

describe('an address at which there is nothing', () => {
  it('leads to the dashboard where somebody may well type it, and is told to a browser in words', async () => {
    const { app } = await startAppWithModel({ web: true, file: { mcpServers: {} } });
    const open = (path: string, accept = 'text/html,*/*') =>
      fetch(`${app.publicUrl}${path}`, { redirect: 'manual', headers: { accept } });
    const leadsTo = async (path: string) => (await open(path)).headers.get('location');
    expect(await leadsTo('/')).toBe(`${app.publicUrl}/dashboard`);
    expect(await leadsTo('/dashboard/')).toBe(`${app.publicUrl}/dashboard`);
    expect(await leadsTo('/dashboard/calls/?person=Ana')).toBe(`${app.publicUrl}/dashboard/calls?person=Ana`);
    expect(await leadsTo('/dashboard//evil.test/')).toBeNull();
    const page = await open('/dashbord');
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('There is nothing here');
    const told = await open('/dashbord', 'application/json');
    expect([told.status, await told.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
    expect((await open('/', '*/*')).status).toBe(404);
  });
});
