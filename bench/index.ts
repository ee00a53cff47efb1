import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Alone, createAlone } from './alone.ts';
import { flameGraph } from './bots/flame.ts';
import { measureMemory } from './bots/memory.ts';
import { botSections } from './bots/report.ts';
import {
  FULL_BOTS,
  type KeepProfile,
  measureWholeBots,
  QUICK_BOTS,
  type WholeBots,
} from './bots/whole-bots.ts';
import { FULL_CORE, measureCore, measureTraffic } from './core.ts';
import { plannerSection, teamSection } from './core-report.ts';
import { FULL_GROWTH, QUICK_GROWTH } from './growth/cases.ts';
import { measureGrowth } from './growth/measure.ts';
import { measureApprovalsAtOnce } from './load/approvals-at-once.ts';
import { measureWaitingBegins } from './load/begins.ts';
import { measureFirstMinutes } from './load/first-minutes.ts';
import { measureFullRecord } from './load/full-record.ts';
import { measureHangingTools } from './load/hanging-tools.ts';
import { measureManyCalls } from './load/many-calls.ts';
import { fullRecordSection, type LoadSections, loadSections } from './load/report.ts';
import { measureSlackRates } from './load/slack-rates.ts';
import { measureStreaming } from './load/streaming.ts';
import { measurePlanner } from './planner.ts';
import {
  firstMinutesSection,
  memorySection,
  report,
  slackRatesSection,
  streamingSection,
  toolSearchSection,
} from './report.ts';
import { knowledgeSection, measureKnowledge } from './search/scale.ts';
import { FULL_STORAGE, measureStorage, measureWaiting, QUICK_STORAGE } from './storage.ts';
import { currentBusyness, surroundings } from './surroundings.ts';
import { measureTeam } from './team.ts';
import { measureToolSearch } from './tool-search.ts';

const {
  quick: isQuick,
  tools: isToolSearchOnly,
  rates: isRatesOnly,
  load: isLoadOnly,
  bots: isBotsOnly,
  streaming: isStreamingOnly,
  first: isFirstOnly,
  record: isRecordOnly,
  planner: isPlannerOnly,
  team: isTeamOnly,
  knowledge: isKnowledgeOnly,
  memory: isMemoryOnly,
  note = null,
} = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tools: { type: 'boolean', default: false },
    rates: { type: 'boolean', default: false },
    load: { type: 'boolean', default: false },
    bots: { type: 'boolean', default: false },
    streaming: { type: 'boolean', default: false },
    first: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    planner: { type: 'boolean', default: false },
    team: { type: 'boolean', default: false },
    knowledge: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    note: { type: 'string' },
  },
}).values;
const start = performance.now();
const seconds = () => Math.round((performance.now() - start) / 1_000);
const say = (what: string): void => void process.stderr.write(`${seconds()} s: ${what}\n`);
const write = (name: string, text: string) => writeFileSync(new URL(name, import.meta.url), text);

if (isBotsOnly) print(botSections(await measureBots(createAlone())));
else if (isStreamingOnly) print(streamingSection(await measureStreaming()));
else if (isFirstOnly) print(firstMinutesSection(await measureFirstMinutes()));
else if (isRecordOnly) print(fullRecordSection(await measureFullRecord()));
else if (isPlannerOnly) print(plannerSection(await measurePlanner()));
else if (isTeamOnly) print(teamSection(await measureTeam()));
else if (isKnowledgeOnly) print(knowledgeSection(await measureKnowledge({ isQuick, say })));
else if (isMemoryOnly) print(memorySection(await measureMemory()));
else if (isLoadOnly) print(loadSections(await measureLoad()));
else if (isToolSearchOnly) print(toolSearchSection(await measureToolSearch()));
else if (isRatesOnly) print(slackRatesSection(await measureSlackRates()));
else await measureAll();
process.exit();

function print(sections: readonly string[]): void {
  process.stdout.write(`${sections.join('\n\n')}\n`);
}

async function measureAll(): Promise<void> {
  const before = currentBusyness();
  const alone = createAlone();
  const [wholeBots, waiting] = await Promise.all([
    measureBots(alone),
    measureWaiting(isQuick ? 100 : 2_000, alone),
  ]);
  say('traffic to Redis');
  const traffic = await measureTraffic();
  const storage = await measureStorage(isQuick ? QUICK_STORAGE : FULL_STORAGE, say);
  const growth = await measureGrowth(isQuick ? QUICK_GROWTH : FULL_GROWTH, say);
  const rest = isQuick
    ? {
        core: null,
        planner: null,
        team: null,
        memory: null,
        toolSearch: null,
        slackRates: null,
        streaming: null,
        firstMinutes: null,
        load: null,
      }
    : await measureRest();
  const results = {
    at: new Date().toISOString(),
    isQuick,
    seconds: seconds(),
    around: surroundings(),
    loads: [before.load, currentBusyness().load],
    isRealTime: before.isRealTime,
    note,
    wholeBots,
    traffic,
    growth,
    storage,
    waiting,
    ...rest,
  };
  // Rough figures do not take the place of those that were measured at leisure.
  if (isQuick) return print([report(results)]);
  write('results.json', `${JSON.stringify(results, null, 2)}\n`);
  write('RESULTS.md', report(results));
  say('bench/RESULTS.md and results.json are written');
}

function measureBots(alone: Alone): Promise<WholeBots> {
  const keep: KeepProfile = (name, profile) => {
    const file = `flame-${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.svg`;
    write(file, flameGraph(profile, `${name}, 32 at once`));
  };
  return measureWholeBots(isQuick ? QUICK_BOTS : FULL_BOTS, { say, keep, alone });
}

async function measureRest() {
  const core = await measureCore(FULL_CORE, say);
  say('the planner');
  const planner = await measurePlanner();
  say('a team');
  const team = await measureTeam();
  say('memory');
  const memory = await measureMemory();
  say('the search of tools');
  const toolSearch = await measureToolSearch();
  say('what approvals cost at Slack’s rates');
  const slackRates = await measureSlackRates();
  say('how soon words are seen');
  const streaming = await measureStreaming();
  say('the first minutes');
  const firstMinutes = await measureFirstMinutes();
  return {
    core,
    planner,
    team,
    memory,
    toolSearch,
    slackRates,
    streaming,
    firstMinutes,
    load: await measureLoad(),
  };
}

async function measureLoad(): Promise<LoadSections> {
  say('hanging tools');
  const hangingTools = await measureHangingTools();
  say('many calls of one answer');
  const manyCalls = await measureManyCalls();
  say('approvals at once');
  const approvalsAtOnce = await measureApprovalsAtOnce();
  say('programs that wait');
  const waitingBegins = await measureWaitingBegins();
  say('a full record');
  return { hangingTools, manyCalls, approvalsAtOnce, waitingBegins, fullRecord: await measureFullRecord() };
}
