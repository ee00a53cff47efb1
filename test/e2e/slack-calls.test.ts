import { setTimeout as after } from 'node:timers/promises';
import type { SlackEmulatorOptions } from '@countersign/slack-emulator';
import { expect, it } from 'vitest';
import { startAppWithModel } from '../helpers/app.ts';

const LEDGER = new URL('../fixtures/servers/ledger.ts', import.meta.url).pathname;
/** As long as a quick model or person takes, in milliseconds: longer than a status must last to be sent. */
const A_MOMENT_MS = 1_500;

const SESSIONS = 'agents.sessions.setStatus';
const WORDS = 'assistant.threads.setStatus';

async function openApp(slack: SlackEmulatorOptions = {}) {
  const { model, driver } = await startAppWithModel({
    file: { mcpServers: { ledger: { command: process.execPath, args: [LEDGER, '$FOLDER'] } } },
    slack,
  });
  const ana = driver.as('ana');

  /** Somebody asks, sees the card, approves it and reads the answer; the calls that it took. */
  async function approve(entry: string) {
    const before = driver.calls().length;
    const threadTs = ana.dm(`enter ${entry}`);
    await after(A_MOMENT_MS);
    await model.calls([{ name: 'ledger__add_entry', arguments: { entry } }]);
    const card = await driver.waitForMessage(
      (message) => message.threadTs === threadTs && driver.text(message).includes('[Approve]'),
    );
    await after(A_MOMENT_MS);
    await ana.click(card, 'Approve');
    await model.says(`${entry} is in.`);
    await driver.waitForMessage(({ text }) => text.includes(`${entry} is in.`));
    // Whatever else follows.
    await after(A_MOMENT_MS);
    expect(driver.text(driver.message(card.channel, card.ts))).toContain(`done: entered ${entry}`);
    return driver.calls().slice(before);
  }

  await approve('rent');
  return { driver, approve };
}

it('a simple approval takes six calls of Slack, one of which changes the card', async () => {
  const { approve } = await openApp();
  const calls = await approve('heating');
  expect(calls.map(({ method, args }) => [method, args.status].filter(Boolean).join(' '))).toEqual([
    `${SESSIONS} processing`,
    'chat.postMessage',
    `${SESSIONS} suspended`,
    'chat.update',
    'chat.postMessage',
    `${SESSIONS} active`,
  ]);
});

it.each([
  {
    workspace: 'has only sessions',
    missingMethods: [WORDS],
    shown: [`${SESSIONS} processing`, `${SESSIONS} suspended`, `${SESSIONS} active`],
  },
  {
    workspace: 'has no sessions yet',
    missingMethods: [SESSIONS],
    // Each message ends the words before it.
    shown: [`${WORDS} thinking…`],
  },
])('where the workspace $workspace, it takes no more', async ({ missingMethods, shown }) => {
  const { driver, approve } = await openApp({ missingMethods });
  const calls = await approve('heating');
  const statuses = calls.filter(({ method }) => method.endsWith('.setStatus'));
  expect(statuses.map(({ method, args }) => `${method} ${String(args.status)}`)).toEqual(shown);
  expect(calls.length).toBeLessThanOrEqual(6);
  expect(driver.calls().filter(({ error }) => error === 'unknown_method').length).toBeLessThanOrEqual(1);
});
