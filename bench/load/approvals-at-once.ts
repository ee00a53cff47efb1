import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as after } from 'node:timers/promises';
import type { PersonDriver } from '@countersign/slack-emulator/driver';
import { z } from 'zod';
import { callsOf, envelopeOf, post } from '../../test/helpers/http-client.ts';
import { manyEvents } from '../bots/model.ts';
import { API_KEY, type Bot, startOurs } from '../bots/start.ts';
import { choosePerson, crowd } from '../bots/turns.ts';
import { quantile, round } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';

/** Calls that people are asked about, each approved by itself. */
const APPROVALS = 200;
/** For the compiler. */
const WARM_UP = 20;
/** How long everything may take, in milliseconds. */
const PATIENCE_MS = 120_000;
/** How often the record is looked at, in milliseconds. */
const LOOK_MS = 20;

/** So many approvals at once. Milliseconds; CPU is the process's. */
interface ApprovalsRow {
  readonly way: string;
  /** From the first approval to the end of the last call. */
  readonly wall: number;
  readonly cpu: number;
  /** From an approval to its acknowledgement. */
  readonly ackP50: number;
  readonly ackMax: number;
  /** Of the store, from the first approval on. */
  readonly commits: number;
  /** Approvals without an answer, or with an error. */
  readonly lost: number;
  readonly inDoubt: number;
  /** Events in the calendar, and their different titles: alike if each call ran once. */
  readonly created: number;
  readonly different: number;
}

export interface ApprovalsAtOnce {
  readonly at: string;
  readonly busyness: Busyness;
  readonly approvals: number;
  readonly rows: readonly ApprovalsRow[];
}

/** Sends an approval; resolves with how long its answer took, or null when there was none, or an error. */
type Approve = () => Promise<number | null>;

/** Measures whole processes on SQLite without the usual bounds. */
export async function measureApprovalsAtOnce(): Promise<ApprovalsAtOnce> {
  const busyness = currentBusyness();
  const rows = [
    await measure('`POST /resume`, of one thread', overHttp),
    await measure(`clicks in Slack, in ${APPROVALS / CARDS} threads`, inSlack),
  ];
  return { at: new Date().toISOString(), busyness, approvals: APPROVALS, rows };
}

async function measure(
  way: string,
  ask: (bot: Bot, count: number) => Promise<readonly Approve[]>,
): Promise<ApprovalsRow> {
  const bot = await startOurs('sqlite', {
    config: { agent: { max_calls_per_answer: 10_000, max_concurrent_calls: 10_000 } },
  });
  const record = openRecord(bot.dataDir);
  try {
    await approveAll(await ask(bot, WARM_UP), record);
    const before = { events: record.titles().length, commits: 0, cpu: 0 };
    const approvals = await ask(bot, APPROVALS);
    before.commits = record.commits();
    before.cpu = bot.cpuMs();
    const started = performance.now();
    const acks = await approveAll(approvals, record);
    const wall = performance.now() - started;
    const titles = record.titles().slice(before.events);
    const answered = acks.filter((ack) => ack !== null);
    return {
      way,
      wall: round(wall),
      cpu: round(bot.cpuMs() - before.cpu),
      ackP50: quantile(answered, 0.5),
      ackMax: quantile(answered, 1),
      commits: record.commits() - before.commits,
      lost: acks.length - answered.length,
      inDoubt: record.states().filter((state) => state === 'in_doubt').length,
      created: titles.length,
      different: new Set(titles).size,
    };
  } finally {
    record.close();
    await bot.close();
  }
}

async function approveAll(
  approvals: readonly Approve[],
  record: Record,
): Promise<readonly (number | null)[]> {
  const acks = await Promise.all(approvals.map((approve) => approve()));
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (record.states().some((state) => WORKING.has(state))) {
    if (performance.now() > giveUpAt) throw new Error(`calls are left: ${record.states().join(', ')}`);
    await after(LOOK_MS);
  }
  return acks;
}

/** States of calls on which there is something left to do. */
const WORKING: ReadonlySet<string> = new Set(['approved', 'executing']);

async function overHttp(bot: Bot, count: number): Promise<readonly Approve[]> {
  const client = { url: await bot.apiUrl(), key: API_KEY };
  const thread = { thread_id: `approvals-${count}` };
  const asked = envelopeOf(await post(client, '/run', { ...thread, user_request: manyEvents(count) }));
  return callsOf(asked).map(({ call_id }) =>
    timed(async () => {
      const answer = await post(client, '/resume', { ...thread, approvals: [{ call_id, approved: true }] });
      return envelopeOf(answer).status !== 'error';
    }),
  );
}

/** A thread's calls have a card each, as they are fewer than are listed. */
const CARDS = 2;

async function inSlack(bot: Bot, count: number): Promise<readonly Approve[]> {
  const people = count / CARDS;
  crowd(bot, people);
  const all = Array.from({ length: people }, (_, index) => cardsOf(bot, choosePerson(bot, index)));
  return (await Promise.all(all)).flat();
}

/** The cards in a conversation of this person's own. */
async function cardsOf({ workspace: { driver } }: Bot, person: PersonDriver): Promise<readonly Approve[]> {
  const threadTs = person.dm(manyEvents(CARDS));
  const cards = await driver.waitUntil(() => {
    const messages = driver.messages(person.dmChannel, { threadTs });
    const found = messages.filter((it) => it.byApp && driver.text(it).includes('[Approve]'));
    return found.length === CARDS && found;
  }, PATIENCE_MS);
  return cards.map((card) =>
    timed(async () => {
      await person.click(card, 'Approve');
      return true;
    }),
  );
}

/** A request whose answer is timed; it fails by an error, or by returning false. */
function timed(send: () => Promise<boolean>): Approve {
  return async () => {
    const started = performance.now();
    const isTaken = await send().catch(() => false);
    return isTaken ? performance.now() - started : null;
  };
}

/** What a process on SQLite has on record, and its calendar, read beside it. */
function openRecord(dataDir: string) {
  const database = new DatabaseSync(join(dataDir, 'countersign.db'), { readOnly: true });
  const states = database.prepare(
    "SELECT json_extract(json, '$.state') AS state FROM records WHERE collection = 'calls'",
  );
  const commits = database.prepare('SELECT last FROM commits');
  return {
    states: () =>
      z
        .array(z.object({ state: z.string() }))
        .parse(states.all())
        .map(({ state }) => state),
    commits: () => z.object({ last: z.number() }).parse(commits.get()).last,
    /** Of the events, in the order in which they were created. */
    titles() {
      const file = join(dataDir, 'calendar.json');
      return calendarSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).events.map(({ title }) => title);
    },
    close: () => database.close(),
  };
}
type Record = ReturnType<typeof openRecord>;

const calendarSchema = z.object({ events: z.array(z.object({ title: z.string() })) });
