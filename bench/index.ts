import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureApprovalsAtOnce } from './approvals-at-once.ts';
import { botSections } from './bots-report.ts';
import { crowdPlot } from './crowd-plot.ts';
import { flameGraph } from './flame.ts';
import { measureHangingTools } from './hanging-tools.ts';
import { FULL, measureLevelA, QUICK } from './level-a.ts';
import { loadSections } from './load-report.ts';
import { measureManyCalls } from './many-calls.ts';
import { type Results, report, slackRatesSection, toolSearchSection } from './report.ts';
import { measureSlackRates } from './slack-rates.ts';
import { surroundings } from './surroundings.ts';
import { measureToolSearch } from './tool-search.ts';
import { FULL_BOTS, type KeepProfile, measureWholeBots, QUICK_BOTS } from './whole-bots.ts';

const {
  quick: isQuick,
  'no-bots': withoutBots,
  tools: isToolSearchOnly,
  rates: isRatesOnly,
  load: isLoadOnly,
  bots: isBotsOnly,
  note = null,
} = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    'no-bots': { type: 'boolean', default: false },
    tools: { type: 'boolean', default: false },
    rates: { type: 'boolean', default: false },
    load: { type: 'boolean', default: false },
    bots: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
}).values;
const start = performance.now();
const seconds = () => (performance.now() - start) / 1_000;
const say = (what: string): void => void process.stderr.write(`${seconds().toFixed(0)} s: ${what}\n`);

if (isRatesOnly) {
  process.stdout.write(`${slackRatesSection(await measureSlackRates()).join('\n\n')}\n`);
  process.exit();
}
if (isBotsOnly) {
  process.stdout.write(`${botSections(await measureBots()).join('\n\n')}\n`);
  process.exit();
}
if (isLoadOnly) {
  process.stdout.write(`${loadSections(await measureLoad()).join('\n\n')}\n`);
  process.exit();
}
const toolSearch = await measureToolSearch();
if (isToolSearchOnly) {
  process.stdout.write(`${toolSearchSection(toolSearch).join('\n\n')}\n`);
  process.exit();
}
say('the search of tools is measured');
const levelA = await measureLevelA(isQuick ? QUICK : FULL, say);
say(withoutBots ? 'without whole bots' : 'whole bots');
const wholeBots = withoutBots ? null : await measureBots();
say('what approvals cost at Slack’s rates');
const slackRates = await measureSlackRates();
const load = await measureLoad();
const results: Results = {
  at: new Date().toISOString(),
  isQuick,
  seconds: Math.round(seconds()),
  around: surroundings(),
  levelA,
  toolSearch,
  slackRates,
  ...load,
  note,
  wholeBots,
};

const page = report(results);
if (isQuick) {
  // Rough figures do not take the place of those that were measured at leisure.
  process.stdout.write(page);
} else {
  const write = (name: string, text: string) => writeFileSync(new URL(name, import.meta.url), text);
  write('results.json', `${JSON.stringify(results, null, 2)}\n`);
  write('RESULTS.md', page);
  write('crowd.svg', crowdPlot(levelA));
  say('bench/RESULTS.md, results.json and crowd.svg are written');
}

function measureBots() {
  const keep: KeepProfile = (name, profile) => {
    const file = `flame-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.svg`;
    writeFileSync(new URL(file, import.meta.url), flameGraph(profile, `${name}, 32 at once`));
  };
  return measureWholeBots(isQuick ? QUICK_BOTS : FULL_BOTS, { say, keep });
}

async function measureLoad() {
  say('hanging tools');
  const hangingTools = await measureHangingTools();
  say('many calls of one answer');
  const manyCalls = await measureManyCalls();
  say('approvals at once');
  return { hangingTools, manyCalls, approvalsAtOnce: await measureApprovalsAtOnce() };
}
