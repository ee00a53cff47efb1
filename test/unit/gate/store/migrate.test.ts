import { expect, it, onTestFinished } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { putCall } from '../../../../src/gate/store/commit.ts';
import { damage, writtenBefore } from '../../../helpers/damage.ts';
import { carol, THREAD } from '../../../helpers/people.ts';
import { HOUR, KEY, openTimedGate, rule } from '../../../helpers/timed-gate.ts';

const NEW = ['expiring', 'climbing', 'waitingForApprovers', 'judged'];

/** A gate on calls of an earlier version: `c1`, and `c2`. */
async function openBefore() {
  const fixture = await openTimedGate(rule({ approvers: '@finance' }), {}, ['c1', 'c2']);
  await writtenBefore(fixture.store, [KEY, callKey(THREAD, 'c2')], NEW);
  return fixture;
}

it('calls of an earlier version are in the lists again, and end when the usual time since they were proposed is over', async () => {
  const { gate, pass, call } = await openBefore();
  const { proposedAt } = await call();
  pass(5 * HOUR);
  expect((await gate.calls.inbox(carol.id, 10)).calls).toEqual([]);
  expect(await gate.migrate()).toBe(2);
  expect((await gate.calls.inbox(carol.id, 10)).calls).toHaveLength(2);
  expect((await call()).timing?.decideBy).toBe(proposedAt + 24 * HOUR);
  pass(18 * HOUR);
  expect(await gate.requests.expire()).toBe(0);
  pass(HOUR);
  expect(await gate.requests.expire()).toBe(2);
});

it('what this version wrote is not written anew, whatever it is', async () => {
  const { gate, store, call } = await openBefore();
  await gate.migrate();
  const before = await store.get(calls, KEY);
  expect(await gate.migrate()).toBe(0);
  expect(await store.get(calls, KEY)).toEqual(before);
  expect((await call()).state).toBe('pending');
});

it('a call that has its deadline keeps it', async () => {
  const { gate, store, call } = await openTimedGate(rule({ deadline: '2h' }));
  onTestFinished(() => store.close());
  const before = await call();
  expect(await gate.migrate()).toBe(1);
  expect(await call()).toEqual(before);
});

it('one that has ended gets none', async () => {
  const { gate, store, call } = await openTimedGate(rule({}));
  onTestFinished(() => store.close());
  await gate.decisions.withdraw(KEY, (await call()).requester, { digest: null });
  await writtenBefore(store, [KEY], NEW);
  await gate.migrate();
  expect(await call()).toMatchObject({ state: 'cancelled' });
  expect((await call()).timing).toBeUndefined();
});

it('two processes that start at once lose nothing, also not what somebody writes meanwhile', async () => {
  const { gate, store, call } = await openBefore();
  const value = await call();
  const more = Array.from({ length: 250 }, (_, index) => ({ ...value, callId: `m${index}` }));
  await store.commit({ put: more.map(putCall) });
  await writtenBefore(
    store,
    more.map(({ callId }) => callKey(THREAD, callId)),
    NEW,
  );
  const decided = gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], carol);
  await Promise.all([gate.migrate(), gate.migrate(), decided]);
  expect((await call()).state).toBe('approved');
  expect((await gate.calls.inbox(carol.id, 1_000)).calls).toHaveLength(251);
});

it('one that cannot be read is left, and the others are not', async () => {
  const { gate, store } = await openBefore();
  await damage(store, calls, KEY);
  expect(await gate.migrate()).toBe(1);
});
