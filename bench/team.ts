import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { policySchema } from '../src/gate/policy/schema.ts';
import type { Surface } from '../src/runs/index.ts';
import { carryCheckpoints } from '../src/storage/checkpoints/carry.ts';
import { SqliteSaver } from '../src/storage/checkpoints/sqlite/saver.ts';
import { openSqliteFile } from '../src/storage/sqlite/file.ts';
import { storeInFile } from '../src/storage/sqlite/store.ts';
import { createCore } from '../test/helpers/core.ts';
import { type PlannedTask, teamGraphs, teamModel } from '../test/helpers/team.ts';
import { type Calls, counted } from './counted.ts';
import { round } from './statistics.ts';
import { type Busyness, currentBusyness } from './surroundings.ts';
import { ANA } from './tool.ts';

/** How many tasks a plan has, half of which need one of the other half. */
const TASKS = [10, 50, 200] as const;
/** How many agents work at the same time. */
const AGENTS = [1, 4, 16] as const;
/** How long the model takes for each answer of the latter, in milliseconds. */
const LATENCY_MS = 500;
const ROUNDS = 3;

/** A plan whose model answers at once. Medians. */
interface SchedulerRow {
  readonly tasks: number;
  /** Until the answer, in milliseconds. */
  readonly took: number;
  /** Processor time of each task, in milliseconds. */
  readonly cpuEach: number;
  /** What of the store each task takes. */
  readonly readsEach: number;
  readonly commitsEach: number;
}

/** A plan whose agents work at the same time, with a model that takes its time. Medians, in milliseconds. */
interface ParallelRow {
  readonly agents: number;
  readonly took: number;
  /** What the model takes for the longest path: the plan, one agent and the answer. */
  readonly longestPath: number;
  /** What it takes for all that it's asked. */
  readonly sum: number;
}

export interface TeamFigures {
  readonly at: string;
  readonly busyness: Busyness;
  readonly scheduler: readonly SchedulerRow[];
  readonly parallel: readonly ParallelRow[];
}

/** The whole core with a team, on SQLite. */
export async function measureTeam(): Promise<TeamFigures> {
  const busyness = currentBusyness();
  await carriedOut(twoStages(10), 0);
  const scheduler: SchedulerRow[] = [];
  for (const tasks of TASKS) {
    const rounds = await repeated(() => carriedOut(twoStages(tasks), 0));
    const each = (of: 'cpu' | 'reads' | 'commits') => round(median(rounds.map((one) => one[of])) / tasks);
    scheduler.push({
      tasks,
      took: round(median(rounds.map(({ took }) => took))),
      cpuEach: each('cpu'),
      readsEach: each('reads'),
      commitsEach: each('commits'),
    });
  }
  const parallel: ParallelRow[] = [];
  for (const agents of AGENTS) {
    const tasks = Array.from(
      { length: agents },
      (_, index): PlannedTask => ({ id: `t${index}`, agent: 'one' }),
    );
    const rounds = await repeated(() => carriedOut(tasks, LATENCY_MS));
    const took = round(median(rounds.map((one) => one.took)));
    parallel.push({ agents, took, longestPath: 3 * LATENCY_MS, sum: (agents + 2) * LATENCY_MS });
  }
  return { at: new Date().toISOString(), busyness, scheduler, parallel };
}

/** So many tasks, the second half of which need one each of the first. */
function twoStages(count: number): readonly PlannedTask[] {
  return Array.from({ length: count }, (_, index) => {
    const needs = index < count / 2 ? [] : [`t${index - Math.ceil(count / 2)}`];
    return { id: `t${index}`, agent: 'one', depends_on: needs };
  });
}

async function repeated<T>(work: () => Promise<T>): Promise<readonly T[]> {
  const done: T[] = [];
  for (let count = 0; count < ROUNDS; count += 1) done.push(await work());
  return done;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Has a new core carry out one plan, with what that took. */
export async function carriedOut(tasks: readonly PlannedTask[], latencyMs: number) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  const file = openSqliteFile(join(folder, 'core.db'));
  const calls: Calls = new Map();
  const { store, checkpoints } = carryCheckpoints(counted(storeInFile(file), calls), new SqliteSaver(file));
  const answered = Promise.withResolvers<string | null>();
  const surface: Surface = {
    kind: 'http',
    newMessage: 'supersede',
    announceGate: () => [],
    announceRun: () => [],
    notifyGate: () => undefined,
    notifyRun(_thread, event) {
      if (event.type === 'answered' && event.item.itemId === 'm1') answered.resolve(event.item.response);
      if (event.type === 'failed') answered.reject(new Error(`the run failed: ${event.item.response}`));
    },
  };
  const { model } = teamModel(
    tasks,
    (_agent, _messages, until) => ({ text: 'Done.', until }),
    () => delay(latencyMs),
  );
  const core: ReturnType<typeof createCore> = createCore({
    store,
    policy: policySchema.parse({ rules: [] }),
    send: () => Promise.reject(new Error('nobody calls a tool')),
    agent: { models: { main: model, router: null }, checkpoints, tools: async () => [] },
    graphs: teamGraphs([{ name: 'one' }], () => ({ store, gate: core.gate })),
    listeners: [],
    surfaces: [surface],
    log: { error: (details, message) => console.error(message, details) },
  });
  core.runs.start();
  const before = { at: performance.now(), cpu: process.cpuUsage(), calls: new Map(calls) };
  await core.runs.receive({
    threadId: 't1',
    graph: 'team',
    surface: { kind: 'http', keyName: 'bench', name: 't1' },
    itemId: 'm1',
    actor: ANA,
    text: randomUUID(),
    at: Date.now(),
  });
  await answered.promise;
  const { user, system } = process.cpuUsage(before.cpu);
  const count = (...methods: readonly string[]) =>
    methods.reduce((sum, name) => sum + (calls.get(name) ?? 0) - (before.calls.get(name) ?? 0), 0);
  const took = performance.now() - before.at;
  const reads = count('get', 'getMany', 'query', 'count');
  const commits = count('commit');
  await core.runs.stop();
  await store.close();
  rmSync(folder, { recursive: true });
  return { took, cpu: (user + system) / 1_000, reads, commits };
}
