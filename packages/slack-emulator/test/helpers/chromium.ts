import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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
