/** Says which rule of the policy applies to a call and why, or holds the policy to what is expected of it. */

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type PolicyFile, readPolicy } from '../src/config/file.ts';
import { readYamlFile } from '../src/config/yaml-file.ts';
import { compileSchemaMismatches } from '../src/gate/policy/argument-schemas.ts';
import { explainVerdict } from '../src/gate/policy/explain.ts';
import { findPolicyApprovers, findUnreachableRules } from '../src/gate/policy/lint.ts';
import { parseToolName, policyCasesSchema, runPolicyCases } from '../src/gate/policy/test-cases.ts';
import { AppError, ConfigError } from '../src/lib/errors.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { createArgumentValidator } from '../src/mcp/arguments/validator.ts';

const USAGE = `Usage: npm run policy:test -- [--config FILE]
  --call SERVER.TOOL '{"argument": "value"}'   which rule applies to this call, and why
  --tests FILE                                 hold the policy to the cases in this file
Without either, the cases are those beside the policy: countersign.policy-test.yaml for countersign.yaml.`;

/** Something in the command line is wrong; nothing was done. */
class UsageError extends AppError {
  constructor(problem: string) {
    super({ code: 'bad_usage', userMessage: `${problem}\n${USAGE}` });
  }
}

function readArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { config: { type: 'string' }, tests: { type: 'string' }, call: { type: 'string' } },
    });
    return { ...values, positionals };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'That is not one of the options.');
  }
}

function readCall(subject: string, written: readonly string[]) {
  const [text = '{}', ...more] = written;
  if (!/^[^.]+\../.test(subject)) throw new UsageError(`"${subject}" is not SERVER.TOOL.`);
  if (more.length > 0) throw new UsageError('The arguments are one JSON object; put it in quotes.');
  return { ...parseToolName(subject), arguments: readObject(text) };
}

function readObject(text: string): JsonObject {
  try {
    return z.record(z.string(), z.json()).parse(JSON.parse(text));
  } catch {
    throw new UsageError(`The arguments are not a JSON object: ${text}`);
  }
}

function warn({ path, policy, lineOf }: PolicyFile): void {
  const nameOf = (index: number) => `"${policy.rules[index]?.name ?? `rule ${index + 1}`}"`;
  for (const { rule, decidedBy } of findUnreachableRules(policy)) {
    const why = `${nameOf(decidedBy)}, before it, decides those calls whatever their arguments`;
    console.error(`${path}:${lineOf(rule)}: warning: the rule ${nameOf(rule)} never applies: ${why}.`);
  }
}

/** Nothing is asked of Slack here, so that it takes no secret. */
function sayUnchecked({ policy }: PolicyFile): void {
  const named = findPolicyApprovers(policy).filter((ref) => /^(?:user|group):/.test(ref));
  if (named.length === 0) return;
  console.error(
    `note: whether Slack knows ${named.join(', ')} is not checked here; the start warns of whom it does not.`,
  );
}

/** Prints one line for each case, and returns whether all are as expected. */
async function runFile(path: string, { policy }: PolicyFile): Promise<boolean> {
  if (!existsSync(path)) {
    throw new ConfigError(`${path}: there is no such file. Write one, or ask about one call with --call.`);
  }
  const { content: cases, lined } = await readYamlFile(path, policyCasesSchema);
  const results = runPolicyCases(policy, cases, createArgumentValidator());
  for (const [index, { name, problems, explanation }] of results.entries()) {
    if (problems.length === 0) {
      console.log(`✓ ${name}`);
      continue;
    }
    console.log(`✗ ${name} (${path}:${lined.lineOf([index])})`);
    for (const problem of problems) console.log(`    ${problem}`);
    for (const line of explanation) console.log(line === '' ? '' : `      ${line}`);
  }
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  console.log(`\n${results.length - failed} as expected, ${failed} not`);
  return failed === 0;
}

async function main(args: readonly string[]): Promise<boolean> {
  const { config, tests, call, positionals } = readArguments(args);
  if (call !== undefined && tests !== undefined) throw new UsageError('Either --call or --tests.');
  if (call === undefined && positionals.length > 0) throw new UsageError('Arguments go with --call.');
  const asked = call === undefined ? null : readCall(call, positionals);
  const file = await readPolicy(config ?? process.env.COUNTERSIGN_CONFIG ?? null);
  warn(file);
  sayUnchecked(file);
  if (asked === null) return runFile(tests ?? file.path.replace(/(\.ya?ml)?$/, '.policy-test.yaml'), file);
  const unfit = compileSchemaMismatches(file.policy, createArgumentValidator())(asked);
  console.log(explainVerdict(file.policy, asked, undefined, unfit).join('\n'));
  return true;
}

try {
  // As the server does, so that both look at the same policy.
  if (existsSync('.env')) process.loadEnvFile('.env');
  if (!(await main(process.argv.slice(2)))) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof AppError)) throw error;
  console.error(error.userMessage);
  process.exitCode = 1;
}
