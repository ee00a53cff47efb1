import type { Env } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { isJsonObject } from '../../lib/json.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import { globMatcher } from '../../lib/regex.ts';
import type { ToolDefinition } from '../../tools/ports.ts';
import { findAgentTool, listForeignAgents } from '../team/foreign-agents.ts';
import { AGENT } from '../texts/doctor.ts';
import { describeError, failed, ok, warning } from './finding.ts';
import { checkModel } from './remote-checks.ts';

/** How long an endpoint may take, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;

/** Whether an agent of the team has what it works with: its tools and its model, or the other program that it is. */
export async function checkTeamAgent(
  env: Pick<Env, 'model'>,
  { team }: Pick<FileConfig, 'team'>,
  name: string,
  tools: readonly ToolDefinition[],
) {
  const agent = team.agents[name];
  const via = findAgentTool(name, agent?.via);
  const endpoint = listForeignAgents(team).find((one) => one.name === name);
  if (endpoint) return checkEndpoint(endpoint);
  if (via) return checkTool(via, tools);
  const globs = agent?.tools ?? [];
  if (globs.length === 0) return warning(AGENT.noTools, AGENT.mendNoTools);
  const count = (glob: string) => {
    const fits = globMatcher(glob);
    return tools.filter((tool) => fits(`${tool.server}.${tool.name}`)).length;
  };
  const empty = globs.filter((glob) => count(glob) === 0);
  if (empty.length > 0) return failed(AGENT.noMatch(empty), AGENT.mendNoMatch);
  if (env.model && agent?.model !== undefined) {
    const model = await checkModel({ model: { ...env.model, model: agent.model } });
    if (model.status !== 'ok') return model;
  }
  const all = globs.map((glob) => globMatcher(glob));
  const own = tools.filter((tool) => all.some((fits) => fits(`${tool.server}.${tool.name}`)));
  return ok(AGENT.tools(own.length));
}

function checkTool(
  { server, name }: { readonly server: string; readonly name: string },
  tools: readonly ToolDefinition[],
) {
  const tool = tools.find((one) => one.server === server && one.name === name);
  const called = `${server}.${name}`;
  if (!tool) return failed(AGENT.noTool(called), AGENT.mendNoTool);
  const { properties } = tool.inputSchema;
  const takesTask = !isJsonObject(properties) || Object.hasOwn(properties, 'task');
  return takesTask ? ok(AGENT.by(called)) : failed(AGENT.noTask(called), AGENT.mendNoTask);
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
