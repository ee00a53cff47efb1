import { pageHandler } from '@countersign/slack-emulator';
import { afterAll, describe, expect, it } from 'vitest';
import { keepPicture, launchChromium, WIDTHS } from '../helpers/chromium.ts';
import { openForFiles, reportPdf } from '../helpers/dropped-files.ts';
import { ON_REDIS } from '../helpers/storage.ts';

const SLOW = 180_000;

const browser = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null || ON_REDIS)('files on the page of the workspace', { timeout: SLOW }, () => {
  it('are attached or dropped, learned, asked for, listed in Home, and deleted', async () => {
    const { app, driver, model } = await openForFiles({ slack: { page: pageHandler() } });
    const page = await browser?.newPage({ viewport: WIDTHS.desktop });
    if (page === undefined) return;
    page.setDefaultTimeout(20_000);
    await page.goto(app.workspace.url);
    const composer = page.getByRole('textbox', { name: 'Message countersign' });
    await composer.waitFor();

    const report = {
      name: 'Q3 report.pdf',
      mimeType: 'application/pdf',
      buffer: reportPdf('Revenue was 812 crowns.', 'Costs were 300.'),
    };
    await page.locator('input[type=file]').first().setInputFiles(report);
    await page.getByRole('list', { name: 'Attached files' }).getByText('Q3 report.pdf').waitFor();
    await page.getByRole('button', { name: 'Send' }).first().click();
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Q3 report.pdf: 2 pages, 2 passages, ready.').waitFor();
    await thread.getByText('Only you can ask for it.').waitFor();
    await keepPicture(page, 'document-dropped');

    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['# Holidays\n\nWhit Monday is a holiday.'], 'holidays.md'));
      return transfer;
    });
    await page.locator('.composer').first().dispatchEvent('drop', { dataTransfer: data });
    await composer.fill('Is Whit Monday a holiday, and what was our revenue?');
    await composer.press('Enter');
    await model.calls([{ name: 'documents__search_documents', arguments: { query: 'holiday revenue' } }]);
    expect(await model.heard()).toContain('812 crowns');
    await model.says(
      'Whit Monday is a holiday [1]. Revenue was 812 crowns [2].\n\n[1] holidays.md, Holidays\n\n[2] Q3 report.pdf, page 1',
    );
    await thread.getByText('Revenue was 812 crowns').first().waitFor();
    await thread.getByText('holidays.md: 1 passage, ready.').waitFor();
    await thread.getByText('countersign is working').waitFor({ state: 'detached' });
    await keepPicture(page, 'document-answer');

    await page.getByRole('tab', { name: 'Home' }).click();
    await page.getByText('2 pages, 2 passages · only you').waitFor();
    await page.getByText('Q3 report.pdf').first().scrollIntoViewIfNeeded();
    await page.getByText('1 passage · only you').scrollIntoViewIfNeeded();
    await keepPicture(page, 'document-home');

    await page.getByRole('tab', { name: 'Messages' }).click();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'Delete holidays.md' }).first().click();
    await page.getByText('This file was deleted.').first().waitFor();
    await driver.waitForMessage((message) => driver.text(message).includes('holidays.md: forgotten.'));
    await page.close();
  });
});
