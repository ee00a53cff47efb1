import { renderText } from '@countersign/slack-emulator/driver';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { effectsIn } from '../fixtures/servers/effects.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { BOB, CAROL } from '../helpers/decide-on-web.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;

const KEY = 'a-key-of-a-program-that-reads-2718';

const step = (tool: string, entry: string, more: object = {}) => ({
  tool: `ledger__${tool}`,
  arguments: { entry },
  ...more,
});

const CLOSING = [
  step('add_entry', 'rent'),
  step('add_entry', 'payroll', { needs: [] }),
  step('strike_entry', 'old <b>rent</b>', { needs: [1] }),
  step('add_entry', 'the balance', { needs_result_of: [3], why: 'the books have to agree' }),
];

/** Ana's plan of four steps waits: Carol decides the second, Bob the others, one of them on the web; the last comes later. */
async function planned(steps = CLOSING, rule: object = {}) {
  const { app, model, driver } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      programs: { env: { title: 'Reader', for: 'U0ANA00001', channel: 'C0GENERAL1' } },
      routes: { '#general': 'planner' },
      policy: {
        rules: [
          { tools: 'ledger.strike_*', action: 'ask', approvers: BOB, decide_on: 'web' },
          { tools: 'ledger.*', when: { entry: { matches: 'payroll' } }, action: 'ask', approvers: CAROL },
          { tools: 'ledger.*', action: 'ask', approvers: BOB, ...rule },
        ],
      },
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'], trusted: true } },
    },
  });
  driver.as('ana').post('general', '@countersign close the year');
  await model.calls([{ name: 'make_plan', arguments: { title: 'Close <i>the</i> year', steps } }]);
  await driver.waitForMessage((message) => driver.text(message).includes('[Review '));
  return { app, model, driver };
}
type Town = Awaited<ReturnType<typeof planned>>;

const browser = await launchChromium();
afterAll(() => browser?.close());

/** The dashboard of Bob, signed in with Slack. */
async function open({ app }: Town, width: number, count = 2): Promise<Page> {
  const context = await browser?.newContext({ viewport: { width, height: 900 } });
  if (!context) throw new Error('There is no browser.');
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(`${app.publicUrl}/dashboard`);
  await page.getByRole('link', { name: 'Sign in with Slack' }).click();
  await page.getByRole('button', { name: 'I am Bob Berger' }).click();
  await heading(page, `${count} calls wait for you`);
  return page;
}

const heading = (page: Page, words: string) => page.getByRole('heading', { level: 1, name: words }).waitFor();
const planOn = (page: Page) => page.locator('#plan').getByRole('listitem').allTextContents();

describe.skipIf(browser === null)(
  'a plan of four steps, one of them decided on the web only',
  {
    timeout: 120_000,
  },
  () => {
    it.each([1100, 390])(
      'is on the dashboard and on the page that decides each, %i px wide',
      async (width) => {
        const town = await planned();
        const page = await open(town, width);
        const shoot = async (name: string) => {
          const folder = process.env.SHOTS;
          if (folder) await page.screenshot({ path: `${folder}/${name}-${width}.png`, fullPage: true });
          expect(await findBarriers(page), name).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        };
        const articles = page.getByRole('article');
        expect(await articles.nth(0).textContent()).toContain('Step 1 of 4 of “Close <i>the</i> year”');
        expect(await articles.nth(1).textContent()).toContain('Step 3 of 4 of “Close <i>the</i> year”');
        await shoot('plan-list');

        await articles.nth(0).getByRole('link', { name: 'See the whole plan' }).click();
        await heading(page, 'Add entry ‘rent’');
        await page.getByText('Without this, step 3 doesn’t run.').waitFor();
        await page.getByRole('heading', { name: 'Plan: “Close <i>the</i> year”' }).waitFor();
        expect(await planOn(page)).toEqual([
          '1. Add entry ‘rent’ · waits for Bob · this one',
          '2. Not for you to see',
          expect.stringMatching(
            /^3\. Strike entry ‘old <b>rent<\/b>’ .*waits for Bob · doesn’t run if this one is rejected$/,
          ),
          '4. Not for you to see',
        ]);
        expect(await page.content()).not.toContain('payroll');
        await shoot('plan-decide');

        await page.getByRole('link', { name: /^3\./ }).click();
        await heading(page, 'Strike entry');
        await page.getByText('Step 3 of 4 of “Close <i>the</i> year”').waitFor();
        expect((await planOn(page))[2]).toContain('this one');
        await page.goBack();
        await page.getByRole('button', { name: 'Approve' }).click();
        await heading(page, 'You approved this');
        await town.driver.waitForMessage((message) =>
          town.driver.text(message).includes('done: entered rent'),
        );
        await page.reload();
        expect((await planOn(page))[0]).toMatch(/^1\. Add entry ‘rent’ · .*done.* · this one$/);
        await shoot('plan-approved');
        expect(Object.values(effectsIn(town.app.folder))).toEqual([1]);
      },
    );
  },
);

const BOOKS = ['rent', 'light', 'water'].map((entry) => step('add_entry', entry, { needs: [] }));

describe.skipIf(browser === null)('a plan whose steps take one click each', { timeout: 120_000 }, () => {
  it('is approved in one, as it is shown, or step by step by keyboard; each step leads to its card', async () => {
    const town = await planned(BOOKS);
    const page = await open(town, 390, 3);
    const card = page.getByRole('link', {
      name: 'Open in Slack, to edit it or to say what should be different',
    });
    await expect.poll(() => card.count()).toBe(3);
    const { ts } = await town.driver.waitForMessage((message) =>
      town.driver.text(message).includes('[Review '),
    );
    expect(await card.first().getAttribute('href')).toContain(`/p${ts.replace('.', '')}`);
    expect(await findBarriers(page)).toEqual([]);
    const folder = process.env.SHOTS;
    if (folder) await page.screenshot({ path: `${folder}/plan-together.png`, fullPage: true });

    await page.getByRole('article').first().getByRole('button', { name: 'Approve' }).focus();
    await page.keyboard.press('Enter');
    await heading(page, '2 calls wait for you');
    const focused = page.locator(':focus');
    await expect.poll(() => focused.textContent()).toContain('light');
    await page.getByRole('heading', { name: 'All 2 of these, as they are shown above' }).waitFor();
    await page.getByRole('button', { name: 'Approve all 2' }).click();
    await heading(page, 'Nothing waits for you');
    await expect.poll(() => Object.keys(effectsIn(town.app.folder))).toEqual(['rent', 'light', 'water']);
  });

  it('is not approved in one while a reason against a step is written; rejected in one, it takes one reason', async () => {
    const town = await planned(BOOKS, { rejection_reason: 'required' });
    const page = await open(town, 390, 3);
    const approveAll = page.getByRole('button', { name: 'Approve all' });
    const light = page.getByRole('article').nth(1);
    await light.getByText('Say why you reject it').click();
    await light.getByLabel('Why?').fill('It is off');
    await page.getByText('Decide that one first, or remove what you wrote').waitFor();
    expect(await approveAll.isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Reject all 3' }).isVisible()).toBe(false);
    await light.getByLabel('Why?').fill('');
    await approveAll.waitFor();

    const all = page.locator('form.all');
    await all.getByLabel('Why?').fill('Not this <b>year</b>');
    expect(await approveAll.isVisible()).toBe(false);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('article').first().getByRole('button', { name: 'Approve' }).click();
    await heading(page, '2 calls wait for you');
    expect(await all.getByLabel('Why?').inputValue()).toBe('Not this <b>year</b>');
    await page.getByRole('button', { name: 'Reject all 2' }).click();
    await heading(page, 'Nothing waits for you');
    expect((await town.model.heard()).split('Not this <b>year</b>').length).toBeGreaterThan(2);
    expect(Object.keys(effectsIn(town.app.folder))).toEqual(['rent']);
  });

  it('is not approved in one with a reason against it, nor by a form that comes without a sign-in', async () => {
    const town = await planned(BOOKS);
    const bob = createVisitor();
    const page = await signIn(bob, town.app, 'bob', `${town.app.publicUrl}/dashboard`);
    const form = /<form class="card all"[\s\S]*?<\/form>/.exec(page.html)?.[0] ?? '';
    const [token = '', calls = ''] = ['token', 'calls'].map((name) =>
      new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1]?.replaceAll('&quot;', '"'),
    );
    const address = `${town.app.publicUrl}/decide/together`;
    const both = await bob.visit(address, { token, calls, word: 'approve', feedback: 'Too dear' });
    expect(both.text).toContain('You wrote why you reject it, and clicked Approve: nothing was done.');
    const lapsed = await createVisitor().visit(address, { token, calls, word: 'approve' });
    expect([lapsed.status, lapsed.text]).toEqual([401, expect.stringContaining('so nothing was done')]);
    expect((await bob.visit(`${town.app.publicUrl}/dashboard`)).text).toContain('3 calls wait for you');
  });

  it('is not approved in one as it was shown before: what is left says why', async () => {
    const town = await planned(BOOKS);
    const bob = createVisitor();
    const page = await signIn(bob, town.app, 'bob', `${town.app.publicUrl}/dashboard`);
    const second = createVisitor();
    await second.press(await signIn(second, town.app, 'bob', `${town.app.publicUrl}/dashboard`), 'Reject');
    const answer = await bob.press(page, 'Approve all 3');
    expect(answer.status).toBe(409);
    expect(answer.text).toMatch(
      /2 approved\. The others still wait, or were decided meanwhile:[\s\S]*Add entry ‘rent’.*: /,
    );
    const forged = { token: 'made up', calls: '[]', word: 'approve' };
    expect((await bob.visit(`${town.app.publicUrl}/decide/together`, forged)).status).toBe(403);
  });
});

describe('who may see a step of a plan', () => {
  it('goes by the call: whoever asked for it reads each and the later one, and follows links to them', async () => {
    const { app } = await planned();
    const visitor = createVisitor();
    const list = await signIn(visitor, app, 'ana', `${app.publicUrl}/dashboard/calls`);
    for (const number of [1, 2, 3])
      expect(list.text).toContain(`Step ${number} of 4 of “Close <i>the</i> year”`);
    const address = /href="([^"]*\/dashboard\/calls\/[\w-]{22})"/.exec(list.html)?.[1] ?? '';
    const one = await visitor.visit(address);
    for (const words of ['rent', 'payroll', 'the balance']) expect(one.text).toContain(words);
    expect(one.text).not.toContain('Not for you to see');
    const [, steps = ''] = one.html.split('class="steps"');
    const links = [...steps.matchAll(/<a href="([^"]+)"/g)].map(([, to = '']) => to);
    expect(links).toHaveLength(2);
    for (const link of links) expect((await visitor.visit(link)).status).toBe(200);
    const own = await visitor.visit(`${app.publicUrl}/dashboard`);
    expect(own.text).toContain('Step 2 of 4 of “Close <i>the</i> year”');
  });

  it('is listed in the order of the plan, wherever calls are', async () => {
    const entries = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
    const { app } = await planned(entries.map((entry) => step('add_entry', entry)));
    const inOrder = new RegExp(entries.map((entry) => `‘${entry}’`).join('[^]*'));
    const visitor = createVisitor();
    const list = await signIn(visitor, app, 'ana', `${app.publicUrl}/dashboard/calls`);
    expect(list.text).toMatch(inOrder);
    const dashboard = await visitor.visit(`${app.publicUrl}/dashboard`);
    const [, asked = ''] = dashboard.text.split('Asked for by you');
    expect(asked).toMatch(inOrder);
    const own = await visitor.follow(dashboard, 'Add entry ‘one’ (ledger.add_entry)');
    expect([own.status, own.text]).toEqual([200, expect.stringContaining('What became of it')]);
    const headers = { authorization: `Bearer ${KEY}` };
    const read = await (await fetch(`${app.url}/api/calls`, { headers })).json();
    expect(read.calls.map((call: { arguments: object }) => call.arguments)).toEqual(
      entries.map((entry) => ({ entry })),
    );
    const query = new URLSearchParams({ thread: read.calls[0].thread_id });
    const timeline = await visitor.visit(`${app.publicUrl}/dashboard/sessions/timeline?${query}`);
    expect(timeline.text).toMatch(inOrder);
  });

  it('is who decides it, of whom each has only what is theirs, also in Home and in what commands answer', async () => {
    const { app, driver } = await planned();
    const visitor = createVisitor();
    const page = await signIn(visitor, app, 'carol', `${app.publicUrl}/dashboard`);
    expect(page.text).toContain('Step 2 of 4 of “Close <i>the</i> year”');
    const decide = await visitor.follow(page, 'See the whole plan');
    expect(decide.text).toContain('1. Not for you to see');
    expect(decide.text).toContain('3. Not for you to see');
    expect(decide.text).not.toMatch(/rent|Strike|balance/);
    const carol = driver.as('carol');
    const answer = await carol.command('/countersign pending', 'general');
    expect(answer.join('\n')).toContain('payroll’ (ledger.add_entry) · Step 2 of 4 of “Close');
    const home = await carol.openHome();
    expect(renderText({ blocks: home.blocks })).toContain('Step 2 of 4 of “Close <i>the</i> year”');
  });
});
