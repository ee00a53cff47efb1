import { pageHandler } from '@countersign/slack-emulator';
import { afterAll, describe, expect, it } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { keepPicture, launchChromium, WIDTHS } from '../helpers/chromium.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 180_000;
const HOUR = 3_600_000;

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null || ON_REDIS)(
  'schedules on the page of the workspace',
  { timeout: SLOW },
  () => {
    it('are made by a command, listed in Home, paused and stopped there, and run in a thread', async () => {
      const { app, model } = await startAppWithModel({ slack: { page: pageHandler() }, file: {} });
      const page = await browser?.newPage({ viewport: WIDTHS.desktop });
      if (page === undefined) return;
      page.setDefaultTimeout(20_000);
      await page.goto(app.workspace.url);
      const composer = page.getByRole('textbox', { name: 'Message countersign' });
      const type = async (command: string) => {
        await composer.fill(command);
        await composer.press('Enter');
      };

      await type('/countersign every weekday at 10:00 summarise open pull requests');
      await page
        .getByText('Scheduled: every weekday at 10:00 Europe/Berlin, in direct messages')
        .first()
        .waitFor();
      await type(
        '/countersign every month on the last day at 17:00 report what was spent, by team and by project',
      );
      await page.getByText('on the last day of every month at 17:00').first().waitFor();
      await type('/countersign remind me tomorrow 9:00 to send the report');
      await page.getByText('I’ll remind you: Tue 24 Nov 2026, 09:00').first().waitFor();

      await page.getByRole('tab', { name: 'Home' }).click();
      const home = page.getByRole('tabpanel', { name: 'Home' });
      await home.getByText('Next: Mon 30 Nov 2026, 17:00 Europe/Berlin').waitFor();
      await home.getByRole('button', { name: 'Pause' }).nth(1).click();
      await home.getByText('Paused').waitFor();
      await home.getByRole('button', { name: 'Resume' }).waitFor();
      await home.getByText('Schedules and reminders').scrollIntoViewIfNeeded();
      await home.getByText('Reminder: send the report').scrollIntoViewIfNeeded();
      await keepPicture(page, 'schedule-home');
      await home.getByRole('button', { name: 'Stop' }).nth(1).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
      await home.getByText('Paused').waitFor({ state: 'detached' });

      await page.getByRole('tab', { name: 'Messages' }).click();
      const begins = model.says('Nothing is open.');
      await app.pass(2 * HOUR);
      await begins;
      await page.getByText('Stop this schedule').first().waitFor();
      await page.getByText('I couldn’t run it then').first().waitFor();
      await page
        .getByRole('button', { name: /1 reply/ })
        .first()
        .click();
      const thread = page.getByRole('complementary', { name: 'Thread' });
      await thread.getByText('Nothing is open.').waitFor();
      await keepPicture(page, 'schedule-run');
      expect(await thread.getByText('summarise open pull requests').count()).toBe(1);
      await page.close();
    });
  },
);
