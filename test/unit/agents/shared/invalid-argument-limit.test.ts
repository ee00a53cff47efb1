import { describe, expect, it } from 'vitest';
import { misfitsAfter, notToBeCorrected } from '../../../../src/agents/shared/invalid-argument-limit.ts';
import type { CallRecord } from '../../../../src/gate/call/record.ts';
import { openGate, opening, proposed } from '../../../helpers/gate.ts';

async function callOf(name: string, fits: boolean): Promise<CallRecord> {
  const fixture = openGate();
  const proposal = { ...proposed('c1', { name, modelName: name }), arguments: fits ? { title: 'x' } : {} };
  await fixture.gate.requests.open(opening(await fixture.fence(), proposal));
  const call = await fixture.call('c1');
  return call;
}

describe('arguments that do not fit', () => {
  it('may be corrected twice, tool by tool', async () => {
    const [bad, other] = [await callOf('pay', false), await callOf('book', false)];
    const once = misfitsAfter({}, [bad]);
    const twice = misfitsAfter(once, [bad, other]);
    expect(notToBeCorrected(twice, [bad, other])).toEqual([]);
    const thrice = misfitsAfter(twice, [bad]);
    expect(thrice).toEqual({ pay: 3, book: 1 });
    expect(notToBeCorrected(thrice, [bad])).toEqual([bad]);
  });

  it('are counted anew after a call that fits', async () => {
    expect(misfitsAfter({ pay: 2 }, [await callOf('pay', true)])).toEqual({});
  });

  it('count once for several calls of one tool in one breath', async () => {
    const bad = await callOf('pay', false);
    expect(misfitsAfter({}, [bad, bad, bad])).toEqual({ pay: 1 });
  });
});
