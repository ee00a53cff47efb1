import { expect, it } from 'vitest';
import { approvalStatus } from '../../../../src/gate/approval/status.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import type { ApproverRef } from '../../../../src/gate/policy/approver-rules.ts';
import { summarizeApprovers } from '../../../../src/slack/people/approver-progress.ts';
import { createDirectory } from '../../../../src/slack/people/directory.ts';
import { slackIdentity } from '../../../../src/slack/people/identity.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';
import { callRecord } from '../cards/fixtures.ts';

type Step = { from: ApproverRef[]; quorum: number };
const once = (...from: ApproverRef[]): Step => ({ from, quorum: 1 });
const twice = (...from: ApproverRef[]): Step => ({ from, quorum: 2 });

/** What the card says of how far it is. */
async function progress(steps: Step[], excludeRequester = false): Promise<string> {
  return (await summarize(steps, excludeRequester)).summary?.progress ?? '';
}

/** The summary of a call of Ana's, with @ops being Ana and Bob, @one Bob, @none nobody; and whose delegates it asked for. */
async function summarize(steps: Step[], excludeRequester = false, changes: Partial<CallRecord> = {}) {
  const api = createFakeApi();
  api.answers.set('usergroups.list', () => ({
    ok: true,
    usergroups: [
      { id: 'S1', handle: 'ops', users: ['U1', 'U2'] },
      { id: 'S2', handle: 'one', users: ['U2'] },
      { id: 'S3', handle: 'none', users: [] },
      { id: 'S4', handle: 'secret' },
    ],
  }));
  const approval = { steps, excludeRequester, rejections: 1 };
  const call = callRecord({
    verdict: { action: 'ask', rule: 'r', reason: null, policyVersion: 'v', approval },
    ...changes,
  });
  const directory = createDirectory(api.client, Date.now, 'Europe/Berlin');
  const lookups: string[] = [];
  const activeDelegates = async (id: string) => {
    lookups.push(id);
    return [];
  };
  const summary = await summarizeApprovers(
    { call, approval: approvalStatus(slackIdentity, call) },
    { directory, gate: { delegation: { activeDelegates } } },
  );
  return { summary, lookups };
}

it.each<[string, Step[], boolean]>([
  ['whoever asked, who is excluded', [once('requester')], true],
  ['the same, by their id', [once('user:U1', 'requester')], true],
  ['an empty group', [once('group:none')], false],
  ['an unknown group', [once('group:gone')], false],
  ['whoever asked, in a later step', [once('user:U2'), once('requester')], true],
])('nobody can decide where it is %s', async (_who, steps, exclude) => {
  expect(await progress(steps, exclude)).toContain('nobody can decide this');
});

it.each<[string, Step[], boolean]>([
  ['a group is too small', [twice('group:one')], false],
  ['a group is too small without whoever asked', [twice('group:ops')], true],
  ['those in it are named once more', [twice('group:one', 'user:U2')], false],
])('nobody can approve it where %s', async (_why, steps, exclude) => {
  expect(await progress(steps, exclude)).toContain('nobody can approve this: it needs 2, and only 1 may');
});

it.each<[string, Step[], boolean]>([
  ['there are enough', [twice('group:ops')], false],
  ['others may besides', [once('requester', 'api:billing')], true],
  ['it is a channel', [twice('channel')], true],
  ['Slack does not say who is in the group', [twice('group:secret')], false],
])('nothing is said of it where %s', async (_why, steps, exclude) => {
  expect(await progress(steps, exclude)).not.toContain('nobody');
});

it('the delegates of each approver are looked up once', async () => {
  const { lookups } = await summarize([once('requester', 'user:U2')]);
  expect(lookups).toEqual(['slack:T1:U1', 'slack:T1:U2']);
});

it.each(['approved', 'expired', 'succeeded'] as const)('nobody is looked up once it is %s', async (state) => {
  expect(await summarize([once('requester')], false, { state })).toEqual({ summary: null, lookups: [] });
});
