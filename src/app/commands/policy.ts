/** Says which rule of the policy applies to a call and why, or holds the policy to what is expected of it. */

import { existsSync } from 'node:fs';
import { z } from 'zod';
import { type PolicyFile, readPolicy } from '../../config/file.ts';
import { readYamlFile } from '../../config/yaml-file.ts';
import {
  compileSchemaMismatches,
  explainRisk,
  explainVerdict,
  findPolicyApprovers,
  findUnreachableRules,
  findUselessApprovers,
  parseToolName,
  policyCasesSchema,
  type ReadKind,
  readKindSchema,
  runPolicyCases,
} from '../../gate/index.ts';
import { ConfigError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { createArgumentValidator } from '../../mcp/index.ts';
import { AGENT_NAMES } from '../../runs/ports.ts';
import { compileToolRisk } from '../compose-gate.ts';
import {
  ARGUMENTS_IN_PIECES,
  argumentsNotObject,
  casesSummary,
  noCases,
  notReadKinds,
  notToolName,
  uncheckedApprovers,
  unreachableRule,
} from '../texts/commands.ts';
import { POLICY_AGENTS } from '../texts/policy-agents.ts';
import { approversInVain, ruleName } from '../texts/start.ts';
import { type CommandContext, paint, UsageError } from './context.ts';
import { adviseOnTool } from './known-tools.ts';
import { explainAgents } from './policy-agents.ts';

interface PolicyOptions {
  /** Default: `COUNTERSIGN_CONFIG`, or `countersign.yaml` in this folder. */
  readonly config?: string;
}

export interface ExplainOptions extends PolicyOptions {
  readonly sessionHasRead?: string;
  /** Of all agents of the team, in place of one call. */
  readonly agents?: boolean;
}

/**
 * Prints which rule applies to a call, and why; or what the policy says about the tools of the team's agents. False if
 * one of those isn't there.
 *
 * @param subject SERVER.TOOL
 * @param written its arguments: one JSON object, or nothing.
 */
export async function explainPolicy(
  context: CommandContext,
  subject: string | undefined,
  written: readonly string[],
  { config, sessionHasRead, agents = false }: ExplainOptions,
): Promise<boolean> {
  if (agents === (subject !== undefined)) throw new UsageError(POLICY_AGENTS.noCall);
  if (subject === undefined) return explainAgents(context, await openPolicy(context, config));
  const call = { ...readCall(subject, written), hasRead: readKinds(sessionHasRead) };
  const file = await openPolicy(context, config);
  const advice = await adviseOnTool(context, file, call);
  if (advice !== null) context.tell(advice);
  const unfit = compileSchemaMismatches(file.policy, createArgumentValidator())(call);
  const toolRisk =
    file.permissions && compileToolRisk(file.permissions)({ ...call, name: call.tool }, AGENT_NAMES[0]);
  const lines = [
    ...explainVerdict(file.policy, call, undefined, unfit),
    ...(toolRisk ? explainRisk(toolRisk, call.hasRead) : []),
  ];
  context.print(lines.join('\n'));
  return true;
}

/**
 * Holds the policy to its cases, prints one line for each, and returns whether all are as expected.
 *
 * @param tests default: beside the policy, `countersign.policy-test.yaml` for `countersign.yaml`.
 */
export async function testPolicy(
  context: CommandContext,
  { config, tests }: PolicyOptions & { readonly tests?: string },
): Promise<boolean> {
  const file = await openPolicy(context, config);
  return runFile(context, tests ?? file.path.replace(/(\.ya?ml)?$/, '.policy-test.yaml'), file);
}

async function openPolicy({ variables, tell }: CommandContext, config?: string): Promise<PolicyFile> {
  const file = await readPolicy(config ?? variables.COUNTERSIGN_CONFIG ?? null);
  const { path, policy, lineOf } = file;
  const toName = (index: number) => ruleName(policy.rules[index]?.name, index);
  for (const { rule, decidedBy } of findUnreachableRules(policy)) {
    tell(`${path}:${lineOf(rule)}: ${unreachableRule(toName(rule), toName(decidedBy))}`);
  }
  for (const { rule, refs, ...why } of findUselessApprovers(policy))
    tell(`${path}:${lineOf(rule)}: ${approversInVain(toName(rule), refs, why)}`);
  // Nothing is asked of Slack here, so that it takes no secret.
  const named = findPolicyApprovers(policy).filter((ref) => /^(?:user|group):/.test(ref));
  if (named.length > 0) tell(uncheckedApprovers(named));
  return file;
}

function readCall(subject: string, written: readonly string[]) {
  const [text = '{}', ...more] = written;
  if (!/^[^.]+\../.test(subject)) throw new UsageError(notToolName(subject));
  if (more.length > 0) throw new UsageError(ARGUMENTS_IN_PIECES);
  return { ...parseToolName(subject), arguments: readObject(text) };
}

/** What the session has read, as `private,untrusted` or `nothing`; null where that isn't said. */
function readKinds(written: string | undefined): ReadonlySet<ReadKind> | null {
  if (written === undefined) return null;
  const kinds = z.array(readKindSchema).safeParse(written === 'nothing' ? [] : written.split(','));
  if (!kinds.success) throw new UsageError(notReadKinds(written));
  return new Set(kinds.data);
}

function readObject(text: string): JsonObject {
  try {
    return z.record(z.string(), z.json()).parse(JSON.parse(text));
  } catch {
    throw new UsageError(argumentsNotObject(text));
  }
}

async function runFile({ print }: CommandContext, path: string, { policy }: PolicyFile): Promise<boolean> {
  if (!existsSync(path)) throw new ConfigError(noCases(path));
  const { content: cases, lined } = await readYamlFile(path, policyCasesSchema);
  const results = runPolicyCases(policy, cases, createArgumentValidator());
  for (const [index, { name, problems, explanation }] of results.entries()) {
    if (problems.length === 0) {
      print(`${paint('green', '✓')} ${name}`);
      continue;
    }
    print(`${paint('red', '✗')} ${name} (${path}:${lined.lineOf([index])})`);
    for (const problem of problems) print(`    ${problem}`);
    for (const line of explanation) print(line === '' ? '' : `      ${line}`);
  }
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  print(casesSummary({ passed: results.length - failed, failed }));
  return failed === 0;
}
