import { App } from '@slack/bolt';
import { expect, onTestFinished, test, vi } from 'vitest';
import { socketReceiver } from '../../../../src/slack/client/receiver.ts';
import { quiet, startWorkspace, webClient } from '../../../helpers/workspace.ts';

const BUTTON = {
  type: 'button',
  action_id: 'go',
  text: { type: 'plain_text', text: 'Go' },
  value: '1',
} as const;

async function connect(register: (app: App) => void) {
  const workspace = await startWorkspace({
    commands: [{ command: '/countersign', description: 'Ask', usage: 'help' }],
  });
  const logged: string[] = [];
  const unclaimed: unknown[] = [];
  const receiver = socketReceiver({
    appToken: workspace.appToken,
    apiUrl: workspace.apiUrl,
    unclaimed: async (body, ack) => {
      unclaimed.push(body.type);
      await ack({ response_action: 'clear' });
    },
    installation: () => workspace.driver.workspace.team.id,
    log: { ...quiet, error: (_details, message) => void logged.push(message) },
  });
  const app = new App({
    token: workspace.botToken,
    receiver,
    clientOptions: { slackApiUrl: workspace.apiUrl, retryConfig: { retries: 0 } },
    logger: quiet,
  });
  register(app);
  await app.start();
  onTestFinished(async () => {
    await app.stop();
  });
  await workspace.driver.waitForApp();
  const ana = workspace.driver.as('ana');
  /** A message of the app with one button. */
  const withButton = async () => {
    const ts = ana.post('general', 'here');
    const posted = await webClient(workspace).chat.postMessage({
      channel: 'C0GENERAL1',
      thread_ts: ts,
      text: 'Go?',
      blocks: [{ type: 'actions', block_id: 'b', elements: [BUTTON] }],
    });
    return workspace.driver.message('general', String(posted.ts));
  };
  return { workspace, driver: workspace.driver, ana, receiver, logged, unclaimed, withButton };
}

test('an event is acknowledged only when its listeners have finished', async () => {
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const { ana, driver } = await connect((app) => {
    app.event('message', async () => {
      started.resolve();
      await gate.promise;
    });
  });
  ana.dm('hello');
  await started.promise;
  expect(driver.undelivered()).toBe(1);
  gate.resolve();
  await driver.eventsDelivered();
});

test('an event whose listener throws is not acknowledged, comes again, and is then taken once', async () => {
  const seen: unknown[] = [];
  const taken: string[] = [];
  const { ana, driver, logged } = await connect((app) => {
    app.event('message', async ({ event, context }) => {
      seen.push(context.retryNum ?? 0);
      if (seen.length === 1) throw new Error('no disk');
      if ('text' in event) taken.push(String(event.text));
    });
  });
  ana.dm('hello');
  await driver.eventsDelivered();
  expect(seen).toEqual([0, 1]);
  expect(taken).toEqual(['hello']);
  expect(logged.join()).toContain('comes again');
});

test('an event that one of two listeners could not take comes again', async () => {
  let first = true;
  const both = vi.fn();
  const { ana, driver } = await connect((app) => {
    app.event('message', async () => both());
    app.event('message', async () => {
      if (!first) return;
      first = false;
      throw new Error('no disk');
    });
  });
  ana.dm('hello');
  await driver.eventsDelivered();
  expect(both).toHaveBeenCalledTimes(2);
});

test('a click is acknowledged by its listener, before that is done', async () => {
  const gate = Promise.withResolvers<void>();
  const ended = vi.fn();
  const { ana, withButton } = await connect((app) => {
    app.action('go', async ({ ack }) => {
      await ack();
      await gate.promise;
      ended();
    });
  });
  await ana.click(await withButton(), 'Go');
  expect(ended).not.toHaveBeenCalled();
  gate.resolve();
  await vi.waitFor(() => expect(ended).toHaveBeenCalledOnce());
});

test('a click that nobody listens to is answered all the same', async () => {
  const { ana, withButton, unclaimed } = await connect(() => {});
  await ana.click(await withButton(), 'Go');
  expect(unclaimed).toEqual(['block_actions']);
});

test('what a listener acknowledges is not answered again', async () => {
  const { ana, unclaimed } = await connect((app) => {
    app.command('/countersign', async ({ ack }) => ack({ text: 'this is help' }));
  });
  expect(await ana.command('/countersign help')).toEqual(['this is help']);
  expect(unclaimed).toEqual([]);
});

test.each(['refresh', 'break'] as const)(
  'it comes back after a %s, and takes what was written meanwhile',
  async (how) => {
    const heard: string[] = [];
    const { ana, driver, receiver } = await connect((app) => {
      app.event('message', async ({ event }) => {
        if ('text' in event) heard.push(String(event.text));
      });
    });
    expect(receiver.connected()).toBe(true);
    driver.disconnectSockets(how);
    await driver.waitUntil(() => !driver.appConnected());
    ana.dm('while away');
    await driver.waitForApp();
    await driver.eventsDelivered();
    expect(heard).toEqual(['while away']);
    await vi.waitFor(() => expect(receiver.connected()).toBe(true));
  },
);

test('after it has stopped it is not connected', async () => {
  const { receiver } = await connect(() => {});
  await receiver.stop();
  await vi.waitFor(() => expect(receiver.connected()).toBe(false));
});
