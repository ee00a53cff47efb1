import { setTimeout as after } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { API_KEY, type Bot, startOurs } from '../bots/start.ts';
import { quantile, round } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';

/** Programs' functions that wait at once, on one process. */
const BEGINS = 5_000;
/** How many of them are decided, one after another, while the others wait. */
const DECISIONS = 200;
/** For the compiler, and for the memory that a process has anyway. */
const WARM_UP = 200;
/** How long everything may take, in milliseconds. */
const PATIENCE_MS = 300_000;
/** How many requests are on their way at a time: what is measured waits, and does not arrive at once. */
const AT_ONCE = 50;
const PERSON = 'U0ANA00001';

export interface WaitingBegins {
  readonly at: string;
  readonly busyness: Busyness;
  readonly begins: number;
  readonly decisions: number;
  /** Resident memory of the process for each that waits, in bytes. */
  readonly bytesEach: number;
  /** From the click in Slack to the answer of its `/agent/begin`, in milliseconds. */
  readonly wakeP50: number;
  readonly wakeP99: number;
}

/** Thousands of `/agent/begin` that wait for people, of one process on SQLite; some are then decided in Slack. */
export async function measureWaitingBegins(): Promise<WaitingBegins> {
  const busyness = currentBusyness();
  const bot = await startOurs('sqlite', {
    config: { programs: { env: { for: PERSON, channel: 'C0GENERAL1' } } },
  });
  const dispatcher = new Agent({ connections: BEGINS + WARM_UP, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const url = `${await bot.apiUrl()}/agent/begin`;
    const client = { bot, url, dispatcher };
    await waitFor(client, 'warm', WARM_UP);
    const before = bot.residentBytes();
    const waiting = await waitFor(client, 'wait', BEGINS);
    await after(1_000);
    const bytesEach = round((bot.residentBytes() - before) / BEGINS);
    const wakes = await decideSome(bot, waiting);
    return {
      at: new Date().toISOString(),
      busyness,
      begins: BEGINS,
      decisions: wakes.length,
      bytesEach,
      wakeP50: quantile(wakes, 0.5),
      wakeP99: quantile(wakes, 0.99),
    };
  } finally {
    await dispatcher.destroy();
    await bot.close();
  }
}

interface Client {
  readonly bot: Bot;
  readonly url: string;
  readonly dispatcher: Agent;
}

/** A function that waits, by its name on the card; resolves once it is answered. */
interface Waiting {
  readonly name: string;
  readonly answered: Promise<void>;
}

/** Asks for so many functions; resolves when each has a card. */
async function waitFor({ bot, url, dispatcher }: Client, kind: string, count: number): Promise<Waiting[]> {
  const { driver } = bot.workspace;
  const posted = () => driver.calls('chat.postMessage').length;
  const shown = posted();
  const waiting: Waiting[] = [];
  while (waiting.length < count) {
    const name = `${kind}_${waiting.length}`;
    const body = JSON.stringify({ session_id: kind, name, args_summary: name, timeout_s: 86_400 });
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
    const answered = request(url, { method: 'POST', headers, body, dispatcher }).then(async (answer) => {
      if (!answerSchema.parse(await answer.body.json()).approved) throw new Error(`${name} was refused`);
    });
    // The process ends while most of them wait.
    answered.catch(() => undefined);
    waiting.push({ name, answered });
    if (waiting.length % AT_ONCE === 0) {
      await driver.waitUntil(() => posted() - shown >= waiting.length - AT_ONCE, PATIENCE_MS);
    }
  }
  await driver.waitUntil(() => posted() - shown >= count, PATIENCE_MS);
  return waiting;
}

const answerSchema = z.object({ approved: z.boolean() });

/** Approves some of them, spread over all; gives back how long each took to be answered. */
async function decideSome({ workspace: { driver } }: Bot, waiting: readonly Waiting[]): Promise<number[]> {
  const cards = new Map(driver.messages('C0GENERAL1', {}).map((card) => [nameOn(driver.text(card)), card]));
  const wakes: number[] = [];
  const every = Math.floor(waiting.length / DECISIONS);
  for (const { name, answered } of waiting.filter((_, index) => index % every === 0)) {
    const card = cards.get(name);
    if (!card) throw new Error(`${name} has no card`);
    const clicked = performance.now();
    await Promise.all([driver.as(PERSON).click(card, 'Approve'), answered]);
    wakes.push(performance.now() - clicked);
  }
  return wakes;
}

function nameOn(text: string): string {
  return /\bwait_\d+/.exec(text)?.[0] ?? '';
}
