import { expect, it } from 'vitest';
import { createRetryBudget, retriesAfter } from '../../../src/lib/retry-budget.ts';
import { openGate, opening, proposed } from '../../helpers/gate.ts';

it('lets each tool be sent again six times in a request, with what was used before', () => {
  const budget = createRetryBudget({ read: 4, other: 1 });
  expect([1, 2, 3].map(() => budget.take('read'))).toEqual([true, true, false]);
  expect(budget.take('new')).toBe(true);
});

it('counts what each tool was tried besides the first time, whoever sent it', async () => {
  const fixture = openGate();
  await fixture.gate.requests.open(
    opening(await fixture.fence(), proposed('c1', { name: 'read', modelName: 'read' })),
  );
  const call = await fixture.call('c1');
  const { tries: _none, ...once } = call;
  expect(retriesAfter({ read: 1 }, [once, { ...call, tries: 3 }, { ...call, tries: 2 }])).toEqual({
    read: 4,
  });
  expect(retriesAfter({}, [once])).toEqual({});
});

it.each(['constructor', 'toString', '__proto__'])('limits a tool called %s too', (name) => {
  const budget = createRetryBudget(retriesAfter({}, []));
  expect(Array.from({ length: 8 }, () => budget.take(name)).filter(Boolean)).toHaveLength(6);
});
