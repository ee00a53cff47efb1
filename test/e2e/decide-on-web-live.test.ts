import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { askedOnTheWeb, BOB, CAROL } from '../helpers/decide-on-web.ts';

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null)(
  'the page that decides a call, as it is left open',
  { timeout: 180_000 },
  () => {
    const openAs = async (who: string, address: string) => {
      const context = await browser?.newContext({ viewport: { width: 390, height: 800 } });
      if (!context) throw new Error('There is no browser.');
      onTestFinished(() => context.close());
      const page = await context.newPage();
      await page.goto(address);
      await page.getByRole('link', { name: 'Sign in with Slack' }).click();
      await page.getByRole('button', { name: `I am ${who}` }).click();
      await page.getByRole('heading', { name: 'Add entry' }).waitFor();
      return page;
    };

    it('what was typed comes back after a new sign-in of the same person, and stands in no address', async () => {
      const world = await askedOnTheWeb();
      const page = await openAs('Bob Berger', await world.addressFor('bob'));
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      const why = page.getByLabel('why?');
      const sendTooLate = async () => {
        await why.fill('Paid <b>already</b>');
        await page.context().clearCookies();
        await page.getByRole('button', { name: 'Reject' }).click();
        await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
        await page.getByRole('link', { name: 'Sign in with Slack' }).click();
      };
      await sendTooLate();
      await page.getByRole('button', { name: 'I am Bob Berger' }).click();
      await expect.poll(() => why.inputValue()).toBe('Paid <b>already</b>');
      await page.getByRole('button', { name: 'Reject' }).click();
      await page.getByRole('heading', { name: 'You rejected this' }).waitFor();
      await world.cardSays('“Paid <b>already</b>”');
      expect(addresses.join('\n')).not.toMatch(/Paid|already/);
    });

    it('the page changes by itself when somebody else decides, and leads on to what waits next', async () => {
      const world = await askedOnTheWeb({ approvers: [BOB, CAROL] });
      const address = await world.addressFor('bob');
      const page = await openAs('Bob Berger', address);
      await page.getByLabel('why?').fill('Too m');
      const carol = await world.arrive('carol', address);
      await carol.visitor.press(carol.page, 'Approve');
      await page.getByRole('heading', { name: 'Already decided' }).waitFor();
      await page.getByText('Carol approved this.').waitFor();
      const card = page.getByRole('link', { name: 'Its card in Slack shows what happens next' });
      expect(await card.getAttribute('href')).toContain(`/p${(await world.card()).ts.replace('.', '')}`);
      expect(await findBarriers(page)).toEqual([]);
      await world.model.says('It is in.');
      await world.cardSays('done');

      for (const entry of ['light', 'water']) {
        world.driver.as('ana').post('general', `@countersign ${entry}`);
        await world.model.calls([{ name: 'ledger__add_entry', arguments: { entry, amount: 1 } }]);
        await world.driver.waitForMessage((message) => world.driver.text(message).includes(`‘${entry}’`));
      }
      await page.getByRole('link', { name: 'Back to what waits for you' }).click();
      await page.getByRole('heading', { level: 1, name: '2 calls wait for you' }).waitFor();
      const waiting = await page.locator('article form').first().getAttribute('action');
      await page.goto(waiting ?? '');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('heading', { name: 'You approved this' }).waitFor();
      const folder = process.env.SHOTS;
      if (folder) await page.screenshot({ path: `${folder}/decided-ways-on.png`, fullPage: true });
      await page.getByRole('link', { name: 'Its card in Slack shows what happens next' }).waitFor();
      await page.getByRole('link', { name: /^Next: Add entry/ }).click();
      await page.getByRole('button', { name: 'Approve' }).waitFor();
    });
  },
);
