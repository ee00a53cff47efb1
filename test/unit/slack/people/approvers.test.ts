import { expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import type { ApproverRef } from '../../../../src/gate/policy/approver-rules.ts';
import { deciderIds, resolveApprover } from '../../../../src/slack/people/approvers.ts';
import { callRecord } from '../cards/fixtures.ts';

const [ana, bob, carol, dave] = ['Ana', 'Bob', 'Carol', 'Dave'].map((name, index) => ({
  id: `slack:T1:U${index + 1}`,
  name,
}));
if (!ana || !bob || !carol || !dave) throw new Error('four people');

const vote = { type: 'approve' as const, actor: bob, at: 1, step: 0, feedback: null };
const handOvers = [{ from: bob, to: carol, at: 1 }];

interface Case extends Partial<CallRecord> {
  readonly excludeRequester?: boolean;
  /** The delegates of everybody who is asked. */
  readonly delegates?: readonly (typeof ana)[];
}

/** What a reference means in a call of Ana's. */
function resolve(ref: ApproverRef, { excludeRequester = false, delegates = [], ...changes }: Case = {}) {
  const approval = { steps: [{ from: [ref], quorum: 1 }], excludeRequester, rejections: 1 };
  const verdict = { action: 'ask' as const, rule: 'r', reason: null, policyVersion: 'v', approval };
  return resolveApprover(ref, callRecord({ verdict, ...changes }), {
    directory: { group: async (name) => ({ id: `S-${name}`, name: `@${name}`, members: ['U2'] }) },
    gate: { delegation: { activeDelegates: async () => delegates } },
  });
}

it.each<[string, ApproverRef, Case, readonly string[]]>([
  ['the requester', 'requester', {}, ['U1']],
  ['the requester by their account', 'user:U1', {}, ['U1']],
  ['a requester whom separation of duties excludes', 'requester', { excludeRequester: true }, []],
  ['the same by their account', 'user:U1', { excludeRequester: true }, []],
  ['the delegate of a requester who is away', 'requester', { delegates: [carol] }, ['U3']],
  ['the requester alone for a question', 'requester', { kind: 'question', delegates: [carol] }, ['U1']],
  ['a person', 'user:U2', {}, ['U2']],
  ['the delegates of a person who is away', 'user:U2', { delegates: [carol, dave] }, ['U3', 'U4']],
  ['no delegate who requested it themselves', 'user:U2', { delegates: [ana, carol] }, ['U3']],
  ['a person whose one delegate requested it', 'user:U2', { delegates: [ana] }, ['U2']],
  ['the one who was given the call', 'user:U2', { handOvers, delegates: [dave] }, ['U3']],
  ['nobody once the person has voted', 'user:U2', { votes: [vote], delegates: [carol] }, []],
  ['nobody once they have voted in another step', 'user:U2', { votes: [{ ...vote, step: 1 }] }, []],
  ['nobody once they have voted for another', 'user:U2', { votes: [{ ...vote, for: dave }] }, []],
  [
    'nobody once another has voted for them',
    'user:U2',
    { votes: [{ ...vote, actor: dave, for: bob }], handOvers },
    [],
  ],
  [
    'a person who rejected it before an edit',
    'user:U2',
    { votes: [{ ...vote, type: 'reject', earlier: true }] },
    ['U2'],
  ],
])('waits for %s', async (_who, ref, changes, users) => {
  const approver = await resolve(ref, changes);
  if (approver.kind !== 'requester' && approver.kind !== 'user') throw new Error('a person');
  expect(deciderIds(approver)).toEqual(users.map((user) => `slack:T1:${user}`));
});

it.each<[ApproverRef, object]>([
  ['channel', { kind: 'channel' }],
  ['api:billing', { kind: 'api', id: 'billing' }],
  ['group:ops', { kind: 'group', group: { id: 'S-ops', name: '@ops', members: ['U2'] } }],
])('%s is no one person', async (ref, resolved) => {
  expect(await resolve(ref)).toEqual(resolved);
});
