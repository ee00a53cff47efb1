import { expect, test, vi } from 'vitest';
import { connectApp as connect } from '../../../helpers/socket-app.ts';

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
    expect(receiver.problem()).toBeNull();
    driver.disconnectSockets(how);
    await driver.waitUntil(() => !driver.appConnected());
    ana.dm('while away');
    await driver.waitForApp();
    await driver.eventsDelivered();
    expect(heard).toEqual(['while away']);
    await vi.waitFor(() => expect(receiver.problem()).toBeNull());
  },
);

test('after it has stopped it is not connected', async () => {
  const { receiver } = await connect(() => {});
  await receiver.stop();
  await vi.waitFor(() => expect(receiver.problem()).toContain('lost'));
});
