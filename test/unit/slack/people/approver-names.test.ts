import { expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import type { ApproverRef } from '../../../../src/gate/policy/approver-rules.ts';
import { mentioning } from '../../../../src/slack/people/approver-names.ts';
import { callRecord } from '../cards/fixtures.ts';

const NAMES: Record<string, string> = { U1: 'Ana', U2: 'Bob', U3: 'Carol' };

/** Who-line of a call of Ana's (U1), in pieces: mentions in angle brackets. `away`: who stands in for whom. */
async function line(
  from: readonly ApproverRef[],
  {
    quorum = 1,
    excludeRequester = false,
    away = {},
    slow = 0,
    ...changes
  }: Partial<CallRecord> & {
    quorum?: number;
    excludeRequester?: boolean;
    away?: Record<string, string[]>;
    slow?: number;
  } = {},
): Promise<string | null> {
  let looks = 0;
  const approval = { steps: [{ from: [...from], quorum }], excludeRequester, rejections: 1 };
  const verdict = { action: 'ask' as const, rule: 'r', reason: null, policyVersion: 'v', approval };
  const call = callRecord({ verdict, threadId: 'slack:T1:C1:1.0', ...changes });
  const found = await mentioning(call, {
    directory: {
      nameOf: async (user) => NAMES[user] ?? user,
      group: async (name) => {
        looks += 1;
        if (looks <= slow) return { id: null, name: `@${name}`, members: null };
        const members = name === 'none' || name === 'gone' ? [] : ['U2'];
        return { id: name === 'gone' ? null : `S-${name}`, name: `@${name}`, members };
      },
    },
    gate: {
      delegation: {
        activeDelegates: async (id) =>
          (away[id.split(':')[2] ?? ''] ?? []).map((user) => ({
            id: `slack:T1:${user}`,
            name: NAMES[user] ?? user,
          })),
      },
    },
  });
  return (
    found
      ?.map((element) => {
        if (element.type === 'user') return `<${element.user_id}>`;
        if (element.type === 'usergroup') return `<${element.usergroup_id}>`;
        return element.type === 'text' ? element.text : '?';
      })
      .join('') ?? null
  );
}

it.each<[ApproverRef[], number, string]>([
  [['user:U2'], 1, '<U2>'],
  [['user:U2', 'user:U3'], 1, '<U2> or <U3>'],
  [['user:U2', 'user:U3'], 2, '<U2> and <U3>'],
  [['group:ops', 'user:U3'], 2, '2 of <S-ops>, <U3>'],
  [['requester', 'group:ops'], 1, 'Ana or <S-ops>'],
  [['user:U1', 'user:U2', 'channel'], 1, 'Ana, <U2> or anybody in this channel'],
])('%j, of whom %i must, are mentioned', async (from, quorum, words) => {
  expect(await line(from, { quorum })).toBe(words);
});

it.each<[string, ApproverRef[]]>([
  ['whoever asked decides', ['requester']],
  ['it is anybody in the channel', ['channel']],
  ['it is a key of the HTTP API', ['api:billing']],
  ['there is no such group', ['group:gone']],
  ['nobody is in the group', ['group:none']],
])('nobody is mentioned where %s', async (_why, from) => {
  expect(await line(from)).toBeNull();
});

it('nobody is mentioned in direct messages, and once it is decided', async () => {
  expect(await line(['user:U2'], { threadId: 'slack:T1:D1:1.0' })).toBeNull();
  expect(await line(['user:U2'], { state: 'succeeded' })).toBeNull();
});

it('nobody is mentioned where no rule names approvers', async () => {
  const verdict = { action: 'ask' as const, rule: 'r', reason: null, policyVersion: 'v' };
  expect(await line(['user:U2'], { verdict })).toBeNull();
});

it('who is away is named, and whoever stands in is mentioned', async () => {
  expect(await line(['user:U2'], { away: { U2: ['U3'] } })).toBe('Bob (<U3> stands in)');
  expect(await line(['user:U2'], { away: { U2: ['U3', 'U4'] } })).toBe('Bob (<U3>, <U4> stand in)');
  expect(await line(['requester', 'user:U3'], { away: { U1: ['U2'] } })).toBe('Ana (Bob stands in) or <U3>');
});

it('who has had their word, or handed it over, is named and not mentioned', async () => {
  const bob = { id: 'slack:T1:U2', name: 'Bob' };
  const vote = { type: 'approve' as const, actor: bob, at: 1, step: 0, feedback: null };
  const from: ApproverRef[] = ['user:U2', 'user:U3'];
  expect(await line(from, { quorum: 2, votes: [vote] })).toBe('Bob and <U3>');
  const to = { id: 'slack:T1:U4', name: 'Dave' };
  expect(await line(from, { handOvers: [{ from: bob, to, at: 1 }] })).toBe('Dave for Bob or <U3>');
});

it('whoever asked and may not decide is named as such', async () => {
  expect(await line(['group:ops'], { excludeRequester: true })).toBe('<S-ops>, not Ana,');
});

it('a group that Slack is slow to tell of is waited for, and not for ever', async () => {
  expect(await line(['group:ops'], { slow: 3 })).toBe('<S-ops>');
  expect(await line(['group:ops'], { slow: 99 })).toBeNull();
});
