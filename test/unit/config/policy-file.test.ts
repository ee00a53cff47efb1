import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPolicy } from '../../../src/config/file.ts';
import { readYamlFile } from '../../../src/config/yaml-file.ts';
import { policyCasesSchema } from '../../../src/gate/policy/test-cases.ts';
import { ConfigError } from '../../../src/lib/errors.ts';
import { ROOT } from '../../helpers/sources.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(text: string, name = 'c.yaml'): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** What is said of a file, with the folder left out; fails when nothing is. */
async function refusal(reading: Promise<unknown>): Promise<string> {
  const error: unknown = await reading.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConfigError)) throw new Error(`not refused: ${String(error)}`);
  return error.userMessage.replaceAll(`${folder}/`, '');
}

describe('a mistake in conditions', () => {
  const rule = (when: string) =>
    `policy:\n  rules:\n    - tools: pay.*\n      action: ask\n      when:\n        note: { exists: true }\n        ${when}\n`;

  it.each([
    ['amount: { over: ten }', 'amount.over: must be a number; this is a text'],
    ['amount: { over: "10" }', 'amount.over: must be a number: leave out the quotes'],
    ['amount: { over: .inf }', 'amount.over: must be a number; this is no number that can be written out'],
    ['amount: { ovr: 1, over: 1 }', 'amount.ovr: there is no such setting; did you mean over?'],
    ['amount: {}', 'amount: needs a condition, such as equals or over'],
    ['amount: { default: 5 }', 'amount: needs a condition, such as equals or over'],
    ['amount: 5', 'amount: must be a map, with a line “key: …” for each; this is a number'],
    ['to: { exists: true, default: x }', 'to: asks whether it is given, which a default takes away'],
    ['to: { exists: false }', 'to.exists: must be true'],
    ['to: { in: [] }', 'to.in: must be a list of texts, or a list of numbers, of one at least'],
    ['to: { matches: "https://*" }', 'to.matches: cannot tell where a host ends; use host_in for addresses'],
    ['to: { regex: "(a" }', 'to.regex: cannot be used: missing closing )'],
    ['to: { path_under: ~/x }', 'to.path_under: is no plain folder, such as /srv/shared or C:\\data'],
    ['to: { path_under: [/srv, 5] }', 'to.path_under, 2nd: must be a text: put it in quotes'],
    ['to: { host_in: "https://a" }', 'to.host_in: is no host, such as example.com or *.example.com'],
    [
      'a..b: { over: 1 }',
      'a..b: is no path to an argument, such as amount, recipient.email, items[0].price or attendees[*]',
    ],
    ['__proto__: { over: 1 }', '__proto__: write this argument as ["__proto__"]'],
    ['not: { __proto__: { over: 1 } }', 'not.__proto__: write this argument as ["__proto__"]'],
    ['not: {}', 'not: needs a condition'],
    ['any_of: { a: { over: 1 } }', 'any_of: must be a list, with a line “- …” for each; this is a map'],
    ['any_of: [{ a: { over: x } }]', 'any_of, 1st: a.over: must be a number; this is a text'],
  ])('%s is told with its line', async (when, words) => {
    expect(await refusal(readPolicy(write(rule(when))))).toBe(`c.yaml:7: policy.rules, 1st: when.${words}`);
  });

  it('is told of an empty list of conditions', async () => {
    const text = 'policy:\n  rules:\n    - tools: pay.*\n      action: ask\n      when: {}\n';
    expect(await refusal(readPolicy(write(text)))).toBe(
      'c.yaml:5: policy.rules, 1st: when: needs a condition',
    );
  });
});

describe('a mistake in what has several forms', () => {
  it.each([
    ['{ from: requester, foo: 1 }', 'approvers.foo: there is no such setting'],
    ['{ from: requester, quorum: 0 }', 'approvers.quorum: must be at least 1'],
    ['{ quorum: 2 }', 'approvers: needs either from or sequence'],
  ])('%s is told of the one that was meant', async (approvers, words) => {
    const text = `policy:\n  rules:\n    - tools: pay.*\n      action: ask\n      approvers: ${approvers}\n`;
    expect(await refusal(readPolicy(write(text)))).toBe(`c.yaml:5: policy.rules, 1st: ${words}`);
  });
});

describe('a policy', () => {
  it('is read without the secrets that its servers need', async () => {
    const secret = '$' + '{NOT_SET}';
    const text = `policy: { default: deny }\nmcpServers:\n  a: { command: x, env: { TOKEN: "${secret}" } }\n`;
    expect((await readPolicy(write(text))).policy.default).toBe('deny');
  });

  it('knows the line of each rule', async () => {
    const { lineOf } = await readPolicy(
      write('policy:\n  rules:\n    - { tools: a, action: ask }\n\n    - tools: b\n      action: ask\n'),
    );
    expect([lineOf(0), lineOf(1)]).toEqual([3, 5]);
  });
});

describe('a file of cases', () => {
  it('tells its mistakes with their lines', async () => {
    const text =
      '- name: a\n  tool: pay.send\n  expect: { action: maybe }\n- name: b\n  toll: pay.send\n  expect: { action: ask }\n';
    const words = await refusal(readYamlFile(write(text), policyCasesSchema));
    expect(words.split('\n')).toEqual([
      'c.yaml:3: 1st entry: expect.action: must be allow, ask, deny or unfit',
      'c.yaml:4: 2nd entry: tool: is missing',
      'c.yaml:5: 2nd entry: toll: there is no such setting; did you mean tool?',
    ]);
  });

  it.each(['', 'a: b', '[]', '- name: [', '- &a [*a]'])('is not read from %j', async (text) => {
    expect(await refusal(readYamlFile(write(text), policyCasesSchema))).toMatch(/^c\.yaml/);
  });

  it('of the project is read', async () => {
    const { content } = await readYamlFile(join(ROOT, 'countersign.policy-test.yaml'), policyCasesSchema);
    expect(content.length).toBeGreaterThan(1);
  });
});
