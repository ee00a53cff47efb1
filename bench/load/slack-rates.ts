import { setTimeout as after } from 'node:timers/promises';
import { startOurs } from '../bots/start.ts';
import { type BotTurn, choosePerson, crowd, turn } from '../bots/turns.ts';
import { quantile } from '../statistics.ts';

/** In a minute, by so many people, each in a conversation of their own with the bot. */
const APPROVALS = 60;
const PEOPLE = 12;
/** How long the last statuses may take, in milliseconds. */
const AFTERWARDS_MS = 30_000;

/** What sixty approvals in a minute cost in a workspace with Slack's rates. Milliseconds. */
export interface SlackRates {
  readonly at: string;
  readonly approvals: number;
  readonly seconds: number;
  /** By Web API method, those that were refused included. */
  readonly calls: Readonly<Record<string, number>>;
  readonly refused: number;
  readonly cardP50: number;
  readonly cardMax: number;
  readonly answerP50: number;
  readonly answerMax: number;
}

/** Starts an approval each second, against the stand-in for Slack with Slack's own rates. */
export async function measureSlackRates(): Promise<SlackRates> {
  const bot = await startOurs('sqlite', { isRated: true });
  try {
    crowd(bot, PEOPLE);
    await turn(bot, choosePerson(bot, 0));
    const { driver } = bot.workspace;
    const before = driver.calls().length;
    const started = performance.now();
    const turns: Promise<BotTurn>[] = [];
    for (let count = 0; count < APPROVALS; count++) {
      turns.push(turn(bot, choosePerson(bot, count % PEOPLE)));
      await after(1_000);
    }
    const done = await Promise.all(turns);
    const seconds = Math.round((performance.now() - started) / 1_000);
    await after(AFTERWARDS_MS);
    const calls = driver.calls().slice(before);
    const counts = Map.groupBy(calls, ({ method }) => method);
    const cards = done.map(({ card }) => card);
    const answers = done.map(({ answer }) => answer);
    return {
      at: new Date().toISOString(),
      approvals: APPROVALS,
      seconds,
      calls: Object.fromEntries([...counts].map(([method, all]) => [method, all.length])),
      refused: calls.filter(({ error }) => error === 'ratelimited').length,
      cardP50: quantile(cards, 0.5),
      cardMax: Math.max(...cards),
      answerP50: quantile(answers, 0.5),
      answerMax: Math.max(...answers),
    };
  } finally {
    await bot.close();
  }
}
