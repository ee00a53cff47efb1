import { beforeEach, describe, expect, it } from 'vitest';
import type { DecisionInput } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { FencedError } from '../../../../src/lib/errors.ts';
import { beginning, type OpenGate, openGate, opening, proposed, question } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

const decide = async (callId: string, decision: Pick<DecisionInput, 'type' | 'feedback'>) => {
  const { digest } = await fixture.call(callId);
  await fixture.gate.decisions.decide([{ callKey: callKey(THREAD, callId), digest, ...decision }], ana);
};
const approve = (callId: string) => decide(callId, { type: 'approve' });
const reject = (callId: string) => decide(callId, { type: 'reject', feedback: 'no' });

describe('opening a request', () => {
  it('records its calls as pending, with the policy’s word and the deadline', async () => {
    const request = await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    expect(request).toMatchObject({ state: 'open', callIds: ['c1'] });
    expect(await fixture.call('c1')).toMatchObject({
      state: 'pending',
      requestId: request.requestId,
      verdict: { action: 'ask', rule: 'default' },
      timing: { decideBy: fixture.time.now + 60_000 },
    });
    expect(await fixture.gate.requests.openIn(THREAD)).toEqual(request);
  });

  it('twice opens it once, and keeps what was decided in between', async () => {
    const fence = await fixture.fence();
    const first = await fixture.gate.requests.open(opening(fence, proposed('c1')));
    await approve('c1');
    fixture.time.now += 5_000;
    expect(await fixture.gate.requests.open(opening(fence, proposed('c1')))).toEqual(first);
    expect((await fixture.call('c1')).state).toBe('approved');
    expect(fixture.events.filter((event) => event.type === 'opened')).toHaveLength(1);
  });

  it('comes with what ends all of its calls, such as the outcome of its only one', async () => {
    const fence = await fixture.fence();
    const { requestId } = await fixture.gate.requests.open(opening(fence, proposed('c1')));
    await approve('c1');
    const { call } = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    expect(await fixture.gate.requests.get(requestId)).toMatchObject({ state: 'open' });
    await fixture.gate.journal.finish(call, { status: 'succeeded', content: [], structured: null });
    expect(await fixture.gate.requests.get(requestId)).toMatchObject({ state: 'closed' });
  });

  it('is refused to a worker that lost the thread', async () => {
    const stale = await fixture.fence();
    await fixture.fence();
    await expect(fixture.gate.requests.open(opening(stale, proposed('c1')))).rejects.toThrow(FencedError);
    expect(await fixture.gate.requests.openIn(THREAD)).toBeNull();
  });

  it('asks about a call that the graph put to people, though the policy allows it by now', async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1', { name: 'list_events' })));
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('takes a blocked call that nobody was asked about into the request', async () => {
    const fence = await fixture.fence();
    const list = proposed('c1', { name: 'list_events' });
    const begun = await fixture.gate.journal.begin(beginning(fence, list));
    await fixture.gate.elicitation.block(begun.call, {
      kind: 'oauth_url',
      elicitationId: 'e',
      url: 'https://x/',
      message: 'm',
    });
    const request = await fixture.gate.requests.open(opening(fence, list));
    expect(await fixture.call('c1')).toMatchObject({ state: 'blocked', requestId: request.requestId });
  });

  it.each([
    ['denied', proposed('bad', { name: 'drop_calendar' }), 'denied'],
    ['for a tool that is gone', proposed('bad', null), 'failed'],
    ['with arguments that do not fit', proposed('bad', {}, { title: 5 }), 'failed'],
    ['with text that is no Unicode', proposed('bad', {}, { title: '\ud800' }), 'failed'],
    ['without arguments that it needs', proposed('bad', {}, {}), 'failed'],
  ])('asks nobody about a call that is %s, and asks about the others', async (_what, bad, state) => {
    const request = await fixture.gate.requests.open(opening(await fixture.fence(), bad, proposed('c1')));
    expect(request.callIds).toEqual(['c1']);
    expect(await fixture.call('bad')).toMatchObject({ state, requestId: null });
    expect(fixture.events).toMatchObject([{ type: 'opened', calls: [{ callId: 'c1' }] }]);
  });

  it('asks nobody when no call is left to ask about, however often it is opened', async () => {
    const fence = await fixture.fence();
    const open = opening(fence, proposed('bad', {}, { title: 5 }));
    expect(await fixture.gate.requests.open(open)).toMatchObject({ state: 'closed', callIds: [] });
    expect(await fixture.gate.requests.open(open)).toMatchObject({ state: 'closed', callIds: [] });
    expect(fixture.events).toEqual([]);
    expect((await fixture.call('bad')).outcome).toMatchObject({
      status: 'failed',
      message: 'The arguments are invalid: title must be a string. Nothing was done.',
    });
  });
});

describe('withdrawing a request', () => {
  it('takes back what is undecided, by name, and leaves what was decided', async () => {
    const { requestId } = await fixture.gate.requests.open(
      opening(await fixture.fence(), proposed('c1'), proposed('c2')),
    );
    await approve('c1');
    const withdrawn = await fixture.gate.requests.withdraw(requestId, ana);
    expect(withdrawn.map((call) => call.callId)).toEqual(['c2']);
    expect((await fixture.call('c1')).state).toBe('approved');
    expect(await fixture.call('c2')).toMatchObject({ state: 'cancelled', decision: { actor: ana } });
  });

  it('is refused to whoever may not decide it', async () => {
    const { requestId } = await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    await expect(fixture.gate.requests.withdraw(requestId, bob)).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('that does not exist is refused', async () => {
    await expect(fixture.gate.requests.withdraw('nonsense', ana)).rejects.toMatchObject({
      refusal: 'unknown_call',
    });
  });

  it('on the app’s own account needs nobody who may decide', async () => {
    const { requestId } = await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    await fixture.gate.requests.cancel(requestId, bob, { as: 'superseded' });
    expect((await fixture.call('c1')).state).toBe('superseded');
  });

  it('closes the form that one of its calls waits for, and the call goes on', async () => {
    const fence = await fixture.fence();
    const { requestId } = await fixture.gate.requests.open(opening(fence, proposed('c1'), proposed('c2')));
    await approve('c1');
    const begun = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    const need = { kind: 'form_elicitation', elicitationId: 'f', message: '', requestedSchema: {} } as const;
    await fixture.gate.elicitation.requestForm(begun.call, need);
    await fixture.gate.requests.withdraw(requestId, ana);
    expect(await fixture.call('c1')).toMatchObject({
      state: 'executing',
      need: null,
      elicitationAnswer: { action: 'cancel', content: null },
    });
    expect((await fixture.call('c2')).state).toBe('cancelled');
    expect(fixture.events.at(-1)).toMatchObject({ type: 'person_answered', call: { callId: 'c1' } });
  });

  it('changes nothing when all was decided', async () => {
    const { requestId } = await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    await approve('c1');
    expect(await fixture.gate.requests.cancel(requestId, ana, { as: 'superseded' })).toEqual([]);
  });
});

describe('withdrawing one call', () => {
  const key = callKey(THREAD, 'c1');
  beforeEach(async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1'), proposed('c2')));
  });

  it('leaves its siblings as they are', async () => {
    await fixture.gate.decisions.withdraw(key, ana, { digest: (await fixture.call('c1')).digest });
    expect(await fixture.call('c1')).toMatchObject({ state: 'cancelled', decision: { actor: ana } });
    expect((await fixture.call('c2')).state).toBe('pending');
  });

  it.each([
    ['somebody who may not decide it', 'not_allowed', bob, null],
    ['somebody who was shown something else', 'changed', ana, 'another digest'],
  ] as const)('is refused to %s', async (_who, refusal, actor, digest) => {
    await expect(fixture.gate.decisions.withdraw(key, actor, { digest })).rejects.toMatchObject({ refusal });
    expect((await fixture.call('c1')).state).toBe('pending');
  });

  it('comes too late when it was approved', async () => {
    await approve('c1');
    await expect(fixture.gate.decisions.withdraw(key, ana, { digest: null })).rejects.toMatchObject({
      refusal: 'already_decided',
    });
    expect((await fixture.call('c1')).state).toBe('approved');
  });
});

describe('a deadline', () => {
  it('ends what nobody decided, at the millisecond and not before', async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    fixture.time.now += 59_999;
    expect(await fixture.gate.requests.expire()).toBe(0);
    fixture.time.now += 1;
    expect(await fixture.gate.requests.expire()).toBe(1);
    expect(await fixture.call('c1')).toMatchObject({ state: 'expired', decision: null });
    expect(await fixture.gate.requests.expire()).toBe(0);
  });

  it('leaves what was decided in time', async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    await approve('c1');
    fixture.time.now += 60_000;
    expect(await fixture.gate.requests.expire()).toBe(0);
    expect((await fixture.call('c1')).state).toBe('approved');
  });

  it('never comes for a request without one', async () => {
    fixture = openGate({ requestLifetimeMs: null });
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    fixture.time.now += 1e12;
    expect(await fixture.gate.requests.expire()).toBe(0);
  });
});

describe('closing a request', () => {
  it('waits until every call has ended', async () => {
    const fence = await fixture.fence();
    const { requestId } = await fixture.gate.requests.open(opening(fence, proposed('c1'), proposed('c2')));
    await reject('c1');
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(false);
    await reject('c2');
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(true);
    expect(await fixture.gate.requests.openIn(THREAD)).toBeNull();
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(true);
    expect(fixture.events.filter((event) => event.type === 'closed')).toHaveLength(1);
  });

  it.each(['pending', 'approved', 'executing'])('is not possible while one is %s', async (state) => {
    const fence = await fixture.fence();
    const { requestId } = await fixture.gate.requests.open(opening(fence, proposed('c1')));
    if (state !== 'pending') await approve('c1');
    if (state === 'executing') await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    expect((await fixture.call('c1')).state).toBe(state);
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(false);
  });

  it('is refused to a worker that lost the thread', async () => {
    const stale = await fixture.fence();
    const { requestId } = await fixture.gate.requests.open(opening(stale, proposed('c1'), proposed('c2')));
    await reject('c1');
    await reject('c2');
    await fixture.fence();
    await expect(fixture.gate.requests.close(requestId, stale)).rejects.toThrow(FencedError);
  });
});

describe('giving a run up', () => {
  it('puts in doubt what was being sent, cancels the rest, and leaves what had ended', async () => {
    const fence = await fixture.fence();
    const asked = { ...proposed('q1'), kind: 'question' as const, tool: question };
    await fixture.gate.requests.open(opening(fence, proposed('c1'), proposed('c2'), proposed('c3'), asked));
    await approve('c1');
    await approve('c2');
    await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
    const list = await fixture.gate.journal.begin(beginning(fence, proposed('r1', { name: 'list_events' })));
    await fixture.gate.journal.finish(list.call, { status: 'succeeded', content: [], structured: null });

    await fixture.gate.journal.abandon(THREAD, { actor: ana, fence });
    const states = await Promise.all(
      ['c1', 'c2', 'c3', 'q1', 'r1'].map(async (id) => (await fixture.call(id)).state),
    );
    expect(states).toEqual(['in_doubt', 'cancelled', 'cancelled', 'cancelled', 'succeeded']);
    expect((await fixture.call('c2')).decision?.type).toBe('approve');
  });

  it('is refused to a worker that lost the thread', async () => {
    const stale = await fixture.fence();
    await fixture.gate.requests.open(opening(stale, proposed('c1')));
    await fixture.fence();
    await expect(fixture.gate.journal.abandon(THREAD, { actor: ana, fence: stale })).rejects.toThrow(
      FencedError,
    );
    expect((await fixture.call('c1')).state).toBe('pending');
  });
});

describe('what waits for a person', () => {
  it('is listed for them alone, oldest first, until it is decided', async () => {
    await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
    fixture.time.now += 1;
    await fixture.gate.requests.open({
      ...opening(await fixture.fence(), proposed('c2')),
      interruptId: 'i2',
    });
    const waiting = async (id: string) =>
      (await fixture.gate.calls.inbox(id, 10)).calls.map((call) => call.callId);
    expect(await waiting(ana.id)).toEqual(['c1', 'c2']);
    expect(await waiting(bob.id)).toEqual([]);
    await approve('c1');
    expect(await waiting(ana.id)).toEqual(['c2']);
  });

  it('is listed in the order in which it was asked for together, also within a millisecond', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    await fixture.gate.requests.open(opening(await fixture.fence(), ...ids.map((id) => proposed(id))));
    expect((await fixture.gate.calls.inbox(ana.id, 20)).calls.map(({ callId }) => callId)).toEqual(ids);
  });
});

it('a call that another program proposed under the same id is not taken over', async () => {
  const fixture = openGate();
  await fixture.gate.requests.propose({
    threadId: THREAD,
    runId: 'r1',
    requester: ana,
    call: proposed('c1'),
    runBy: 'program',
  });
  const before = await fixture.call('c1');
  await expect(
    fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1'))),
  ).rejects.toMatchObject({
    code: 'call_id_taken',
  });
  expect(await fixture.call('c1')).toEqual(before);
});

it('a listener that throws after the commit undoes nothing, and keeps no other from being told', async () => {
  const failures: unknown[] = [];
  const told: string[] = [];
  const fixture = openGate({
    listeners: [
      {
        notify() {
          throw new Error('broken');
        },
      },
      { notify: ({ type }) => void told.push(type) },
    ],
    onListenerFailed: (cause) => void failures.push(cause),
  });
  const request = await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1')));
  expect(request.state).toBe('open');
  expect(told).toEqual(['opened']);
  expect(failures).toMatchObject([{ message: 'broken' }]);
});
