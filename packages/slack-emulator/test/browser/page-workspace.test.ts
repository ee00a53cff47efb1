import { App, type BlockAction, LogLevel } from '@slack/bolt';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageHandler, type SlackEmulator, startSlackEmulator } from '../../src/index.ts';
import { launchChromium } from '../helpers/chromium.ts';

const browser: Browser | null = await launchChromium();

/** The page, the workspace and a Bolt app, each as it is: what one of them says the others must understand. */
describe.skipIf(browser === null)('the page with the real workspace and a Bolt app', () => {
  let workspace: SlackEmulator;
  let app: App;
  let page: Page;

  beforeAll(async () => {
    workspace = await startSlackEmulator({
      page: pageHandler(),
      pageTexts: {
        title: 'Calendar app',
        welcome: 'Ask for an entry.',
        examples: ['create a meeting called Standup tomorrow at 9am'],
        about: 'No Slack is configured.',
      },
    });
    app = await startApp(workspace);
    if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(10_000);
    await page.goto(workspace.url);
  });

  afterAll(async () => {
    await browser?.close();
    await app.stop();
    await workspace.stop();
  });

  it('says of the app what it was given: a title, a welcome, and why it is here', async () => {
    await expect.poll(() => page.title()).toBe('Calendar app · local workspace');
    await page.getByText('Ask for an entry.').waitFor();
    await page.getByRole('button', { name: 'Stand-in for Slack', exact: true }).click();
    const about = page.getByRole('dialog', { name: 'About this workspace' });
    await about.getByText('No Slack is configured.').waitFor();
    await about.getByText('from the app manifest of Calendar app').waitFor();
    await about.getByRole('button', { name: 'Close' }).click();
    await about.waitFor({ state: 'detached' });
  });

  it('takes a request from an example to its approved card', async () => {
    await page.getByRole('button', { name: 'create a meeting called Standup' }).click();
    const composer = page.getByRole('textbox', { name: /^Message / });
    await expect.poll(() => composer.inputValue()).toContain('Standup');
    await composer.press('Enter');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Sign for: create a meeting called Standup').waitFor();

    await thread.getByRole('button', { name: 'Edit…' }).click();
    const modal = page.getByRole('dialog', { name: 'Edit' });
    await modal.getByLabel('Title').fill('Taken');
    await modal.getByRole('button', { name: 'Save' }).click();
    await modal.getByText('That name is taken.').waitFor();
    await modal.getByLabel('Title').fill('Free');
    await modal.getByRole('button', { name: 'Save' }).click();
    await modal.waitFor({ state: 'detached' });

    await thread.getByRole('button', { name: 'Approve' }).click();
    await thread.getByText('Approved, with the title Free').waitFor();
    expect(await thread.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('breaks a word that is longer than a modal is wide', async () => {
    await page.getByRole('textbox', { name: /^Message / }).fill('something else');
    await page.keyboard.press('Enter');
    const thread = page.getByRole('complementary', { name: 'Thread' });
    await thread.getByText('Sign for: something else').waitFor();
    await thread.getByRole('button', { name: 'Edit…' }).click();
    const modal = page.getByRole('dialog', { name: 'Edit' });
    await modal.getByText(LONG_WORD).waitFor();
    const isScrolled = await modal.evaluate((element) =>
      [...element.querySelectorAll('div')].some((box) => box.scrollWidth > box.clientWidth),
    );
    expect(isScrolled).toBe(false);
    await page.keyboard.press('Escape');
    await modal.waitFor({ state: 'detached' });
  });

  it('opens a modal in the tab that was clicked in, and in no other of the same person', async () => {
    const ts = workspace.driver.as('ana').post('general', 'two tabs');
    const place = `${workspace.url}/#${workspace.driver.as('ana').id}/C0GENERAL1/${ts}`;
    await page.goto(place);
    if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
    const other = await browser.newPage();
    await other.goto(place);
    await other.getByRole('button', { name: 'Edit…' }).waitFor();
    await page.getByRole('button', { name: 'Edit…' }).click();
    await page.getByRole('dialog', { name: 'Edit' }).waitFor();
    // Both tabs hear of things in the same order.
    workspace.driver.as('bob').post('general', 'after the modal', { threadTs: ts });
    await other.getByText('after the modal').first().waitFor();
    expect(await other.getByRole('dialog').count()).toBe(0);

    await other.getByRole('button', { name: 'Edit…' }).first().click();
    await other.getByRole('dialog', { name: 'Edit' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await other.getByRole('dialog', { name: 'Edit' }).count()).toBe(1);
    await other.close();
  });

  it('opens a thread whose last message is long at its beginning, and a channel too, until somebody scrolls', async () => {
    const bob = workspace.driver.as('bob');
    const lines = (name: string) => Array.from({ length: 90 }, (_, at) => `${name} ${at}`).join('\n');
    const ts = bob.post('random', lines('root'));
    for (const name of ['first', 'last']) bob.post('random', lines(name), { threadTs: ts });
    await page.goto(`${workspace.url}/#${bob.id}/C0RANDOM01/${ts}`);
    const thread = page.getByRole('complementary', { name: 'Thread' });
    const pane = thread.getByRole('log');
    /** How far the beginning of a message is below the top of its pane, and how far the end of all is below its bottom. */
    const place = (words: string) =>
      pane.evaluate((element, begins) => {
        const message = [...element.querySelectorAll('[data-ts]')].find((one) =>
          one.textContent?.includes(`${begins} 0`),
        );
        const { top } = element.getBoundingClientRect();
        return {
          begins: Math.round((message?.getBoundingClientRect().top ?? 0) - top) + 0,
          left: Math.round(element.scrollHeight - element.scrollTop - element.clientHeight),
        };
      }, words);
    await expect.poll(async () => (await place('last')).begins).toBe(0);
    expect((await place('last')).left).toBeGreaterThan(500);
    const channel = page.getByRole('log', { name: '#random' });
    await expect.poll(() => channel.evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(100);

    // It follows what comes, until somebody scrolls away.
    bob.post('random', 'newer', { threadTs: ts });
    await expect.poll(async () => (await place('last')).left).toBe(0);
    await page.reload();
    await expect.poll(async () => (await place('last')).left).toBe(0);
    bob.post('random', lines('latest'), { threadTs: ts });
    await page.reload();
    await expect.poll(async () => (await place('latest')).begins).toBe(0);
    await pane.hover();
    await page.mouse.wheel(0, 200);
    await expect.poll(async () => (await place('latest')).begins).toBe(-200);
    // What others write leaves it there; what one writes oneself is seen.
    workspace.driver.as('carol').post('random', 'newest', { threadTs: ts });
    await thread.getByText('newest').waitFor();
    expect((await place('latest')).begins).toBe(-200);
    bob.post('random', 'my own', { threadTs: ts });
    await expect.poll(async () => (await place('latest')).left).toBe(0);
  });

  it('is led to from another page to a thread, as the person who it was last used as', async () => {
    const ts = workspace.driver.as('bob').post('general', 'Here it is');
    await page.getByRole('button', { name: 'Bob', exact: true }).click();
    await page.getByRole('button', { name: 'Bob', exact: true, pressed: true }).waitFor();
    await page.goto('about:blank');
    const address = `${workspace.url}/archives/C0GENERAL1/p${ts.replace('.', '')}?thread_ts=${ts}`;
    await page.setContent(`<a href="${address}">Back to Slack</a>`);
    await page.getByRole('link').click();
    await page
      .getByRole('complementary', { name: 'Thread' })
      .getByText('Here it is', { exact: true })
      .waitFor();
    expect(page.url()).toBe(`${workspace.url}/#U0BOB00001/C0GENERAL1/${ts}`);
  });
});

const LONG_WORD = 'z'.repeat(500);
const text = (words: string) => ({ type: 'plain_text' as const, text: words });

/** An app that does with every kind of gesture the least that can be seen. */
async function startApp({ botToken, appToken, apiUrl }: SlackEmulator): Promise<App> {
  const app = new App({
    token: botToken,
    appToken,
    socketMode: true,
    clientOptions: { slackApiUrl: apiUrl },
    logLevel: LogLevel.ERROR,
  });
  let title = '';
  app.message(async ({ message, client }) => {
    if (message.subtype !== undefined) return;
    await client.chat.postMessage({
      channel: message.channel,
      thread_ts: message.ts,
      text: 'A card',
      blocks: [
        { type: 'section', text: text(`Sign for: ${message.text}`) },
        {
          type: 'actions',
          elements: [
            { type: 'button', action_id: 'approve', text: text('Approve'), style: 'primary' },
            { type: 'button', action_id: 'edit', text: text('Edit…') },
          ],
        },
      ],
    });
  });
  app.action<BlockAction>('approve', async ({ ack, body, client }) => {
    await ack();
    const channel = body.channel?.id ?? '';
    const words = `Approved, with the title ${title}`;
    const blocks = [{ type: 'section', text: text(words) }];
    await client.chat.update({ channel, ts: body.message?.ts ?? '', text: words, blocks });
  });
  app.action<BlockAction>('edit', async ({ ack, body, client }) => {
    await ack();
    const element = { type: 'plain_text_input' as const, action_id: 'value' };
    const blocks = [
      { type: 'input' as const, block_id: 'title', label: text('Title'), element },
      { type: 'context' as const, elements: [text(LONG_WORD)] },
    ];
    const view = {
      type: 'modal' as const,
      callback_id: 'edit',
      title: text('Edit'),
      submit: text('Save'),
      blocks,
    };
    await client.views.open({ trigger_id: body.trigger_id, view });
  });
  app.view('edit', async ({ ack, view }) => {
    title = view.state.values.title?.value?.value ?? '';
    if (title !== 'Taken') await ack();
    else await ack({ response_action: 'errors', errors: { title: 'That name is taken.' } });
  });
  await app.start();
  return app;
}
