import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createPeople } from '../../../../src/slack/people/standing.ts';

it('two threads are in one place when they are in the same channel of the same team', () => {
  const names = { nameOf: async (id: string) => id, groupName: async (id: string) => id };
  const { groupOf: placeOf } = createPeople(new WebClient(), () => 0, names);
  expect(placeOf('slack:T1:C1:1.0')).toBe(placeOf('slack:T1:C1:2.0'));
  expect(placeOf('slack:T1:C1:1.0')).not.toBe(placeOf('slack:T1:C2:1.0'));
  expect(placeOf('slack:T1:C1:1.0')).not.toBe(placeOf('slack:T2:C1:1.0'));
  expect(placeOf('http:a:b')).not.toBe(placeOf('http:a:c'));
});
