import { WebClient } from '@slack/web-api';
import { expect, it } from 'vitest';
import { createPeople } from '../../../../src/slack/people/standing.ts';

it('the group of a thread is its channel; a thread outside Slack has none', () => {
  const names = {
    nameOf: async (id: string) => id,
    group: async (name: string) => ({ id: null, name, members: null }),
  };
  const { groupOf } = createPeople(new WebClient(), () => 0, names);
  expect(groupOf('slack:T1:C1:1.0')).toBe(groupOf('slack:T1:C1:2.0'));
  expect(groupOf('slack:T1:C1:1.0')).not.toBe(groupOf('slack:T1:C2:1.0'));
  expect(groupOf('slack:T1:C1:1.0')).not.toBe(groupOf('slack:T2:C1:1.0'));
  expect(groupOf('slack:T1:C1:1.0')).toBe('slack:T1:C1');
  expect(groupOf('http:a:b')).toBeNull();
});
