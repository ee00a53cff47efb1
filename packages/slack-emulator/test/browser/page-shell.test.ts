import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageHandler } from '../../src/server/page-assets.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { onlyModal, type PageBackend, startPageBackend } from '../helpers/page-backend.ts';
import {
  ANA,
  BOB,
  BOT,
  FORM,
  GENERAL,
  GENERAL_MESSAGES,
  HOME_VIEW,
  message,
  THREAD_TS,
  WORKSPACE,
} from '../helpers/page-content.ts';

const browser: Browser | null = await launchChromium();

describe.skipIf(browser === null)('the frame of the local workspace', () => {
  let backend: PageBackend;
  let page: Page;
  const assets = pageHandler();
  const problems: string[] = [];

  beforeEach(async () => {
    backend = await startPageBackend({
      state: { ...WORKSPACE, home: HOME_VIEW },
      messages: GENERAL_MESSAGES,
      page: assets,
    });
    if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(10_000);
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (line) => {
      if (line.type() === 'error' && line.text().includes('Content Security')) problems.push(line.text());
    });
  });

  afterEach(async () => {
    await page.close();
    await backend.close();
    expect(problems.splice(0), 'errors in the browser').toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
  });

  async function open(place: string): Promise<void> {
    await page.goto(`${backend.url}/#${ANA.id}/${place}`);
    await page.getByRole('main').waitFor();
  }
  const composerField = () => page.locator('.composer-field').first();
  const thread = () => page.getByRole('complementary', { name: 'Thread' });
  const inThread = `${GENERAL}/${THREAD_TS}`;

  it('takes a refusal away by itself, and shows it neither over the composer nor behind a form', async () => {
    await page.clock.install();
    await open(GENERAL);
    backend.emit(onlyModal(FORM));
    await page.getByRole('dialog').waitFor();
    backend.answerNext('post', 400, { error: 'The message is too long.' });
    // A form keeps the composer from being used; what was sent before it may still be refused.
    await page.evaluate(() => {
      const field = document.querySelector<HTMLTextAreaElement>('.composer-field');
      if (field === null) throw new Error('there is no composer');
      const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set;
      set?.call(field, 'too long');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await composerField().dispatchEvent('keydown', { key: 'Enter' });
    const toast = page.locator('.toast');
    await toast.waitFor();
    const box = await toast.boundingBox();
    const field = await composerField().boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(field?.y ?? 0);
    const isInFront = await toast.evaluate((element) => {
      const { x, y } = element.getBoundingClientRect();
      return element.matches(':popover-open') && x >= 0 && y >= 0;
    });
    expect(isInFront).toBe(true);
    await page.clock.runFor(8_000);
    await toast.waitFor({ state: 'detached' });
  });

  it('keeps what could not be sent in its box, and sends it again as the same message', async () => {
    await open(GENERAL);
    // The first time it arrives, and its answer is lost.
    await page.route('**/workspace/post?*', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await composerField().fill('did it come?');
    await composerField().press('Enter');
    const first = await backend.next('post');
    await page.getByRole('alert').getByText('What you wrote stays in its box').waitFor();
    expect(await composerField().inputValue()).toBe('did it come?');
    await page.unroute('**/workspace/post?*');
    await composerField().press('Enter');
    expect(await backend.next('post')).toEqual(first);
    await composerField().fill('did it come?');
    await composerField().press('Enter');
    expect((await backend.next('post')).client_msg_id).not.toBe(first.client_msg_id);
  });

  it('says that text stays in its box while the connection is lost', async () => {
    await page.route('**/events?*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' }),
    );
    backend.setState({ appConnected: false });
    await open(GENERAL);
    await page.getByText('What you write stays in its box').waitFor();
    expect(await page.getByText('App is not connected').count()).toBe(0);
  });

  it('keeps the thread open when one looks at it as somebody else', async () => {
    await open(inThread);
    await page.locator('.person').filter({ hasText: 'Bob' }).click();
    await expect.poll(() => page.url()).toContain(`#${BOB.id}/${inThread}`);
    await thread().waitFor();
  });

  it('marks who else has direct messages to read', async () => {
    backend.setState({ directUnread: { [ANA.id]: 1 } });
    await open(GENERAL);
    const person = (name: string) =>
      page.getByRole('group', { name: 'Who you are' }).getByRole('button', { name });
    await person('Ana').waitFor();
    expect(await person('Ana').textContent()).not.toContain('unread');
    backend.emit({ type: 'direct_unread', user: BOB.id, unread: 2 });
    await person('Bob 2 unread').waitFor();
    backend.emit({ type: 'direct_unread', user: BOB.id, unread: 0 });
    await person('Bob 2 unread').waitFor({ state: 'detached' });
  });

  it('keeps a note closed that was closed', async () => {
    backend.setState({ notices: ['A script answers.', 'Server x is not up.'] });
    await open(GENERAL);
    await page.getByText('A script answers.').locator('..').getByRole('button').click();
    await expect.poll(() => page.getByText('A script answers.').count()).toBe(0);
    await page.reload();
    await page.getByText('Server x is not up.').waitFor();
    expect(await page.getByText('A script answers.').count()).toBe(0);
  });

  it('shades the edge behind which a table goes on, and lets the keyboard go there', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await open(GENERAL);
    const frame = page
      .locator('.table-frame')
      .filter({ has: page.getByRole('columnheader', { name: 'Participants' }) });
    const edges = () => frame.getAttribute('class');
    await expect.poll(edges).toBe('table-frame more-after');
    const table = frame.getByRole('group', { name: 'Table' });
    await table.press('ArrowRight');
    await expect.poll(edges).toBe('table-frame more-before more-after');
    await table.evaluate((element) => element.scrollTo({ left: 10_000 }));
    await expect.poll(edges).toBe('table-frame more-before');
    await page.setViewportSize({ width: 1280, height: 700 });
    await expect.poll(edges).toBe('table-frame');
  });

  it('keeps the buttons of a card on one line on a phone, and a label in one piece', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const buttons = ['Approve', 'Edit', 'Reject', 'Feedback'].map((name) => ({
      type: 'button',
      action_id: name,
      text: { type: 'plain_text', text: name },
    }));
    const more = {
      type: 'overflow',
      action_id: 'more',
      options: [{ text: { type: 'plain_text', text: 'View' }, value: 'view' }],
    };
    const label = { type: 'text', text: 'Time zone', style: { bold: true } };
    const line = [{ type: 'text', text: 'Start  Wed 25 Nov 2026, 09:00  ·  ' }, label];
    backend.setMessages([
      message(0, BOT, {
        text: 'a card',
        blocks: [
          { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: line }] },
          { type: 'actions', elements: [...buttons, more] },
        ],
      }),
    ]);
    await open(GENERAL);
    const all = page.locator('.block-actions .button');
    await all.first().waitFor();
    expect(await all.count()).toBe(5);
    const boxes = await all.evaluateAll((found) => found.map((it) => it.getBoundingClientRect().toJSON()));
    expect(Math.max(...boxes.map(({ top }) => top))).toBeLessThan(
      Math.min(...boxes.map(({ bottom }) => bottom)),
    );
    const lines = await page.getByText('Time zone').evaluate((it) => it.getClientRects().length);
    expect(lines).toBe(1);
  });
});
