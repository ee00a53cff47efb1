import { expect, it } from 'vitest';
import { warnOfUnknownPeople } from '../../../src/app/startup-warnings.ts';
import { programsSchema } from '../../../src/config/programs.ts';
import { findPolicyApprovers } from '../../../src/gate/policy/lint.ts';
import { policySchema } from '../../../src/gate/policy/schema.ts';
import { approverProblem } from '../../../src/slack/people/approver-problem.ts';
import { createFakeApi } from '../../helpers/slack-app.ts';

const policy = policySchema.parse({
  rules: [
    {
      tools: 'a.*',
      action: 'ask',
      approvers: { sequence: [{ from: 'user:U1' }, { from: ['@finance', 'requester'] }] },
    },
    { tools: 'b.*', action: 'ask', approvers: 'user:U1', ladder: [{ after: '1h', add: 'group:S9' }] },
    { tools: 'c.*', action: 'allow' },
  ],
});

it('everybody whom the rules name is looked up, each once', () => {
  expect(findPolicyApprovers(policy)).toEqual(['user:U1', 'group:finance', 'requester', 'group:S9']);
});

it('who cannot decide is named in the log, and trouble with one hides no other', async () => {
  const lines: string[] = [];
  const log = { warn: (line: string) => void lines.push(line), debug: () => undefined };
  const problemOf = async (ref: string) => {
    if (ref === 'user:U1') throw new Error('away');
    if (ref === 'user:U7') return 'Slack has no user U7.';
    return ref === 'group:S9' ? 'There is no such group.' : null;
  };
  const programs = programsSchema.parse({ laptop: { for: 'U1' }, builder: { for: 'U7' } });
  await warnOfUnknownPeople({ policy, programs }, problemOf, log);
  expect(lines).toEqual([
    'The policy names group:S9, who cannot approve anything: There is no such group.',
    'programs: U7, who answers for builder, cannot approve anything: Slack has no user U7.',
  ]);
});

it('keys that approve nothing for others are named with their rule', async () => {
  const lines: string[] = [];
  const log = { warn: (line: string) => void lines.push(line), debug: () => undefined };
  const ask = (approvers: unknown, more: object = {}) => ({
    tools: 'a.*',
    action: 'ask',
    approvers,
    ...more,
  });
  const rules = [
    ask('api:ci', { name: 'deploys' }),
    ask(['api:ci', 'user:U1']),
    ask({ sequence: [{ from: 'user:U1' }, { from: ['api:ci', 'api:qa'] }] }),
    ask({ from: ['requester', 'api:ci', 'user:U1'], exclude_requester: true }),
    ask('user:U1', { ladder: [{ after: '1h', add: 'api:ci' }] }),
    ask('requester', { ladder: [{ after: '1h', remind: true }] }),
  ];
  await warnOfUnknownPeople({ policy: policySchema.parse({ rules }), programs: {} }, async () => null, log);
  const own =
    'a key decides only what it asked for itself, so nobody is named there who can approve what others ask for. Name people, too.';
  expect(lines).toEqual([
    `Rule "deploys" names api:ci to approve: ${own}`,
    `Rule "rule 3" names api:ci, api:qa to approve: ${own}`,
    'Rule "rule 4" names api:ci, requester to approve, and with exclude_requester that approves nothing: neither whoever asked nor a key may. Name other people.',
    `Rule "rule 5" names api:ci to approve: ${own}`,
  ]);
});

it.each([
  ['user:U1', null],
  ['user:U2', 'The account of the user U2 is closed.'],
  ['user:U3', 'Slack has no user U3.'],
  ['user:U4', null],
  ['group:finance', null],
  ['group:S1', null],
  ['group:gone', 'Slack has no user group gone that is in use.'],
  ['requester', null],
  ['api:billing', null],
] as const)('of %s Slack says %s', async (ref, problem) => {
  const api = createFakeApi();
  api.answers.set('users.info', ({ user }) => {
    if (user === 'U3') return { ok: false, error: 'user_not_found' };
    if (user === 'U4') return { ok: false, error: 'internal_error' };
    return { ok: true, user: { deleted: user === 'U2' } };
  });
  api.answers.set('usergroups.list', () => ({ ok: true, usergroups: [{ id: 'S1', handle: 'finance' }] }));
  expect(await approverProblem(api.client, ref)).toBe(problem);
});

it('where Slack does not list its groups, none is called unknown', async () => {
  const api = createFakeApi();
  api.answers.set('usergroups.list', () => ({ ok: false, error: 'missing_scope' }));
  expect(await approverProblem(api.client, 'group:gone')).toBeNull();
});
