import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { put } from '../../../../src/storage/store.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

const approve = async (callId = 'c1') =>
  fixture.gate.decisions.decide(
    [{ callKey: callKey(THREAD, callId), digest: (await fixture.call(callId)).digest, type: 'approve' }],
    ana,
  );

/** Somebody writes to the database past the gate. */
async function tamper(change: (call: CallRecord) => Partial<CallRecord>): Promise<void> {
  const call = await fixture.call('c1');
  await fixture.store.commit({ put: [put(calls, KEY, { ...call, ...change(call) })] });
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
    const fence = await fixture.fence();
    await fixture.gate.requests.open(opening(fence, call));
    await approve();
    await tamper(change);
    expect((await fixture.gate.journal.begin(beginning(fence, call))).kind).toBe('ended');
    expect(await fixture.call('c1')).toMatchObject({
      state: 'failed',
      attempt: 0,
      outcome: {
        message: expect.stringMatching(/^Its record says what the audit doesn’t.* So it did not run\./),
      },
    });
    expect((await fixture.gate.journal.begin(beginning(fence, call))).kind).toBe('ended');
  });

  it('between a lost answer and another attempt is not sent again', async () => {
    fixture = openGate({ isIdempotent: () => true });
    const call = proposed('c1');
    const fence = await fixture.fence();
    await fixture.gate.requests.open(opening(fence, call));
    await approve();
    const begun = await fixture.gate.journal.begin(beginning(fence, call));
    await tamper(() => ({ arguments: { title: 'Something else' } }));
    expect(await fixture.gate.journal.retry(begun.call, { fence })).toBeNull();
  });
});

describe('a late approval', () => {
  it('of what was superseded runs neither that nor what took its place', async () => {
    const [first, second] = [proposed('c1'), proposed('c2', {}, { title: 'Retro' })];
    const fence = await fixture.fence();
    await fixture.gate.requests.open(opening(fence, first));
    const requestId = (await fixture.call('c1')).requestId ?? '';
    await fixture.gate.requests.cancel(requestId, ana, { as: 'superseded' });
    await fixture.gate.requests.close(requestId, fence);
    await fixture.gate.requests.open({ ...opening(fence, second), interruptId: 'i2' });
    await expect(approve('c1')).rejects.toThrow('already_decided');
    expect((await fixture.gate.journal.begin(beginning(fence, first))).kind).toBe('ended');
    expect((await fixture.gate.journal.begin(beginning(fence, second))).kind).toBe('waiting');
    expect(await fixture.call('c2')).toMatchObject({ state: 'pending', decision: null, attempt: 0 });
  });

  it('of what has expired runs neither that nor what was asked for with it', async () => {
    const [first, second] = [proposed('c1'), proposed('c2', {}, { title: 'Retro' })];
    const fence = await fixture.fence();
    await fixture.gate.requests.open(opening(fence, first, second));
    fixture.time.now += 60_000;
    await fixture.gate.requests.expire();
    await expect(approve('c1')).rejects.toThrow('expired');
    for (const call of [first, second]) {
      expect((await fixture.gate.journal.begin(beginning(fence, call))).kind).toBe('ended');
    }
    expect(await fixture.call('c2')).toMatchObject({ state: 'expired', attempt: 0 });
  });
});
