import { beforeEach, describe, expect, it, vi } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { Need } from '../../../../src/gate/call/need.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { RefusalError } from '../../../../src/gate/call/refusal.ts';
import { calls } from '../../../../src/gate/store/collections.ts';
import { FencedError } from '../../../../src/lib/errors.ts';
import type { Fence } from '../../../../src/storage/lease/types.ts';
import { put } from '../../../../src/storage/store.ts';
import { failure, success } from '../../../helpers/fake-hub.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const SIGN_IN: Need = {
  kind: 'oauth_url',
  elicitationId: 'e1',
  url: 'https://sign.in/',
  message: 'Sign in.',
};
const FORM: Need = { kind: 'form_elicitation', elicitationId: 'f1', message: 'Which?', requestedSchema: {} };
const KEY = callKey(THREAD, 'c1');

let fixture: OpenGate;
let fence: Fence;
beforeEach(async () => {
  fixture = openGate();
  fence = await fixture.fence();
});

const list = proposed('c1', { name: 'list_events' });

async function begun(call = list): Promise<CallRecord> {
  const begin = await fixture.gate.journal.begin(beginning(fence, call));
  expect(begin.kind).toBe('ready');
  return begin.call;
}

describe('beginning a call', () => {
  it('that the policy allows is not sent with arguments that were put into its record meanwhile', async () => {
    await fixture.gate.elicitation.block(await begun(), SIGN_IN);
    await fixture.gate.elicitation.retry(KEY, ana);
    const changed = { ...(await fixture.call('c1')), arguments: { title: 'Everything' } };
    await fixture.store.commit({ put: [put(calls, KEY, changed)] });
    expect((await fixture.gate.journal.begin(beginning(fence, list))).kind).toBe('ended');
    expect(await fixture.call('c1')).toMatchObject({
      state: 'failed',
      attempt: 1,
      outcome: { message: 'The record doesn’t match what was shown, so it did not run.' },
    });
  });

  it('that the policy allows makes the intent durable: attempt, fence and time', async () => {
    await begun();
    expect(await fixture.call('c1')).toMatchObject({
      state: 'executing',
      attempt: 1,
      fence: fence.token,
      intentAt: fixture.time.now,
      outcome: null,
    });
  });

  it('again while it runs does not make it ready a second time', async () => {
    await begun();
    expect((await fixture.gate.journal.begin(beginning(fence, list))).kind).toBe('waiting');
  });

  it('that has succeeded under this lease reads nothing, and under another one reads the record', async () => {
    const ended = await fixture.gate.journal.finish(await begun(), success('moved'));
    const get = vi.spyOn(fixture.store, 'get');
    const getMany = vi.spyOn(fixture.store, 'getMany');
    const { begin } = fixture.gate.journal;
    const inThread = (token: Fence['token']) =>
      fixture.gate.calls.inThread(THREAD, ['c1', 'c2'], { ...fence, token });
    expect(await begin(beginning(fence, list))).toEqual({ kind: 'ended', call: ended });
    expect(await inThread(fence.token)).toEqual([ended, null]);
    expect(get).not.toHaveBeenCalled();
    expect(getMany).toHaveBeenCalledTimes(1);
    expect(getMany).toHaveBeenLastCalledWith(calls, [callKey(THREAD, 'c2')]);
    const forgotten = { ...ended, arguments: {} };
    await fixture.store.commit({ put: [put(calls, KEY, forgotten)] });
    const later = { ...fence, token: fence.token + 1 };
    expect(await begin(beginning(later, list))).toEqual({ kind: 'ended', call: forgotten });
    expect(await inThread(later.token)).toEqual([forgotten, null]);
    expect(await fixture.gate.calls.inThread(THREAD, ['c1'])).toEqual([forgotten]);
  });

  it('that has failed under this lease reads the record', async () => {
    const ended = await fixture.gate.journal.finish(await begun(), failure('no'));
    const changed = { ...ended, arguments: {} };
    await fixture.store.commit({ put: [put(calls, KEY, changed)] });
    expect(await fixture.gate.journal.begin(beginning(fence, list))).toEqual({
      kind: 'ended',
      call: changed,
    });
  });

  it('by many at once makes it ready for one', async () => {
    const begins = await Promise.all(
      Array.from({ length: 20 }, () => fixture.gate.journal.begin(beginning(fence, list))),
    );
    expect(begins.filter(({ kind }) => kind === 'ready')).toHaveLength(1);
  });

  it('with a hundred others of one message takes far fewer commits than calls, as does their end', async () => {
    const commit = vi.spyOn(fixture.store, 'commit');
    const calls = Array.from({ length: 100 }, (_, n) => proposed(`list ${n}`, { name: 'list_events' }));
    const { journal } = fixture.gate;
    const begins = await Promise.all(calls.map((call) => journal.begin(beginning(fence, call))));
    expect(begins.filter(({ kind }) => kind === 'ready')).toHaveLength(100);
    const begun = commit.mock.calls.length;
    expect(begun).toBeLessThan(50);
    await Promise.all(begins.map(({ call }) => journal.finish(call, success('None.'))));
    expect(commit.mock.calls.length - begun).toBeLessThan(50);
  });

  it('after its end returns the recorded end', async () => {
    await fixture.gate.journal.finish(await begun(), success('no events'));
    const again = await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect(again).toMatchObject({ kind: 'ended', call: { state: 'succeeded', attempt: 1 } });
  });

  it('by a later worker while it runs puts it in doubt, and does not make it ready', async () => {
    await begun();
    const later = await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect(later).toMatchObject({
      kind: 'ended',
      call: { state: 'in_doubt', outcome: { status: 'in_doubt' }, attempt: 1 },
    });
  });

  it('is refused to a worker that lost the thread', async () => {
    await fixture.fence();
    await expect(fixture.gate.journal.begin(beginning(fence, list))).rejects.toThrow(FencedError);
    expect(await fixture.gate.calls.get(KEY)).toBeNull();
  });

  it.each([
    ['denied by the policy', proposed('c1', { name: 'drop_calendar' }), 'denied'],
    ['of a tool that nobody offers', proposed('c1', null), 'failed'],
    ['with arguments that do not fit', proposed('c1', { name: 'list_events' }, { title: 5 }), 'failed'],
  ])('%s ends it, and does not make it ready', async (_what, call, state) => {
    const begin = await fixture.gate.journal.begin(beginning(fence, call));
    expect(begin).toMatchObject({ kind: 'ended', call: { state, attempt: 0 } });
    expect((await fixture.call('c1')).state).toBe(state);
  });

  it('that needs a decision does not make it ready', async () => {
    expect((await fixture.gate.journal.begin(beginning(fence, proposed('c1')))).kind).toBe('waiting');
    await fixture.gate.requests.open(opening(fence, proposed('c1')));
    expect((await fixture.gate.journal.begin(beginning(fence, proposed('c1')))).kind).toBe('waiting');
  });

  it('that was approved uses the stored arguments, whatever it is handed', async () => {
    await fixture.gate.requests.open(opening(fence, proposed('c1')));
    await fixture.gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
    const call = await begun(proposed('c1', {}, { title: 'Something else' }));
    expect(call.arguments).toEqual({ title: 'Standup' });
  });

  it.each(['rejected', 'ignored', 'expired', 'cancelled'])(
    'that was %s does not make it ready',
    async (state) => {
      const { requestId } = await fixture.gate.requests.open(opening(fence, proposed('c1')));
      const decision = { callKey: KEY, digest: null, feedback: 'no' };
      if (state === 'rejected') await fixture.gate.decisions.decide([{ ...decision, type: 'reject' }], ana);
      if (state === 'ignored') await fixture.gate.decisions.decide([{ ...decision, type: 'ignore' }], ana);
      if (state === 'cancelled') await fixture.gate.requests.withdraw(requestId, ana);
      fixture.time.now += 60_000;
      await fixture.gate.requests.expire();
      expect(await fixture.gate.journal.begin(beginning(fence, proposed('c1')))).toMatchObject({
        kind: 'ended',
        call: { state },
      });
    },
  );
});

describe('finishing a call', () => {
  it('keeps the outcome and the time', async () => {
    const attempt = await begun();
    fixture.time.now += 7;
    await fixture.gate.journal.finish(attempt, failure('full'));
    expect(await fixture.call('c1')).toMatchObject({
      state: 'failed',
      endedAt: fixture.time.now,
      outcome: { message: 'full' },
    });
  });

  it('twice keeps the first outcome', async () => {
    const attempt = await begun();
    await fixture.gate.journal.finish(attempt, success('first'));
    await fixture.gate.journal.finish(attempt, failure('second'));
    expect((await fixture.call('c1')).state).toBe('succeeded');
    expect(fixture.events.filter(({ type }) => type === 'ended')).toHaveLength(1);
  });

  it('late replaces the doubt with what happened', async () => {
    const attempt = await begun();
    await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect((await fixture.gate.journal.finish(attempt, success('it was done'))).state).toBe('succeeded');
    expect((await fixture.call('c1')).outcome).toEqual(success('it was done'));
  });

  it('of an earlier attempt is refused', async () => {
    const attempt = await begun();
    await fixture.gate.elicitation.block(attempt, SIGN_IN);
    await fixture.gate.elicitation.retry(KEY, ana);
    await begun();
    await expect(fixture.gate.journal.finish(attempt, success('old'))).rejects.toThrow(FencedError);
  });
});

describe('a call whose server wants a sign-in first', () => {
  it('waits, and runs again as a new attempt when the person says that it is done', async () => {
    await fixture.gate.elicitation.block(await begun(), SIGN_IN);
    expect(await fixture.call('c1')).toMatchObject({ state: 'blocked', need: SIGN_IN });
    expect((await fixture.gate.journal.begin(beginning(fence, list))).kind).toBe('waiting');
    await fixture.gate.elicitation.retry(KEY, ana);
    expect((await begun()).attempt).toBe(2);
  });

  it('goes back to approved when a person had approved it', async () => {
    await fixture.gate.requests.open(opening(fence, proposed('c1')));
    await fixture.gate.decisions.decide([{ callKey: KEY, digest: null, type: 'approve' }], ana);
    await fixture.gate.elicitation.block(await begun(proposed('c1')), SIGN_IN);
    expect((await fixture.gate.elicitation.retry(KEY, ana)).state).toBe('approved');
  });

  it('cannot be sent again by somebody else', async () => {
    await fixture.gate.elicitation.block(await begun(), SIGN_IN);
    await expect(fixture.gate.elicitation.retry(KEY, bob)).rejects.toMatchObject({ refusal: 'not_allowed' });
    expect((await fixture.call('c1')).state).toBe('blocked');
  });

  it('is sent again once, however often that is asked for', async () => {
    await fixture.gate.elicitation.block(await begun(), SIGN_IN);
    await fixture.gate.elicitation.retry(KEY, ana);
    await expect(fixture.gate.elicitation.retry(KEY, ana)).rejects.toThrow(RefusalError);
  });

  it('ends without doubt when it was given up before the server said so', async () => {
    const attempt = await begun();
    await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect((await fixture.gate.elicitation.block(attempt, SIGN_IN)).state).toBe('failed');
    expect((await fixture.call('c1')).need).toBeNull();
  });
});

describe('a form that a running call asks for', () => {
  const answer = { action: 'accept', content: { room: 'A' } } as const;

  it('is shown while the call runs, and its answer is kept until the call ends', async () => {
    const attempt = await begun();
    await fixture.gate.elicitation.requestForm(attempt, FORM);
    expect(await fixture.call('c1')).toMatchObject({ state: 'executing', need: FORM });
    await fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer });
    expect(await fixture.call('c1')).toMatchObject({
      state: 'executing',
      need: null,
      elicitationAnswer: answer,
    });
    await fixture.gate.journal.finish(attempt, success('booked'));
    const { elicitationAnswer } = await fixture.call('c1');
    expect(elicitationAnswer).toEqual({ action: 'accept', content: null, elicitationId: 'f1' });
  });

  it('is answered once', async () => {
    await fixture.gate.elicitation.requestForm(await begun(), FORM);
    await fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer });
    await expect(fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer })).rejects.toThrow(
      RefusalError,
    );
  });

  it('is not answered by the answer to another form, nor by somebody else', async () => {
    await fixture.gate.elicitation.requestForm(await begun(), FORM);
    await expect(fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f0', answer })).rejects.toThrow(
      RefusalError,
    );
    await expect(
      fixture.gate.elicitation.answer(KEY, bob, { elicitationId: 'f1', answer }),
    ).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    expect((await fixture.call('c1')).need).toEqual(FORM);
  });

  it('is put away when nobody answers', async () => {
    const attempt = await begun();
    await fixture.gate.elicitation.requestForm(attempt, FORM);
    await fixture.gate.elicitation.close(attempt, { elicitationId: 'f1', why: 'server' });
    expect(await fixture.call('c1')).toMatchObject({
      state: 'executing',
      need: null,
      elicitationAnswer: { action: 'cancel', content: null, closed: 'server' },
    });
  });

  it('is not put away when somebody gives up another form', async () => {
    const attempt = await begun();
    await fixture.gate.elicitation.requestForm(attempt, FORM);
    await fixture.gate.elicitation.close(attempt, { elicitationId: 'f0', why: 'server' });
    expect((await fixture.call('c1')).need).toEqual(FORM);
  });

  it('is not shown for a call that was given up', async () => {
    const attempt = await begun();
    await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect((await fixture.gate.elicitation.requestForm(attempt, FORM)).need).toBeNull();
  });
});
