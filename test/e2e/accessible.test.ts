import { type Message, pageHandler } from '@countersign/slack-emulator';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
const SCHEMES = ['light', 'dark'] as const;
const VIEWPORTS = { desktop: { width: 1280, height: 1600 }, phone: { width: 390, height: 1600 } };
const ANA = 'U0ANA00001';

const browser = await launchChromium();
afterAll(() => browser?.close());

/** The app's own Home, and the forms that its cards open, in the local workspace. */
describe.skipIf(browser === null)('as axe judges it,', () => {
  it.each(Object.entries(VIEWPORTS))(
    'Home and every form of a card, on a %s',
    async (_name, viewport) => {
      const { app, model, driver } = await startAppWithModel({
        file: {
          mcpServers: {
            calendar: { in_process: 'calendar' },
            ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] },
          },
        },
        slack: { page: pageHandler() },
      });
      const ana = driver.as('ana');
      const ask = async (
        text: string,
        calls: Parameters<typeof model.calls>[0],
        words: string,
      ): Promise<Message> => {
        const threadTs = ana.dm(text);
        await model.calls(calls);
        return driver.waitUntil(() =>
          driver
            .messages(ana.dmChannel, { threadTs })
            .find((message) => message.byApp && driver.text(message).includes(words)),
        );
      };
      const start = '2026-11-24T09:00:00';
      const rent = await ask(
        'enter rent',
        [{ name: 'ledger__add_entry', arguments: { entry: 'rent' } }],
        '[Approve]',
      );
      await ana.click(rent, 'Reject');
      await model.says('Then not.');
      const event = { title: 'Standup', start, attendees: ['bob@example.com'] };
      const card = await ask('plan', [{ name: 'calendar__create_event', arguments: event }], '[Approve]');
      const four = ['A', 'B', 'C', 'D'].map((title) => ({
        name: 'calendar__create_event',
        arguments: { title, start },
      }));
      const list = await ask('plan four', four, '[Review 4…]');

      const page = await browser?.newPage({ viewport });
      if (!page) return;
      onTestFinished(() => page.close());
      page.setDefaultTimeout(20_000);
      await page.goto(`${app.workspace.url}/#${ANA}/${ana.dmChannel}/home`);
      await page.getByText('You asked for', { exact: true }).waitFor();
      await check(page, 'Home');

      const forms: readonly (readonly [Message, string, string?])[] = [
        [card, 'Edit'],
        [card, 'Feedback'],
        [card, 'call.more', 'View everything'],
        [card, 'call.more', 'More…'],
        [card, 'call.more', 'Approve, and also…'],
        [card, 'call.more', 'Don’t run this; do that instead…'],
        [list, 'Review 4…'],
        [rent, 'Say why…'],
      ];
      for (const [message, button, option] of forms) {
        await page.goto(`${app.workspace.url}/#${ANA}/${ana.dmChannel}/${message.threadTs ?? message.ts}`);
        const shown = page.locator(`.thread article[data-ts="${message.ts}"]`);
        if (option === undefined) await shown.getByRole('button', { name: button, exact: true }).click();
        else {
          await shown.getByRole('button', { name: 'More actions' }).click();
          await page.getByRole('menuitem', { name: option, exact: true }).click();
        }
        await page.getByRole('dialog').waitFor();
        await check(page, option ?? button);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    },
    120_000,
  );
});

async function check(page: Page, what: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    expect(await findBarriers(page), `${what}, ${colorScheme}`).toEqual([]);
  }
}
