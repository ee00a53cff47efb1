import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { App } from '@slack/bolt';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { httpReceiver } from '../../../../src/slack/client/receiver.ts';
import { quiet, startWorkspace, webClient } from '../../../helpers/workspace.ts';

const addressSchema = z.object({ port: z.number() });
const SECRET = 'signing-secret';
const FORM = 'application/x-www-form-urlencoded';
/** That of the emulator's workspace. */
const TEAM = 'T0LOCAL001';
const EVENT = {
  type: 'event_callback',
  team_id: TEAM,
  event: { type: 'app_uninstalled' },
  authorizations: [{ team_id: TEAM, enterprise_id: null, user_id: 'U0', is_bot: true }],
};

function open(register: (app: App) => void = () => {}, answerWithinMs?: number) {
  const logged: string[] = [];
  const receiver = httpReceiver({
    signingSecret: SECRET,
    unclaimed: (_body, ack) => ack('nobody listens'),
    installation: () => TEAM,
    log: { ...quiet, error: (_details, message) => void logged.push(message) },
    ...(answerWithinMs === undefined ? {} : { answerWithinMs }),
  });
  const app = new App({
    receiver,
    authorize: async () => ({ botToken: 'xoxb-test', botUserId: 'U0', botId: 'B0', teamId: 'T1' }),
    logger: quiet,
  });
  register(app);
  return { receiver, logged };
}

interface Signing {
  readonly secret?: string;
  readonly ageSeconds?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

function signed(body: string, { secret = SECRET, ageSeconds = 0, type, headers }: Signing = {}): Request {
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
  return new Request('http://127.0.0.1/slack/events', {
    method: 'POST',
    body,
    headers: {
      'content-type': type ?? 'application/json',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${digest}`,
      ...headers,
    },
  });
}

test('Slack’s challenge is answered', async () => {
  const { receiver } = open();
  const body = JSON.stringify({ type: 'url_verification', challenge: 'abc' });
  const response = await receiver.handle(signed(body));
  expect(await response.json()).toEqual({ challenge: 'abc' });
});

test.each<[string, Signing]>([
  ['another secret', { secret: 'guessed' }],
  ['an old timestamp', { ageSeconds: 301 }],
  ['no timestamp', { headers: { 'x-slack-request-timestamp': '' } }],
  ['a timestamp that is no number', { headers: { 'x-slack-request-timestamp': 'now' } }],
  ['no signature', { headers: { 'x-slack-signature': '' } }],
  ['a signature of another version', { headers: { 'x-slack-signature': 'v1=00' } }],
])('a request with %s is refused, and nobody hears of it', async (_what, signing) => {
  const heard = vi.fn();
  const { receiver } = open((app) => app.event('app_uninstalled', async () => heard()));
  const response = await receiver.handle(signed(JSON.stringify(EVENT), signing));
  expect(response.status).toBe(401);
  expect(heard).not.toHaveBeenCalled();
});

test.each([
  ['no JSON', 'nonsense', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['nothing', '', 'application/json'],
  ['a form whose payload is no JSON', 'payload=nonsense', FORM],
  ['a form whose payload is a list', 'payload=[]', FORM],
])('a signed body that is %s is refused', async (_what, body, type) => {
  const { receiver } = open();
  expect((await receiver.handle(signed(body, { type }))).status).toBe(400);
});

test('an event is answered when its listeners are done', async () => {
  const order: string[] = [];
  const { receiver } = open((app) =>
    app.event('app_uninstalled', async () => {
      await new Promise(setImmediate);
      order.push('done');
    }),
  );
  const response = await receiver.handle(signed(JSON.stringify(EVENT)));
  order.push('answered');
  expect(response.status).toBe(200);
  expect(order).toEqual(['done', 'answered']);
});

test('an event whose listener throws is answered with an error, so that it comes again', async () => {
  const { receiver, logged } = open((app) =>
    app.event('app_uninstalled', async () => {
      throw new Error('no disk');
    }),
  );
  expect((await receiver.handle(signed(JSON.stringify(EVENT)))).status).toBe(500);
  expect(logged.join()).toContain('comes again');
});

test('what takes too long is answered with 503 before Slack gives up', async () => {
  const gate = Promise.withResolvers<void>();
  const { receiver } = open((app) => app.event('app_uninstalled', () => gate.promise), 20);
  expect((await receiver.handle(signed(JSON.stringify(EVENT)))).status).toBe(503);
  gate.resolve();
});

test('the number of a retry reaches the listeners', async () => {
  const retries: unknown[] = [];
  const { receiver } = open((app) =>
    app.event('app_uninstalled', async ({ context }) => {
      retries.push([context.retryNum, context.retryReason]);
    }),
  );
  const headers = { 'x-slack-retry-num': '2', 'x-slack-retry-reason': 'http_timeout' };
  await receiver.handle(signed(JSON.stringify(EVENT), { headers }));
  await receiver.handle(signed(JSON.stringify(EVENT)));
  expect(retries).toEqual([
    [2, 'http_timeout'],
    [undefined, undefined],
  ]);
});

test('a command is a plain form, and its answer stands in the response', async () => {
  const { receiver } = open((app) =>
    app.command('/countersign', async ({ command, ack }) => ack({ text: `you said ${command.text}` })),
  );
  const body = new URLSearchParams({ command: '/countersign', text: 'help', team_id: TEAM, user_id: 'U1' });
  const response = await receiver.handle(signed(String(body), { type: FORM }));
  expect(await response.json()).toEqual({ text: 'you said help' });
});

test('what nobody listens to is answered', async () => {
  const { receiver } = open();
  const body = new URLSearchParams({ command: '/other', text: '', team_id: TEAM, user_id: 'U1' });
  expect(await (await receiver.handle(signed(String(body), { type: FORM }))).text()).toBe('nobody listens');
});

test.each<[string, object]>([
  ['names no team', { team_id: null, authorizations: [] }],
  ['is for another installation', { authorizations: [{ team_id: 'T0ELSEWHERE' }] }],
])('an event that %s is acknowledged, and nobody hears of it', async (_what, changes) => {
  const heard = vi.fn();
  const { receiver } = open((app) => app.event('app_uninstalled', async () => heard()));
  const response = await receiver.handle(signed(JSON.stringify({ ...EVENT, ...changes })));
  expect(response.status).toBe(200);
  expect(heard).not.toHaveBeenCalled();
});

test('Slack’s stand-in delivers events, retries and clicks over HTTP', async () => {
  const heard: unknown[] = [];
  const { receiver } = open((app) => {
    app.event('message', async ({ event, context }) => {
      if (context.retryNum === undefined) throw new Error('no disk');
      heard.push('text' in event ? event.text : null, context.retryNum);
    });
    app.action('go', async ({ ack }) => {
      await ack();
      heard.push('clicked');
    });
  });
  const server = serve({ fetch: (request) => receiver.handle(request), port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = addressSchema.parse(server.address());
  const workspace = await startWorkspace({ signingSecret: SECRET });
  await workspace.driver.setEventsUrl(`http://127.0.0.1:${port}/slack/events`);
  const ana = workspace.driver.as('ana');
  const ts = ana.dm('hello');
  await workspace.driver.eventsDelivered();
  const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } } as const;
  const posted = await webClient(workspace).chat.postMessage({
    channel: ana.dmChannel,
    thread_ts: ts,
    text: 'Go?',
    blocks: [{ type: 'actions', elements: [button] }],
  });
  await ana.click(String(posted.ts), 'Go');
  expect(heard).toEqual(['hello', 1, 'clicked']);
});
