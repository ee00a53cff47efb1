import { setTimeout as after } from 'node:timers/promises';
import { envelopeOf, post } from '../../test/helpers/http-client.ts';
import { manyReads } from '../bots/model.ts';
import { API_KEY, type Bot, startOurs } from '../bots/start.ts';
import { quantile } from '../statistics.ts';
import { type Busyness, currentBusyness } from '../surroundings.ts';
import { startHeartbeat } from './heartbeat.ts';

/** Calls of one answer of the model. */
const COUNTS = [10, 100, 1_000] as const;
const ROUNDS = 3;
/** How long the heart is listened to while nothing is done, in milliseconds. */
const IDLE_MS = 3_000;

/** So many allowed calls in one turn. Milliseconds; CPU is the process's. */
interface ManyCallsRow {
  readonly calls: number;
  /** Medians of the rounds. */
  readonly wall: number;
  readonly cpu: number;
  /** Answers of `/livez` while the turn goes on, over all rounds. */
  readonly livezP50: number;
  readonly livezMax: number;
  /** How late the thread that asks was at most. */
  readonly lateMax: number;
}

export interface ManyCalls {
  readonly at: string;
  readonly busyness: Busyness;
  readonly rounds: number;
  readonly idleLivezMax: number;
  readonly rows: readonly ManyCallsRow[];
}

/** Measures a whole process on SQLite without the usual bounds, by the calendar's reads, each turn on a new thread. */
export async function measureManyCalls(): Promise<ManyCalls> {
  const busyness = currentBusyness();
  const bot = await startOurs('sqlite', {
    config: {
      policy: { default: 'ask', rules: [{ tools: 'calendar.list_*', action: 'allow' }] },
      agent: { max_calls_per_answer: 10_000, max_concurrent_calls: 10_000 },
    },
  });
  try {
    const url = await bot.apiUrl();
    // For the compiler.
    for (const calls of COUNTS) await turn(bot, url, calls);
    const idle = await startHeartbeat(url);
    await after(IDLE_MS);
    const { answers } = await idle.stop();
    const rows: ManyCallsRow[] = [];
    for (const calls of COUNTS) rows.push(await measure(bot, url, calls));
    return {
      at: new Date().toISOString(),
      busyness,
      rounds: ROUNDS,
      idleLivezMax: quantile(answers, 1),
      rows,
    };
  } finally {
    await bot.close();
  }
}

async function measure(bot: Bot, url: string, calls: number): Promise<ManyCallsRow> {
  const turns: { wall: number; cpu: number }[] = [];
  const answers: number[] = [];
  const late: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const heart = await startHeartbeat(url);
    turns.push(await turn(bot, url, calls));
    const beats = await heart.stop();
    answers.push(...beats.answers);
    late.push(beats.lateMax);
  }
  return {
    calls,
    wall: quantile(
      turns.map(({ wall }) => wall),
      0.5,
    ),
    cpu: quantile(
      turns.map(({ cpu }) => cpu),
      0.5,
    ),
    livezP50: quantile(answers, 0.5),
    livezMax: quantile(answers, 1),
    lateMax: quantile(late, 1),
  };
}

async function turn(bot: Bot, url: string, calls: number): Promise<{ wall: number; cpu: number }> {
  const cpuBefore = bot.cpuMs();
  const started = performance.now();
  const thread = `many-${calls}-${started}`;
  const body = { thread_id: thread, user_request: manyReads(calls) };
  const { status } = envelopeOf(await post({ url, key: API_KEY }, '/run', body));
  if (status !== 'success') throw new Error(`a turn with ${calls} calls ended as ${status}`);
  return { wall: performance.now() - started, cpu: bot.cpuMs() - cpuBefore };
}
