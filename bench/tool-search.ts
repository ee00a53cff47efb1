import { LLMock } from '@copilotkit/aimock';
import { MemorySaver } from '@langchain/langgraph';
import { createAssistant } from '../src/agents/assistant/index.ts';
import { createModel } from '../src/agents/models/openai.ts';
import { createToolSearch } from '../src/agents/tool-search/search.ts';
import { refusalOfTools } from '../test/helpers/openai-limits.ts';
import { offeredTools, type ToolQuestion, toolQuestions } from '../test/helpers/tools-of-sixteen-servers.ts';
import { contextOf } from './graph.ts';
import { quantile, round } from './statistics.ts';

/** How many of a search's results count: as many as `find_tools` gives. */
const FIRST = 10;

interface Answered {
  /** The part of the questions that the provider did not refuse, for their number of tools. */
  readonly answered: number;
  /** The part that had a right tool among those offered. */
  readonly offered: number;
}

export interface ToolSearchFigures {
  /** When this was measured: also on its own. */
  readonly at: string;
  readonly tools: number;
  readonly questions: number;
  readonly aside: number;
  /** The part of the questions with a right tool among the first ten; `asideRecall` of those not tuned by. */
  readonly recall: number;
  readonly asideRecall: number;
  /** Of building the index once, and of one search, in milliseconds. */
  readonly buildMs: number;
  readonly searchMs: number;
  readonly allAtOnce: Answered;
  readonly fitted: Answered;
  /** With a smaller `max_tools`, by the number. */
  readonly fewer: Readonly<Record<number, Answered>>;
}

/** The search of tools by need, and our graph at a provider that takes 128 tools, over loopback HTTP. */
export async function measureToolSearch(): Promise<ToolSearchFigures> {
  const tools = offeredTools();
  const [forty, aside] = [toolQuestions('forty'), toolQuestions('aside')];
  const start = performance.now();
  const search = createToolSearch();
  search(tools, []);
  const buildMs = performance.now() - start;
  const times: number[] = [];
  const recall = (questions: readonly ToolQuestion[]) =>
    share(questions, ({ text, tools: right }) => {
      const before = performance.now();
      const found = search(tools, [text]).slice(0, FIRST);
      times.push(performance.now() - before);
      return found.some(({ server, name }) => right.includes(`${server}.${name}`));
    });
  return {
    at: new Date().toISOString(),
    tools: tools.length,
    questions: forty.length,
    aside: aside.length,
    recall: recall(forty),
    asideRecall: recall(aside),
    buildMs: round(buildMs),
    searchMs: round(quantile(times, 0.5)),
    allAtOnce: await askAll(forty, Number.MAX_SAFE_INTEGER),
    fitted: await askAll(forty, 128),
    fewer: { 40: await askAll(forty, 40), 20: await askAll(forty, 20) },
  };
}

/** Asks our graph each question on a thread of its own, at a provider that refuses more than it takes. */
async function askAll(questions: readonly ToolQuestion[], maxTools: number): Promise<Answered> {
  const tools = offeredTools();
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  const seen: (readonly string[])[] = [];
  mock.on({ predicate: () => true }, (request) => {
    const refusal = refusalOfTools(request);
    seen.push(refusal === null ? (request.tools ?? []).map((tool) => tool.function.name) : []);
    return refusal ?? { content: 'Done.' };
  });
  const baseUrl = `${await mock.start()}/v1`;
  const agent = createAssistant({
    summaries: null,
    models: {
      main: createModel({ apiKey: 'bench', baseUrl, model: 'bench', timeoutMs: 10_000 }),
      router: null,
    },
    tools: {
      offer: async () => ({ tools, down: [], instructions: [] }),
      call: () => Promise.reject(new Error('the model calls nothing here')),
      readKept: null,
      readImage: null,
      shares: { sharing: async () => new Set<string>(), noteWithheld: async () => undefined },
    },
    gate: {
      planApprovals: () => async () => true,
      refusal: () => null,
      getCalls: async (_threadId, ids) => ids.map(() => null),
    },
    checkpoints: { saver: new MemorySaver(), claim: async () => {} },
    prompt: { clock: Date.now, timeZone: 'Europe/Berlin', instructions: '' },
    limits: { maxSteps: 25, maxTools, maxCalls: 32, contextTokens: 1_000_000 },
  });
  for (const [index, { text }] of questions.entries()) {
    const input = { kind: 'message', itemId: `question ${index}`, text } as const;
    // A refusal is what is counted.
    await agent.run(input, contextOf(`thread ${index}`)).catch(() => null);
  }
  await mock.stop();
  const nameOf = new Map(tools.map(({ server, name, modelName }) => [`${server}.${name}`, modelName]));
  return {
    answered: share(questions, (_question, index) => (seen[index] ?? []).length > 0),
    offered: share(questions, ({ tools: right }, index) =>
      right.some((tool) => seen[index]?.includes(nameOf.get(tool) ?? '')),
    ),
  };
}

function share<T>(all: readonly T[], isSo: (one: T, index: number) => boolean): number {
  return round(all.filter(isSo).length / all.length);
}
