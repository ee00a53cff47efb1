import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { AppError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import type { ServerStatus } from '../../mcp/ports.ts';
import { readCard } from '../../tools/index.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { idleGlobs } from '../startup-warnings.ts';
import { fitTools } from '../team/fit-tools.ts';
import { findAgentTool, listAgentTools, listForeignAgents } from '../team/foreign-agents.ts';
import { AGENT } from '../texts/doctor.ts';
import { describeError, failed, ok, type Result, skipped, warning } from './finding.ts';
import { checkModel } from './remote-checks.ts';

/** How long an endpoint may take, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;

/** The part of a configuration that a team is checked by. */
type TeamFile = Pick<FileConfig, 'team' | 'findPlace'>;

/** The tools of the servers that could be asked, and how all are. */
interface AskedTools {
  readonly tools: readonly ToolDefinition[];
  readonly servers: readonly ServerStatus[];
}

/** Whether an agent of the team has what it works with: its tools and its model, or the other program that it is. */
export async function checkTeamAgent(
  env: Pick<Env, 'model'>,
  { team, findPlace }: TeamFile,
  name: string,
  known: AskedTools,
): Promise<Result> {
  const agent = team.agents[name];
  const place = (...key: readonly string[]) => findPlace(['team', 'agents', name, ...key]);
  const via = findAgentTool(name, agent?.via);
  const endpoint = listForeignAgents(team).find((one) => one.name === name);
  if (endpoint) {
    const answers = endpoint.protocol === 'a2a' ? await checkCard(endpoint) : await checkEndpoint(endpoint);
    return withPlace(answers, place('via', endpoint.protocol === 'a2a' ? 'a2a' : 'url'));
  }
  if (via) return withPlace(checkTool(via, known), place('via', 'tool'));
  const globs = agent?.tools ?? [];
  if (globs.length === 0) return withPlace(warning(AGENT.noTools, AGENT.mendNoTools), place());
  const tools = [...known.tools, ...listAgentTools(team)];
  const wrong = idleGlobs(globs, { ...known, tools });
  if (wrong.length > 0) return withPlace(failed(AGENT.noMatch(wrong), AGENT.mendNoMatch), place('tools'));
  const model = await checkOwnModel(env, agent?.model);
  if (model?.status === 'failed') return withPlace(model, place('model'));
  const { own, idle } = fitTools(globs, tools);
  const unasked = [
    ...(idle.length > 0 ? [AGENT.notAsked(idle)] : []),
    ...(model?.status === 'skipped' ? [model.detail] : []),
  ];
  const detail = [AGENT.tools(own.length), ...unasked].join(' ');
  return unasked.length > 0 ? skipped(detail) : ok(detail);
}

/** Whether the model answers that a team's master or composer has for itself. */
export async function checkTeamModel(
  env: Pick<Env, 'model'>,
  { team, findPlace }: TeamFile,
  who: 'master' | 'composer',
): Promise<Result> {
  const model = await checkOwnModel(env, team[who].model);
  return model === null ? ok(AGENT.modelOfAll) : withPlace(model, findPlace(['team', who, 'model']));
}

/** Null where it has none. */
async function checkOwnModel({ model }: Pick<Env, 'model'>, name: string | undefined) {
  if (name === undefined) return null;
  return model ? checkModel({ model: { ...model, model: name } }) : skipped(AGENT.modelNotAsked(name));
}

/** A finding whose mend says where in the file that is. */
function withPlace(result: Result, place: string): Result {
  return result.mend === null ? result : { ...result, mend: AGENT.at(result.mend, place) };
}

function checkTool({ server, name }: { readonly server: string; readonly name: string }, known: AskedTools) {
  const tool = known.tools.find((one) => one.server === server && one.name === name);
  const called = `${server}.${name}`;
  if (!tool && idleGlobs(called, known).length === 0) return skipped(AGENT.notAsked([called]));
  if (!tool) return failed(AGENT.noTool(called), AGENT.mendNoTool);
  const { properties } = tool.inputSchema;
  const takesTask = !isJsonObject(properties) || Object.hasOwn(properties, 'task');
  return takesTask ? ok(AGENT.by(called)) : failed(AGENT.noTask(called), AGENT.mendNoTask);
}

/** Whether its card can be read, and says where it takes tasks. It's given no task. */
async function checkCard(agent: ReturnType<typeof listForeignAgents>[number]) {
  try {
    const { name } = await readCard(agent, AbortSignal.timeout(ANSWER_WITHIN_MS));
    return ok(AGENT.hasCard(name, agent.url));
  } catch (error) {
    const why = error instanceof AppError ? error.userMessage : describeError(error);
    return failed(AGENT.noCard(agent.url, why), AGENT.mendA2a);
  }
}

/** Whether anything answers there. It's given no task, and none of its headers. */
async function checkEndpoint({ url, reach }: ReturnType<typeof listForeignAgents>[number]) {
  const ask = createGuardedFetch({ reach, timeoutMs: ANSWER_WITHIN_MS });
  try {
    const response = await ask(url, { method: 'OPTIONS' });
    await response.body?.cancel();
    return ok(AGENT.answers(url, response.status));
  } catch (error) {
    return failed(AGENT.noAnswer(url, describeError(error)), AGENT.mendUrl);
  }
}
