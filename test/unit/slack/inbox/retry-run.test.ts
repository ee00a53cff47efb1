import { expect, it } from 'vitest';
import { callKey, retryId } from '../../../../src/gate/call/digest.ts';
import type { Outcome } from '../../../../src/gate/types.ts';
import { endedRetries, findRetryEnd, isRetryRun, retryRun } from '../../../../src/slack/inbox/retry-run.ts';
import { callRecord } from '../cards/fixtures.ts';

const FAILED: Outcome = { status: 'failed', message: 'There is no calendar.', content: [] };

it.each([
  ['pending', null],
  ['succeeded', { how: 'sent', said: '' }],
  ['failed', { how: 'failed', said: 'There is no calendar.' }],
  ['rejected', { how: 'stopped', said: '' }],
] as const)('a call that is tried again and is %s has ended so: %j', async (state, end) => {
  const call = callRecord({ state, outcome: state === 'failed' ? FAILED : null });
  const get = async (key: string) => (key === 'k1' ? call : null);
  expect(await findRetryEnd({ get }, retryRun('k1'))).toEqual(end);
  expect(await findRetryEnd({ get }, retryRun('k2'))).toEqual({ how: 'gone', said: '' });
});

it('an event tells of what was tried again only once that has ended, and of no other call', () => {
  const [other, ended, waiting, dropped] = (
    [
      ['c1', 'succeeded'],
      [retryId('c1'), 'succeeded'],
      [retryId('c2'), 'pending'],
      [retryId('c3'), 'ignored'],
    ] as const
  ).map(([callId, state]) => callRecord({ callId, state }));
  if (!other || !ended || !waiting || !dropped) throw new Error('no calls');
  const { threadId } = ended;
  const toRun = (callId: string) => ({ threadId, run: retryRun(callKey(threadId, callId)) });
  expect(endedRetries({ type: 'ended', call: other })).toEqual([]);
  expect(endedRetries({ type: 'ended', call: ended })).toEqual([toRun(retryId('c1'))]);
  expect(endedRetries({ type: 'decided', calls: [waiting, dropped, other] })).toEqual([toRun(retryId('c3'))]);
});

it('a run of the agent is told from a call', () => {
  expect([isRetryRun(retryRun('k1')), isRetryRun('slack:T1:mail:1')]).toEqual([true, false]);
});
