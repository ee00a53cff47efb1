import { expect, it } from 'vitest';
import { StandingUnknownError } from '../../../../src/gate/approval/people.ts';
import { createPeople } from '../../../../src/slack/people/standing.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';

const names = {
  nameOf: async (id: string) => id,
  group: async (name: string) => ({ id: null, name, members: null }),
};

it('who somebody is, is asked once in a while, and each time where it must be fresh', async () => {
  const api = createFakeApi();
  api.answers.set('users.info', () => ({ ok: true, user: { team_id: 'T1' } }));
  let now = 1;
  const { standing } = createPeople(api.client, () => now, names);
  const asked = async (fresh: boolean) => {
    expect(await standing(ana, THREAD, { fresh })).toBe('member');
    return api.of('users.info').length;
  };
  expect(await asked(false)).toBe(1);
  expect(await asked(false)).toBe(1);
  expect(await asked(true)).toBe(2);
  now += 6 * 60_000;
  expect(await asked(false)).toBe(3);
});

it('who is in a channel is asked once in a while, at the same moment too, and each time where it must be fresh', async () => {
  const api = createFakeApi();
  api.answers.set('conversations.members', () => ({ ok: true, members: ['U1'] }));
  let now = 1;
  const { belongs } = createPeople(api.client, () => now, names);
  const asked = async (fresh: boolean) => {
    const look = () => belongs(ana, 'channel', THREAD, { fresh });
    expect(await Promise.all([look(), look(), look()])).toEqual([true, true, true]);
    return api.of('conversations.members').length;
  };
  expect(await asked(false)).toBe(1);
  expect(await asked(false)).toBe(1);
  expect(await asked(true)).toBe(4);
  now += 11 * 60_000;
  expect(await asked(false)).toBe(5);
});

it('who is in a group is shown by what is known of it, and unknown while Slack has not said', async () => {
  const { client } = createFakeApi();
  const group = async (name: string) => ({ id: name, name, members: name === 'S1' ? ['U1'] : null });
  const { belongs } = createPeople(client, () => 1, { ...names, group });
  expect(await belongs(ana, 'group:S1', THREAD, { fresh: false })).toBe(true);
  await expect(belongs(ana, 'group:S2', THREAD, { fresh: false })).rejects.toThrow(StandingUnknownError);
});

it('the group of a thread is its channel; a thread outside Slack has none', () => {
  const { groupOf } = createPeople(createFakeApi().client, () => 1, names);
  expect(groupOf('slack:T1:C1:1.0')).toBe(groupOf('slack:T1:C1:2.0'));
  expect(groupOf('slack:T1:C1:1.0')).not.toBe(groupOf('slack:T1:C2:1.0'));
  expect(groupOf('slack:T1:C1:1.0')).not.toBe(groupOf('slack:T2:C1:1.0'));
  expect(groupOf('slack:T1:C1:1.0')).toBe('slack:T1:C1');
  expect(groupOf('http:a:b')).toBeNull();
});

it.each(['slack::U1', 'slack:T1:', 'slack:U1'])(
  'nobody can say who %s is, so that it is nobody',
  async (id) => {
    const { standing } = createPeople(createFakeApi().client, () => 1, names);
    await expect(standing({ id, name: 'Ana' }, THREAD, { fresh: false })).rejects.toThrow(
      StandingUnknownError,
    );
  },
);

it('an actor from elsewhere than Slack is a member', async () => {
  const { standing } = createPeople(createFakeApi().client, () => 1, names);
  expect(await standing({ id: 'api:ci', name: 'ci' }, THREAD, { fresh: true })).toBe('member');
});
