import { botSections } from './bots-report.ts';
import type { LevelA } from './level-a.ts';
import { type LoadSections, loadSections } from './load-report.ts';
import { number, percent, table } from './markdown.ts';
import type { SlackRates } from './slack-rates.ts';
import { round, type Spread } from './statistics.ts';
import type { Around } from './surroundings.ts';
import { targetsOf } from './targets.ts';
import type { ToolSearchFigures } from './tool-search.ts';
import type { WholeBots } from './whole-bots.ts';

export interface Results extends LoadSections {
  readonly at: string;
  readonly isQuick: boolean;
  readonly seconds: number;
  readonly around: Around;
  readonly levelA: LevelA;
  readonly toolSearch: ToolSearchFigures;
  readonly slackRates: SlackRates;
  /** What somebody who reads the figures must know of the circumstances. */
  readonly note: string | null;
  /** Null in a run that leaves the whole bots out. */
  readonly wholeBots: WholeBots | null;
}

/** What a run has found, as a page to read. */
export function report(results: Results): string {
  const { around, levelA, wholeBots } = results;
  return [
    '# Benchmarks',
    `Written by \`npm run bench\`${results.isQuick ? ' with `-- --quick`: few turns, rough figures' : ''} on ${results.at.slice(0, 10)}, in one run of ${Math.round(results.seconds)} s. All figures are in [results.json](results.json).`,
    machine(around),
    ...(results.note === null ? [] : [`**${results.note}**`]),
    '## Targets',
    targets(results),
    '## Graph and saver alone',
    'One turn with one approval: message → interrupt → approval → tool → answer, each turn on a new thread. Model and tool answer at once, and are the same for all. The contenders take rounds by turns. *Our graph* is the assistant with the gate’s record in a map: the same work as langchain’s `createAgent` with `humanInTheLoopMiddleware`, both with their usual durability (ours `sync`, theirs `async`). *Whole core* has all that stands behind a message besides: mailbox, lease, requests, digests, decisions, journal.',
    'The official `RedisSaver` needs RedisJSON and RediSearch. Here its client answers `JSON.SET` and `JSON.GET` with SET and GET of the text and `FT.CREATE` with PING, in its own process: this **flatters it**, because the server parses no JSON, keeps no index, and nothing lies between.',
    table(
      ['', 'message → question (ms)', 'approval → answer (ms)', 'CPU per turn (ms)', 'turns/s, 32 at once'],
      Object.entries(levelA.serial).map(([name, { propose, approve, cpu }]) => [
        name,
        spread(propose),
        spread(approve),
        spread(cpu),
        spread(levelA.atOnce[name]),
      ]),
    ),
    'Median (least–most). CPU is this process’s, and so without Redis’s own.',
    '### What goes over the way to Redis',
    'Counted on the connection. Commands that are sent together are one round trip. `test/contract/counts.test.ts` holds these counts to bounds.',
    traffic(levelA),
    '### Other threads in the store',
    '![A turn by the number of other threads](crowd.svg)',
    'The median turn in milliseconds; beside it, taken turn by turn with it, the same on a server with no other thread in it. Other threads are copies of a real one; in the whole core each of them waits for a decision. Of the official saver’s, only the names of the keys are there, with nothing in them: this flatters it once more.',
    crowds(levelA),
    ...amongOthers(levelA),
    '### Long threads',
    'One thread, turn after turn. Bytes are what Redis gives to the thread’s checkpoints after so many turns.',
    longThreads(levelA),
    '### Many requests pending',
    pending(levelA),
    ...(wholeBots === null ? ['## The whole bot', 'Left out of this run.'] : botSections(wholeBots)),
    ...slackRatesSection(results.slackRates),
    ...loadSections(results),
    ...toolSearchSection(results.toolSearch),
    '## What is not measured',
    'Bytes per thread on SQLite, and the memory of 100,000 pending requests in a whole bot’s process: what is in the table above is Redis’s memory, and the process that ran the contenders.',
    '',
  ].join('\n\n');
}

/** The section about Slack's rates; also on its own, with `-- --rates`. */
export function slackRatesSection(figures: SlackRates): string[] {
  const { at, approvals, seconds, calls, refused, cardP50, cardMax, answerP50, answerMax } = figures;
  const total = Object.values(calls).reduce((sum, count) => sum + count, 0);
  const ms = (value: number): string => Math.round(value).toLocaleString('en-US');
  return [
    '## Slack’s rates',
    `${approvals} approvals in ${seconds} s, one begun each second, by twelve people in conversations of their own, where the stand-in refuses what Slack’s tiers refuse. Model and people answer at once, which is the hardest for the rates. Measured on ${at.slice(0, 10)}.`,
    table(
      ['Web API method', 'calls'],
      [
        ...Object.entries(calls).map(([method, count]) => [method, String(count)]),
        ['all, per approval', (total / approvals).toFixed(1)],
        ['refused (429)', String(refused)],
      ],
    ),
    `Message → card took ${ms(cardP50)} ms in the median and ${ms(cardMax)} ms at most, click → answer ${ms(answerP50)} and ${ms(answerMax)} ms.`,
  ];
}

/** The section about more tools than a model takes; also on its own, with `-- --tools`. */
export function toolSearchSection(figures: ToolSearchFigures): string[] {
  const { at, tools, questions, aside, recall, asideRecall, buildMs, searchMs, allAtOnce, fitted } = figures;
  return [
    '## More tools than the model takes',
    `The ${tools} tools of sixteen real servers, and a provider that takes 128 and refuses more in OpenAI’s words. ${questions} questions as colleagues ask them were written before the search was tuned, and ${aside} more that it was not tuned by (test/fixtures/tool-questions.yaml, tool-questions-aside.yaml). Measured on ${at.slice(0, 10)}.`,
    table(
      [
        `${questions} questions, each to our graph over loopback HTTP`,
        'answered',
        'a right tool was offered',
      ],
      [
        ['all tools at once', percent(allAtOnce.answered), percent(allAtOnce.offered)],
        ['those that fit, `max_tools: 128`', percent(fitted.answered), percent(fitted.offered)],
        ...Object.entries(figures.fewer).map(([most, { answered, offered }]) => [
          `the same, \`max_tools: ${most}\``,
          percent(answered),
          percent(offered),
        ]),
      ],
    ),
    table(
      ['`find_tools`', `the ${questions}`, `the ${aside}`],
      [['a right tool is among the first ten', percent(recall), percent(asideRecall)]],
    ),
    `The index is built in ${buildMs} ms, once for a list of tools; a search takes ${searchMs} ms (median).`,
  ];
}

function machine({ processor, cores, memoryGb, platform, node, redis, packages }: Around): string {
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `${processor}, ${cores} cores (shared with other work), ${memoryGb} GB, ${platform}; Node ${node}, Redis ${redis} without persistence; ${versions.join(', ')}.`;
}

function targets({ levelA, toolSearch }: Results): string {
  const all = targetsOf(levelA, toolSearch);
  const missed = all.filter(({ isMet }) => !isMet);
  return [
    table(
      ['', 'wanted', 'got', ''],
      all.map(({ what, wanted, got, isMet }) => [what, wanted, got, isMet ? 'met' : '**missed**']),
    ),
    ...missed.map(({ what, reason }) => `*${what}.* ${reason}`),
  ].join('\n\n');
}

function traffic({ traffic }: LevelA): string {
  return table(
    [
      '',
      'supersteps per turn',
      'commands per superstep',
      'round trips',
      'bytes sent',
      'bytes received',
      'commands per turn',
      'round trips',
      'bytes sent',
      'bytes received',
    ],
    Object.entries(traffic).map(([name, { perTurn, perSuperstep, superstepsPerTurn }]) => [
      name,
      String(superstepsPerTurn),
      ...[perSuperstep, perTurn].flatMap((it) =>
        [it.commands, it.roundTrips, it.bytesSent, it.bytesReceived].map((count) => number(count)),
      ),
    ]),
  );
}

function crowds({ crowds }: LevelA): string {
  const names = Object.keys(crowds[0]?.turn ?? {});
  return table(
    ['other threads', ...names],
    crowds.map(({ crowd, turn, alone }) => [
      number(crowd),
      ...names.map((name) => `${turn[name]}${alone[name] === undefined ? '' : ` (alone: ${alone[name]})`}`),
    ]),
  );
}

function amongOthers({ crowds }: LevelA): string[] {
  return crowds.flatMap(({ crowd, atOnce }) =>
    atOnce === undefined
      ? []
      : [
          `Turns per second with 32 at once, among ${number(crowd)} other threads: ${Object.entries(atOnce)
            .map(([name, { median }]) => `${name} ${median}`)
            .join('; ')}.`,
        ],
  );
}

function longThreads({ long }: LevelA): string {
  const lengths = Object.keys(Object.values(long)[0]?.bytes ?? {});
  return table(
    [
      '',
      'first turn (ms)',
      `turn ${lengths.at(-1)} (ms)`,
      ...lengths.map((length) => `bytes after ${length}`),
    ],
    Object.entries(long).map(([name, { first, last, bytes }]) => [
      name,
      String(first),
      String(last),
      ...lengths.map((length) => number(bytes[length] ?? Number.NaN)),
    ]),
  );
}

function pending({ crowds }: LevelA): string {
  return table(
    ['requests pending', 'Redis (MB)', 'the measuring process (MB)'],
    crowds.map(({ crowd, pendingBytes, processBytes }) => [
      number(crowd),
      number(round(pendingBytes / 1e6)),
      number(round(processBytes / 1e6)),
    ]),
  );
}

function spread(values: Spread | undefined): string {
  return values === undefined ? '' : `${values.median} (${values.min}–${values.max})`;
}
