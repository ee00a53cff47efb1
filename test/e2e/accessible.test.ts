import { createRequire } from 'node:module';
import { type Message, pageHandler } from '@countersign/slack-emulator';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { startTasksServer } from '../fixtures/oauth/tasks-server.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { findBarriers } from '../helpers/axe.ts';
import { launchChromium } from '../helpers/chromium.ts';
import { decideAddress } from '../helpers/web-visitor.ts';

const SERVERS = new URL('../fixtures/servers/', import.meta.url).pathname;
const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const SCHEMES = ['light', 'dark'] as const;
const VIEWPORTS = { desktop: { width: 1280, height: 1600 }, phone: { width: 390, height: 1600 } };
const ANA = 'U0ANA00001';
const START = '2026-11-24T09:00:00';

const browser = await launchChromium();
afterAll(() => browser?.close());

/** The app's own Home, and the forms that people are shown, in the local workspace. */
describe.skipIf(browser === null)('as axe judges it,', () => {
  it.each(Object.entries(VIEWPORTS))(
    'Home and every form of a card, on a %s',
    async (_name, viewport) => {
      const { app, model, ana, ask } = await startWorkspace({
        mcpServers: { calendar: { in_process: 'calendar' }, ledger: fixture('ledger') },
      });
      const rent = await ask('enter rent', [call('ledger__add_entry', { entry: 'rent' })], '[Approve]');
      await ana.click(rent, 'Reject');
      await model.says('Then not.');
      const event = { title: 'Standup', start: START, attendees: ['bob@example.com'] };
      const card = await ask('plan', [call('calendar__create_event', event)], '[Approve]');
      const four = ['A', 'B', 'C', 'D'].map((title) =>
        call('calendar__create_event', { title, start: START }),
      );
      const list = await ask('plan four', four, '[Review 4…]');

      const page = await openPage(viewport);
      await page.goto(`${app.workspace.url}/#${ANA}/${ana.dmChannel}/home`);
      await page.getByText('You asked for', { exact: true }).waitFor();
      await check(page, 'Home');

      const forms: readonly (readonly [Message, string, string?])[] = [
        [card, 'Edit'],
        [card, 'Feedback'],
        [card, 'call.more', 'View everything'],
        [card, 'call.more', 'More…'],
        [card, 'call.more', 'Approve, and also…'],
        [card, 'call.more', 'Don’t run this; do that instead…'],
        [list, 'Review 4…'],
        [rent, 'Say why…'],
      ];
      for (const [message, button, option] of forms) {
        await page.goto(`${app.workspace.url}/#${ANA}/${ana.dmChannel}/${message.threadTs ?? message.ts}`);
        const shown = page.locator(`.thread article[data-ts="${message.ts}"]`);
        if (option === undefined) await shown.getByRole('button', { name: button, exact: true }).click();
        else {
          await shown.getByRole('button', { name: 'More actions' }).click();
          await page.getByRole('menuitem', { name: option, exact: true }).click();
        }
        await page.getByRole('dialog').waitFor();
        await check(page, option ?? button);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    },
    120_000,
  );

  it('every other form, and the page on which people say who they are, on a desktop', async () => {
    const tasks = await startTasksServer();
    onTestFinished(() => tasks.stop());
    const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'], trusted: true };
    const { app, model, driver, ana, ask } = await startWorkspace({
      admins: [ANA],
      policy: {
        rules: [
          { name: 'reading', tools: 'everything.echo', action: 'allow' },
          { name: 'typed', tools: 'ledger.add_entry', action: 'ask', confirm_by_typing: 'entry' },
          {
            name: 'with a reason',
            tools: 'ledger.strike_entry',
            action: 'ask',
            rejection_reason: 'required',
          },
          { name: 'signed', tools: 'ledger.read_entries', action: 'ask', decide_on: 'web' },
        ],
      },
      mcpServers: {
        calendar: { in_process: 'calendar' },
        ledger: fixture('ledger'),
        drive: fixture('drive'),
        everything,
        // One call at a time of each: others could not say whose question it is.
        shop: everything,
        venue: { ...fixture('venue'), sampling: true },
        'not-reviewed': { ...everything, tool_review: 'required' },
        tasks: { url: tasks.url },
      },
    });
    const clickInHome = async (button: string): Promise<void> => {
      const home = await driver.waitUntil(() => {
        const shown = ana.home();
        return shown && driver.text(shown).includes(`[${button}]`) && shown;
      });
      await ana.useElement(button, button, home);
    };
    /** The last message in the thread with these words, once there is one. */
    const below = (threadTs: string, words: string): Promise<Message> =>
      driver.waitUntil(() =>
        driver
          .messages(ana.dmChannel, { threadTs })
          .findLast((message) => driver.text(message).includes(words)),
      );
    /** Has this call approved, and opens the form that stands behind this button then. */
    const openAfter = async (name: string, args: JsonObject, button: string): Promise<void> => {
      const card = await ask(name, [call(name, args)], '[Approve]');
      await ana.click(card, 'Approve');
      await ana.click(await below(card.threadTs ?? '', `[${button}]`), button);
    };

    await ana.openHome();
    const page = await openPage(VIEWPORTS.desktop);
    await page.goto(`${app.workspace.url}/#${ANA}/${ana.dmChannel}/home`);
    const read = ana.dm('what do you hear?');
    await model.calls([call('everything__echo', { message: 'Much, on many lines.\n'.repeat(60) })]);
    await model.says('Much.');
    const answer = await below(read, 'Show what was read');
    const typed = await ask('rent', [call('ledger__add_entry', { entry: 'rent' })], '[Approve…]');
    const struck = await ask('no rent', [call('ledger__strike_entry', { entry: 'rent' })], '[Reject…]');
    const signed = await ask('which?', [call('ledger__read_entries', {})], '[Decide on the web…]');
    const event = { title: 'Standup', start: START };
    const card = await ask('plan', [call('calendar__create_event', event)], '[Approve]');
    const two = await ask(
      'none',
      ['a', 'b'].map((entry) => call('ledger__strike_entry', { entry })),
      'Reject all',
    );
    const question = { question: 'To which day?', context: 'There are two free ones.' };
    const elsewhere = { ...event, calendar_id: 'nonexistent' };
    const failed = await ask('elsewhere', [call('calendar__create_event', elsewhere)], '[Approve]');
    await ana.click(failed, 'Approve');
    await model.says('There is no such calendar.');
    const asked = await ask('move it', [call('ask_user', question)], '[Answer…]');
    const shop = { url: 'https://shop.example.com/connect?state=1', message: 'Connect the shop' };

    /** Clicks on a message, and then in each view that this opens. */
    const through =
      (message: Message, first: string, ...others: string[]) =>
      async () => {
        await ana.click(message, first);
        for (const button of others) await ana.useElement(button);
      };
    const use = (prompt: string, words: string) => async () => {
      await ana.command(`/countersign prompt everything ${prompt}`);
      await page.getByRole('dialog').getByText(words).waitFor();
    };
    /** How each form is opened, by its title. */
    const forms: Readonly<Record<string, () => Promise<void>>> = {
      'What was read': through(answer, 'Show what was read'),
      'Result: Echo Tool': through(answer, 'Show what was read', 'Show result'),
      'Approve: Add entry': through(typed, 'Approve…'),
      'Reject: Strike entry': through(struck, 'Reject…'),
      'Reject 2 actions': through(two, 'Reject all (2)…'),
      'Decide on the web': through(signed, 'Decide on the web…'),
      'The agent asks': through(asked, 'Answer…'),
      'Remember: Create event': through(card, 'More…', 'Approve and remember…'),
      'Hand over: Create event': through(card, 'More…', 'Hand over…'),
      'Ignore: Create event': through(card, 'More…', 'Ignore…'),
      'Edit: Create event': through(failed, 'Edit and try again…'),
      'Out of office': () => clickInHome('Out of office…'),
      'Connect tasks': () => clickInHome('Connect…'),
      'Tools to review': () => clickInHome('Review…'),
      Prompts: use('args-prompt', 'Arguments Prompt'),
      'Nothing was done': use('dance', 'has no prompt called dance'),
      'everything asks': () => openAfter('everything__trigger-elicitation-request', {}, 'Fill in…'),
      shop: () => openAfter('shop__trigger-url-elicitation', shop, 'See the page…'),
      venue: () => openAfter('venue__describe_hall', { hall: 'Oak' }, 'See what it asks…'),
      'Sign in': () => openAfter('drive__share_file', { file: 'plan.txt' }, 'Connect drive…'),
    };
    for (const [title, open] of Object.entries(forms)) {
      await open();
      await page.getByRole('dialog', { name: title, exact: true }).waitFor();
      await check(page, title);
      while (ana.modals().length > 0) await ana.close();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }

    await page.goto(await decideAddress(app, 'ana', () => ana.click(signed, 'Decide on the web…')));
    await page.getByRole('link', { name: 'Sign in with Slack' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    await check(page, 'who somebody is');
  }, 240_000);
});

/** The app with the local workspace's page, and how Ana asks it for something in her direct messages. */
async function startWorkspace(file: Readonly<Record<string, unknown>>) {
  const { app, model, driver } = await startAppWithModel({ file, web: true, slack: { page: pageHandler() } });
  const ana = driver.as('ana');
  /** Asks for these calls in a new thread; the app's message with these words below. */
  const ask = async (
    text: string,
    calls: Parameters<typeof model.calls>[0],
    words: string,
  ): Promise<Message> => {
    const threadTs = ana.dm(text);
    await model.calls(calls);
    return driver.waitUntil(() =>
      driver
        .messages(ana.dmChannel, { threadTs })
        .find((message) => message.byApp && driver.text(message).includes(words)),
    );
  };
  return { app, model, driver, ana, ask };
}

function fixture(name: string) {
  return { command: process.execPath, args: [`${SERVERS}${name}.ts`, '$FOLDER'] };
}

function call(name: string, args: JsonObject) {
  return { name, arguments: args };
}

async function openPage(viewport: { readonly width: number; readonly height: number }): Promise<Page> {
  if (browser === null) throw new Error('describe.skipIf keeps this from running without a browser');
  const page = await browser.newPage({ viewport });
  onTestFinished(() => page.close());
  page.setDefaultTimeout(20_000);
  return page;
}

async function check(page: Page, what: string): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    expect(await findBarriers(page), `${what}, ${colorScheme}`).toEqual([]);
  }
}
