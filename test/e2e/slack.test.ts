import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@countersign/slack-emulator';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../../src/app/start.ts';
import { readEnv } from '../../src/config/env.ts';
import { readConfigFile } from '../../src/config/file.ts';
import { ROOT } from '../helpers/sources.ts';
import { startWorkspace, webClient } from '../helpers/workspace.ts';

const ASK = 'create a meeting called Standup tomorrow at 9am';

/** The whole product with its demo model and calendar, in a workspace of its own. */
async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-slack-'));
  const workspace = await startWorkspace({
    botName: 'countersign',
    commands: [{ command: '/countersign', description: 'Ask it', usage: 'help | status | cancel' }],
  });
  const env = readEnv({
    PORT: '0',
    DATA_DIR: folder,
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    TZ_DEFAULT: 'Europe/Berlin',
  });
  const file = await readConfigFile(join(ROOT, 'countersign.yaml'), {});
  const start = () => startApp({ env, file, log: pino({ level: 'silent' }) });
  let app = await start();
  onTestFinished(async () => {
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { driver } = workspace;
  await driver.waitForApp();
  const ours = () => driver.messages('general').filter((message) => message.byApp);
  const shows = (words: string) => (message: Message) => driver.text(message).includes(words);
  return {
    workspace,
    driver,
    ana: driver.as('ana'),
    bob: driver.as('bob'),
    ours,
    /** Waits for a message of the app with these words, and none of those. */
    see: (words: string, without = '\u0000') =>
      driver.waitForMessage((message) => message.byApp && shows(words)(message) && !shows(without)(message)),
    texts: () => ours().map((message) => driver.text(message)),
    async restart(): Promise<void> {
      await app.stop();
      app = await start();
      await driver.waitForApp();
    },
  };
}

const mention = (text: string) => `@countersign ${text}`;

test('a call is asked for by name, approved by its requester, and ends on its card', async () => {
  const { ana, see, texts } = await open();
  ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  expect(texts().join('\n')).toContain('Standup');
  expect(card.text).toMatch(/^Ana: approve Create ‘Standup’/);
  await ana.click(card, 'Approve');
  const done = await see('done: Created evt_');
  expect(done.ts).toBe(card.ts);
  await see('demo model');
});

test('somebody else who clicks is told so alone, and nothing runs', async () => {
  const { ana, bob, see, driver } = await open();
  ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  await bob.click(card, 'Approve');
  await driver.waitUntil(() => bob.ephemerals().length > 0);
  expect(bob.ephemerals()[0]?.text).toContain('Only Ana may decide this');
  expect(ana.ephemerals()).toEqual([]);
  expect(driver.text(driver.message('general', card.ts))).toContain('Approve');
});

test('a card whose post got no answer stands in the thread once', async () => {
  const { ana, see, texts, driver } = await open();
  driver.fault({ method: 'chat.postMessage', times: 1, kind: 'drop_response' });
  ana.post('general', mention(ASK));
  await ana.click(await see('Only Ana can approve'), 'Approve');
  await see('done: Created evt_');
  expect(texts().filter((text) => text.includes('Create ‘Standup’'))).toHaveLength(1);
});

test('a card that Slack refuses is said to wait, and can be withdrawn by the command', async () => {
  const { ana, see, driver } = await open();
  driver.fault({ method: 'chat.postMessage', times: 1, kind: 'error', error: 'invalid_blocks' });
  ana.post('general', mention(ASK));
  const line = await see("can't be approved here");
  expect(driver.text(line)).toContain('/countersign cancel');
  const [said] = await ana.command('/countersign cancel', 'general');
  expect(said).toContain('Stopped: “');
  const withdrawn = await see('Withdrawn by Ana');
  expect(withdrawn.ts).toBe(line.ts);
  await see('Stopped by Ana');
});

test('a card that somebody deletes while it waits comes back, and works', async () => {
  const { ana, see, workspace } = await open();
  ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  await webClient(workspace).chat.delete({ channel: card.channel, ts: card.ts });
  const again = await see('Only Ana can approve');
  expect(again.ts).not.toBe(card.ts);
  await ana.click(again, 'Approve');
  await see('done: Created evt_');
});

test('a message used as feedback rejects the call, and its notice loses its buttons', async () => {
  const { ana, see, driver } = await open();
  const threadTs = ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  ana.post('general', 'make it 10am', { threadTs });
  const notice = await see('Send it back, with my message as feedback');
  await ana.click(notice, 'Send it back, with my message as feedback');
  await driver.waitUntil(() =>
    driver.text(driver.message('general', notice.ts)).includes('used as feedback'),
  );
  expect(driver.text(driver.message('general', notice.ts))).not.toContain('Send it back, with');
  await driver.waitUntil(() => driver.text(driver.message('general', card.ts)).includes('Sent back by Ana'));
  const corrected = await driver.waitForMessage(
    (it) => it.ts !== card.ts && driver.text(it).includes('Only Ana can approve'),
  );
  expect(driver.text(corrected)).toContain('10:00');
});

test('a message that has its turn after the card loses its buttons too', async () => {
  const { ana, see, driver } = await open();
  const threadTs = ana.post('general', mention(ASK));
  await see('Only Ana can approve');
  ana.post('general', 'what is on tomorrow?', { threadTs });
  const notice = await see('Withdraw that and go on');
  await ana.click(notice, 'Withdraw that and go on');
  await driver.waitUntil(() => {
    const text = driver.text(driver.message('general', notice.ts));
    return text.includes('Your message was answered') && !text.includes('Withdraw that');
  });
  await see('Withdrawn by Ana');
});

test('what waits is decided after a restart, by the card that was there before', async () => {
  const { ana, see, restart } = await open();
  ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  await restart();
  await ana.click(card, 'Approve');
  const done = await see('done: Created evt_');
  expect(done.ts).toBe(card.ts);
});

test('a stale card’s button changes nothing, says so, and the card is brought up to date', async () => {
  const { ana, see } = await open();
  ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  await ana.click(card, 'Approve');
  await see('done: Created evt_');
  await ana.clickStale(card, 'Reject');
  await see('You already approved this. It runs once.');
});

test('a click on a button that no version here knows is answered to the one who clicked', async () => {
  const { ana, see, workspace } = await open();
  const ts = ana.dm('hello');
  await see('demo model');
  const button = { type: 'button', action_id: 'gone', text: { type: 'plain_text', text: 'Go' } } as const;
  const posted = await webClient(workspace).chat.postMessage({
    channel: ana.dmChannel,
    thread_ts: ts,
    text: 'Go?',
    blocks: [{ type: 'actions', elements: [button] }],
  });
  await ana.click(String(posted.ts), 'Go');
  await see('another version of the app');
});

test('Slack’s rate limits delay a thread and lose nothing', async () => {
  const { ana, see, driver } = await open();
  driver.fault({ method: 'chat.postMessage', times: 2, kind: 'rate_limited', retryAfter: 1 });
  ana.post('general', mention(ASK));
  const card = await see('Only Ana can approve');
  driver.fault({ method: 'chat.update', times: 1, kind: 'rate_limited', retryAfter: 1 });
  await ana.click(card, 'Approve');
  await see('done: Created evt_');
});
