import { expect, it } from 'vitest';
import { isSamePerson } from '../../../../src/gate/call/actor.ts';

it.each([
  ['slack:T1:U1', 'slack:T1:U1', true],
  ['slack:T1:U1', 'slack:T2:U1', true],
  ['slack:T1:U1', 'slack:T1:U2', false],
  ['slack:T1:', 'slack:T2:', false],
  ['api:U1', 'slack:T1:U1', false],
  ['api:a', 'api:a', true],
  ['api:x:U1', 'api:y:U1', false],
  ['system', 'system', true],
])('%s and %s: one person is %s', (a, b, isOne) => {
  expect(isSamePerson({ id: a }, { id: b })).toBe(isOne);
});
