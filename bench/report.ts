import { compareTurns, type MemoryFigures, meanOf } from './bots/memory.ts';
import { EXTRACTION_MS } from './bots/model.ts';
import { botSections } from './bots/report.ts';
import type { WholeBots } from './bots/whole-bots.ts';
import type { CoreFigures, CoreTraffic } from './core.ts';
import {
  coreSection,
  growthSection,
  plannerSection,
  storageSection,
  teamSection,
  trafficSection,
} from './core-report.ts';
import { firstMinuteGoals, type Goal, listGoals, memoryGoals } from './goals.ts';
import type { GrowthRow } from './growth/measure.ts';
import type { FirstMinutes } from './load/first-minutes.ts';
import { type LoadSections, loadSections } from './load/report.ts';
import type { SlackRates } from './load/slack-rates.ts';
import type { StreamingFigures } from './load/streaming.ts';
import { percent, table } from './markdown.ts';
import type { PlannerFigures } from './planner.ts';
import { round } from './statistics.ts';
import type { StorageFigures, WaitingRequests } from './storage.ts';
import { type Around, describeBusyness } from './surroundings.ts';
import type { TeamFigures } from './team.ts';
import type { ToolSearchFigures } from './tool-search.ts';

/** What a run has found; what a quick one leaves out is null. */
export interface Results {
  readonly at: string;
  readonly isQuick: boolean;
  readonly seconds: number;
  readonly around: Around;
  /** The load of the machine over the last minute: processes that ran or wanted to, at the beginning and at the end. */
  readonly loads: readonly number[];
  readonly isRealTime: boolean;
  /** What somebody who reads the figures must know of the circumstances. */
  readonly note: string | null;
  readonly wholeBots: WholeBots;
  readonly traffic: CoreTraffic;
  readonly growth: readonly GrowthRow[];
  readonly storage: StorageFigures;
  readonly waiting: WaitingRequests;
  readonly core: CoreFigures | null;
  /** Absent in results of before it was measured. */
  readonly planner?: PlannerFigures | null;
  /** Likewise. */
  readonly team?: TeamFigures | null;
  /** Likewise. */
  readonly memory?: MemoryFigures | null;
  readonly slackRates: SlackRates | null;
  readonly streaming: StreamingFigures | null;
  readonly firstMinutes: FirstMinutes | null;
  readonly load: LoadSections | null;
  readonly toolSearch: ToolSearchFigures | null;
}

/** What a run has found, as a page to read. */
export function report(results: Results): string {
  const { wholeBots, traffic, growth, storage, waiting, core, slackRates, streaming, firstMinutes } = results;
  const { load, toolSearch, planner, team, memory } = results;
  return [
    '# Benchmarks',
    `Written by \`npm run bench\`${results.isQuick ? ' with `-- --quick`: few turns, rough figures' : ''} on ${results.at.slice(0, 10)}, in one run of ${results.seconds} s. All figures are in [results.json](results.json). A run also keeps a flame graph of each bot in \`bench/flame-*.svg\`.`,
    machine(results),
    ...(results.note === null ? [] : [`**${results.note}**`]),
    '## What is wanted',
    goalTable(listGoals(results)),
    ...botSections(wholeBots),
    ...trafficSection(traffic),
    ...growthSection(growth),
    ...storageSection(storage, waiting),
    ...(core ? coreSection(core) : []),
    ...(planner ? plannerSection(planner) : []),
    ...(team ? teamSection(team) : []),
    ...(memory ? memorySection(memory) : []),
    ...(slackRates ? slackRatesSection(slackRates) : []),
    ...(streaming ? streamingSection(streaming) : []),
    ...(firstMinutes ? firstMinutesSection(firstMinutes) : []),
    ...(load ? loadSections(load) : []),
    ...(toolSearch ? toolSearchSection(toolSearch) : []),
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

/** The section about words that are seen as they are written; also on its own, with `-- --streaming`. */
export function streamingSection({ at, answers, first, pause, appends }: StreamingFigures): string[] {
  return [
    '## Words as they are written',
    `${answers} answers of six seconds each, by a model over HTTP that writes 25 words a second. From its first word to Slack’s first took ${Math.round(first)} ms at most, and the longest pause between two appends while it wrote was ${Math.round(pause)} ms, with ${appends} appends in all. Measured on ${at.slice(0, 10)}.`,
  ];
}

/** The section about who tries it for the first time; also on its own, with `-- --first`. */
export function firstMinutesSection(figures: FirstMinutes | null): string[] {
  if (figures === null) return ['There is no Chromium to walk with.'];
  const { at, busyness, starts, address, approval } = figures;
  return [
    '## The first minutes',
    `The README’s first step in a folder that has what \`npm install\` leaves, ${starts} times with new data. \`npm start\` printed its address after ${seconds(address)} s at most, and the first call was approved and done after ${seconds(approval)} s, by a browser that reads and clicks at once: what people take comes on top. Measured on ${at.slice(0, 10)} ${describeBusyness(busyness)}.`,
    goalTable(firstMinuteGoals(figures)),
  ];
}

/** What memory adds to a turn: nothing to its time. Also on its own, with `-- --memory`. */
export function memorySection(figures: MemoryFigures): string[] {
  const { at, busyness } = figures;
  return [
    '## A turn with and without memory',
    `Whole bots on SQLite. The model answers at once, but takes ${EXTRACTION_MS} ms to say what is to be remembered of a message. ${figures.with.length} bots of each kind by turns; means of their medians, measured on ${at.slice(0, 10)}, ${describeBusyness(busyness)}. One half of those without memory differs from the other by ${round(compareTurns(figures).noise)} ×.`,
    table(
      ['memory', 'message → card (ms)', 'approval → answer (ms)', 'CPU per turn (ms)'],
      (['without', 'with'] as const).map((way) => [
        way,
        ...(['card', 'answer', 'cpu'] as const).map((of) =>
          String(round(meanOf(figures[way], (one) => one[of]))),
        ),
      ]),
    ),
    goalTable(memoryGoals(figures)),
  ];
}

function goalTable(goals: readonly Goal[]): string {
  return table(
    ['', 'wanted', 'got', ''],
    goals.map(({ what, wanted, got, isMet }) => [what, wanted, got, isMet ? 'met' : '**missed**']),
  );
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
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

function machine({ around, loads, isRealTime }: Results): string {
  const { processor, cores, memoryGb, platform, node, redis, packages } = around;
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  const others = isRealTime ? ', but the bench had real-time priority, so that other work hardly counts' : '';
  return `${processor}, ${cores} cores, ${memoryGb} GB, ${platform}; its load over the run, the bench’s own included, was ${loads.join(' → ')}${others}. Node ${node}, Redis ${redis} without persistence; ${versions.join(', ')}.`;
}
