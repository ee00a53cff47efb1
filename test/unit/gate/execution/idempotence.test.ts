import { beforeEach, describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { compileIdempotentTools } from '../../../../src/gate/policy/evaluate.ts';
import { policySchema } from '../../../../src/gate/policy/schema.ts';
import { FencedError } from '../../../../src/lib/errors.ts';
import { beginning, type OpenGate, openGate, proposed } from '../../../helpers/gate.ts';

const isIdempotent = compileIdempotentTools(policySchema.parse({ idempotent: ['calendar.list_*'] }));
const list = proposed('c1', { name: 'list_events' });

let fixture: OpenGate;
beforeEach(() => {
  fixture = openGate({ isIdempotent });
});

describe('the operator’s list', () => {
  it.each([
    ['list_events', true],
    ['create_event', false],
  ])('says of calendar.%s: %s', (name, expected) => {
    expect(isIdempotent({ server: 'calendar', name })).toBe(expected);
  });

  it('is empty by default', () => {
    expect(compileIdempotentTools(policySchema.parse({}))({ server: 'calendar', name: 'list_events' })).toBe(
      false,
    );
  });
});

describe('a call of an idempotent tool that a worker left behind', () => {
  it('is ready again for a later worker, with the same arguments, three times in all', async () => {
    const kinds: string[] = [];
    let call: CallRecord | null = null;
    for (let worker = 1; worker <= 4; worker += 1) {
      const begun = await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
      kinds.push(begun.kind);
      call = begun.call;
    }
    expect(kinds).toEqual(['ready', 'ready', 'ready', 'ended']);
    expect(call).toMatchObject({ state: 'in_doubt', attempt: 3, arguments: { title: 'Standup' } });
  });

  it('is in doubt when the policy does not allow it any more', async () => {
    let action: 'allow' | 'deny' = 'allow';
    const verdict = { rule: 'r', reason: null, policyVersion: '' };
    fixture = openGate({ isIdempotent, evaluate: () => ({ ...verdict, action }) });
    await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    action = 'deny';
    const later = await fixture.gate.journal.begin(beginning(await fixture.fence(), list));
    expect(later).toMatchObject({ kind: 'ended', call: { state: 'in_doubt', attempt: 1 } });
  });
});

describe('another attempt after an answer was lost', () => {
  it('is claimed once', async () => {
    const fence = await fixture.fence();
    const { call } = await fixture.gate.journal.begin(beginning(fence, list));
    const claims = await Promise.all([
      fixture.gate.journal.retry(call, { fence }),
      fixture.gate.journal.retry(call, { fence }),
    ]);
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await fixture.call('c1')).toMatchObject({ state: 'executing', attempt: 2 });
  });

  it('is not to be had for a tool that the operator has not marked', async () => {
    fixture = openGate();
    const fence = await fixture.fence();
    const { call } = await fixture.gate.journal.begin(beginning(fence, list));
    expect(await fixture.gate.journal.retry(call, { fence })).toBeNull();
    expect((await fixture.call('c1')).attempt).toBe(1);
  });

  it('is refused to a worker that lost the thread', async () => {
    const fence = await fixture.fence();
    const { call } = await fixture.gate.journal.begin(beginning(fence, list));
    await fixture.fence();
    await expect(fixture.gate.journal.retry(call, { fence })).rejects.toThrow(FencedError);
  });
});
