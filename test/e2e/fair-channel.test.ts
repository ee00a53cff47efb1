import type { Message } from '@countersign/slack-emulator';
import { expect, onTestFinished, test } from 'vitest';
import { calls } from '../../src/gate/store/collections.ts';
import { outbox } from '../../src/slack/outbox/collections.ts';
import { startTestApp } from '../helpers/app.ts';

const FLOOD = 70;
/** What of the flood has still to be shown when somebody else asks, at least: it's shown at a post a second. */
const STILL_WAITING = 10;
/**
 * How many of the flood's messages come between the card of somebody else that waits to be posted and its post: one that was
 * taken up before, and one that was posted while this test looked.
 */
const BETWEEN = 2;
const PATIENCE = { timeout: 90_000, interval: 50 };

test('seventy requests of one person in a channel leave another person’s card the next turn there', {
  timeout: 240_000,
}, async () => {
  const app = await startTestApp({
    modelUrl: null,
    file: { mcpServers: { calendar: { in_process: 'calendar' } } },
  });
  onTestFinished(async () => {
    await app.stopApp();
    await app.remove();
  });
  const { driver } = app;
  const asks = (title: string) => `@countersign add a meeting “${title}” tomorrow at 10:00`;
  const shown = () =>
    driver.messages('general').filter((message) => message.byApp && driver.text(message).includes('Ana'));
  const proposed = () => app.inStore((store) => store.count(calls, 'byThread', {}, FLOOD));
  const rows = async () =>
    (await app.inStore((store) => store.query(outbox, 'byTime', {}, 500))).items.map(({ value }) => value);
  for (let index = 0; index < FLOOD; index += 1) driver.as('ana').post('general', asks(`Flood ${index}`));
  // From then on, workers have nothing more to do for it: only the channel is full.
  await expect.poll(proposed, PATIENCE).toBe(FLOOD);
  expect((await rows()).length).toBeGreaterThan(STILL_WAITING);

  const bob = driver.as('bob');
  bob.post('general', asks('Standup'));
  const isCard = (message: Message) => driver.text(message).includes('Only Bob can approve');
  let before = 0;
  const waitsToBePosted = async () => {
    if (driver.messages('general').some(isCard)) return true;
    before = shown().length;
    return (await rows()).some(({ requester }) => requester?.endsWith(`:${bob.id}`));
  };
  await expect.poll(waitsToBePosted, { ...PATIENCE, interval: 10 }).toBe(true);
  const { ts } = await driver.waitForMessage(isCard);
  const between = shown().filter((message) => message.ts < ts).length - before;
  expect(between).toBeLessThanOrEqual(BETWEEN);
  expect(shown().length).toBeLessThan(FLOOD);
});
