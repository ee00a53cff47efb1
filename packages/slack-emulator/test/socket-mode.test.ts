import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BOT_USER, manualClock, type SlackEmulator, startSlackEmulator } from '../src/index.ts';
import { connectBolt, startWorkspace, webClient } from './helpers/workspace.ts';

describe('Socket Mode', () => {
  it('delivers a mention to the real Bolt app, which answers in the thread', async () => {
    const workspace = await startWorkspace();
    await connectBolt(workspace, (app) => {
      app.event('app_mention', async ({ event, say }) => {
        await say({ text: `Hello <@${event.user}>`, thread_ts: event.ts });
      });
    });
    const ts = workspace.driver.as('ana').post('general', '@app hi');
    const answer = await workspace.driver.waitForMessage((it) => it.byApp);
    expect(answer.threadTs).toBe(ts);
    expect(workspace.driver.text(answer)).toBe('Hello @ana');
  });

  it('sends a mention in a channel as app_mention and as message, with the same client_msg_id', async () => {
    const workspace = await startWorkspace();
    workspace.driver.as('ana').post('general', `<@${BOT_USER}> hi`);
    const events = workspace.driver.events().map((it) => it.event);
    expect(events).toMatchObject([
      { type: 'message', channel_type: 'channel' },
      { type: 'app_mention', user: 'U0ANA00001' },
    ]);
    const ids = events.map((it) =>
      typeof it === 'object' && it !== null && 'client_msg_id' in it ? it.client_msg_id : '',
    );
    expect(ids[0]).toBe(ids[1]);
  });

  it('tells the app of its own messages too, with bot_id', async () => {
    const workspace = await startWorkspace();
    await webClient(workspace).chat.postMessage({ channel: 'C0GENERAL1', text: 'mine' });
    expect(workspace.driver.events().at(-1)?.event).toMatchObject({
      type: 'message',
      bot_id: 'B0LOCAL001',
      user: BOT_USER,
    });
  });

  it('sends nothing from a channel that the app is not in', async () => {
    const workspace = await startWorkspace();
    workspace.driver.as('ana').post('random', '@app hi');
    expect(workspace.driver.events()).toEqual([]);
  });

  it('keeps events for an app that connects later', async () => {
    const workspace = await startWorkspace();
    workspace.driver.as('bob').dm('are you there?');
    await connectBolt(workspace, (app) => {
      app.message(async ({ say }) => {
        await say('now I am');
      });
    });
    const answer = await workspace.driver.waitForMessage((it) => it.text === 'now I am');
    expect(answer.channel).toBe('D0BOB00001');
  });

  it('delivers an unacknowledged event again at once, after a minute and after five', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock });
    const socket = await rawSocket(workspace);
    let ended = 0;
    workspace.driver.onChange((change) => {
      if (change.type === 'delivered') ended += 1;
    });
    workspace.driver.as('ana').dm('hello');
    for (const [attempt, wait] of [0, 60_000, 300_000, 0].entries()) {
      expect(await socket.next()).toMatchObject({ type: 'events_api', retry_attempt: attempt });
      clock.advance(3_000);
      await workspace.driver.waitUntil(() => ended === attempt + 1);
      clock.advance(wait);
    }
    expect(workspace.driver.undelivered()).toBe(0);
  });

  it('reconnects the app after it asked the connections to come back', async () => {
    const workspace = await startWorkspace();
    await connectBolt(workspace, (app) => {
      app.message(async ({ say }) => {
        await say('back again');
      });
    });
    const gone = workspace.driver.waitUntil(() => !workspace.driver.appConnected(), 20_000);
    workspace.driver.disconnectSockets();
    await gone;
    workspace.driver.as('ana').dm('still there?');
    await workspace.driver.waitForMessage((it) => it.text === 'back again', 20_000);
    expect(workspace.driver.calls('apps.connections.open')).toHaveLength(2);
  });

  it('warns a connection 10 seconds before nothing comes on it any more, and closes it when acks are overdue', async () => {
    const clock = manualClock();
    const workspace = await startWorkspace({ clock });
    const socket = await rawSocket(workspace);
    workspace.driver.disconnectSockets('warning');
    expect(await socket.next()).toMatchObject({ type: 'disconnect', reason: 'warning' });
    workspace.driver.as('ana').dm('one');
    expect(await socket.next()).toMatchObject({ payload: { event: { text: 'one' } } });
    clock.advance(10_000);
    expect(workspace.driver.appConnected()).toBe(false);
    clock.advance(3_000);
    await socket.closed;
  });

  it('gives nothing to a connection that it wants replaced at once', async () => {
    const workspace = await startWorkspace();
    const [first, second] = [await rawSocket(workspace), await rawSocket(workspace)];
    workspace.driver.disconnectSockets();
    const third = await rawSocket(workspace);
    workspace.driver.as('ana').dm('one');
    expect(await third.next()).toMatchObject({ payload: { event: { text: 'one' } } });
    for (const socket of [first, second]) {
      expect(await socket.next()).toMatchObject({ type: 'disconnect', reason: 'refresh_requested' });
    }
  });

  it('gives each event to one of several connections', async () => {
    const workspace = await startWorkspace();
    const [first, second] = [await rawSocket(workspace), await rawSocket(workspace)];
    for (const text of ['one', 'two']) workspace.driver.as('ana').dm(text);
    const texts = [await first.next(), await second.next()];
    expect(texts).toMatchObject([
      { payload: { event: { text: 'one' } } },
      { payload: { event: { text: 'two' } } },
    ]);
  });

  it('sends an event again over another connection when the first breaks', async () => {
    const workspace = await startWorkspace();
    const socket = await rawSocket(workspace);
    workspace.driver.as('ana').dm('hello');
    await socket.next();
    workspace.driver.disconnectSockets('break');
    const again = await rawSocket(workspace);
    expect(await again.next()).toMatchObject({
      retry_attempt: 1,
      retry_reason: 'connection_failed',
      payload: { event: { text: 'hello' } },
    });
  });

  it.each([
    ['stays', false],
    ['is just leaving', true],
  ])('completes the close handshake when it stops while the app %s', async (_what, isLeaving) => {
    const workspace = await startSlackEmulator();
    const { url = '' } = await webClient(workspace, workspace.appToken).apps.connections.open({});
    const socket = new WebSocket(url);
    const closed = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    if (isLeaving) socket.close(1000);
    await workspace.stop();
    expect(await closed).toMatchObject({ wasClean: true });
  });

  it('cuts a connection that does not answer its close frame', async () => {
    const workspace = await startSlackEmulator();
    const { url = '' } = await webClient(workspace, workspace.appToken).apps.connections.open({});
    const { hostname, port, pathname, search } = new URL(url);
    const silent = connect(Number(port), hostname);
    onTestFinished(() => void silent.destroy());
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const key = `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`;
    silent.write(
      [`GET ${pathname}${search} HTTP/1.1`, `Host: ${hostname}`, ...upgrade, key, '', ''].join('\r\n'),
    );
    silent.on('error', () => {});
    await once(silent, 'data');
    await workspace.stop();
  });

  it('refuses a socket without a ticket from apps.connections.open', async () => {
    const workspace = await startWorkspace();
    const socket = new WebSocket(`${workspace.url.replace('http', 'ws')}/link/?ticket=guessed`);
    await new Promise((resolve) => socket.addEventListener('error', resolve, { once: true }));
    expect(workspace.driver.appConnected()).toBe(false);
  });
});

/** A connection that acknowledges nothing by itself. */
async function rawSocket(workspace: SlackEmulator) {
  const { url = '' } = await webClient(workspace, workspace.appToken).apps.connections.open({});
  const socket = new WebSocket(url);
  onTestFinished(() => socket.close());
  const closed = new Promise((resolve) => socket.addEventListener('close', resolve));
  const received: unknown[] = [];
  const wanted: ((message: unknown) => void)[] = [];
  socket.addEventListener('message', ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    const want = wanted.shift();
    if (want === undefined) received.push(message);
    else want(message);
  });
  const next = (): Promise<unknown> =>
    received.length > 0 ? Promise.resolve(received.shift()) : new Promise((resolve) => wanted.push(resolve));
  expect(await next()).toMatchObject({ type: 'hello' });
  return { next, closed };
}
