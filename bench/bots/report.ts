import { number, percent, table } from '../markdown.ts';
import { ratios, type Spread, spreadOf } from '../statistics.ts';
import {
  BOT_NAMES,
  type BotCounts,
  type BotName,
  type BotRound,
  STOCK,
  type WholeBots,
} from './whole-bots.ts';

/** How many areas of a profile are told of. */
const AREAS_TOLD = 12;

/** The section about whole bots; also on its own, with `-- --bots`. */
export function botSections(bots: WholeBots): string[] {
  return [
    '## The whole bot',
    'Bots in processes of their own, through the stand-in for Slack over Socket Mode, against a model over loopback HTTP that answers at once, in direct messages of `list_calendars` with approval. The *stock bot* is `bench/bots/stock-bot.ts`: Bolt, `createAgent` and its middleware, in about 100 lines, with the tool as a function in the process; Countersign calls it over MCP, journals it, streams status and answer, keeps its cards up to date, and posts through its outbox. Stand-in, model and measuring share the machine’s cores with the bots.',
    '### What a turn asks for',
    'Counted in processes of their own, until six seconds after the last turn, per turn. Syncs are those that the process asks for. Commands that are sent together on one connection are one round trip.',
    countsTable(bots),
    areasLine(bots),
    '### What a turn takes',
    'The bots take rounds by turns. CPU is of all threads of a bot’s process until it is at rest, and what it takes in the six seconds after that, as when leases are given back, is added as it was measured once. Times are the medians of a round’s turns. Below: the median of the rounds, and the least and the most of them.',
    roundsTable(bots, (values) => describe(values)),
    'The same as ratios to the stock bot with the official saver, each to the same round of it:',
    roundsTable(bots, (values, stock) => describe(ratios(values, stock), ' ×')),
  ];
}

const COUNTS: readonly (readonly [string, Exclude<keyof BotCounts, 'slackCalls'>])[] = [
  ['write transactions', 'transactions'],
  ['statements', 'statements'],
  ['syncs', 'syncs'],
  ['Redis commands', 'commands'],
  ['round trips', 'roundTrips'],
  ['bytes sent', 'bytesSent'],
  ['bytes received', 'bytesReceived'],
  ['model calls', 'modelCalls'],
];

function countsTable({ counts }: WholeBots): string {
  return table(
    ['', ...COUNTS.map(([title]) => title), 'CPU that comes later (ms)', 'Slack calls'],
    BOT_NAMES.flatMap((name) =>
      (['serial', 'atOnce'] as const).map((way) => {
        const { slackCalls, ...found } = counts[name][way];
        const methods = Object.entries(slackCalls).map(([method, count]) => `${method} ${count}`);
        return [
          `${name}, ${way === 'serial' ? 'one by one' : '32 at once'}`,
          ...COUNTS.map(([, field]) => number(found[field])),
          way === 'atOnce' ? String(counts[name].laterCpu) : '',
          methods.toSorted().join(', '),
        ];
      }),
    ),
  );
}

function areasLine({ counts }: WholeBots): string {
  const lists = BOT_NAMES.map((name) => {
    const areas = Object.entries(counts[name].areas)
      .slice(0, AREAS_TOLD)
      .map(([area, share]) => `${area} ${percent(share)}`);
    return `- *${name}*: ${areas.join(', ')}.`;
  });
  return ['Where the main thread’s time goes with 32 at once, by what spends it itself:', '', ...lists].join(
    '\n',
  );
}

const TIMES: readonly (readonly [string, keyof BotRound])[] = [
  ['32 at once: CPU (ms)', 'atOnceCpu'],
  ['turns/s', 'turnsPerSecond'],
  ['click → ack (ms)', 'atOnceAck'],
  ['one by one: CPU (ms)', 'serialCpu'],
  ['message → card (ms)', 'card'],
  ['click → ack (ms)', 'ack'],
  ['click → answer (ms)', 'answer'],
];

function roundsTable(
  { rounds }: WholeBots,
  cell: (values: readonly number[], stock: readonly number[]) => string,
): string {
  const valuesOf = (name: BotName, field: keyof BotRound) => rounds[name].map((round) => round[field]);
  return table(
    ['', ...TIMES.map(([title]) => title)],
    BOT_NAMES.map((name) => [
      name,
      ...TIMES.map(([, field]) => cell(valuesOf(name, field), valuesOf(STOCK, field))),
    ]),
  );
}

function describe(values: readonly number[], unit = ''): string {
  const { median, min, max }: Spread = spreadOf(values);
  return `${median}${unit} (${min}–${max})`;
}
