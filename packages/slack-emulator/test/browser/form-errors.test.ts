import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageHandler } from '../../src/server/page-assets.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { onlyModal, type PageBackend, startPageBackend } from '../helpers/page-backend.ts';
import { ANA, FORM, GENERAL, WORKSPACE } from '../helpers/page-content.ts';

const browser: Browser | null = await launchChromium();
const text = (words: string) => ({ type: 'plain_text', text: words });

describe.skipIf(browser === null)('what is wrong with a form', () => {
  let backend: PageBackend;
  let page: Page;

  beforeEach(async () => {
    backend = await startPageBackend({ state: WORKSPACE, messages: [], page: pageHandler() });
    if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
    page = await browser.newPage({ viewport: { width: 390, height: 700 } });
    page.setDefaultTimeout(10_000);
  });

  afterEach(async () => {
    await page.close();
    await backend.close();
  });

  afterAll(async () => {
    await browser?.close();
  });

  it.each([0, 150, 2_000])(
    'is seen, also below a field that is long, from where it was scrolled to: %s',
    async (from) => {
      const input = (id: string, words: string) => ({
        type: 'input',
        block_id: id,
        label: text(id),
        element: { type: 'plain_text_input', action_id: 'value', multiline: true, initial_value: words },
      });
      const above = { type: 'section', block_id: 'above', text: text('It stands above.\n'.repeat(9)) };
      const long = 'A line of it.\n'.repeat(60);
      await page.goto(`${backend.url}/#${ANA.id}/${GENERAL}`);
      await page.getByRole('main').waitFor();
      backend.emit(onlyModal({ ...FORM, blocks: [above, input('first', long), input('second', long)] }));
      backend.answerNext('submit', 200, { errors: { first: 'That is too long.' } });
      const modal = page.getByRole('dialog');
      await modal.getByRole('group').evaluate((body, top) => body.scrollTo({ top }), from);
      await modal.getByRole('button', { name: 'Approve with changes' }).click();
      const error = modal.getByRole('alert').getByText('That is too long.');
      await error.waitFor();
      const isSeen = () =>
        error.evaluate((found) => {
          const { top, bottom, left } = found.getBoundingClientRect();
          return [top + 2, bottom - 2].every((y) => found.contains(document.elementFromPoint(left + 5, y)));
        });
      await expect.poll(isSeen).toBe(true);
    },
  );
});
