import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageHandler } from '../../src/server/page-assets.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { onlyModal, type PageBackend, startPageBackend } from '../helpers/page-backend.ts';
import {
  ANA,
  BOB,
  BOT,
  CARD,
  DIRECT,
  FORM,
  GENERAL,
  GENERAL_MESSAGES,
  HOME_VIEW,
  message,
  OPS,
  THREAD_TS,
  WORKSPACE,
} from '../helpers/page-content.ts';

const MISSED = 'This came while nobody listened.';
const browser: Browser | null = await launchChromium();

describe.skipIf(browser === null)('the page of the local workspace', () => {
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
  const composer = () => page.getByRole('textbox', { name: /^Message / });
  const thread = () => page.getByRole('complementary', { name: 'Thread' });
  const inThread = `${GENERAL}/${THREAD_TS}`;

  it('sends what is typed, with @app as a mention', async () => {
    await open(GENERAL);
    await composer().fill('hello @app, ask @bob');
    await composer().press('Enter');
    expect(await backend.next('post')).toEqual({
      user: ANA.id,
      channel: GENERAL,
      text: `hello <@${BOT.id}>, ask <@${BOB.id}>`,
      client_msg_id: expect.any(String),
    });
    await expect.poll(() => composer().inputValue()).toBe('');
  });

  it('lets a table that is wider than its message be scrolled, and breaks no word for it', async () => {
    await page.setViewportSize({ width: 320, height: 700 });
    await open(GENERAL);
    const table = page.getByRole('table').filter({ hasText: 'Participants' });
    await table.waitFor();
    const sizes = await table.evaluate((element) => {
      const box = element.parentElement;
      const heads = [...element.querySelectorAll('th')];
      return {
        scrolls: box !== null && box.scrollWidth > box.clientWidth,
        fits: box !== null && box.getBoundingClientRect().right <= innerWidth,
        lines: heads.map((head) =>
          Math.round((head.clientHeight - 12) / Number.parseFloat(getComputedStyle(head).lineHeight)),
        ),
      };
    });
    expect(sizes).toEqual({ scrolls: true, fits: true, lines: [1, 1, 1, 1] });
  });

  it('begins a new line on Shift+Enter and does not send', async () => {
    await open(GENERAL);
    await composer().fill('one');
    await composer().press('Shift+Enter');
    await composer().pressSequentially('two');
    await expect.poll(() => composer().inputValue()).toBe('one\ntwo');
    expect(backend.received.filter(({ route }) => route === 'post')).toEqual([]);
  });

  it('completes a mention from its first letters', async () => {
    await open(GENERAL);
    await composer().pressSequentially('@ap');
    await page.getByRole('option', { name: 'App' }).waitFor();
    await composer().press('Enter');
    await expect.poll(() => composer().inputValue()).toBe('@app ');
  });

  it('runs a slash command instead of posting it', async () => {
    await open(GENERAL);
    await composer().fill('/app help');
    await composer().press('Enter');
    expect(await backend.next('command')).toEqual({
      user: ANA.id,
      channel: GENERAL,
      command: '/app',
      text: 'help',
    });
  });

  it('keeps the text and says why when the workspace refuses it', async () => {
    await open(GENERAL);
    backend.answerNext('post', 400, { error: 'The message is too long.' });
    await composer().fill('too long');
    await composer().press('Enter');
    await page.getByRole('alert').getByText('The message is too long.').waitFor();
    await expect.poll(() => composer().inputValue()).toBe('too long');
  });

  it('keeps a draft while one looks at another channel', async () => {
    await open(GENERAL);
    await composer().fill('not done yet');
    await page.getByRole('button', { name: 'ops' }).click();
    await expect.poll(() => composer().inputValue()).toBe('');
    await page.getByRole('button', { name: 'general' }).click();
    await expect.poll(() => composer().inputValue()).toBe('not done yet');
  });

  it('puts an example into the composer of an empty conversation', async () => {
    await open(DIRECT);
    await page.getByRole('button', { name: 'what is on my calendar this week?' }).click();
    await expect.poll(() => composer().inputValue()).toBe('what is on my calendar this week?');
  });

  it('opens the thread in which the app begins to answer', async () => {
    await open(DIRECT);
    await composer().fill('hello');
    await composer().press('Enter');
    const posted = await page.locator('main article').getAttribute('data-ts');
    const reply = message(0, BOT, {
      channel: DIRECT,
      ts: '9999999999.000100',
      threadTs: posted,
      text: 'Good morning',
    });
    backend.emit({ type: 'message', message: reply });
    await thread().getByText('Good morning').waitFor();
  });

  it('tells the app which button of which message was clicked', async () => {
    await open(inThread);
    await thread().getByRole('button', { name: 'Approve' }).click();
    expect(await backend.next('click')).toMatchObject({
      user: ANA.id,
      channel: GENERAL,
      message_ts: CARD.ts,
      block_id: 'decide',
      action_id: 'approve',
      value: 'opaque-approve',
    });
  });

  it('sends both clicks of a double click', async () => {
    await open(inThread);
    await thread().getByRole('button', { name: 'Approve' }).dblclick();
    await backend.next('click');
    await backend.next('click');
  });

  it('sends the chosen option of an overflow menu', async () => {
    await open(inThread);
    await thread().getByRole('button', { name: 'More actions' }).first().click();
    await page.getByRole('menuitem', { name: 'Hand over…' }).click();
    expect(await backend.next('click')).toMatchObject({
      action_id: 'more',
      selected_option: { value: 'hand_over' },
    });
  });

  it('asks before a button with a confirm, and sends nothing when the answer is no', async () => {
    await open(inThread);
    await thread().getByRole('button', { name: 'Delete it' }).click();
    const confirm = page.getByRole('dialog', { name: 'Delete “Quarterly review”?' });
    await confirm.getByRole('button', { name: 'Keep it' }).click();
    await confirm.waitFor({ state: 'detached' });
    expect(backend.received.filter(({ route }) => route === 'click')).toEqual([]);
    await thread().getByRole('button', { name: 'Delete it' }).click();
    await confirm.getByRole('button', { name: 'Delete it' }).click();
    expect(await backend.next('click')).toMatchObject({ action_id: 'approve_delete' });
  });

  it('shows the decided card in place of the one that waited', async () => {
    await open(inThread);
    await thread().getByRole('button', { name: 'Approve' }).waitFor();
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: 'Approved by Ana, 09:12 · done' } }];
    backend.emit({ type: 'message', message: { ...CARD, blocks, edited: true } });
    await thread().getByText('Approved by Ana, 09:12 · done').waitFor();
    expect(await thread().getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });

  it('submits every value of a modal in the shape of state.values, once at a double click', async () => {
    await open(GENERAL);
    backend.emit(onlyModal(FORM));
    const modal = page.getByRole('dialog', { name: 'Edit: Create event' });
    await modal.getByLabel('Title').fill('Daily');
    await modal.getByLabel('Room').selectOption({ label: 'Aquarium' });
    await modal.getByLabel('Weekly').check();
    await modal.getByLabel('Public').check();
    await modal.getByLabel('Starts').fill('2026-12-01T10:30');
    await modal.getByRole('button', { name: 'Approve with changes' }).dblclick();
    const seconds = await page.evaluate(() => new Date('2026-12-01T10:30').getTime() / 1000);
    const option = (text: string, value: string) => ({
      text: { type: 'plain_text', text, emoji: true },
      value,
    });
    expect(await backend.next('submit')).toMatchObject({
      user: ANA.id,
      view_id: 'V1',
      state: {
        values: {
          title: { value: { type: 'plain_text_input', value: 'Daily' } },
          notes: { value: { type: 'plain_text_input', value: null } },
          minutes: { value: { type: 'number_input', value: '15' } },
          room: { value: { type: 'static_select', selected_option: option('Aquarium', 'aq') } },
          tags: { value: { type: 'multi_static_select', selected_options: [option('Weekly', 'weekly')] } },
          owner: { value: { type: 'users_select', selected_user: BOB.id } },
          extras: { value: { type: 'checkboxes', selected_options: [{ value: 'video' }] } },
          visibility: { value: { type: 'radio_buttons', selected_option: option('Public', 'public') } },
          day: { value: { type: 'datepicker', selected_date: '2026-11-25' } },
          time: { value: { type: 'timepicker', selected_time: '09:00' } },
          starts: { value: { type: 'datetimepicker', selected_date_time: seconds } },
        },
      },
    });
    expect(backend.received.filter(({ route }) => route === 'submit')).toHaveLength(1);
  });

  it('shows an error of the app beside its field and keeps what was entered', async () => {
    await open(GENERAL);
    backend.emit(onlyModal(FORM));
    backend.answerNext('submit', 200, { errors: { title: 'There is already an event of this name.' } });
    const modal = page.getByRole('dialog', { name: 'Edit: Create event' });
    await modal.getByLabel('Title').fill('Daily');
    await modal.getByRole('button', { name: 'Approve with changes' }).click();
    await modal.getByRole('alert').getByText('There is already an event of this name.').waitFor();
    expect(await modal.getByLabel('Title').inputValue()).toBe('Daily');
    expect(await modal.getByLabel('Title').getAttribute('aria-invalid')).toBe('true');
  });

  it('does not submit a form that Slack would refuse', async () => {
    await open(GENERAL);
    backend.emit(onlyModal(FORM));
    const modal = page.getByRole('dialog', { name: 'Edit: Create event' });
    await modal.getByLabel('Title').fill('');
    await modal.getByLabel('Length in minutes').fill('3');
    await modal.getByRole('button', { name: 'Approve with changes' }).click();
    await modal.getByText('Please fill in this field.').waitFor();
    await modal.getByText('Please enter a number of at least 5.').waitFor();
    expect(backend.received.filter(({ route }) => route === 'submit')).toEqual([]);
  });

  it('closes a modal with Esc and tells the workspace', async () => {
    await open(GENERAL);
    backend.emit(onlyModal(FORM));
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(await backend.next('close')).toEqual({ user: ANA.id, view_id: 'V1' });
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('closes the thread with Esc', async () => {
    await open(inThread);
    await thread().waitFor();
    await page.keyboard.press('Escape');
    await thread().waitFor({ state: 'detached' });
  });

  it('acts as whoever is chosen at the top', async () => {
    await open(GENERAL);
    await page.getByRole('button', { name: 'Bob', exact: true }).click();
    await expect
      .poll(() => page.getByRole('button', { name: 'Bob', exact: true }).getAttribute('aria-pressed'))
      .toBe('true');
    await composer().fill('as Bob');
    await composer().press('Enter');
    expect(await backend.next('post')).toMatchObject({ user: BOB.id, text: 'as Bob' });
  });

  it('marks a channel as read when it is opened', async () => {
    await open(GENERAL);
    await page.getByRole('button', { name: /ops.*3 unread/ }).click();
    expect(await backend.next('read')).toEqual({ user: ANA.id, channel: OPS });
    backend.emit({ type: 'unread', channel: OPS, unread: 0 });
    await page.getByText('3 unread').waitFor({ state: 'detached' });
  });

  it('shows the Home and sends what is clicked in it', async () => {
    await open(DIRECT);
    await page.getByRole('tab', { name: 'Home' }).click();
    expect(await backend.next('home')).toEqual({ user: ANA.id });
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await backend.next('view-action')).toMatchObject({ view_id: 'V9', action_id: 'home_approve' });
  });

  it('shows what the app does and can stop it', async () => {
    await open(inThread);
    await thread().getByText('I found no conflict').waitFor();
    await expect
      .poll(async () => {
        backend.emit({ type: 'status', channel: GENERAL, threadTs: THREAD_TS, status: 'is reading…' });
        return await thread().getByText('App is reading…').count();
      })
      .toBe(1);
    await thread().getByRole('button', { name: 'Stop' }).click();
    expect(await backend.next('stop')).toEqual({ user: ANA.id, channel: GENERAL, thread_ts: THREAD_TS });
  });

  it('fetches what it missed after the event stream broke', async () => {
    await open(GENERAL);
    await page.getByText('The numbers:').waitFor();
    backend.setMessages([...GENERAL_MESSAGES, message(20, BOB, { text: MISSED })]);
    backend.dropStreams();
    await page.getByRole('log').getByText(MISSED).waitFor();
  });

  it('says that a click was not sent while nothing answers, until the connection is back', async () => {
    await open(inThread);
    await page.route('**/workspace/click?*', (route) => route.abort());
    await thread().getByRole('button', { name: 'Approve' }).first().click();
    const toast = page
      .getByRole('alert')
      .getByText('No answer: the connection to the workspace is lost. Look again once it is back.');
    await toast.waitFor();
    backend.dropStreams();
    await toast.waitFor({ state: 'detached' });
  });

  it('says that the app is not connected until it is', async () => {
    backend.setState({ appConnected: false });
    await open(GENERAL);
    await page.getByText('App is not connected.').waitFor();
    backend.emit({ type: 'app', connected: true });
    await page.getByText('App is not connected.').waitFor({ state: 'detached' });
  });

  it('shows only a part at a time on a phone, with a way back', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(GENERAL);
    const list = page.getByRole('navigation', { name: 'Channels and direct messages' });
    expect(await list.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'All channels' }).click();
    await list.waitFor();
    expect(await page.getByRole('region', { name: '#general' }).isVisible()).toBe(false);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  it('has room to write on a phone, also after the channels were shown first', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(backend.url);
    await composer().waitFor();
    // A line of text and its padding; a field that was measured while hidden has the padding alone.
    expect((await composer().boundingBox())?.height ?? 0).toBeGreaterThan(30);
  });

  it('keeps the people within a phone’s width while the connection is lost', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    // A stream that ends as soon as it is open.
    await page.route('**/events*', (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: ':\n\n' }),
    );
    await open(GENERAL);
    await page.getByText('Connection lost').waitFor();
    const box = await page.getByRole('button', { name: 'Carol' }).boundingBox();
    expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
  });

  it('shows text of a message as text, whatever it looks like', async () => {
    const text = '&lt;img src=x onerror=alert(1)&gt; <javascript:alert(1)|click>';
    backend.setMessages([message(0, BOB, { text })]);
    await open(GENERAL);
    await page.getByText('<img src=x onerror=alert(1)> <javascript:alert(1)|click>').waitFor();
    expect(await page.locator('main article :is(img, a)').count()).toBe(0);
  });
});
