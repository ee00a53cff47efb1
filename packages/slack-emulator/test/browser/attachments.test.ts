import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageHandler, type SlackEmulator, startSlackEmulator } from '../../src/index.ts';
import { launchChromium } from '../helpers/chromium.ts';

const browser: Browser | null = await launchChromium();
afterAll(() => browser?.close());

describe.skipIf(browser === null)('files that go with what one writes', () => {
  let workspace: SlackEmulator;
  let page: Page;
  const assets = pageHandler();

  beforeEach(async () => {
    workspace = await startSlackEmulator({ page: assets });
    if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(10_000);
    await page.goto(`${workspace.url}/#${workspace.driver.as('ana').id}/C0GENERAL1`);
    await page.getByRole('main').waitFor();
  });

  afterEach(async () => {
    await page.close();
    await workspace.stop();
  });

  const attached = () => page.getByRole('list', { name: 'Attached files' }).getByRole('listitem');
  const send = () => page.getByRole('button', { name: 'Send' }).click();
  /** The names of the files of each message. */
  const posted = () => {
    const { files: stored } = workspace.driver.workspace;
    return workspace.driver.messages('general').map(({ files }) => files.map((id) => stored.get(id)?.name));
  };

  async function drop(name: string): Promise<void> {
    const dataTransfer = await page.evaluateHandle((named) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['some words'], named));
      return transfer;
    }, name);
    await page.locator('.composer').dispatchEvent('drop', { dataTransfer });
    await attached().getByText(name).waitFor();
  }

  it('are posted without a word, one message after the other', async () => {
    for (const name of ['a.txt', 'b.txt', 'b.txt']) {
      await drop(name);
      const answered = page.waitForResponse(/workspace.post/);
      await send();
      await answered;
    }
    expect(posted()).toEqual([['a.txt'], ['b.txt'], ['b.txt']]);
  });

  it('stay attached where no answer comes, and are posted once; what is attached meanwhile stays, too', async () => {
    await drop('a.txt');
    let isHeld = true;
    await page.route('**/workspace/post?*', async (route) => {
      await route.fetch();
      await expect.poll(() => isHeld).toBe(false);
      await route.abort();
    });
    await send();
    await attached().first().waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    isHeld = false;
    await page.getByRole('alert').waitFor();
    await attached().getByText('a.txt').waitFor();
    await page.unroute('**/workspace/post?*');
    const answered = page.waitForResponse(/workspace.post/);
    await send();
    await answered;
    expect(posted()).toEqual([['a.txt']]);

    await drop('b.txt');
    await page.route('**/workspace/upload?*', async (route) => {
      await drop('c.txt');
      await route.continue();
    });
    const next = page.waitForResponse(/workspace.post/);
    await send();
    await next;
    expect(posted()).toEqual([['a.txt'], ['b.txt']]);
    expect(await attached().allInnerTexts()).toEqual([expect.stringContaining('c.txt')]);
  });

  it('are picked once more after a pick, and after one has sent some', async () => {
    const pick = async (name: string) => {
      const asked = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Attach files' }).click();
      const file = { name, mimeType: 'text/plain', buffer: Buffer.from('some words') };
      await (await asked).setFiles(file);
    };
    for (const name of ['a.docx', 'b.csv', 'c.pdf']) await pick(name);
    await expect.poll(() => attached().count()).toBe(3);
    await send();
    await expect.poll(posted).toEqual([['a.docx', 'b.csv', 'c.pdf']]);
    for (const name of ['d.txt', 'e.txt']) await pick(name);
    await expect.poll(() => attached().count()).toBe(2);
  });
});
