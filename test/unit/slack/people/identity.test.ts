import { expect, it } from 'vitest';
import { slackIdentity } from '../../../../src/slack/people/identity.ts';

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
  expect(slackIdentity.samePerson({ id: a }, { id: b })).toBe(isOne);
});

it.each([
  ['slack:T1:U1', 'U1', true],
  ['slack:T2:U1', 'U1', true],
  ['slack:T1:U2', 'U1', false],
  ['slack:T1:', '', false],
  ['api:U1', 'U1', false],
])('%s is the user %s: %s', (id, user, isThem) => {
  expect(slackIdentity.isUser({ id }, user)).toBe(isThem);
});
