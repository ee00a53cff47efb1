import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Message, SlackEmulator } from '@countersign/slack-emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const MENTION = JSON.stringify({ type: 'event_callback', event: { type: 'app_mention' } });

describe('Slack over HTTP', () => {
  let workspace: SlackEmulator;
  let folder: string;
  let eventsUrl: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    workspace = await startWorkspace({ botName: 'countersign' });
    const countersign = startProcess({
      dataDir: folder,
      env: {
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_SIGNING_SECRET: workspace.signingSecret,
        SLACK_API_URL: workspace.apiUrl,
      },
    });
    eventsUrl = `${(await countersign.ready()).apiUrl}/slack/events`;
  });

  function post(body: string, secret: string, at = Date.now()): Promise<Response> {
    const timestamp = String(Math.floor(at / 1_000));
    const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    return fetch(eventsUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${digest}`,
      },
      body,
    });
  }

  function shows(words: string): Promise<Message> {
    const { driver } = workspace;
    return driver.waitForMessage((message) => driver.text(message).includes(words), 20_000);
  }

  const titles = (): string[] =>
    JSON.parse(readFileSync(join(folder, 'calendar.json'), 'utf8')).events.map(
      ({ title }: { title: string }) => title,
    );

  it('takes a message, a click and a form over signed requests', async () => {
    // Slack checks the address with a challenge before it sends anything there.
    await workspace.driver.setEventsUrl(eventsUrl);
    const ana = workspace.driver.as('ana');
    ana.post('general', '@countersign create a meeting called Standup tomorrow at 9am');
    await ana.click((await shows('[Approve]')).ts, 'Edit');
    await ana.waitForModal();
    expect(await ana.submit({ Title: 'Daily' })).toEqual({ errors: {} });
    await shows('Created evt_1: Daily');
    expect(titles()).toEqual(['Daily']);
  });

  it('answers the challenge by which Slack checks the address', async () => {
    const body = JSON.stringify({ type: 'url_verification', challenge: 'c1', token: 't' });
    const response = await post(body, workspace.signingSecret);
    expect([response.status, await response.json()]).toEqual([200, { challenge: 'c1' }]);
  });

  it.each([
    ['with another secret', (secret: string) => post(MENTION, `${secret}x`)],
    ['ten minutes ago', (secret: string) => post(MENTION, secret, Date.now() - 600_000)],
    ['by nobody', () => fetch(eventsUrl, { method: 'POST', body: MENTION })],
  ])('refuses what was signed %s', async (_how, send) => {
    expect((await send(workspace.signingSecret)).status).toBe(401);
  });

  it('acknowledges no message while it cannot be kept, and takes it when Slack sends it again', async () => {
    const { driver } = workspace;
    await driver.setEventsUrl(eventsUrl);
    const blocker = new DatabaseSync(join(folder, 'countersign.db'));
    blocker.exec('BEGIN IMMEDIATE');
    driver.as('ana').dm('create a meeting called Standup tomorrow at 9am');
    await driver.waitUntil(() => driver.events().length > 0);
    // What Slack sends is sent here by hand too, to see the answer.
    const [event] = driver.events();
    expect((await post(JSON.stringify(event), workspace.signingSecret)).ok).toBe(false);
    blocker.exec('ROLLBACK');
    blocker.close();
    const again = await post(JSON.stringify(event), workspace.signingSecret);
    expect(again.status).toBe(200);
    await shows('[Approve]');
    expect(driver.messages('D0ANA00001').filter((message) => message.byApp)).toHaveLength(1);
  });
});
