import { expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import type { Ref } from '../../../../src/storage/store.ts';
import { damage } from '../../../helpers/damage.ts';
import { proposed } from '../../../helpers/gate.ts';
import { ana, carol, THREAD } from '../../../helpers/people.ts';
import { HOUR, KEY, MINUTE, openTimedGate, rule } from '../../../helpers/timed-gate.ts';

const OTHER = 'slack:T1:C2:1.0';
const RECORD = { collection: 'calls', id: KEY };

/** `c1` of one thread cannot be read; `d1` of another one can, and waits as it did. */
async function damaged(ids = ['c1']) {
  const told: Ref[] = [];
  const keys = { approvers: '@finance', ladder: [{ after: '30m', remind: true }] };
  const fixture = await openTimedGate(rule(keys), { onUnreadable: (record) => void told.push(record) }, ids);
  const fence = await fixture.fence();
  await fixture.gate.requests.open({
    threadId: OTHER,
    runId: 'r2',
    interruptId: 'i2',
    requester: ana,
    calls: [proposed('d1')],
    fence,
  });
  await damage(fixture.store, calls, KEY);
  const other = async () => {
    const call = await fixture.gate.calls.get(callKey(OTHER, 'd1'));
    if (!call) throw new Error('the other call is gone');
    return call;
  };
  return { ...fixture, told, other };
}

it('a call that cannot be read keeps no other from expiring, and is told of', async () => {
  const { gate, pass, other, told } = await damaged();
  pass(25 * HOUR);
  expect(await gate.requests.expire()).toBe(1);
  expect((await other()).state).toBe('expired');
  expect(told).toEqual([RECORD]);
});

it('nor does one that was asked about together with calls that can be read', async () => {
  const { gate, pass, other, told } = await damaged(['c1', 'c2']);
  pass(25 * HOUR);
  expect(await gate.requests.expire()).toBe(1);
  expect((await other()).state).toBe('expired');
  expect(told).toContainEqual(RECORD);
});

it('keeps nobody from being reminded of another', async () => {
  const { gate, pass, other } = await damaged(['c1', 'c2']);
  pass(31 * MINUTE);
  expect(await gate.requests.escalate()).toBe(1);
  expect((await other()).timing?.climbed).toHaveLength(1);
});

it('keeps nobody from seeing what else waits for them, or what else they asked for', async () => {
  const { gate } = await damaged();
  const ids = (found: readonly { readonly callId: string }[]) => found.map(({ callId }) => callId);
  expect(ids((await gate.calls.inbox(carol.id, 10)).calls)).toEqual(['d1']);
  expect(ids(await gate.calls.requestedBy(ana.id, 10))).toEqual(['d1']);
});

it('keeps no other from being listed, nor from being named by what was read in its thread', async () => {
  const { gate, told } = await damaged(['c1', 'c2']);
  const found = await gate.calls.getMany([KEY, callKey(OTHER, 'd1')]);
  expect(found).toMatchObject([null, { callId: 'd1' }]);
  expect(await gate.calls.proposedIn(THREAD, 10)).toMatchObject([{ callId: 'c2' }]);
  expect(told).toEqual([RECORD, RECORD]);
});

it('keeps no other thread from being taken up', async () => {
  const { gate, say, store, told } = await openApproved();
  await say(carol);
  await damage(store, calls, RECORD.id);
  expect(await gate.calls.unfinishedThreads()).toEqual(new Set());
  expect(told).toEqual([RECORD]);
});

async function openApproved() {
  const told: Ref[] = [];
  const unreadable = (record: Ref) => void told.push(record);
  const fixture = await openTimedGate(rule({ approvers: '@finance' }), { onUnreadable: unreadable });
  return { ...fixture, told };
}
