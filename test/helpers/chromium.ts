import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { ROOT } from './sources.ts';

/** Where Debian's package puts it; `CHROMIUM_PATH` names another. */
const EXECUTABLE = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

/**
 * A headless Chromium, or null where there is none: then the caller skips, and this has said so.
 * Under `CI=true` a missing Chromium is an error, because a skipped browser test would pass unseen.
 */
export async function launchChromium(): Promise<Browser | null> {
  if (!existsSync(EXECUTABLE)) {
    const missing = `No Chromium at ${EXECUTABLE} (apt-get install chromium, or set CHROMIUM_PATH).`;
    if (process.env.CI === 'true') throw new Error(missing);
    process.stderr.write(`\nSKIPPED: browser tests. ${missing}\n\n`);
    return null;
  }
  return await chromium.launch({
    executablePath: EXECUTABLE,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** The sizes of a desktop and of a phone. */
export const WIDTHS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 780 } };

/** Keeps a picture for the docs, on a desktop and on a phone, when `UPDATE_SCREENSHOTS=1`; with `top` first, where one can scroll. */
export async function keepPicture(page: Page, name: string, top?: Locator): Promise<void> {
  if (process.env.UPDATE_SCREENSHOTS !== '1') return;
  for (const [kind, size] of Object.entries(WIDTHS)) {
    await page.setViewportSize(size);
    await page.mouse.move(0, 0);
    await top?.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    writeFileSync(join(ROOT, 'docs/images', `${name}-${kind}.png`), picture);
  }
  await page.setViewportSize(WIDTHS.desktop);
}
