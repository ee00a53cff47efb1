import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageHandler } from '@countersign/slack-emulator';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { keepPicture, launchChromium, WIDTHS } from '../helpers/chromium.ts';
import { serviceEntries } from '../helpers/dialogue-services.ts';
import { startGoogle } from '../helpers/google.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ON_REDIS } from '../helpers/storage.ts';
import { startTeamApp } from '../helpers/team-app.ts';
import { SEARCH_KEY, startSearch } from '../helpers/web-search.ts';

const SLOW = 180_000;
/** How long a step may take beside all other tests, in milliseconds. */
const PATIENCE_MS = 40_000;
const GARDEN = '# Garden\n\n## Deliveries\n\nThe roses come in week 40.\n';
const LINE = 'The roses come in week 40, two weeks before the time to plant them.';
const MAIL = { to: ['bob@example.com'], subject: 'The roses', body: `Hi Bob,\n\n${LINE}\n\nAna` };
/** What the agents do, and what each needs. */
const PLAN = {
  analysis: { intent: 'Compare two dates, and mail the result' },
  execution_plan: [
    { id: 'own', agent: 'documents', task: 'When do our roses come?' },
    { id: 'others', agent: 'web', task: 'When are roses planted?' },
    { id: 'weeks', agent: 'code', task: 'Compute the weeks between', depends_on: ['own', 'others'] },
    { id: 'mail', agent: 'mail', task: 'Mail it to Bob', depends_on: ['weeks'] },
  ],
};

const browser = await launchChromium();
afterAll(() => browser?.close());

/** The app with a team that has a folder of documents, and stand-ins for Google and the search of the web. */
async function startDiamond() {
  const [google, search] = await Promise.all([startGoogle(), startSearch()]);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'garden.md'), GARDEN);
  const settings = {
    knowledge: { folders: [folder] },
    routes: { dm: 'team' },
    policy: { rules: [{ tools: ['documents.search_*', 'web-search.search_*'], action: 'allow' }] },
    team: {
      agents: {
        documents: { description: 'Finds what stands in the documents.', tools: ['documents.search_*'] },
        web: { description: 'Searches the web.', tools: ['web-search.search_web'] },
        code: { description: 'Computes.', tools: ['code.*'] },
        mail: { description: 'Writes mails.', tools: ['gmail.*'] },
      },
    },
    mcpServers: {
      documents: { in_process: 'documents' },
      code: { in_process: 'code' },
      'web-search': { connector: 'web-search', api_url: search.url, key: SEARCH_KEY },
      ...serviceEntries('google', google),
    },
  };
  return { google, search, ...(await startTeamApp(settings, { web: true, slack: { page: pageHandler() } })) };
}

/** Ana's browser, in which she is signed in at Google, at the page of the workspace. */
async function openPage(url: string, google: string) {
  const context = await browser?.newContext({ viewport: WIDTHS.desktop });
  if (context === undefined) throw new Error('There is no browser.');
  onTestFinished(() => context.close());
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addCookies([{ name: 'login', value: 'ana', url: google }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(url);
  return { context, page, problems, thread: page.getByRole('complementary', { name: 'Thread' }) };
}

/** What is on the screen fits a phone, too; kept for the docs. */
async function fits(page: Page, name: string): Promise<void> {
  await page.setViewportSize(WIDTHS.phone);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(WIDTHS.phone.width);
  await page.setViewportSize(WIDTHS.desktop);
  await keepPicture(page, name);
}

/** By the link in the thread, in the tab that it opens: Ana says who she is in Slack, and goes on to Google. */
async function connectGoogle(context: BrowserContext, page: Page, thread: Locator): Promise<void> {
  await thread.getByRole('button', { name: 'Connect google…' }).click();
  const dialog = page.getByRole('dialog');
  const opened = context.waitForEvent('page');
  await dialog.getByRole('link', { name: 'Connect google' }).click();
  const tab = await opened;
  await tab.getByRole('link', { name: 'Sign in with Slack' }).click();
  await tab.getByRole('button', { name: /Ana Almeida/ }).click();
  await tab.getByRole('button').first().click();
  await tab.getByRole('heading', { name: 'google is connected' }).waitFor();
  await tab.close();
  await dialog.getByRole('button', { name: 'Close' }).click();
}

/** A mail as it arrives at Google. */
function mailIn(body: string): string {
  const { raw } = z.object({ raw: z.string() }).parse(JSON.parse(body));
  return Buffer.from(raw, 'base64url').toString('utf8');
}

const WHOLE = 'searches documents and the web at once, computes, and mails the result once it is approved';

describe.skipIf(browser === null || ON_REDIS)('a team with connectors on the page of the workspace', () => {
  it(WHOLE, { timeout: SLOW }, async () => {
    const { app, google, search, model, calls, says } = await startDiamond();
    const { context, page, thread, problems } = await openPage(app.workspace.url, google.url);
    const composer = page.getByRole('textbox', { name: 'Message countersign' });
    await composer.fill('Are our roses early or late for planting? Mail it to Bob');
    await composer.press('Enter');
    await calls('master', 'make_team_plan', PLAN);

    // Both ask the model, and neither is answered.
    await model.askedBy('documents');
    await model.askedBy('web');
    await expect
      .poll(() => thread.textContent(), { timeout: PATIENCE_MS })
      .toMatch(
        /documents: “[^”]+”working1 · web: “[^”]+”working2 · code: “[^”]+”later3 · mail: “[^”]+”later/,
      );
    await fits(page, 'team-searches');

    await calls('web', 'web-search__search_web', { query: 'when to plant roses' });
    await calls('documents', 'documents__search_documents', { query: 'roses' });
    await says('documents', 'They come in week 40.');
    await model.askedBy('web');
    expect(await model.heard()).toContain('In autumn.');
    await model.says('In autumn, from week 42 on.');
    await calls('code', 'code__run_code', { language: 'javascript', code: 'console.log(42 - 40)' });
    const approve = thread.getByRole('button', { name: 'Approve', exact: true });
    await thread.getByText('Requested by the agent code').waitFor();
    await approve.click();
    // What a program does isn't known before it's read, so it's confirmed once more.
    await page.getByRole('dialog').getByRole('button', { name: 'Run' }).click();
    await model.askedBy('code');
    expect(await model.heard()).toContain('It printed:\n2');
    await model.says('Two weeks early.');

    await calls('mail', 'gmail__send_message', MAIL);
    await thread.getByText('Requested by the agent mail').waitFor();
    expect(await thread.textContent()).toMatch(
      /To\s+bob@example\.com\s*Subject\s+The roses\s*Text\s*Hi Bob,\s+The roses come in week 40/,
    );
    await fits(page, 'team-mail');
    await approve.click();
    await connectGoogle(context, page, thread);
    await model.askedBy('mail');
    expect(await model.heard()).toContain('Sent to bob@example.com.');
    const sent = google.seen().filter(({ method }) => method === 'POST');
    expect(sent).toMatchObject([{ login: 'ana', path: '/gmail/v1/users/me/messages/send' }]);
    expect(mailIn(sent[0]?.body ?? '')).toContain('To: bob@example.com');
    await model.says('Bob has it.');

    await model.askedBy('composer');
    expect(await model.heard()).toMatch(/\[1\] garden\.md, Deliveries[\s\S]+\[2\] Roses/);
    await model.says('The roses come in week 40 [1], two weeks before they are planted [2]. Bob knows it.');
    await thread.getByText('Sources').waitFor();
    await thread.getByText('garden.md, Deliveries').waitFor();
    const roses = thread.getByRole('link', { name: 'Roses' });
    expect(await roses.getAttribute('href')).toBe('https://roses.example/');
    await thread.getByText('google is connected').waitFor();
    await page.getByText('countersign is working').waitFor({ state: 'detached' });
    await fits(page, 'team-mailed');
    expect(search.asked).toMatchObject([{ query: 'when to plant roses' }]);
    expect(problems, 'errors in the browser').toEqual([]);
  });
});
