import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { finalState, isOpenDoubt } from '../../../../src/gate/call/lifecycle.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import type { Fence } from '../../../../src/storage/lease/types.ts';
import { failure, success } from '../../../helpers/fake-hub.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const LOST = { status: 'in_doubt', message: 'The connection was lost.' } as const;

let fixture: OpenGate;
let fence: Fence;
let requestId: string;
beforeEach(async () => {
  fixture = openGate();
  fence = await fixture.fence();
  requestId = (await fixture.gate.requests.open(opening(fence, proposed('c1')))).requestId;
});

const call = () => fixture.call('c1');
const approve = () => fixture.gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);

/** An attempt at the approved call. */
async function sent(): Promise<CallRecord> {
  const begun = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
  expect(begun.kind).toBe('ready');
  return begun.call;
}

/** The approved call after an attempt to which no answer came. */
async function unclear(): Promise<CallRecord> {
  await approve();
  await fixture.gate.journal.finish(await sent(), LOST);
  return call();
}

async function settle(word: 'happened' | 'not_happened' | 'ask_again', actor = ana): Promise<CallRecord> {
  await fixture.gate.decisions.settleDoubt(KEY, actor, { digest: (await call()).digest, answer: word });
  return call();
}

describe('an approved call of which no end is known', () => {
  it('has not ended: its request stays open, and it waits for the person whose run it is', async () => {
    expect(isOpenDoubt(await unclear())).toBe(true);
    expect(finalState(await call())).toBeNull();
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(false);
    expect((await fixture.gate.calls.inbox(ana.id, 10)).calls).toHaveLength(1);
    expect(fixture.events.at(-1)).toMatchObject({ type: 'asked', request: { requestId } });
  });

  it('waits as well when a later worker finds it', async () => {
    await approve();
    await sent();
    const later = await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')));
    expect(later.kind).toBe('waiting');
    expect(isOpenDoubt(await call())).toBe(true);
    expect(fixture.events.at(-1)?.type).toBe('asked');
  });

  it('is not sent by whoever begins it', async () => {
    await unclear();
    expect((await fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')))).kind).toBe(
      'waiting',
    );
    expect((await call()).attempt).toBe(1);
  });

  it.each([
    ['happened', 'succeeded', { content: [{ type: 'text', text: 'Ana says that it happened.' }] }],
    ['not_happened', 'failed', { message: 'Ana says that it did not happen.' }],
  ] as const)('ends by the word %s, which is on record with its speaker', async (word, state, outcome) => {
    await unclear();
    expect(await settle(word)).toMatchObject({
      state,
      outcome,
      endedAt: fixture.time.now,
      decision: { type: 'approve' },
      doubt: { attempt: 1, said: { word, actor: ana } },
    });
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(true);
  });

  it('takes one word, of however many that come at once', async () => {
    await unclear();
    const words = ['happened', 'not_happened', 'ask_again', 'happened'] as const;
    const taken = await Promise.allSettled(words.map((word) => settle(word)));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    ['somebody else', () => settle('happened', bob), 'not_allowed'],
    [
      'a person who was shown something else',
      () => fixture.gate.decisions.settleDoubt(KEY, ana, { digest: '0'.repeat(64), answer: 'happened' }),
      'changed',
    ],
  ])('takes no word of %s', async (_who, say, refusal) => {
    await unclear();
    await expect(say()).rejects.toMatchObject({ refusal });
    expect(isOpenDoubt(await call())).toBe(true);
  });

  it.each(['pending', 'approved', 'executing', 'succeeded'])('a call that is %s is none', async (state) => {
    if (state !== 'pending') await approve();
    const attempt = state === 'executing' || state === 'succeeded' ? await sent() : null;
    if (attempt && state === 'succeeded') await fixture.gate.journal.finish(attempt, success('done'));
    await expect(settle('not_happened')).rejects.toMatchObject({ refusal: 'already_decided' });
    expect((await call()).state).toBe(state);
  });

  it('ends by what its server says late, whatever people are asked', async () => {
    const attempt = await unclear();
    expect((await fixture.gate.journal.finish(attempt, success('done'))).state).toBe('succeeded');
  });

  it('keeps waiting when it is said late that no end is known', async () => {
    const attempt = await unclear();
    fixture.events.length = 0;
    await fixture.gate.journal.finish(attempt, LOST);
    expect(fixture.events).toEqual([]);
  });

  it('is left in doubt when the deadline passes, and can be settled for the record', async () => {
    await unclear();
    fixture.time.now += 60_000;
    expect(await fixture.gate.requests.expire()).toBe(1);
    expect(finalState(await call())).toBe('in_doubt');
    expect((await call()).outcome).toEqual({ ...LOST, message: `${LOST.message} Nobody answered in time.` });
    expect(await fixture.gate.requests.close(requestId, fence)).toBe(true);
    await expect(settle('ask_again')).rejects.toMatchObject({ refusal: 'expired' });
    expect((await settle('happened')).state).toBe('succeeded');
  });

  it.each(['cancelled', 'superseded'] as const)('is left in doubt when its request is %s', async (state) => {
    await unclear();
    await fixture.gate.requests.cancel(requestId, ana, { as: state });
    expect(finalState(await call())).toBe('in_doubt');
  });

  it('is left in doubt when its run is given up', async () => {
    await unclear();
    await fixture.gate.journal.abandon(THREAD, { actor: ana, fence });
    expect(finalState(await call())).toBe('in_doubt');
  });
});

describe('a call that nobody was asked about', () => {
  it('ends in doubt, and nobody is asked what happened', async () => {
    const list = proposed('r1', { name: 'list_events' });
    const begun = await fixture.gate.journal.begin(beginning(fence, list));
    await fixture.gate.journal.finish(begun.call, LOST);
    expect(finalState(await fixture.call('r1'))).toBe('in_doubt');
    expect((await fixture.gate.calls.inbox(ana.id, 10)).calls).toHaveLength(1);
    const key = callKey(THREAD, 'r1');
    await expect(
      fixture.gate.decisions.settleDoubt(key, ana, { digest: null, answer: 'happened' }),
    ).rejects.toMatchObject({
      refusal: 'already_decided',
    });
  });
});

describe('a call that is asked about again', () => {
  beforeEach(async () => {
    await unclear();
    await settle('ask_again');
  });

  it('is pending with the same digest and arguments, and not sent', async () => {
    expect(await call()).toMatchObject({ state: 'pending', decision: null, outcome: null, attempt: 1 });
    expect((await fixture.gate.journal.begin(beginning(fence, proposed('c1')))).kind).toBe('waiting');
    expect(fixture.events.at(-1)).toMatchObject({ type: 'asked', calls: [{ state: 'pending' }] });
  });

  it('is sent once more after a new approval', async () => {
    await approve();
    const attempt = await sent();
    expect(attempt.attempt).toBe(2);
    expect((await fixture.gate.journal.finish(attempt, success('done'))).state).toBe('succeeded');
  });

  it('is in doubt again when the new attempt fails: that says nothing of the one before', async () => {
    await approve();
    await fixture.gate.journal.finish(await sent(), failure('The valve is stuck.'));
    expect(isOpenDoubt(await call())).toBe(true);
    expect((await call()).outcome).toMatchObject({ message: expect.stringContaining('The valve is stuck.') });
  });

  it('says nothing of what somebody’s own account answered when the new attempt fails', async () => {
    await approve();
    const theirs = { ...failure('“Call the divorce lawyer” is gone.'), ownAccount: true } as const;
    await fixture.gate.journal.finish(await sent(), theirs);
    expect((await call()).outcome).toEqual({
      status: 'in_doubt',
      message: 'The last attempt failed. An earlier attempt may have happened all the same.',
    });
  });

  it('needs no answer when the first attempt turns out to have an end', async () => {
    const first = await call();
    await fixture.gate.journal.finish(first, success('done'));
    expect((await call()).state).toBe('succeeded');
    await expect(approve()).rejects.toMatchObject({ refusal: 'already_decided' });
  });

  it('ends in doubt, and not as never run, when nobody decides in time; it can still be settled', async () => {
    fixture.time.now += 60_000;
    await fixture.gate.requests.expire();
    expect(finalState(await call())).toBe('in_doubt');
    expect((await settle('happened')).state).toBe('succeeded');
  });

  it('ends in doubt when it is withdrawn before it is sent again', async () => {
    await approve();
    await fixture.gate.journal.abandon(THREAD, { actor: ana, fence });
    expect(finalState(await call())).toBe('in_doubt');
  });
});

describe('several words at once', () => {
  it('are taken together or not at all', async () => {
    await unclear();
    const again = { callKey: KEY, digest: null, type: 'ask_again' } as const;
    const unknown = { callKey: callKey(THREAD, 'c9'), digest: null, type: 'happened' } as const;
    await expect(fixture.gate.decisions.decide([again, unknown], ana)).rejects.toMatchObject({
      refusal: 'unknown_call',
    });
    expect(isOpenDoubt(await call())).toBe(true);
  });
});
