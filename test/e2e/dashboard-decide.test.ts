import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { effectsIn } from '../fixtures/servers/effects.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { BOB } from '../helpers/decide-on-web.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;

/** The app, with a ledger whose entries Bob approves. */
async function start(rule: object = {}) {
  const { app, model, driver } = await startAppWithModel({
    web: true,
    file: {
      policy: { rules: [{ tools: 'ledger.*', action: 'ask', approvers: BOB, ...rule }] },
      mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } },
    },
  });
  const said = (words: string) => driver.waitForMessage((message) => driver.text(message).includes(words));
  return {
    app,
    model,
    driver,
    said,
    effects: () => effectsIn(app.folder),
    /** Ana asks for this tool of the ledger; its card waits. */
    async ask(tool: string, entry: string): Promise<void> {
      driver.as('ana').post('general', `@countersign ${tool} ${entry}`);
      await model.calls([{ name: `ledger__${tool}`, arguments: { entry } }]);
      await said(entry);
    },
  };
}

const browser = await launchChromium();
afterAll(() => browser?.close());

async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser?.newContext(options);
  if (!context) throw new Error('There is no browser.');
  onTestFinished(() => context.close());
  return context.newPage();
}

/** The dashboard of Bob, signed in with Slack. */
async function openDashboard(app: { readonly publicUrl: string }, options: BrowserContextOptions = {}) {
  const page = await openPage(options);
  await page.goto(`${app.publicUrl}/dashboard`);
  await page.getByRole('link', { name: 'Sign in with Slack' }).click();
  await page.getByRole('button', { name: 'I am Bob Berger' }).click();
  await heading(page, '1 call waits for you');
  return page;
}

const heading = (page: Page, words: string) => page.getByRole('heading', { level: 1, name: words }).waitFor();

describe.skipIf(browser === null)('a destructive call on the dashboard', () => {
  it.each([{ javaScriptEnabled: false }, { viewport: { width: 390, height: 800 } }])(
    'is asked about again before it runs, with %o',
    async (options) => {
      const town = await start();
      await town.ask('strike_entry', 'rent');
      const page = await openDashboard(town.app, options);
      const strike = page.locator('button[value=approve]');
      expect(await strike.isVisible()).toBe(false);
      await page.locator('summary').filter({ hasText: 'Approve' }).click();
      await strike.waitFor();
      const asked = page.locator('details.confirm');
      for (const words of ['Strike entry', 'Entry: rent', 'ledger.strike_entry'])
        expect(await asked.textContent()).toContain(words);
      if (options.viewport) expect(await findBarriers(page)).toEqual([]);
      const folder = process.env.SHOTS;
      if (folder)
        await page.screenshot({
          path: `${folder}/confirm-${options.viewport?.width ?? 'plain'}.png`,
          fullPage: true,
        });
      expect(town.effects()).toEqual({});
      await strike.click();
      await heading(page, 'Nothing waits for you');
      await town.model.says('Struck.');
      await town.said('Approved by Bob on the web');
      expect(Object.values(town.effects())).toEqual([1]);
    },
  );
});

describe.skipIf(browser === null)('somebody who wrote why they reject a call and clicks Approve', () => {
  it.each(['add_entry', 'strike_entry'])(
    'is told so, with what they wrote, and %s is not done',
    async (tool) => {
      const town = await start();
      await town.ask(tool, 'rent');
      const page = await openDashboard(town.app);
      await page.getByText('Say why you reject it').click();
      await page.getByLabel('Why?').fill('Paid <b>already</b>');
      const approve = async () => {
        await page.locator('summary').filter({ hasText: 'Approve' }).click();
        await page.locator('button[value=approve]').click();
      };
      await approve();
      const problem = page.getByRole('alert');
      await problem.waitFor();
      expect(await problem.textContent()).toContain('and clicked Approve: nothing was done.');
      const why = page.getByLabel('why?');
      expect(await why.inputValue()).toBe('Paid <b>already</b>');
      expect(await findBarriers(page)).toEqual([]);
      // The page of the call says it, too.
      await approve();
      await problem.waitFor();
      expect(town.effects()).toEqual({});
      await why.fill('');
      await approve();
      await heading(page, 'Nothing waits for you');
      await town.said('Approved by Bob on the web');
      expect(Object.values(town.effects())).toEqual([1]);
    },
  );
});

describe.skipIf(browser === null)('with the keyboard alone', () => {
  it.each(['add_entry', 'strike_entry'])(
    'somebody goes from the page of a link to %s, and approves it',
    async (tool) => {
      const town = await start();
      await town.ask(tool, 'rent');
      const [answer = ''] = await town.driver.as('bob').command('/countersign dashboard', 'general');
      const page = await openPage();
      await page.goto(/https?:\/\/\S+\/sign-in\/link\?link=[\w-]+/.exec(answer)?.[0] ?? '');
      /** Goes on to what is called so, and presses it. */
      const press = async (words: string) => {
        for (let steps = 0; steps < 30; steps += 1) {
          await page.keyboard.press('Tab');
          if ((await page.evaluate<string>('document.activeElement.textContent')) === words)
            return page.keyboard.press('Enter');
        }
        throw new Error(`No Tab leads to “${words}”.`);
      };
      await press('Sign in as Bob');
      await heading(page, '1 call waits for you');
      await press('Approve');
      await page.locator('button[value=approve]').waitFor();
      expect(town.effects()).toEqual({});
      await press(tool === 'add_entry' ? 'Add' : 'Strike');
      await heading(page, 'Nothing waits for you');
      await town.said('Approved by Bob');
    },
  );
});
