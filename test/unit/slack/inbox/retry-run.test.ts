import { expect, it } from 'vitest';
import type { Outcome } from '../../../../src/gate/types.ts';
import { findRetryEnd, isRetryRun, retryRun } from '../../../../src/slack/inbox/retry-run.ts';
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

it('a run of the agent is told from a call', () => {
  expect([isRetryRun(retryRun('k1')), isRetryRun('slack:T1:mail:1')]).toEqual([true, false]);
});
