import { expect, it } from 'vitest';
import { callKey, retryId } from '../../../../src/gate/call/digest.ts';
import { type Outcome, recordKey } from '../../../../src/gate/types.ts';
import {
  callRun,
  endedCalls,
  findCallEnd,
  isCallRun,
  readRunEnd,
} from '../../../../src/slack/inbox/call-run.ts';
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
  expect(await findCallEnd({ get }, callRun('k1'))).toEqual(end);
  expect(await findCallEnd({ get }, callRun('k2'))).toEqual({ how: 'gone', said: '' });
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
  const toRun = (callId: string) => callRun(callKey(ended.threadId, callId));
  expect(endedCalls({ type: 'ended', call: other })).toEqual([]);
  expect(endedCalls({ type: 'ended', call: ended })).toEqual([toRun(retryId('c1'))]);
  expect(endedCalls({ type: 'decided', calls: [waiting, dropped, other] })).toEqual([toRun(retryId('c3'))]);
});

it('a run of the agent is told from a call', () => {
  expect([isCallRun(callRun('k1')), isCallRun('slack:T1:mail:1')]).toEqual([true, false]);
});

it.each([
  ['succeeded', { how: 'marked', said: '' }],
  ['failed', { how: 'unmarked', said: 'There is no calendar.' }],
  ['denied', { how: 'unmarked', said: '' }],
] as const)(
  'a call that marks a mail as read and is %s has ended so, and its event tells of it: %j',
  async (state, end) => {
    const outcome = state === 'failed' ? FAILED : null;
    const { tool } = callRecord();
    const call = callRecord({ state, outcome, tool: { ...tool, name: 'mark_as_read', graph: 'inbox' } });
    const run = callRun(recordKey(call));
    expect(await findCallEnd({ get: async () => call }, run)).toEqual(end);
    expect(endedCalls({ type: 'ended', call })).toEqual([run]);
  },
);

it.each([
  ['queued', null],
  ['held', null],
  ['running', null],
  ['answered', { how: 'answered', said: '' }],
  ['failed', { how: 'failed', said: 'words' }],
  ['cancelled', { how: 'stopped', said: '' }],
] as const)('a run that is %s has ended so: %j', (state, end) => {
  expect(readRunEnd({ state, response: 'words' })).toEqual(end);
  expect(readRunEnd(null)).toEqual({ how: 'gone', said: '' });
});
