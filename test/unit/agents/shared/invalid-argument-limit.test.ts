import { describe, expect, it } from 'vitest';
import { countInvalidArguments, findGivenUp } from '../../../../src/agents/shared/invalid-argument-limit.ts';
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
    const once = countInvalidArguments({}, [bad]);
    const twice = countInvalidArguments(once, [bad, other]);
    expect(findGivenUp(twice, [bad, other])).toEqual([]);
    const thrice = countInvalidArguments(twice, [bad]);
    expect(thrice).toEqual({ pay: 3, book: 1 });
    expect(findGivenUp(thrice, [bad])).toEqual([bad]);
  });

  it('are counted anew after a call that fits', async () => {
    expect(countInvalidArguments({ pay: 2 }, [await callOf('pay', true)])).toEqual({});
  });

  it('count once for several calls of one tool in one breath', async () => {
    const bad = await callOf('pay', false);
    expect(countInvalidArguments({}, [bad, bad, bad])).toEqual({ pay: 1 });
  });
});
