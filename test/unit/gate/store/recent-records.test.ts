import { describe, expect, it, vi } from 'vitest';
import type { DecisionType } from '../../../../src/gate/call/decision.ts';
import { callKey } from '../../../../src/gate/call/digest.ts';
import { createGate } from '../../../../src/gate/index.ts';
import { calls, requests } from '../../../../src/gate/store/collections.ts';
import { beginning, openGate, opening, proposed } from '../../../helpers/gate.ts';
import { ana, THREAD } from '../../../helpers/people.ts';

const key = callKey(THREAD, 'c1');

/** A gate that has opened a request, and another one on the same record, as of another process. */
async function opened() {
  const fixture = openGate();
  const fence = await fixture.fence();
  await fixture.gate.requests.open(opening(fence, proposed('c1')));
  const { digest } = await fixture.call('c1');
  const decided = (type: DecisionType) => ({ callKey: key, digest, type });
  return { ...fixture, fence, decided, other: createGate(fixture.ports) };
}

describe('what a process wrote last', () => {
  it('is not read again by what it commits next', async () => {
    const { gate, fence, decided, store } = await opened();
    const [get, getMany] = [vi.spyOn(store, 'get'), vi.spyOn(store, 'getMany')];
    await gate.decisions.decide([decided('approve')], ana);
    const begun = await gate.journal.begin(beginning(fence, proposed('c1')));
    if (begun.kind !== 'ready') throw new Error('it was approved');
    await gate.journal.finish(begun.call, { status: 'succeeded', content: [], structured: null });
    const read = [...get.mock.calls, ...getMany.mock.calls].map(([{ name }]) => name);
    expect(read).not.toContain(calls.name);
    expect(read).not.toContain(requests.name);
    expect((await gate.calls.get(key))?.state).toBe('succeeded');
  });

  it('decides nothing that another process has decided since', async () => {
    const { gate, other, decided, call } = await opened();
    await other.decisions.decide([{ ...decided('reject'), feedback: 'not now' }], ana);
    await expect(gate.decisions.decide([decided('approve')], ana)).rejects.toMatchObject({
      refusal: 'already_decided',
    });
    expect((await call('c1')).state).toBe('rejected');
  });

  it('keeps no call back that another process has approved since', async () => {
    const { gate, other, fence, decided } = await opened();
    await other.decisions.decide([decided('approve')], ana);
    expect((await gate.journal.begin(beginning(fence, proposed('c1')))).kind).toBe('ready');
  });

  it('sends no call that another process has begun since', async () => {
    const { gate, other, fence, decided } = await opened();
    await gate.decisions.decide([decided('approve')], ana);
    expect((await other.journal.begin(beginning(fence, proposed('c1')))).kind).toBe('ready');
    expect((await gate.journal.begin(beginning(fence, proposed('c1')))).kind).toBe('waiting');
  });
});
