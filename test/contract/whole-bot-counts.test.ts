import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startOurs } from '../../bench/bots/start.ts';
import { choosePerson, crowd, turn } from '../../bench/bots/turns.ts';
import { AFTERWARDS_MS, type BotCounts, countsOf } from '../../bench/bots/whole-bots.ts';
import { hasRedis } from '../helpers/redis.ts';

/** Turns that a mean is taken of, after as many for what is asked for once: people's names, tools, scripts. */
const TURNS = 6;

/** Of a whole process at the stand-in for Slack, turn after turn, each in a conversation of its own. */
async function countsOn(storage: 'sqlite' | 'redis') {
  const bot = await startOurs(storage, { isCounted: true });
  onTestFinished(() => bot.close());
  crowd(bot, TURNS);
  const takeTurns = async (): Promise<void> => {
    for (let person = 0; person < TURNS; person++) await turn(bot, choosePerson(bot, person));
    await after(AFTERWARDS_MS);
  };
  await takeTurns();
  return countsOf(bot, TURNS, takeTurns);
}

function expectSlackCalls(calls: BotCounts['slackCalls']): void {
  expect(calls['chat.postMessage']).toBe(2);
  // A call that takes longer than a moment is shown as it runs, too: on a busy machine, one or two of them do.
  expect(calls['chat.update']).toBeGreaterThanOrEqual(1);
  expect(calls['chat.update']).toBeLessThan(1.5);
}

/**
 * The bounds are what was measured when they were written, and a little more for what depends on timing. Who gets a
 * count down may lower its bound; who must raise one says why.
 */
describe.skipIf(!hasRedis('what the whole bot asks for'))(
  'a turn with one approval, of the whole bot',
  { timeout: 180_000 },
  () => {
    it('asks no more of SQLite, of the disk, of Slack and of the model than it did', async () => {
      const { transactions, statements, syncs, modelCalls, slackCalls } = await countsOn('sqlite');
      expect(transactions).toBeLessThanOrEqual(13);
      expect(syncs).toBeLessThanOrEqual(13);
      expect(statements).toBeLessThanOrEqual(310);
      expect(modelCalls).toBe(2);
      expectSlackCalls(slackCalls);
    });

    it('asks no more of Redis than it did', async () => {
      const { commands, roundTrips, bytesSent, bytesReceived, slackCalls } = await countsOn('redis');
      expect(commands).toBeLessThanOrEqual(66);
      expect(roundTrips).toBeLessThanOrEqual(62);
      expect(bytesSent).toBeLessThanOrEqual(57_000);
      expect(bytesReceived).toBeLessThanOrEqual(40_000);
      expectSlackCalls(slackCalls);
    });
  },
);
