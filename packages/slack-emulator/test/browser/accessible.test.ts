import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageHandler } from '../../src/server/page-assets.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { onlyModal, type PageBackend, startPageBackend } from '../helpers/page-backend.ts';
import {
  ANA,
  DIRECT,
  FORM,
  GENERAL,
  GENERAL_MESSAGES,
  HOME_VIEW,
  THREAD_TS,
  WORKSPACE,
} from '../helpers/page-content.ts';

const browser: Browser | null = await launchChromium();
const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

describe.skipIf(browser === null)('the page for whoever uses no mouse or no screen', () => {
  let backend: PageBackend;
  let page: Page;
  const assets = pageHandler();

  beforeEach(async () => {
    backend = await startPageBackend({
      state: { ...WORKSPACE, home: HOME_VIEW },
      messages: GENERAL_MESSAGES,
      page: assets,
    });
  });
  afterEach(async () => {
    await page.close();
    await backend.close();
  });
  afterAll(async () => {
    await browser?.close();
  });

  /** Each place, from the one before it: what is opened there is closed again. */
  const places: Readonly<Record<string, () => Promise<void>>> = {
    'the list of channels': () => go(''),
    'an empty conversation': () => go(`/${DIRECT}`),
    'the Home': async () => {
      await go(`/${DIRECT}/home`);
      await page.getByRole('tabpanel', { name: 'Home' }).waitFor();
    },
    'a channel': async () => {
      await go(`/${GENERAL}`);
      await page.getByText('Your week').waitFor();
    },
    'a thread with cards': async () => {
      await go(`/${GENERAL}/${THREAD_TS}`);
      await thread().getByRole('button', { name: 'Delete it' }).waitFor();
    },
    'an open menu': async () => {
      await thread().getByRole('button', { name: 'More actions' }).first().click();
      await page.getByRole('menuitem').first().waitFor();
    },
    'a form with mistakes': async () => {
      await page.keyboard.press('Escape');
      backend.emit(onlyModal(FORM));
      await page.getByLabel('Title').fill('');
      await page.getByRole('button', { name: 'Approve with changes' }).click();
      await page.getByText('Please fill in this field.').waitFor();
    },
    'what the page says of itself': async () => {
      await page.keyboard.press('Escape');
      await go('');
      await page
        .getByRole('button', { name: /stand-in for Slack/i })
        .locator('visible=true')
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
    },
    'a channel whose app is away': async () => {
      await page.keyboard.press('Escape');
      backend.emit({ type: 'app', connected: false });
      await go(`/${GENERAL}`);
      await page.getByText('is not connected').waitFor();
    },
  };

  const thread = () => page.getByRole('complementary', { name: 'Thread' });
  async function openPage(options: BrowserContextOptions): Promise<void> {
    if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
    page = await browser.newPage(options);
    page.setDefaultTimeout(10_000);
  }
  async function go(place: string): Promise<void> {
    await page.goto(`${backend.url}/#${ANA.id}${place}`);
    // A form that is still open has a header too.
    await page.getByRole('banner').first().waitFor();
  }

  it.each([
    { size: 'desktop', colorScheme: 'light' },
    { size: 'desktop', colorScheme: 'dark' },
    { size: 'phone', colorScheme: 'light' },
    { size: 'phone', colorScheme: 'dark' },
  ] as const)('has no barrier on a $size, $colorScheme', async ({ size, colorScheme }) => {
    await openPage({ viewport: SIZES[size], colorScheme });
    const barriers: Record<string, string[]> = {};
    for (const [place, show] of Object.entries(places)) {
      await show();
      const found = await findBarriers(page);
      if (found.length > 0) barriers[place] = found;
    }
    expect(barriers).toEqual({});
  });

  it('takes the keyboard into a thread and back to where it was opened', async () => {
    await openPage({ viewport: SIZES.desktop });
    await go(`/${GENERAL}`);
    const link = page.getByRole('button', { name: /repl/ }).first();
    await link.focus();
    await page.keyboard.press('Enter');
    await thread().waitFor();
    const inside = () => thread().evaluate((element) => element.contains(document.activeElement));
    await expect.poll(inside).toBe(true);
    const outline = () =>
      thread()
        .getByRole('log')
        .evaluate((it) => getComputedStyle(it).outlineStyle);
    expect(await outline()).toBe('solid');
    await page.keyboard.press('Escape');
    await expect.poll(() => link.evaluate((element) => element === document.activeElement)).toBe(true);
    // Who comes by a link to the thread, or is taken there, sees no frame around all of it.
    await page.reload();
    await go(`/${GENERAL}/${THREAD_TS}`);
    await expect.poll(inside).toBe(true);
    expect(await outline()).toBe('none');
  });
});
