import { setTimeout as after } from 'node:timers/promises';
import type { Message } from '@countersign/slack-emulator';
import type { PersonDriver } from '@countersign/slack-emulator/driver';
import { BOT_ANSWER } from './model.ts';
import type { Bot } from './start.ts';

/** In milliseconds. */
export interface BotTurn {
  readonly card: number;
  readonly ack: number;
  readonly answer: number;
}

/** Who takes part is the same, however many processes the bot has. */
type InWorkspace = Pick<Bot, 'workspace'>;

/** How long a turn under load may take, in milliseconds. */
const PATIENCE_MS = 120_000;

/** A bot is at rest when its processor time grows by no more than this share of the time that goes by. */
const REST_SHARE = 0.05;
const LOOK_MS = 100;
/** How long it may take to come to rest, in milliseconds: its timers may never let it. */
const REST_MS = 2_000;

/** Adds so many people to the bot's workspace. */
export function crowd({ workspace }: InWorkspace, people: number): void {
  for (let index = 0; index < people; index++) {
    workspace.driver.addUser({ id: `U0BENCH${index}`, name: `bench${index}` });
  }
}

export function choosePerson({ workspace }: InWorkspace, index: number): PersonDriver {
  return workspace.driver.as(`U0BENCH${index}`);
}

/** A message in a conversation of its own, the approval by its writer, and the answer. */
export async function turn({ workspace: { driver } }: InWorkspace, person: PersonDriver): Promise<BotTurn> {
  const inThread = (threadTs: string, fits: (message: Message) => boolean) =>
    driver.waitUntil(
      () => driver.messages(person.dmChannel, { threadTs }).findLast((it) => it.byApp && fits(it)),
      PATIENCE_MS,
    );
  const start = performance.now();
  const threadTs = person.dm('Which calendars are there?');
  const card = await inThread(threadTs, (message) => driver.text(message).includes('[Approve]'));
  const shown = performance.now();
  await person.click(card, 'Approve');
  const acknowledged = performance.now();
  await inThread(threadTs, (message) => driver.text(message).includes(BOT_ANSWER));
  const answered = performance.now();
  return { card: shown - start, ack: acknowledged - shown, answer: answered - shown };
}

/** Turns at once of as many people as there are in the crowd, each so many times; then what follows of them. */
export async function turnsAtOnce(bot: InWorkspace, people: number, turnsEach: number) {
  const start = performance.now();
  const all = await Promise.all(
    Array.from({ length: people }, async (_, index) => {
      const turns: BotTurn[] = [];
      for (let count = 0; count < turnsEach; count++) turns.push(await turn(bot, choosePerson(bot, index)));
      return turns;
    }),
  );
  return { turns: all.flat(), seconds: (performance.now() - start) / 1_000 };
}

/** Resolves when what follows of an answer is done too: leases given back, a status taken away. */
export async function rest(bot: Bot): Promise<void> {
  for (let waited = 0; waited < REST_MS; waited += LOOK_MS) {
    const before = bot.cpuMs();
    await after(LOOK_MS);
    if (bot.cpuMs() - before <= REST_SHARE * LOOK_MS) return;
  }
}
