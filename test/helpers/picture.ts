import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from './process.ts';

/** Keeps a picture of the page for the docs, light and dark, when `UPDATE_SCREENSHOTS=1`. Leaves the page light. */
export async function keepPictures(page: Page, name: string): Promise<void> {
  if (process.env.UPDATE_SCREENSHOTS !== '1') return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(ROOT, 'docs/images', `${name}-${colorScheme}.png`) });
  }
}
