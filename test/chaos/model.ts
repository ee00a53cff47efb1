import { setTimeout as after } from 'node:timers/promises';
import { type ChatCompletionRequest, type FixtureResponse, LLMock, type ToolCall } from '@copilotkit/aimock';
import { MISDEEDS, MISSHAPEN } from '../fixtures/servers/misbehaviour.ts';
import { contentOf } from '../helpers/model-content.ts';
import { HOSTILE_ACTS, PRETENCE } from './hostile-server.ts';
import { answerOnMail } from './inbox-model.ts';
import { anewEntry, type Mischief, type StepNeeds } from './plan.ts';

/** What an entry is called in a message: whoever writes it wants it in the ledger. */
const ENTRY = /\b[a-z]+\d+x\d+\b/g;
/** The word in a message that has the agent read first. */
export const LOOK = 'Look first.';

/** A message that comes at its time, of which the model has nothing to do. */
export const ON_TIME = 'Say that it is time.';

/** What the model does beside what it is asked for, as a message names it. */
const MISCHIEF = /Mischief: ([a-z_ ]+)\./;
/** An entry that nobody asked for. */
export const STOLEN = `stolen ${PRETENCE}`;
/** Why a step of a plan was withdrawn. */
const BROKEN = /\bstep \d+ (?:was|may|failed)/;
const STEP_ENTRY = /"entry":\s*"(\w+)"/g;
/** More calls than one answer may have. */
const MANY = 60;

/** The end of a message that has the model do this beside what it is asked for; nothing where all are honest. */
export function mischiefNote(mischief: readonly Mischief[]): string {
  return mischief.length === 0 ? '' : `Mischief: ${mischief.join(' ')}.`;
}

const STEPS_NEED = /Steps need (nothing|the first|the one before)\./;

/** The end of a message that has the model say what the steps of its plan need. */
export function needsNote(needs: StepNeeds): string {
  return needs === 'unsaid' ? '' : `Steps need ${needs}.`;
}

/** What the model says that a step needs, by its place from 0. */
function needsIn(text: string, place: number): { readonly needs?: readonly number[] } {
  switch (STEPS_NEED.exec(text)?.[1]) {
    case 'nothing':
      return { needs: [] };
    case 'the first':
      return { needs: place === 0 ? [] : [1] };
    case 'the one before':
      return { needs: place === 0 ? [] : [place] };
    default:
      return {};
  }
}

/** The agents of the team, which take turns. */
export const TEAM_AGENTS = ['one', 'two'] as const;
/** What stands below the task in an agent's message, and what only the composer is told. */
const BELOW_TASK = 'This is your part of a plan';
const IS_COMPOSER = 'you write the answer for the person';
/** What a composer says that was not told what became of a task. */
export const NOT_TOLD = 'Nothing was brought by';

/** The master's plan: each entry is a task, and the first one has what else the message says. */
function teamPlan(entries: readonly string[], text: string) {
  const also = text.slice(text.lastIndexOf(entries.at(-1) ?? '') + (entries.at(-1) ?? '').length);
  return {
    analysis: { intent: 'Enter them' },
    execution_plan: entries.map((entry, place) => ({
      id: `task ${entry}`,
      agent: TEAM_AGENTS[place % TEAM_AGENTS.length],
      task: `Enter ${entry}${place === 0 ? also : ''}`,
      depends_on: (needsIn(text, place).needs ?? []).map((number) => `task ${entries[number - 1]}`),
    })),
  };
}

/**
 * A model that answers by rule from what it is told, and so says the same however often it is asked: it
 * proposes one call for each entry that the last message names, as steps of a plan where it may make one, and then says
 * that it is done with them. Steps that weren't run, since one before them wasn't done, it plans anew, once.
 */
export async function startRuleModel(): Promise<RuleModel> {
  const told: string[] = [];
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', journalMaxEntries: 0 });
  mock.on({ predicate: () => true }, async (request) => {
    // Long enough for something to go wrong meanwhile.
    await after(20 + ((request.messages.length * 37) % 80));
    told.push(JSON.stringify(request));
    return answerOnMail(request) ?? answerTo(request);
  });
  const url = await mock.start();
  return {
    url: `${url}/v1`,
    told,
    stop: async () => void (await mock.stop()),
  };
}

interface RuleModel {
  readonly url: string;
  /** Every request, as text. */
  readonly told: readonly string[];
  stop(): Promise<void>;
}

/** The words of the answer to a message: what people must come to see. */
export function answerOn(entries: readonly string[]): string {
  return `Done with ${entries.join(' and ')}.`;
}

function answerTo({ messages, tools }: ChatCompletionRequest): FixtureResponse {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const message = messages[asked];
  const [text = ''] = (message ? contentOf(message) : '').split(BELOW_TASK);
  const entries = text.match(ENTRY) ?? [];
  const results = messages.slice(asked + 1).filter(({ role }) => role === 'tool').length;
  const looks = text.includes(LOOK) ? 1 : 0;
  const call = (name: string, id: string, args: object): ToolCall => ({
    id,
    name: tools?.find((tool) => tool.function.name.endsWith(name))?.function.name ?? name,
    arguments: JSON.stringify(args),
  });
  if (text.includes(ON_TIME)) return { content: answerOn([]) };
  if (messages.slice(0, 1).map(contentOf).join('').includes(IS_COMPOSER))
    return { content: [answerOn(entries), ...notTold(messages.slice(asked + 1))].join('\n') };
  if (tools?.some((tool) => tool.function.name === 'make_team_plan'))
    return { toolCalls: [call('make_team_plan', `team_${entries[0]}`, teamPlan(entries, text))] };
  if (results < looks) return { toolCalls: [call('read_entries', `look_${entries[0]}`, {})] };
  const makesPlan = tools?.some((tool) => tool.function.name === 'make_plan') === true;
  const toPlan = makesPlan ? stepsAnew(messages.slice(asked + 1)) : [];
  if (results > looks && toPlan.length === 0) return { content: answerOn(entries) };
  const plan = (wanted: readonly string[]): ToolCall =>
    call('make_plan', `plan_${wanted[0]}`, {
      title: 'Entries',
      steps: wanted.map((entry, place) => ({
        ...{ tool: 'ledger__add_entry', arguments: { entry } },
        ...needsIn(text, place),
      })),
    });
  if (toPlan.length > 0) return { toolCalls: [plan(toPlan)] };
  const askedFor = makesPlan
    ? [plan(entries)]
    : entries.map((entry) => call('ledger__add_entry', `call_${entry}`, { entry }));
  const mischief = (MISCHIEF.exec(text)?.[1] ?? '')
    .split(' ')
    .flatMap((act) => misbehave(act, askedFor, call));
  return { toolCalls: [...askedFor, ...mischief] };
}

const TASK_ID = /"id":\s*("[^"]*")/g;

/** The tasks of the last plan of which the composer has no output, a line each. */
function notTold(messages: ChatCompletionRequest['messages']): readonly string[] {
  const plan = messages.flatMap(({ tool_calls: made }) => made ?? []).at(-1);
  const told = messages.flatMap((message) => (message.role === 'tool' ? contentOf(message).split('\n') : []));
  return [...(plan?.function.arguments ?? '').matchAll(TASK_ID)].flatMap(([, id = '']) =>
    told.some((line) => line.startsWith('{') && line.includes(id) && line.includes('"done":'))
      ? []
      : `${NOT_TOLD} ${id}.`,
  );
}

/** The entries to plan anew, under other names; none if there were such already. */
function stepsAnew(messages: ChatCompletionRequest['messages']): readonly string[] {
  const proposed = messages.flatMap(({ tool_calls: made }) => made ?? []);
  const withdrawn = proposed.flatMap(({ id, function: { arguments: args } }) => {
    const result = messages.find(({ role, tool_call_id: callId }) => role === 'tool' && callId === id);
    return result && BROKEN.test(contentOf(result)) ? [...args.matchAll(STEP_ENTRY)] : [];
  });
  const names = withdrawn.map(([, entry = '']) => entry);
  const isSecond = proposed.filter(({ function: { name } }) => name === 'make_plan').length > 1;
  return isSecond ? [] : names.map(anewEntry);
}

/** The calls of one kind of mischief, beside those that were asked for. */
function misbehave(
  act: string,
  askedFor: readonly ToolCall[],
  call: (name: string, id: string, args: object) => ToolCall,
): readonly ToolCall[] {
  switch (act) {
    case '':
      return [];
    case 'many':
      return Array.from({ length: MANY }, (_, index) => call('hostile__pretend', `many_${index}`, {}));
    case 'twins':
      return [call('ledger__add_entry', askedFor[0]?.id ?? 'twin', { entry: STOLEN })];
    case 'unknown':
      return [{ id: 'unknown', name: 'ledger__delete_everything', arguments: '{}' }];
    case 'unreadable':
      return [{ ...call('ledger__add_entry', 'unreadable', {}), arguments: '{"entry": "stolen' }];
    case 'stolen':
      return [call('ledger__add_entry', 'stolen', { entry: STOLEN })];
    case 'look_alike':
      return [call('hostile__add_entry', 'look_alike', { entry: STOLEN })];
    case 'misanswer':
      return MISSHAPEN.map((_, shape) => call('thief__misanswer', `misanswer_${shape}`, { shape }));
    default: {
      const name = [...HOSTILE_ACTS, ...MISDEEDS].find((one) => one === act);
      if (name === undefined) throw new Error(`There is no mischief ${act}.`);
      return [call(`__${name}`, `act_${name}`, {})];
    }
  }
}
