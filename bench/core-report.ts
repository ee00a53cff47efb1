import type { CoreFigures, CoreTraffic } from './core.ts';
import type { GrowthRow } from './growth/measure.ts';
import { number, table } from './markdown.ts';
import type { PlannerFigures } from './planner.ts';
import { round, type Spread } from './statistics.ts';
import type { StorageFigures, WaitingRequests } from './storage.ts';
import { describeBusyness } from './surroundings.ts';
import type { TeamFigures } from './team.ts';

/** What a turn costs more when there is more of something. */
export function growthSection(growth: readonly GrowthRow[]): string[] {
  return [
    '## What grows',
    'The whole core, a turn with one approval, its CPU in milliseconds: this process’s and the Redis server’s. Each size has a store of its own, and the sizes take rounds by turns; figures are medians of the rounds. The exponent is the slope of log(CPU) over log(size): 0 is flat, 1 grows as the size does. Other threads are copies of a real one, with all its records and checkpoints; of the official saver’s, only the names of the keys are there, with nothing in them, which flatters it. Bytes are what the storage holds for each thread, request or turn.',
    table(
      [
        'what there is more of',
        'sizes',
        'CPU of a turn (ms)',
        'exponent',
        'wanted',
        'largest to smallest',
        'bytes each',
      ],
      growth.map(({ what, sizes, cpu, exponent, wanted, ratio, bytesEach }) => [
        what,
        sizes.map(number).join(' · '),
        cpu.join(' · '),
        String(exponent),
        wanted === null ? '' : `≤ ${wanted}`,
        `${ratio} ×`,
        bytesEach?.map(number).join(' · ') ?? '',
      ]),
    ),
  ];
}

export function storageSection({ commits, starts }: StorageFigures, waiting: WaitingRequests): string[] {
  return [
    '## Storage, start and memory',
    table(
      ['durable commits on SQLite', 'per second'],
      commits.map(({ atOnce, perSecond }) => [
        atOnce === 1 ? 'one by one' : `${atOnce} at once`,
        spread(perSecond),
      ]),
    ),
    `A record of 1 kB with one index each, told of when it is on the disk. A waiting request takes ${number(waiting.bytesEach)} bytes of Redis, measured with ${number(waiting.count)} that were each opened by a turn; 100,000 of them take ${number(round((waiting.bytesEach * 100_000) / 1e6))} MB.`,
    'Countersign is started as `npm start` does; beside it waits the launcher of that, with some 60 MB. Before anybody writes:',
    table(
      ['', 'start → connected (ms)', 'memory then (MB)'],
      Object.entries(starts).map(([name, { connectedMs, residentBytes }]) => [
        name,
        spread(connectedMs),
        spread(residentBytes, 1e6),
      ]),
    ),
  ];
}

/** Commands on the way to Redis, of graph and saver alone and of the core. */
export function trafficSection(traffic: CoreTraffic): string[] {
  return [
    '## What goes over the way to Redis',
    'Counted on the connection, in one process with model and tool, without Slack. Commands that are sent together are one round trip. `test/contract/counts.test.ts` holds these counts to bounds.',
    table(
      [
        'per turn',
        'supersteps',
        'commands',
        'round trips',
        'bytes sent',
        'bytes received',
        'commands per superstep',
      ],
      Object.entries(traffic).map(([name, { perTurn, perSuperstep, superstepsPerTurn }]) => [
        name,
        String(superstepsPerTurn),
        ...[perTurn.commands, perTurn.roundTrips, perTurn.bytesSent, perTurn.bytesReceived].map(number),
        number(perSuperstep.commands),
      ]),
    ),
  ];
}

export function coreSection({ serial, atOnce }: CoreFigures): string[] {
  return [
    '## Graph and saver alone, and the core',
    'One turn with one approval: message → interrupt → approval → tool → answer, each turn on a new thread. Model and tool answer at once, and are the same for all. The contenders take rounds by turns. *Our graph* is the assistant with the gate’s record in a map: the same work as langchain’s `createAgent` with `humanInTheLoopMiddleware`, both with their usual durability (ours writes what it held back once, at the end of a run or with a commit of the core; theirs is `async`). *Whole core* has all that stands behind a message besides: mailbox, lease, requests, digests, decisions, journal, audit.',
    'The official `RedisSaver` needs RedisJSON and RediSearch. Here, as in the stock bot, its client answers `JSON.SET` and `JSON.GET` with SET and GET of the text and `FT.CREATE` with PING, in its own process: this **flatters it**, because the server parses no JSON, keeps no index, and nothing lies between.',
    table(
      ['', 'message → question (ms)', 'approval → answer (ms)', 'CPU per turn (ms)', 'turns/s, 32 at once'],
      Object.entries(serial).map(([name, { propose, approve, cpu }]) => [
        name,
        spread(propose),
        spread(approve),
        spread(cpu),
        atOnce[name] === undefined ? '' : spread(atOnce[name]),
      ]),
    ),
    'Median (least–most). CPU is this process’s, and so without Redis’s own.',
  ];
}

/** What the planner's turns cost beside the assistant's; also on its own, with `-- --planner`. */
export function plannerSection({ at, busyness, rows }: PlannerFigures): string[] {
  return [
    '## The planner',
    `The whole core, by turns with the assistant’s: a plan of so many steps is approved as a whole and runs in order, where the assistant’s calls, proposed in one answer and approved together, run at once. Model and tool answer at once. Medians; CPU is this process’s. Measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}.`,
    table(
      ['', 'message → question (ms)', 'approval → answer (ms)', 'CPU per turn (ms)', 'Redis commands'],
      rows.map(({ graph, calls, storage, propose, approve, cpu, commands }) => [
        `${graph}, ${calls} ${calls === 1 ? 'call' : 'calls'}, on ${storage === 'redis' ? 'Redis' : 'SQLite'}`,
        String(propose),
        String(approve),
        String(cpu),
        commands === null ? '' : String(commands),
      ]),
    ),
  ];
}

/** What a team's plan costs, and how long it takes; also on its own, with `-- --team`. */
export function teamSection({ at, busyness, scheduler, parallel }: TeamFigures): string[] {
  return [
    '## The team',
    `The whole core on SQLite, without Slack. Medians, measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}. First, plans of so many tasks, half of which need one of the other half each, with a model that answers at once: all that a task costs, with its agent’s run.`,
    table(
      ['tasks', 'message → answer (ms)', 'CPU per task (ms)', 'reads per task', 'commits per task'],
      scheduler.map(({ tasks, took, cpuEach, readsEach, commitsEach }) =>
        [tasks, took, cpuEach, readsEach, commitsEach].map(String),
      ),
    ),
    'Then, agents that need nothing of each other, with a model that takes as long for each answer: a plan takes what its longest path does (the plan, one agent, the answer), and not the sum.',
    table(
      ['agents', 'message → answer (ms)', 'model, longest path (ms)', 'model, sum (ms)'],
      parallel.map(({ agents, took, longestPath, sum }) => [agents, took, longestPath, sum].map(String)),
    ),
  ];
}

function spread({ median, min, max }: Spread, unit = 1): string {
  const [middle, least, most] = [median, min, max].map((value) => number(round(value / unit)));
  return `${middle} (${least}–${most})`;
}
