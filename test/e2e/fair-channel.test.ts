import { expect, onTestFinished, test } from 'vitest';
import { readOutboxDepth } from '../../src/slack/outbox/outbox.ts';
import { startTestApp } from '../helpers/app.ts';

const FLOOD = 70;
/** How many of the flood's messages come between what somebody else asks and their card, on a busy machine. */
const BETWEEN = 12;

test('seventy requests of one person in a channel leave another person’s card its turn there', async () => {
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
  const waiting = async () => (await app.inStore(readOutboxDepth)).count;
  for (let index = 0; index < FLOOD; index += 1) driver.as('ana').post('general', asks(`Flood ${index}`));
  await expect.poll(() => shown().length, { timeout: 20_000 }).toBeGreaterThan(3);
  // All of it waits to be shown, at a post a second.
  await expect.poll(() => waiting(), { timeout: 60_000, interval: 200 }).toBeGreaterThan(FLOOD / 2);
  const before = shown().length;
  driver.as('bob').post('general', asks('Standup'));
  await driver.waitForMessage((message) => driver.text(message).includes('Only Bob can approve'));
  expect(shown().length - before).toBeLessThan(BETWEEN);
  expect(shown().length).toBeLessThan(FLOOD);
});
