import { type ChatCompletionRequest, type FixtureResponse, LLMock } from '@copilotkit/aimock';
import type { JsonObject } from '../../src/lib/json.ts';
import { contentOf } from './model-content.ts';
import { createInboxModel, withMailId } from './model-inbox.ts';
import { createMemoryModel } from './model-memory.ts';
import { refusalOfTools } from './openai-limits.ts';
import { SCALED } from './storage.ts';

/** How long the model waits to be asked before the dialogue fails, in milliseconds. */
const PATIENCE_MS = SCALED ? 60_000 : 20_000;
/** How long it takes over a few words, in milliseconds, unless a dialogue says otherwise. */
const BETWEEN_PIECES_MS = 1;
/** An error that nobody asks again after. */
const OVER: FixtureResponse = { error: { message: 'the dialogue is over' }, status: 400 };
/** The call by which the router chooses tool types; nobody scripts it. */
const ROUTER = 'choose_tool_types';

interface ModelCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** Given by the model helper unless the dialogue wants a certain one. */
  readonly id?: string;
}

interface Question {
  readonly request: ChatCompletionRequest;
  readonly answer: (response: FixtureResponse) => void;
}

/**
 * A model over real HTTP whose answers are given one at a time, while the request waits: what a dialogue
 * does between two answers happens while the model thinks. The router is answered by itself, with all.
 * `callsBefore` of its threads it has made already; `paceMs` is how long it takes over twenty characters.
 */
export async function startModel({ callsBefore = 0, paceMs = BETWEEN_PIECES_MS } = {}) {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  const requests: ChatCompletionRequest[] = [];
  const waiting: Question[] = [];
  const silenced: Question[] = [];
  const listeners = new Set<() => void>();
  let calls = callsBefore;
  let isOver = false;
  let chosen: readonly string[] | null = null;
  const memory = createMemoryModel();
  const inbox = createInboxModel();

  const answerTo = (request: ChatCompletionRequest) => {
    const found = memory.answer(request) ?? inbox.answer(request);
    if (found !== null) return found;
    const types = routerChoice(request);
    if (types !== null)
      return callsResponse([
        { name: ROUTER, arguments: { tool_types: [...(chosen ?? types)] }, id: 'router' },
      ]);
    requests.push(request);
    if (isOver) return OVER;
    const refusal = refusalOfTools(request);
    if (refusal !== null) return refusal;
    return new Promise<FixtureResponse>((answer) => {
      waiting.push({ request, answer });
      for (const listener of listeners) listener();
    });
  };
  mock.on({ predicate: () => true }, answerTo, { latency: paceMs });
  const url = await mock.start();

  /** The oldest request that has no answer yet and `fits`, now or within the time that is given it. */
  function asked(fits: (question: Question) => boolean = () => true): Promise<Question> {
    const first = waiting.find(fits);
    if (first) return Promise.resolve(first);
    return new Promise((resolve, reject) => {
      const end = (finish: () => void) => {
        clearTimeout(timer);
        listeners.delete(look);
        finish();
      };
      const look = () => {
        const question = waiting.find(fits);
        if (question) end(() => resolve(question));
      };
      const timer = setTimeout(() => end(() => reject(new Error('The model was not asked.'))), PATIENCE_MS);
      listeners.add(look);
    });
  }

  async function answer(response: FixtureResponse): Promise<void> {
    const question = await asked();
    waiting.shift();
    question.answer(response);
  }

  function callsResponse(proposed: readonly ModelCall[]) {
    return {
      toolCalls: proposed.map(({ id, name, arguments: args }) => {
        calls += 1;
        return {
          id: id ?? `call_${calls}`,
          name,
          arguments: withMailId(withKeptName(JSON.stringify(args), requests), requests),
        };
      }),
    };
  }

  return {
    /** For OPENAI_BASE_URL. */
    url: `${url}/v1`,
    says: (content: string) => answer({ content }),
    async calls(proposed: readonly ModelCall[]): Promise<void> {
      // What it calls may name what it's told only now.
      await asked();
      await answer(callsResponse(proposed));
    },
    /** Says something beside its calls. */
    saysAndCalls: (content: string, proposed: readonly ModelCall[]) =>
      answer({ content, ...callsResponse(proposed) }),
    /** Says this, and reaches its length limit. */
    isCutOff: (content: string) => answer({ content, finishReason: 'length' }),
    fails: ({ status, retryAfter }: { readonly status: number; readonly retryAfter: number }) =>
      answer({ error: { message: `scripted ${status}` }, status, retryAfter }),
    /** What the model was told since it last spoke, in the request that waits for its answer. */
    async heard(): Promise<string> {
      const { request } = await asked();
      const last = request.messages.findLastIndex(({ role }) => role === 'assistant');
      return request.messages
        .slice(last + 1)
        .map(contentOf)
        .join('\n');
    },
    /** Everything in the request that waits for its answer, as JSON; the model is sent the whole conversation. */
    async sent(): Promise<string> {
      const { request } = await asked();
      return JSON.stringify({ messages: request.messages, tools: request.tools });
    },
    /** The names of the tools that it is offered, in the request that waits. */
    async offered(): Promise<readonly string[]> {
      const { request } = await asked();
      return (request.tools ?? []).map((tool) => tool.function.name);
    },
    /** From now on the router chooses these types of tools, and not all. */
    routes(types: readonly string[]): void {
      chosen = types;
    },
    /** What it finds to be remembered, where the app has it look for that. */
    memory,
    /** What it says of mails that come, and learns from what people do with drafts. */
    inbox,
    /** Every request but the router's and those for memory, in order. */
    requests: (): readonly ChatCompletionRequest[] => requests,
    unanswered: (): number => waiting.length,
    /** Waits until it's asked by this agent of a team, `master` or `composer`: what follows is about that request. */
    async askedBy(agent: string): Promise<void> {
      const question = await asked(({ request }) =>
        request.messages.slice(0, 1).map(contentOf).join('').includes(agentMark(agent)),
      );
      waiting.splice(waiting.indexOf(question), 1);
      waiting.unshift(question);
    },
    /** Waits until the model is asked, and leaves that unanswered. */
    async staysSilent(): Promise<void> {
      await asked();
      const question = waiting.shift();
      if (question) silenced.push(question);
    },
    /** From now on every request fails at once, as do those that wait. */
    giveUp(): void {
      isOver = true;
      for (const { answer: end } of [...waiting.splice(0), ...silenced.splice(0)]) end(OVER);
    },
    stop: () => mock.stop(),
  };
}
export type Model = Awaited<ReturnType<typeof startModel>>;

/** The types that the router may choose from, when the request is its. */
function routerChoice(request: ChatCompletionRequest): string[] | null {
  const schema = JSON.stringify(
    request.tools?.find((tool) => tool.function.name === ROUTER)?.function.parameters,
  );
  if (schema === undefined) return null;
  const found = /"enum":(\[[^\]]*\])/.exec(schema)?.[1];
  return found === undefined ? [] : JSON.parse(found);
}

/** What the instructions of an agent of a team say that those of no other do. */
function agentMark(agent: string): string {
  const leaders = { master: 'You lead a team of agents', composer: 'you write the answer for the person' };
  return agent === 'master' || agent === 'composer' ? leaders[agent] : `You are the agent “${agent}”`;
}

/** `$kept` as the name that the model was last given to read on in a result by. */
function withKeptName(text: string, requests: readonly ChatCompletionRequest[]): string {
  const heard = requests.flatMap(({ messages }) => messages.map(contentOf)).join('\n');
  return text.replaceAll('$kept', /read_result with result "(\w+)"/.exec(heard)?.[1] ?? '$kept');
}
