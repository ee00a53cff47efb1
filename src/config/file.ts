import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { type Policy, policySchema, sessionRulePaths } from '../gate/policy/schema.ts';
import type { Permissions } from '../gate/risk/permissions.ts';
import { durationSchema } from '../lib/duration.ts';
import { ConfigError } from '../lib/errors.ts';
import { schemaProblem } from '../mcp/arguments/validator.ts';
import { type BundledNames, loadMcpFile, parseServers, readMcpEntries } from '../mcp/config/load.ts';
import { type McpServers, mcpServersSchema, toolReviewSchema } from '../mcp/config/schema.ts';
import { AGENT_NAMES } from '../runs/ports.ts';
import { cardsSchema } from './cards.ts';
import { allowReading, documentServers, knowledgeSchema, readKnowledge, resolveStore } from './knowledge.ts';
import { limitsSchema, modelPricesSchema } from './limits.ts';
import { personalSchemas } from './memory.ts';
import { personalProgramsSchema, programsSchema } from './programs.ts';
import { maxDeadline, outlivesDeadline, threadRetention } from './retention.ts';
import { readPermissions, riskSchema } from './risk.ts';
import { fillTeamHeaders, type TeamSettings, teamSchema } from './team.ts';
import { NEEDS_PERMISSIONS, NEEDS_TEAM, noConfigFile, serverTwice } from './texts.ts';
import { readYamlFile } from './yaml-file.ts';
import { parseWithLines } from './yaml-lines.ts';

const contentSchema = z.strictObject({
  agent: z
    .strictObject({
      instructions: z.string().default('').describe('What every conversation should know.'),
      max_steps: z.int().min(5).max(500).default(60).describe('Steps a run may take before it is stopped.'),
      // Whether a model sees can't be asked of a compatible API, and one that doesn't refuses the request.
      images: z
        .boolean()
        .default(false)
        .describe('The model sees, so images in results of tools are shown to it.'),
      // OpenAI takes no more (`array_above_max_length`), and fewer would leave out tools where all fit.
      max_tools: z
        .int()
        .min(16)
        .max(1_000)
        .default(128)
        .describe('Tools the model is offered at once. If there are more, those that fit the request best.'),
      context_tokens: z
        .int()
        .min(8_000)
        .max(10_000_000)
        .optional()
        .describe(
          'Tokens of one request to the model, with tools and answer. Unless set, what the model takes if that is known, and at most 128000.',
        ),
      max_calls_per_answer: z
        .int()
        .min(1)
        .max(10_000)
        .default(32)
        .describe(
          'Calls the model may make in one answer. The others are refused, and it may make them next.',
        ),
      max_concurrent_calls: z
        .int()
        .min(1)
        .max(10_000)
        .default(8)
        .describe(
          'Calls of one conversation that run at the same time. Those that wait for a person don’t count.',
        ),
    })
    .prefault({}),
  requests: z
    .strictObject({
      open_for: durationSchema.prefault('24h').describe('How long people may decide: 30m, 24h, 7d, never.'),
    })
    .prefault({}),
  threads: z
    .strictObject({
      keep_for: durationSchema
        .optional()
        .describe(
          'How long a conversation is kept after its last word: 90d unless set, or never. At least a day longer than requests stay open.',
        ),
    })
    .prefault({}),
  records: z
    .strictObject({
      keep_for: durationSchema
        .optional()
        .describe(
          'How long messages, requests, calls and results are kept, such as 365d; for ever unless set. At least a day longer than requests stay open. The audit stays.',
        ),
    })
    .prefault({}),
  grants: z
    .strictObject({
      for_at_most: durationSchema
        .transform((ms) => ms ?? Number.NaN)
        .pipe(z.number('must be a time such as 90d'))
        .prefault('90d')
        .describe('How long a remembered approval may last.'),
      uses_at_most: z
        .int()
        .min(0)
        .max(100_000)
        .default(1_000)
        .describe('How many calls a remembered approval may let through; 0: none is remembered.'),
    })
    .transform((limits) => ({ forAtMostMs: limits.for_at_most, usesAtMost: limits.uses_at_most }))
    .prefault({}),
  admins: z
    .array(z.string().regex(/^[UW][A-Z0-9]+$/, 'must be the id of a Slack user, such as U012AB3CD'))
    .default([])
    .describe(
      "Slack users, by id, whose Home shows how people decide: how long calls wait, how many are approved unread, how many expire. The workspace's admins need not be named.",
    ),
  limits: limitsSchema.describe('What each person, API key and channel may use.'),
  model_prices: modelPricesSchema.describe(
    'What the tokens of models cost, by globs of their names: gpt-4o*. The first that fits counts. Needed for cost_per_day.',
  ),
  routes: z
    .record(z.string().min(1), z.enum(AGENT_NAMES))
    .default({})
    .describe(
      'Which agent answers where, by the name or id of a channel, or dm for direct messages: assistant, unless set, planner or team. A conversation keeps the agent that it began with.',
    ),
  team: teamSchema,
  policy: policySchema.prefault({}),
  risk: riskSchema,
  cards: cardsSchema.describe('How the cards of single tools read, by server.tool.'),
  tool_review: toolReviewSchema
    .default('first_use')
    .describe(
      'Which tools wait until an admin has reviewed them: first_use, those that changed, and those that came after a server was first seen; required, all; off, none.',
    ),
  programs: programsSchema,
  personal_programs: personalProgramsSchema,
  knowledge: knowledgeSchema,
  ...personalSchemas,
  mcpServers: mcpServersSchema.optional().describe('MCP servers by name, in the shape other clients use.'),
  mcp_json: z.string().optional().describe('A mcp.json to take further servers from, relative to this file.'),
});

export const fileSchema = contentSchema.superRefine(
  ({ threads, records, requests, policy, risk, routes, team }, context) => {
    const isAlone = Object.keys(team.agents).length === 0;
    for (const [where, agent] of Object.entries(routes)) {
      if (agent !== 'team' || !isAlone) continue;
      context.addIssue({ code: 'custom', path: ['routes', where], message: NEEDS_TEAM });
    }
    for (const path of risk === undefined ? sessionRulePaths(policy) : []) {
      context.addIssue({ code: 'custom', path: ['policy', ...path], message: NEEDS_PERMISSIONS });
    }
    for (const [glob, schema] of Object.entries(policy.arguments)) {
      const problem = schemaProblem(schema);
      const path = ['policy', 'arguments', glob];
      if (problem !== null) context.addIssue({ code: 'custom', path, message: problem });
    }
    const longest = maxDeadline({ requests, policy });
    const kept = { threads: threadRetention(threads.keep_for, longest), records: records.keep_for ?? null };
    const message = 'must be at least a day longer than requests.open_for and every deadline, or never';
    for (const [section, keepFor] of Object.entries(kept)) {
      if (outlivesDeadline(keepFor, longest)) continue;
      context.addIssue({ code: 'custom', path: [section, 'keep_for'], message });
    }
  },
);
type FileContent = z.infer<typeof fileSchema>;

export interface FileConfig extends Omit<FileContent, 'mcpServers' | 'mcp_json' | 'risk' | 'knowledge'> {
  readonly knowledge: ReturnType<typeof readKnowledge>;
  readonly servers: McpServers;
  /** The permissions of tools; null where the operator names no file. */
  readonly permissions: Permissions | null;
  /** The path of the `mcp.json` that further servers are from; null if there's none. */
  readonly mcpFile: string | null;
  /** Where a setting stands, or the nearest around it: `countersign.yaml:12`. */
  readonly findPlace: (key: readonly PropertyKey[]) => string;
}

/** A policy, and where it came from. */
export interface PolicyFile {
  readonly path: string;
  readonly policy: Policy;
  /** The permissions of tools; null where the operator names no file. */
  readonly permissions: Permissions | null;
  /** The line, from 1, of a rule, counted from 0. */
  readonly lineOf: (rule: number) => number;
  /** Where a setting stands, or the nearest around it: `countersign.yaml:12`. */
  readonly findPlace: (key: readonly PropertyKey[]) => string;
  /** The servers by name, as they are written: with variables, and unchecked if from a `mcp.json`. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The team, with the headers of other programs as they are written. */
  readonly team: TeamSettings;
}

/** What is read unless another file is named, in the folder that this program runs in. */
export const DEFAULT_FILE = 'countersign.yaml';

/**
 * Reads `countersign.yaml` and the servers it names.
 *
 * @param file null: `countersign.yaml` in this folder.
 * @param bundled the names that `in_process` and `connector` may have; without it, any.
 * @throws ConfigError that names file, line and key.
 */
export async function readConfigFile(
  file: string | null,
  env: Readonly<Record<string, string | undefined>>,
  bundled?: BundledNames,
): Promise<FileConfig> {
  const { path, lined, content } = await readContent(file);
  const { mcpServers, mcp_json: mcpJson, risk, ...rest } = content;
  const mcpFile = mcpJson === undefined ? null : resolve(dirname(path), mcpJson);
  const lineOf = (key: readonly PropertyKey[]) => lined.lineOf(['mcpServers', ...key]);
  const own = parseServers(mcpServers ?? {}, env, path, lineOf, bundled);
  const more =
    mcpFile === null ? {} : await loadMcpFile(mcpFile, env, (json) => parseWithLines(json).lineOf, bundled);
  const twice = Object.keys(own).find((name) => name in more);
  if (twice !== undefined) {
    throw new ConfigError(serverTwice({ path, server: twice, other: mcpJson ?? '' }));
  }
  const configured = { ...own, ...more };
  const added = parseServers(documentServers(rest.knowledge, configured), env, path, lineOf, bundled);
  const servers = { ...configured, ...added };
  const policy = 'documents' in added ? allowReading(rest.policy) : rest.policy;
  const permissions = await readPermissions(risk, {
    path,
    lineOf: lined.lineOf,
    programs: Object.keys(rest.programs),
    team: Object.keys(rest.team.agents),
    servers: Object.keys(servers),
  });
  const team = fillTeamHeaders(rest.team, env, { file: path, lineOf: lined.lineOf });
  const findPlace = (key: readonly PropertyKey[]) => `${path}:${lined.lineOf(key)}`;
  const knowledge = readKnowledge(rest.knowledge, env, { file: path, lineOf: lined.lineOf });
  return { ...rest, knowledge, policy, team, servers, permissions, mcpFile, findPlace };
}

/**
 * The policy of a `countersign.yaml` alone. The servers are only checked for
 * their form, so no secrets are needed.
 *
 * @param file null: `countersign.yaml` in this folder.
 * @throws ConfigError that names file, line and key.
 */
export async function readPolicy(file: string | null): Promise<PolicyFile> {
  const { path, content, lined } = await readContent(file);
  const { mcpServers, mcp_json: mcpJson } = content;
  // Without the file, the policy is as well tested.
  const more =
    mcpJson === undefined
      ? {}
      : await readMcpEntries(resolve(dirname(path), mcpJson)).then(
          ({ entries }) => entries,
          () => ({}),
        );
  const configured = { ...mcpServers, ...more };
  const added = documentServers(content.knowledge, configured);
  const servers = { ...configured, ...added };
  const policy = 'documents' in added ? allowReading(content.policy) : content.policy;
  const permissions = await readPermissions(content.risk, {
    path,
    lineOf: lined.lineOf,
    programs: Object.keys(content.programs),
    team: Object.keys(content.team.agents),
    servers: Object.keys(servers),
  });
  const lineOf = (index: number) => lined.lineOf(['policy', 'rules', index]);
  const findPlace = (key: readonly PropertyKey[]) => `${path}:${lined.lineOf(key)}`;
  return { path, policy, permissions, lineOf, findPlace, servers, team: content.team };
}

/**
 * What a `countersign.yaml` says of documents alone, as {@link readConfigFile} reads it.
 *
 * @param file null: `countersign.yaml` in this folder.
 * @throws ConfigError that names file, line and key.
 */
export async function readDocumentSettings(
  file: string | null,
  env: Readonly<Record<string, string | undefined>>,
) {
  const { path, content, lined } = await readContent(file);
  return readKnowledge(content.knowledge, env, { file: path, lineOf: lined.lineOf });
}

/**
 * Where a `countersign.yaml` has processes share what they learn (`knowledge.store`); null: nowhere.
 *
 * @param file null: `countersign.yaml` in this folder.
 * @throws ConfigError that names file, line and key.
 */
export async function readDocumentStore(file: string | null): Promise<string | null> {
  const { path, content } = await readContent(file);
  return resolveStore(content.knowledge, path);
}

async function readContent(file: string | null) {
  const path = file ?? DEFAULT_FILE;
  if (!existsSync(path)) {
    throw new ConfigError(noConfigFile(path));
  }
  return { path, ...(await readYamlFile(path, fileSchema)) };
}
