import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { App } from '@slack/bolt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { connectApp } from '../../../helpers/socket-app.ts';

/** How a call of `apps.connections.open` fails. */
type Failure = (response: ServerResponse) => void;

const addressSchema = z.object({ port: z.number() });
const PAGE = '<html><body>We are having trouble.</body></html>';

const answers =
  (status: number, body: object | string, headers: Record<string, string> = {}): Failure =>
  (response) => {
    const isPage = typeof body === 'string';
    response.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json', ...headers });
    response.end(isPage ? body : JSON.stringify(body));
  };
const refuses = (error: string) => answers(200, { ok: false, error });

/** The Web API, where calls fail as `failures` says, in this order. */
async function unreliableApi(real: string, failures: Failure[]): Promise<string> {
  const server = createServer(async (request, response) => {
    const failure = failures.shift();
    if (failure !== undefined) return failure(response);
    const { authorization = '' } = request.headers;
    const answer = await fetch(new URL(request.url ?? '', real), {
      method: 'POST',
      headers: { authorization },
    });
    response.setHeader('content-type', 'application/json').end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${addressSchema.parse(server.address()).port}/api/`;
}

/** An app that notes the messages it gets, and whose connections fail to open as `failures` says. */
async function listening(failures: Failure[] = [], timing: { mendMs?: number; pingMs?: number } = {}) {
  const heard: string[] = [];
  const hear = (app: App) => {
    app.event('message', async ({ event }) => {
      if ('text' in event) heard.push(String(event.text));
    });
  };
  const connected = await connectApp(hear, {
    mendMs: 300,
    apiUrl: (real) => unreliableApi(real, failures),
    ...timing,
  });
  return { ...connected, heard };
}

describe('where a new connection fails', () => {
  it.each<[string, Failure, RegExp]>([
    ['a revoked token', refuses('token_revoked'), /SLACK_APP_TOKEN \(token_revoked\)/],
    ['an invalid token', refuses('invalid_auth'), /SLACK_APP_TOKEN \(invalid_auth\)/],
    ['an inactive account', refuses('account_inactive'), /SLACK_APP_TOKEN \(account_inactive\)/],
    ['an error of Slack', refuses('internal_error'), /failed \(internal_error\)/],
    ['too many calls', answers(429, { ok: false }, { 'retry-after': '1' }), /failed \(ratelimited\)/],
    ['a server error', answers(503, PAGE), /failed/],
    ['a page instead of an answer', answers(200, PAGE), /failed/],
    ['an answer without an address', answers(200, { ok: true }), /failed/],
    ['an address that does not resolve', answers(200, { ok: true, url: 'wss://nowhere.invalid/' }), /failed/],
    ['an address that is none', answers(200, { ok: true, url: 'wss://' }), /failed/],
    ['an answer cut off', (response) => response.destroy(), /failed/],
  ])('by %s, it says so, tries again and takes what was written meanwhile', async (_what, failure, words) => {
    const failures: Failure[] = [];
    const { ana, driver, receiver, heard } = await listening(failures);
    failures.push(failure);
    driver.disconnectSockets('break');
    await vi.waitFor(() => expect(receiver.problem()).toMatch(words), { timeout: 5_000 });
    ana.dm('while away');
    await driver.waitForApp();
    await driver.eventsDelivered();
    expect(heard).toEqual(['while away']);
    await vi.waitFor(() => expect(receiver.problem()).toBeNull());
  });

  it('the connection before goes on while Slack keeps it', async () => {
    const failures: Failure[] = [];
    const { ana, driver, receiver, heard, logged } = await listening(failures);
    failures.push(refuses('invalid_auth'));
    driver.disconnectSockets('warning');
    await vi.waitFor(() => expect(logged.join()).toContain('SLACK_APP_TOKEN'));
    expect(receiver.problem()).toBeNull();
    ana.dm('still there?');
    await driver.eventsDelivered();
    expect(heard).toEqual(['still there?']);
  });

  it('a wrong token at the start is told to whoever starts it', async () => {
    await expect(listening([refuses('invalid_auth')])).rejects.toThrow('invalid_auth');
  });
});

describe('a connection', () => {
  it.each([
    'not json',
    'null',
    '5',
    '{}',
    '{"type":"events_api"}',
    '{"type":"events_api","envelope_id":"1"}',
    '{"type":"interactive","envelope_id":"2","payload":null}',
    '{"type":"later","envelope_id":"3","payload":{}}',
  ])('goes on after a frame that cannot be read: %s', async (frame) => {
    const { ana, driver, heard } = await listening();
    driver.sendFrame(frame);
    ana.dm('hello');
    await driver.eventsDelivered();
    expect(heard).toEqual(['hello']);
  });

  it('that falls silent is replaced', async () => {
    const { ana, driver, heard } = await listening([], { pingMs: 30 });
    driver.disconnectSockets('silence');
    ana.dm('hello');
    await driver.waitForApp();
    await driver.eventsDelivered();
    expect(heard).toEqual(['hello']);
  });

  it('is tried again now and then while Socket Mode is off', async () => {
    const { driver, receiver, workspace } = await listening();
    driver.disconnectSockets('turn_off');
    await vi.waitFor(() => expect(receiver.problem()).toContain('Socket Mode was turned off'));
    await driver.waitForApp();
    await vi.waitFor(() => expect(receiver.problem()).toBeNull());
    expect(workspace.driver.calls('apps.connections.open')).toHaveLength(2);
  });

  it('that is asked to go as it opens is replaced too', async () => {
    const { driver } = await listening();
    driver.disconnectSockets('refresh');
    await driver.waitForApp();
    // The new one has not been used yet.
    driver.disconnectSockets('refresh');
    await driver.waitForApp(2_500);
    expect(driver.calls('apps.connections.open')).toHaveLength(3);
  });

  it('that ends again and again is not opened in a loop', async () => {
    const { driver } = await listening();
    driver.onChange((change) => {
      if (change.type === 'app' && change.connected) driver.disconnectSockets('break');
    });
    driver.disconnectSockets('break');
    const opened = () => driver.calls('apps.connections.open').length;
    await vi.waitFor(() => expect(opened()).toBeGreaterThan(2), { timeout: 3_000 });
    const before = opened();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(opened() - before).toBeLessThan(3);
  });
});

describe('while Slack replaces the connection', () => {
  /** An app whose button is held until `held` resolves. */
  async function withHeldButton() {
    const held = Promise.withResolvers<void>();
    const clicks: string[] = [];
    const connected = await connectApp((app) => {
      app.action('go', async ({ ack }) => {
        clicks.push('go');
        await held.promise;
        await ack();
      });
    });
    return { ...connected, clicks, held };
  }

  it.each(['refresh', 'warning'] as const)(
    'a click on the old one is answered after a %s, once',
    async (how) => {
      const { ana, driver, clicks, held, withButton } = await withHeldButton();
      const clicked = ana.click(await withButton(), 'Go');
      await vi.waitFor(() => expect(clicks).toEqual(['go']));
      driver.disconnectSockets(how);
      await vi.waitFor(() => expect(driver.calls('apps.connections.open')).toHaveLength(2));
      await driver.waitForApp();
      held.resolve();
      await clicked;
      expect(clicks).toEqual(['go']);
    },
  );

  it('there is a connection at every moment, and clicks are answered', async () => {
    const { ana, driver, clicks, held, withButton } = await withHeldButton();
    held.resolve();
    const button = await withButton();
    let away = 0;
    driver.onChange((change) => {
      if (change.type === 'app' && !change.connected) away += 1;
    });
    driver.disconnectSockets('warning');
    const opened = () => driver.calls('apps.connections.open').length;
    while (opened() < 2) await ana.click(button, 'Go');
    // As many again on either connection, while the old one still gets some.
    for (let more = 0; more < 50; more += 1) await ana.click(button, 'Go');
    expect(clicks.length).toBeGreaterThan(50);
    expect(away).toBe(0);
  });

  it('an envelope that comes on both is handled once', async () => {
    const { ana, driver, clicks, held, withButton } = await withHeldButton();
    const clicked = ana.click(await withButton(), 'Go');
    await vi.waitFor(() => expect(clicks).toEqual(['go']));
    driver.disconnectSockets('refresh');
    await vi.waitFor(() => expect(driver.calls('apps.connections.open')).toHaveLength(2));
    await driver.waitForApp();
    const again = {
      type: 'interactive',
      envelope_id: 'both',
      payload: clickPayload(driver.workspace.team.id),
    };
    driver.sendFrame(JSON.stringify(again));
    await vi.waitFor(() => expect(clicks).toHaveLength(2));
    held.resolve();
    await clicked;
    expect(clicks).toHaveLength(2);
  });
});

function clickPayload(team: string) {
  return {
    type: 'block_actions',
    team: { id: team },
    user: { id: 'U0ANA00001', team_id: team },
    trigger_id: 'trigger',
    actions: [{ type: 'button', action_id: 'go', block_id: 'b', value: '1' }],
  };
}
