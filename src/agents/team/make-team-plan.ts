import { z } from 'zod';
import type { ToolSnapshot } from '../../gate/types.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { toStages } from '../../lib/order/stages.ts';
import { HIDDEN_FROM_READERS } from '../../lib/unicode.ts';
import { hidesSomething, visible } from '../../presentation/text/visible.ts';
import type { TeamPlan } from '../../runs/ports.ts';
import type { TeamAgent } from '../ports.ts';
import { nearestNames, resolveToolName } from '../shared/tool-names.ts';
import { TEAM_PLAN } from '../texts.ts';

/** The most tasks of one plan. */
const MOST_TASKS = 200;
/** The longest name of a task, and the longest words of one, in characters. */
const NAME_LENGTH = 60;
const TASK_LENGTH = 4_000;
const INTENT_LENGTH = 400;
/** How much of what is wrong with a plan is said: so many problems, and of each so many characters. */
const MOST_PROBLEMS = 20;
const PROBLEM_LENGTH = 300;

/** The `make_team_plan` tool: the master says which agents do what, and what needs what, before any of it is done. */
export const MAKE_TEAM_PLAN: ToolSnapshot = {
  server: 'countersign',
  name: 'make_team_plan',
  modelName: 'make_team_plan',
  title: 'Plan',
  description:
    'Give the agents of your team their tasks. A task begins as soon as all tasks that it depends on have ended, so tasks ' +
    'that do not depend on each other are worked on at the same time. What a task depends on is given to its agent.',
  inputSchema: {
    type: 'object',
    properties: {
      analysis: {
        type: 'object',
        properties: {
          intent: { type: 'string', description: 'What is wanted, in one or two sentences.' },
          entities: {
            type: 'object',
            description: 'What the request names: dates, people, measures, documents, by kind.',
          },
        },
        required: ['intent'],
        additionalProperties: false,
      },
      execution_plan: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'A short name of the task, used once.' },
            agent: { type: 'string', description: 'The name of the agent.' },
            task: {
              type: 'string',
              description:
                'All that the agent has to know and do, in words: it does not see the conversation.',
            },
            entities: {
              type: 'object',
              description: 'What of the entities the task is about. Left out: all.',
            },
            tools: {
              type: 'array',
              items: { type: 'string' },
              description: 'The tools that you expect the agent to need. It may use any of its own.',
            },
            depends_on: {
              type: 'array',
              items: { type: 'string' },
              description: 'The ids of the tasks whose results this one needs. Left out: none.',
            },
          },
          required: ['id', 'agent', 'task'],
          additionalProperties: false,
        },
      },
    },
    required: ['analysis', 'execution_plan'],
    additionalProperties: false,
  },
  definitionHash: 'countersign:make_team_plan:1',
  destructive: false,
  trusted: true,
};

const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be an object');

function words(length: number) {
  return z.string().transform((text) => text.trim().slice(0, length).toWellFormed());
}

/**
 * Letters and digits with their marks, as people write them, none of which is invisible: ids that differ must look it, too.
 * No letter of a living language has more than three marks of its own.
 */
const NAME = /^(?:(?!\p{DI})[\p{L}\p{N}_. -](?:(?!\p{DI})\p{M}){0,3})+$/u;

/** The same name is the same text, however its letters and their marks were put together. */
const nameSchema = z
  .string()
  .trim()
  .transform((name) => name.normalize('NFC'));

const taskSchema = z.strictObject({
  id: nameSchema.pipe(
    z.string().min(1).max(NAME_LENGTH).regex(NAME, 'must be a short name of letters and digits'),
  ),
  agent: z.string().min(1),
  task: words(TASK_LENGTH).refine(hasVisible, 'must say what is to be done'),
  entities: jsonObject.nullish(),
  // What the agent may use is the operator's word, and not the plan's: it's neither given nor taken away here.
  tools: z.array(z.string()).nullish(),
  depends_on: z
    .array(nameSchema)
    .max(MOST_TASKS)
    .nullish()
    .transform((ids) => ids ?? []),
});

function hasVisible(text: string): boolean {
  return text.replace(HIDDEN_FROM_READERS, '').trim() !== '';
}

const planSchema = z.strictObject({
  analysis: z.strictObject({ intent: words(INTENT_LENGTH), entities: jsonObject.nullish() }),
  execution_plan: z.array(taskSchema).min(1, 'a plan has at least one task').max(MOST_TASKS),
});

/**
 * Reads the arguments of a {@link MAKE_TEAM_PLAN} call, for a team of these agents. A string says all that is wrong with
 * them, for the model and, where it never gets it right, for people: an agent that there isn't, a task that depends on one
 * that isn't in the plan, two of one id, or tasks that wait for each other. `message`: what the plan is for, whose first
 * words stand for an intent that it doesn't say.
 */
export function readTeamPlan(
  args: unknown,
  agents: readonly TeamAgent[],
  message: string,
): TeamPlan | string {
  const read = planSchema.safeParse(args);
  if (!read.success)
    return listProblems(read.error.issues.map((issue) => z.prettifyError(new z.ZodError([issue]))));
  const { analysis, execution_plan: tasks } = read.data;
  const names = agents.map(({ name }) => name);
  const ids = new Set(tasks.map(({ id }) => id));
  const found = tasks.map((task) => {
    const name = resolveToolName(task.agent, names);
    return { ...task, found: agents.find((agent) => agent.name === name) };
  });
  const problems = found.flatMap(({ id, agent, found: known, depends_on: needs }, index) => [
    ...findSame(tasks.slice(0, index), id),
    ...(known ? [] : [TEAM_PLAN.noAgent(id, agent, nearestNames(agent, names))]),
    ...needs.filter((other) => !ids.has(other)).map((other) => TEAM_PLAN.noTask(id, other)),
  ]);
  // Beside each other, as they are shown: a name that is all in letters of another script is one of its own otherwise.
  const beside = tasks.map(({ id }) => id.replace(/[^\p{L}\p{M}\p{N}]+/gu, '.')).join('.');
  if (hidesSomething(beside)) problems.push(TEAM_PLAN.disguised(visible(beside)));
  if (problems.length > 0) return listProblems(problems);
  const stages = toStages(new Map(tasks.map(({ id, depends_on: needs }) => [id, needs])));
  if ('cycle' in stages) return listProblems([TEAM_PLAN.cycle(stages.cycle)]);
  return {
    analysis: analysis.intent || words(INTENT_LENGTH).parse(message),
    tasks: found.map(({ id, agent, found: known, task, entities, depends_on: needs }) => ({
      taskId: id,
      agent: known?.name ?? agent,
      task,
      entities: entities ?? analysis.entities ?? {},
      needs: [...new Set(needs)],
      retries: known?.retries ?? 0,
      ...(known?.via && { isForeign: true }),
    })),
  };
}

function findSame(earlier: readonly { readonly id: string }[], id: string): readonly string[] {
  if (earlier.some((other) => other.id === id)) return [TEAM_PLAN.twice(id)];
  const small = id.toLowerCase();
  return earlier.some((other) => other.id.toLowerCase() === small) ? [TEAM_PLAN.alike(id)] : [];
}

function listProblems(problems: readonly string[]): string {
  const said = problems
    .slice(0, MOST_PROBLEMS)
    .map((problem) =>
      problem.length <= PROBLEM_LENGTH ? problem : `${problem.slice(0, PROBLEM_LENGTH).toWellFormed()}…`,
    );
  const left = problems.length - said.length;
  return [...said, ...(left > 0 ? [TEAM_PLAN.more(left)] : [])].join('\n');
}
