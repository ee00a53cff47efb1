import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fileSchema } from '../../src/config/file.ts';
import { explainVerdict } from '../../src/gate/policy/explain.ts';
import type { Policy } from '../../src/gate/policy/schema.ts';
import { policyCasesSchema, runPolicyCases } from '../../src/gate/policy/test-cases.ts';
import { createArgumentValidator } from '../../src/mcp/arguments/validator.ts';
import { ROOT } from '../helpers/sources.ts';

const page = readFileSync(join(ROOT, 'docs/policy.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, kind, text = '']) => ({ kind, text }));
const yaml = blocks.filter(({ kind }) => kind === 'yaml').map(({ text }) => text);

/** Every list of cases, with the policy that stands before it. */
function examples(): { policy: Policy; cases: unknown }[] {
  let policy = fileSchema.parse({}).policy;
  return yaml.flatMap((text) => {
    const content: unknown = parse(text);
    if (Array.isArray(content)) return [{ policy, cases: content }];
    policy = fileSchema.parse(content).policy;
    return [];
  });
}

describe('docs/policy.md', () => {
  it('has blocks of YAML that are all a policy or cases', () => {
    expect(yaml.length).toBeGreaterThan(6);
    expect(examples().length).toBeGreaterThan(3);
  });

  it('expects of its policies what they do', () => {
    const results = examples().flatMap(({ policy, cases }) =>
      runPolicyCases(policy, policyCasesSchema.parse(cases), createArgumentValidator()),
    );
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  it('has the README’s example do what the policy’s own tests expect', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [example = ''] = /^policy:\n.*?(?=^```$)/ms.exec(readme) ?? [];
    const cases: unknown = parse(readFileSync(join(ROOT, 'countersign.policy-test.yaml'), 'utf8'));
    const { policy } = fileSchema.parse(parse(example));
    // It has no mailbox.
    const its = policyCasesSchema.parse(cases).filter(({ tool }) => !tool.startsWith('mail.'));
    const results = runPolicyCases(policy, its, createArgumentValidator());
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([]);
    expect(results).toHaveLength(4);
  });

  it('shows an explanation as it is', () => {
    const shown = blocks.find(({ text }) => text.startsWith('payments.send {"amount"'))?.text;
    const named = ({ policy }: { policy: Policy }) =>
      policy.rules.some(({ name }) => name === 'two of finance, and not whoever asked');
    const policy = examples().find(named)?.policy;
    if (!policy) throw new Error('the page has no policy');
    const call = { server: 'payments', tool: 'send', arguments: { amount: '1.001' } };
    expect(`${explainVerdict(policy, call).join('\n')}\n`).toBe(shown);
  });

  it('names every condition', () => {
    const names =
      'equals not_equals over under at_least at_most in not_in matches regex path_under host_in longer_than exists missing default any_of not'.split(
        ' ',
      );
    expect(names.filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});
