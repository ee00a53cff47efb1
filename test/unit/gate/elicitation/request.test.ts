import { beforeEach, describe, expect, it } from 'vitest';
import { callKey } from '../../../../src/gate/call/digest.ts';
import type { CallInput, Need } from '../../../../src/gate/call/need.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { RefusalError } from '../../../../src/gate/call/refusal.ts';
import { beginning, type OpenGate, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, bob, THREAD } from '../../../helpers/people.ts';

const KEY = callKey(THREAD, 'c1');
const asks = (elicitationId: string): Need => ({
  kind: 'form_elicitation',
  elicitationId,
  message: 'Which room?',
  requestedSchema: {
    type: 'object',
    properties: { room: { type: 'string', pattern: '^[A-Z]' } },
    required: ['room'],
  },
});
const INPUT: CallInput = {
  requestState: 'opaque',
  asked: [
    { key: 'first', need: asks('f1') },
    { key: 'second', need: asks('f2') },
  ],
  answers: {},
  rounds: 1,
};
const room = (name: string) => ({ action: 'accept', content: { room: name } }) as const;

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate();
});

/** An approved call whose server asks before it begins. */
async function asked(): Promise<CallRecord> {
  const fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, proposed('c1')));
  const { digest } = await fixture.call('c1');
  await fixture.gate.decisions.decide([{ callKey: KEY, digest, type: 'approve' }], ana);
  const { call } = await fixture.gate.journal.begin(beginning(fence, proposed('c1')));
  return fixture.gate.elicitation.block(call, asks('f1'), INPUT);
}

async function goesOn() {
  return fixture.gate.journal.begin(beginning(await fixture.fence(), proposed('c1')));
}

describe('a call whose server asks before it begins', () => {
  it('waits, and is not sent meanwhile, whoever tries', async () => {
    expect(await asked()).toMatchObject({ state: 'blocked', attempt: 1, input: INPUT });
    expect((await goesOn()).kind).toBe('waiting');
  });

  it('goes on with all answers and the server’s state, as a new attempt that leaves no doubt', async () => {
    await asked();
    await fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer: room('Blue') });
    expect(await fixture.call('c1')).toMatchObject({ state: 'blocked', need: { elicitationId: 'f2' } });
    await fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f2', answer: room('Red') });
    const { kind, call } = await goesOn();
    expect(kind).toBe('ready');
    expect(call).toMatchObject({
      attempt: 2,
      tries: 1,
      input: { requestState: 'opaque', asked: [], answers: { first: room('Blue'), second: room('Red') } },
    });
    expect(call.doubt).toBeUndefined();
  });

  it('goes on once, however often it is answered', async () => {
    await asked();
    await fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer: room('Blue') });
    await expect(
      fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer: room('Red') }),
    ).rejects.toThrow(RefusalError);
    const { input } = await fixture.call('c1');
    expect(input?.answers).toEqual({ first: { ...room('Blue'), elicitationId: 'f1' } });
  });

  it('tells of a refusal, and asks nothing more', async () => {
    await asked();
    await fixture.gate.elicitation.answer(KEY, ana, {
      elicitationId: 'f1',
      answer: { action: 'decline', content: null },
    });
    expect(await fixture.call('c1')).toMatchObject({
      state: 'approved',
      need: null,
      input: { answers: { first: { action: 'decline' }, second: { action: 'cancel' } } },
    });
  });

  it('takes no answer that does not fit the form, nor one of somebody else', async () => {
    await asked();
    await expect(
      fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer: room('blue') }),
    ).rejects.toMatchObject({
      refusal: 'invalid_arguments',
      details: ['room does not match the pattern ^[A-Z]'],
    });
    await expect(
      fixture.gate.elicitation.answer(KEY, bob, { elicitationId: 'f1', answer: room('Blue') }),
    ).rejects.toMatchObject({
      refusal: 'not_allowed',
    });
    expect((await fixture.call('c1')).state).toBe('blocked');
  });

  it('keeps nothing of what was said once it has ended, or was taken back', async () => {
    await asked();
    await fixture.gate.elicitation.answer(KEY, ana, { elicitationId: 'f1', answer: room('Blue') });
    const request = await fixture.gate.requests.openIn(THREAD);
    await fixture.gate.requests.withdraw(request?.requestId ?? '', ana);
    const call = await fixture.call('c1');
    expect(call.state).toBe('cancelled');
    expect(JSON.stringify(call)).not.toContain('Blue');
  });
});
