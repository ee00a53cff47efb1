import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countersign, type EndedCommand } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

/** `countersign policy test` in this folder. */
function policyTest(folder: string, args: readonly string[], config?: string): Promise<EndedCommand> {
  return countersign(
    folder,
    ['policy', 'test', ...args],
    config === undefined ? {} : { COUNTERSIGN_CONFIG: config },
  );
}

/** `countersign policy explain` in this folder. */
function explain(folder: string, args: readonly string[], config?: string): Promise<EndedCommand> {
  return countersign(
    folder,
    ['policy', 'explain', ...args],
    config === undefined ? {} : { COUNTERSIGN_CONFIG: config },
  );
}

const POLICY = `policy:
  rules:
    - name: small sums
      tools: pay.*
      when: { amount: { at_most: 100 } }
      action: allow
    - { name: large sums, tools: pay.*, action: ask, approvers: { from: "@finance", quorum: 2 } }
    - { name: too late, tools: pay.send, action: deny }
`;
const CASE = '- { name: small, tool: pay.send, arguments: { amount: 5 }, expect: { action: allow } }\n';
const NOTE =
  'note: whether Slack knows group:finance is not checked here; the start warns of whom it does not.\n';
const WARNING =
  'countersign.yaml:8: warning: the rule "too late" never applies: "large sums", before it, decides those calls whatever their arguments.\n';

function place(policy: string | null = POLICY, cases: string | null = CASE): string {
  const folder = temporaryFolder();
  if (policy !== null) writeFileSync(join(folder, 'countersign.yaml'), policy);
  if (cases !== null) writeFileSync(join(folder, 'countersign.policy-test.yaml'), cases);
  return folder;
}

it('says what the policy says about the tools of each agent of the team, and which globs fit none', async () => {
  const folder = place(
    `${POLICY}    - { tools: calendar.list_*, action: allow }
team:
  agents:
    days:
      description: Looks and writes.
      tools: [calendar.list_events, calendar.create_event]
    payer: { description: Pays., via: { tool: pay.send } }
    lost:
      description: Has none.
      tools:
        - calender.*
        - pay.*
    vain: { description: Isn't there., via: { tool: calendar.research } }
    other: { description: Is elsewhere., via: { a2a: "https://agents.example" } }
mcpServers: { calendar: { in_process: calendar }, pay: { command: nowhere } }
`,
    null,
  );
  const { code, stdout, stderr } = await explain(folder, ['--agents']);
  expect([code, stdout]).toEqual([
    1,
    `days:
  calendar.create_event is asked about (requester, no rule)
  calendar.list_events runs (rule "rule 4")

payer, by pay.send:
  pay.send runs (rule "small sums"); or is asked about (2 of group:finance, rule "large sums"), by its arguments

lost:
  countersign.yaml:18: no known tool fits calender.*

vain, by calendar.research:
  countersign.yaml:21: no known tool fits calendar.research

other, by https://agents.example:
  agents.other is asked about (requester, no rule)
`,
  ]);
  expect(stderr).toContain('note: the tools of pay are not known');
});

it('finds nothing wrong with agents whose tools are there, or whose servers have not been up', async () => {
  const team = `team:
  agents:
    days: { description: Looks., tools: [calendar.list_*, agents.other] }
    payer: { description: Pays., tools: ["pay.*"] }
    other: { description: Is elsewhere., via: { url: "https://agents.example" } }
mcpServers: { calendar: { in_process: calendar }, pay: { command: nowhere } }
`;
  const { code, stdout } = await explain(place(`${POLICY}${team}`, null), ['--agents']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('agents.other is asked about')]);
});

describe('countersign policy explain, of a name', () => {
  const servers = (name: string) =>
    `${POLICY}mcpServers: { calendar: { in_process: calendar }, ${name}: { command: nowhere } }\n`;

  it.each([
    ['calendar.create_event', ''],
    [
      'calendar.craete_event',
      'is not known to offer a tool called "craete_event". Did you mean calendar.create_event?',
    ],
    ['calender.list_events', 'names no server called "calender". Did you mean calendar.list_events?'],
    ['pya.send', 'names no server called "pya". Did you mean pay?'],
    [
      'pay.send',
      'note: pay has not been up with this data yet, so it\'s not known whether it offers "send".',
    ],
    ['agent.deploy', ''],
  ])('%s, says whether it is known, and explains it all the same', async (name, words) => {
    const folder = place(servers('pay'), null);
    const { code, stdout, stderr } = await explain(folder, [name]);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${name} {}\n`)]);
    expect(stderr.replace(WARNING, '').replace(NOTE, '')).toEqual(
      words === '' ? '' : expect.stringContaining(words),
    );
    expect(readdirSync(folder)).toEqual(['countersign.yaml']);
  });
});

describe('countersign policy', () => {
  it('holds the project’s own policy to its cases', async () => {
    const { code, stdout, stderr } = await policyTest(ROOT, []);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^✓ .*\n(?:✓ .*\n)+\n\d as expected, 0 not\n$/);
  });

  it('warns of a rule that never applies, and goes on', async () => {
    expect(await policyTest(place(), [])).toEqual({
      code: 0,
      stdout: '✓ small\n\n1 as expected, 0 not\n',
      stderr: `${WARNING}${NOTE}`,
    });
  });

  it('warns of a rule whose approvers can approve nothing for others, and goes on', async () => {
    const policy = 'policy:\n  rules:\n    - { name: pay, tools: pay.*, action: ask, approvers: api:ci }\n';
    const { code, stdout, stderr } = await explain(place(policy), ['pay.send']);
    expect(code).toBe(0);
    expect(stdout).toContain('"pay"');
    expect(stderr).toContain('countersign.yaml:3: Rule "pay" names api:ci to approve: a key decides only');
  });

  it('says what is not as expected, where and why, and fails', async () => {
    const cases = `${CASE}- name: large\n  tool: pay.send\n  arguments: { amount: 101 }\n  expect: { action: allow, rule: small sums }\n`;
    const { code, stdout } = await policyTest(place(POLICY, cases), []);
    expect(code).toBe(1);
    expect(stdout).toBe(`✓ small
✗ large (countersign.policy-test.yaml:2)
    expected allow, but it is ask
    expected the rule "small sums", but it is "large sums"
      pay.send {"amount":101}

      1. small sums (allow): does not apply
         amount at_most 100: not met
           amount is 101
      2. large sums (ask): applies
      3. too late (deny): is not looked at: a rule before it decides

      Needs approval (rule "large sums")
      Must approve: 2 of group:finance

1 as expected, 1 not
`);
  });

  it('explains one call', async () => {
    const { code, stdout } = await explain(place(), ['pay.send', '{"amount": "1,000.00"}']);
    expect(code).toBe(0);
    expect(stdout).toContain('amount is "1,000.00"; this wants a plain number');
    expect(stdout).toContain('Needs approval (rule "large sums", the strictest that may apply)');
  });

  it('explains a call by what its session has read, and holds cases to it', async () => {
    const rule = '{ name: after a page, tools: pay.*, action: deny, when: { session.has_read: untrusted } }';
    const cases = (kinds: string, action: string) =>
      `- { name: after ${kinds}, tool: pay.send, session_has_read: [${kinds}], expect: { action: ${action} } }\n`;
    const written = `policy:\n  rules:\n    - ${rule}\n  default: allow\nrisk: { permissions: p.json }\n`;
    const folder = place(written, cases('private', 'allow') + cases('untrusted', 'deny'));
    writeFileSync(join(folder, 'p.json'), '{}');
    for (const [kinds, isDenied] of [
      ['private', false],
      ['private,untrusted', true],
    ] as const) {
      const { stdout } = await explain(folder, ['pay.send', '--session-has-read', kinds]);
      expect([kinds, stdout.includes('Not allowed (rule "after a page")')]).toEqual([kinds, isDenied]);
    }
    expect(await policyTest(folder, [])).toMatchObject({ code: 0 });
  });

  it('holds arguments to policy.arguments, in cases and of one call', async () => {
    const policy = `${POLICY}  arguments:\n    pay.*: { required: [currency] }\n`;
    const cases =
      '- { name: bare, tool: pay.send, arguments: { amount: 5 }, expect: { action: unfit, rule: pay.* } }\n';
    expect(await policyTest(place(policy, cases), [])).toMatchObject({ code: 0 });
    const { code, stdout } = await policyTest(place(policy), []);
    expect(code).toBe(1);
    expect(stdout).toContain('    expected allow, but the arguments are invalid: currency is missing\n');
    const call = await explain(place(policy), ['pay.send', '{"amount": 5}']);
    expect(call.stdout).toMatch(/Invalid arguments.*\npolicy\.arguments, pay\.\*: currency is missing\n$/);
  });

  it('takes the policy that the server takes, or the one that is named', async () => {
    const folder = place('policy: { default: deny }\n');
    writeFileSync(join(folder, 'other.yaml'), 'policy: { default: allow }\n');
    writeFileSync(join(folder, 'other.policy-test.yaml'), CASE);
    writeFileSync(join(folder, 'third.yaml'), CASE.replace('allow', 'deny'));
    expect(await policyTest(folder, [], 'other.yaml')).toMatchObject({ code: 0 });
    expect(await policyTest(folder, ['--config', 'other.yaml'])).toMatchObject({ code: 0 });
    expect(await policyTest(folder, [])).toMatchObject({ code: 1 });
    expect(await policyTest(folder, ['--tests', 'third.yaml'])).toMatchObject({ code: 0 });
  });

  it.each<[string, string | null, string | null, readonly string[], string]>([
    ['no policy', null, CASE, [], 'countersign.yaml: there is no such file.'],
    ['no cases', POLICY, null, [], 'countersign.policy-test.yaml: there is no such file.'],
    [
      'an unknown key',
      POLICY.replace('amount:', 'amount: { ovr: 1 }, x:'),
      CASE,
      [],
      'countersign.yaml:5: policy.rules, 1st: when.amount.ovr: there is no such setting; did you mean over?',
    ],
    [
      'an unknown key in a case',
      POLICY,
      CASE.replace('expect', 'expects'),
      [],
      'countersign.policy-test.yaml:1: 1st entry: expects: there is no such setting; did you mean expect?',
    ],
  ])('says of %s what is wrong', async (_what, policy, cases, args, words) => {
    const { code, stdout, stderr } = await policyTest(place(policy, cases), args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    [
      'arguments that are no JSON',
      ['explain', 'pay.send', '{amount: 5}'],
      'The arguments are not a JSON object',
    ],
    ['arguments that are a list', ['explain', 'pay.send', '[5]'], 'The arguments are not a JSON object'],
    ['no server', ['explain', 'send'], '"send" is not SERVER.TOOL'],
    ['arguments in pieces', ['explain', 'pay.send', '{}', '{}'], 'put it in quotes'],
    ['no call', ['explain'], 'Name a call, as SERVER.TOOL'],
    ['an unknown option', ['test', '--test', 'x'], "Unknown option '--test'.\n(Did you mean --tests?)"],
    ['an unknown command', ['check'], "Unknown command 'check'"],
  ])('says of %s that the command line is wrong', async (_what, args, words) => {
    const { code, stdout, stderr } = await countersign(place(), ['policy', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).toContain('Nothing was done. Add --help');
    expect(stderr).not.toContain('    at ');
  });
});
