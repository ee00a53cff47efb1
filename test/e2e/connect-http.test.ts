import { afterAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startTasksServer } from '../fixtures/oauth/tasks-server.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { createBrowser } from '../helpers/browser.ts';
import { launchChromium } from '../helpers/chromium.ts';

const waitingSchema = z.object({
  status: z.literal('oauth_required'),
  url: z.string(),
  pending_action: z.object({ elicitation_id: z.string() }),
});
const KEY = 'a-key-of-the-tests-who-connect-1729';

/** The whole app, reached over HTTP, with a server that everybody signs in to. */
async function startSignInApp() {
  const tasks = await startTasksServer();
  onTestFinished(() => tasks.stop());
  const { app, model } = await startAppWithModel({
    web: true,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      mcpServers: { tasks: { url: tasks.url } },
      policy: { rules: [{ tools: '*.list_*', action: 'allow' }] },
    },
  });
  async function post(path: string, body: object, key = 'first'): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${app.publicUrl}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  }
  return { model, tasks, app, post };
}

test('a program is given a link for whoever runs it, and the run goes on once they have signed in', async () => {
  const { model, tasks, app, post } = await startSignInApp();
  const run = { thread_id: 'list', user_request: 'what do I have to do?' };
  const asked = post('/run', run);
  await model.calls([{ name: 'countersign__connect_tasks', arguments: {} }]);
  const { status, body } = await asked;
  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'oauth_required', pending_action: { kind: 'oauth_url' } });
  const { url } = Object.assign({ url: '' }, body);
  expect(url.startsWith(`${app.publicUrl}/oauth/start?link=`)).toBe(true);

  const browser = createBrowser('ci');
  const page = await browser.open(url);
  expect(page.text).toContain('for the API key of <strong>env</strong>');
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
  });
  expect((await browser.press(page)).text).toContain('<h1>tasks is connected</h1>');

  const answered = post('/run', run);
  await model.calls([{ name: 'tasks__list_tasks', arguments: {} }]);
  expect(await model.heard()).toContain('the tasks of ci: none');
  await model.says('Nothing.');
  expect((await answered).body).toMatchObject({ status: 'success', response: 'Nothing.' });
  expect(tasks.seen).toEqual(['ci']);
});

test('a program whose link is over asks for another one', async () => {
  const { model, post } = await startSignInApp();
  const asked = post('/run', { thread_id: 'late', user_request: 'what do I have to do?' });
  await model.calls([{ name: 'countersign__connect_tasks', arguments: {} }]);
  const first = waitingSchema.parse((await asked).body);
  const retry = { elicitation_id: first.pending_action.elicitation_id };
  const second = waitingSchema.parse((await post('/resume', { thread_id: 'late', retry })).body);
  expect(second.url).not.toBe(first.url);
  expect((await createBrowser('ci').signIn(second.url)).text).toContain('tasks is connected');
  await model.says('Nothing.');
});

test('pages say what is wrong with a link, and mark nothing as done', async () => {
  const { app } = await startSignInApp();
  const browser = createBrowser('ana');
  const made = await browser.open(`${app.publicUrl}/oauth/start?link=%22%3E%3Cscript%3E`);
  expect([made.status, made.text.includes('There is no such link')]).toEqual([404, true]);
  expect(made.text).not.toContain('<script');
  const none = await browser.open(`${app.publicUrl}/oauth/callback?code=1&state=2`);
  expect([none.status, none.text.includes('There is no such link')]).toEqual([404, true]);
  const elsewhere = await fetch(`${app.publicUrl}/oauth/start`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'link=x',
  });
  expect(elsewhere.status).toBe(404);
  expect((await browser.open(`${app.publicUrl}/oauth/start`)).text).toContain('Connect from Slack');
  expect((await fetch(`${app.publicUrl}/client-metadata.json`)).status).toBe(404);
});

const chromium = await launchChromium();
afterAll(() => chromium?.close());

test.runIf(chromium !== null)(
  'a real browser comes through, and keeps to what the pages allow it',
  async () => {
    const { model, app, post } = await startSignInApp();
    const asked = post('/run', { thread_id: 'browser', user_request: 'what do I have to do?' });
    await model.calls([{ name: 'countersign__connect_tasks', arguments: {} }]);
    const { url } = Object.assign({ url: '' }, (await asked).body);
    const context = await chromium?.newContext();
    if (!context) throw new Error('there is no browser');
    onTestFinished(() => context.close());
    // Who is signed in at the server: cookies know hosts, and no ports.
    await context.addCookies([{ name: 'login', value: 'ana', domain: '127.0.0.1', path: '/' }]);
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (message) => void complaints.push(message.text()));
    await tab.goto(url);
    await tab.getByRole('button', { name: 'I am env: sign in' }).click();
    await tab.getByRole('heading', { name: 'tasks is connected' }).waitFor();
    expect(new URL(tab.url()).origin).toBe(app.publicUrl);
    expect(complaints).toEqual([]);
    const answered = post('/run', { thread_id: 'browser', user_request: 'what do I have to do?' });
    await model.says('Nothing.');
    expect((await answered).body).toMatchObject({ status: 'success', response: 'Nothing.' });
  },
);
