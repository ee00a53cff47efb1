import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { beginning, type OpenGate, openGate, opening, proposed, THREAD } from '../../../helpers/gate.ts';
import { ana } from '../../../helpers/house.ts';

const KEY = callKey(THREAD, 'c1');

let house: OpenGate;
beforeEach(() => {
  house = openGate();
});
afterEach(() => house.close());

const approve = async (callId = 'c1') =>
  house.gate.decisions.decide(
    [{ callKey: callKey(THREAD, callId), digest: (await house.call(callId)).digest, type: 'approve' }],
    ana,
  );

/** Somebody writes to the database past the gate. */
async function tamper(change: (call: CallRecord) => Partial<CallRecord>): Promise<void> {
  const call = await house.call('c1');
  await house.store.commit({ put: [put(calls, KEY, { ...call, ...change(call) })] });
}

describe('a record that was changed past the gate', () => {
  it.each<[string, (call: CallRecord) => Partial<CallRecord>]>([
    ['other arguments', () => ({ arguments: { title: 'Something else' } })],
    ['one argument more', ({ arguments: args }) => ({ arguments: { ...args, cc: 'mallory' } })],
    ['another tool', ({ tool }) => ({ tool: { ...tool, name: 'cancel_event' } })],
    ['another server', ({ tool }) => ({ tool: { ...tool, server: 'payments' } })],
    ['another definition', ({ tool }) => ({ tool: { ...tool, definitionHash: 'v2' } })],
  ])('after it was shown and approved, to %s, is not sent', async (_, change) => {
    const call = proposed('c1');
    const fence = await house.fence();
    await house.gate.requests.open(opening(fence, call));
    await approve();
    await tamper(change);
    expect((await house.gate.journal.begin(beginning(fence, call))).kind).toBe('ended');
    expect(await house.call('c1')).toMatchObject({
      state: 'failed',
      attempt: 0,
      outcome: { message: 'What is on record is not what was shown, so it was not run.' },
    });
    expect((await house.gate.journal.begin(beginning(fence, call))).kind).toBe('ended');
  });

  it('between a lost answer and another attempt is not sent again', async () => {
    house.close();
    house = openGate({ isIdempotent: () => true });
    const call = proposed('c1');
    const fence = await house.fence();
    await house.gate.requests.open(opening(fence, call));
    await approve();
    const begun = await house.gate.journal.begin(beginning(fence, call));
    await tamper(() => ({ arguments: { title: 'Something else' } }));
    expect(await house.gate.journal.retry(begun.call, { fence })).toBeNull();
  });
});

describe('a late approval', () => {
  it('of what was superseded runs neither that nor what took its place', async () => {
    const [first, second] = [proposed('c1'), proposed('c2', {}, { title: 'Retro' })];
    const fence = await house.fence();
    await house.gate.requests.open(opening(fence, first));
    const requestId = (await house.call('c1')).requestId ?? '';
    await house.gate.requests.cancel(requestId, ana, { as: 'superseded' });
    await house.gate.requests.close(requestId, fence);
    await house.gate.requests.open({ ...opening(fence, second), interruptId: 'i2' });
    await expect(approve('c1')).rejects.toThrow('already_decided');
    expect((await house.gate.journal.begin(beginning(fence, first))).kind).toBe('ended');
    expect((await house.gate.journal.begin(beginning(fence, second))).kind).toBe('waiting');
    expect(await house.call('c2')).toMatchObject({ state: 'pending', decision: null, attempt: 0 });
  });

  it('of what has expired runs neither that nor what was asked for with it', async () => {
    const [first, second] = [proposed('c1'), proposed('c2', {}, { title: 'Retro' })];
    const fence = await house.fence();
    await house.gate.requests.open(opening(fence, first, second));
    house.time.now += 60_000;
    await house.gate.requests.expire();
    await expect(approve('c1')).rejects.toThrow('expired');
    for (const call of [first, second]) {
      expect((await house.gate.journal.begin(beginning(fence, call))).kind).toBe('ended');
    }
    expect(await house.call('c2')).toMatchObject({ state: 'expired', attempt: 0 });
  });
});
