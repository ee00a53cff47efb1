import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pageHandler, startSlackEmulator } from '@countersign/slack-emulator';
import { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { CallRecord } from '../../src/gate/types.ts';
import { callCard } from '../../src/slack/cards/call-card.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { callView } from '../unit/slack/cards/fixtures.ts';

/** Takes pictures of cards as people see them: posted in the local workspace, and shown by a real browser. */
interface Pictures {
  /** Writes the picture of a call's card as it is now into the folder. */
  take(name: string, call: CallRecord): Promise<void>;
  end(): Promise<void>;
}

const postedSchema = z.object({ ts: z.string() });

/** @throws Error where there is no Chromium */
export async function startPictures(folder: string): Promise<Pictures> {
  const browser = await launchChromium();
  if (browser === null) throw new Error('Pictures need Chromium.');
  mkdirSync(folder, { recursive: true });
  const workspace = await startSlackEmulator({ page: pageHandler(), botName: 'countersign', rates: 'off' });
  const client = new WebClient(workspace.botToken, { slackApiUrl: workspace.apiUrl });
  const page = await browser.newPage({ viewport: { width: 1280, height: 1_000 } });
  await page.goto(workspace.url);
  await page.getByRole('button', { name: 'general' }).click();
  /** One at a time: taking a picture scrolls the page. */
  let last = Promise.resolve();
  async function shoot(name: string, call: CallRecord): Promise<void> {
    const card = callCard(callView(call));
    const { ts } = postedSchema.parse(await client.chat.postMessage({ channel: '#general', ...card }));
    const shown = page.locator(`article[data-ts="${ts}"]`);
    await shown.waitFor();
    await shown.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  }
  return {
    take(name, call) {
      last = last.then(() => shoot(name, call));
      return last;
    },
    async end() {
      await browser.close();
      await workspace.stop();
    },
  };
}
