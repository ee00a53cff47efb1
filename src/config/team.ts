import { z } from 'zod';
import { durationSchema } from '../lib/duration.ts';
import { hasCredentials } from '../lib/net/safe-url.ts';
import { type LineOf, substituteVariables } from '../mcp/config/variables.ts';
import { TEAM_VIA } from './texts.ts';

/** The names that agents of a team may have: they are a part of thread ids and of what people read. */
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** The longest text of one setting for a model, in characters. */
const TEXT_LENGTH = 20_000;

const modelShape = {
  model: z
    .string()
    .min(1)
    .optional()
    .describe('Its own model, at the provider of MODEL, such as gpt-4o-mini. Unless set, the one of MODEL.'),
  temperature: z.number().min(0).max(2).optional().describe('How freely it words, from 0 to 2.'),
  prompt: z.string().max(TEXT_LENGTH).default('').describe('What it should know and how it should work.'),
};

const addressSchema = z
  .string()
  .refine(isHttpUrl, TEAM_VIA.notHttp)
  .refine((url) => !hasCredentials(url), TEAM_VIA.credentials);

/** `via`: another program that the agent is. */
const viaSchema = z
  .strictObject({
    tool: z
      .string()
      .regex(/^[^.\s]+\.\S+$/, TEAM_VIA.toolFormat)
      .optional()
      .describe('A tool of a server under mcpServers that takes its task, as server.tool.'),
    url: addressSchema
      .optional()
      .describe(
        'Where it takes its task by HTTP, as AgentInput, and answers with AgentOutput (docs/agents.md).',
      ),
    a2a: addressSchema
      .optional()
      .describe(
        'An agent that speaks A2A: where its agent card is, or the address under which it lies at .well-known/agent-card.json.',
      ),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        `Sent to its url, or to the origin of a2a, with every task; \${NAME} is from the environment.`,
      ),
    allow_private_network: z
      .boolean()
      .default(false)
      .describe(
        'Its address may be a private one, and by plain HTTP there. What is on this machine may anyway.',
      ),
  })
  .superRefine(({ tool, url, a2a, headers }, { addIssue }) => {
    if ([tool, url, a2a].filter((one) => one !== undefined).length !== 1)
      addIssue({ code: 'custom', message: TEAM_VIA.one });
    if (tool !== undefined && headers !== undefined)
      addIssue({ code: 'custom', path: ['headers'], message: TEAM_VIA.headersOfTool });
  });

function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}

const agentShape = z.strictObject({
  description: z
    .string()
    .min(1)
    .max(1_000)
    .describe('What it does, in a sentence: the master chooses by it.'),
  capabilities: z.array(z.string().min(1)).default([]).describe('What it can do, in a word or two each.'),
  tools: z
    .array(z.string().min(1))
    .default([])
    .describe('The only tools that it has, as globs of server.tool: calendar.*'),
  use_cases: z
    .array(z.string().min(1))
    .default([])
    .describe('Requests that are for it, as people would say them.'),
  via: viaSchema
    .optional()
    .describe('Another program that the agent is, in place of a model of ours with tools.'),
  ...modelShape,
  timeout: durationSchema
    .prefault('5m')
    .describe('How long it may work without a pause: 30s, 5m, never. Waiting for people isn’t counted.'),
  retries: z
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe('How often its task is begun again when it failed for a reason that passes.'),
});

/** What a program of somebody else's has no use for. */
const OURS = ['tools', 'model', 'temperature', 'prompt'] as const;

const agentSchema = agentShape.superRefine((agent, { addIssue }) => {
  if (agent.via === undefined) return;
  for (const key of OURS) {
    const value = agent[key];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    addIssue({ code: 'custom', path: [key], message: TEAM_VIA.notBeside });
  }
});

/** `team`: agents that work on one plan together. */
export const teamSchema = z
  .strictObject({
    agents: z
      .record(
        z.string().regex(NAME, 'must be lower-case letters a to z, digits, - and _, such as web-search'),
        agentSchema,
      )
      .default({})
      .describe('The agents by name, each in one block (docs/agents.md).'),
    master: z.strictObject(modelShape).prefault({}).describe('Who plans.'),
    composer: z.strictObject(modelShape).prefault({}).describe('Who words the answer.'),
  })
  .prefault({})
  .describe('A team of agents, of which a master plans, and a composer answers.');
export type TeamSettings = z.infer<typeof teamSchema>;

/**
 * Fills variables of the environment into the headers of agents that are other programs.
 * @throws ConfigError for a variable that isn't set; it names the line, and never a value.
 */
export function fillTeamHeaders(
  team: TeamSettings,
  env: Readonly<Record<string, string | undefined>>,
  { file, lineOf }: { readonly file: string; readonly lineOf: LineOf },
): TeamSettings {
  const agents = Object.entries(team.agents).map(([name, agent]) => {
    if (agent.via?.headers === undefined) return [name, agent];
    const where = {
      file,
      what: 'agent',
      server: name,
      lineOf: ([, ...key]: readonly PropertyKey[]) =>
        lineOf(['team', 'agents', name, 'via', 'headers', ...key]),
    } as const;
    const headers = z
      .record(z.string(), z.string())
      .parse(substituteVariables(agent.via.headers, env, where));
    return [name, { ...agent, via: { ...agent.via, headers } }];
  });
  return { ...team, agents: Object.fromEntries(agents) };
}
