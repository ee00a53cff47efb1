import { expect, it } from 'vitest';
import { createAudience } from '../../../../src/slack/people/audience.ts';
import { ana, THREAD } from '../../../helpers/people.ts';
import { createFakeApi } from '../../../helpers/slack-app.ts';

function open(missing: readonly string[] = []) {
  const api = createFakeApi();
  const bot = () => ({ userId: 'UBOT', teamId: 'T1', name: 'it' });
  const missingScopes = (needed: readonly string[]) => needed.filter((scope) => missing.includes(scope));
  return { api, audience: createAudience({ client: api.client, bot, missingScopes }) };
}

it('a thread is read by a channel or by one person, and a program is no reader in Slack', () => {
  const { find } = open().audience;
  const personId = ana.id;
  expect(find({ personId, threadId: THREAD })).toEqual({ kind: 'channel', id: 'slack:T1:C1' });
  expect(find({ personId, threadId: 'slack:T1:D1:1.0' })).toEqual({ kind: 'alone' });
  expect(find({ personId, threadId: 'slack:T1:C1:call-1' })).toBeNull();
  expect(find({ personId, threadId: 'http:a:b' })).toBeNull();
  expect(find({ personId: 'api:key', threadId: THREAD })).toBeNull();
});

it('the channels of somebody are read page by page, anew each time, and it is said where there are too many', async () => {
  const { api, audience } = open();
  let pages = 2;
  api.answers.set('users.conversations', ({ cursor }) => ({
    ok: true,
    channels: [{ id: `C${cursor ?? 0}` }],
    response_metadata: {
      next_cursor: Number(cursor ?? 0) + 1 < pages ? String(Number(cursor ?? 0) + 1) : '',
    },
  }));
  expect(await audience.listChannels(ana.id)).toEqual({ ids: ['slack:T1:C0', 'slack:T1:C1'], isCut: false });
  expect(api.of('users.conversations')[0]).toMatchObject({
    user: 'U1',
    types: 'public_channel,private_channel,mpim',
  });
  pages = 50;
  const { ids, isCut } = await audience.listChannels(ana.id);
  expect([ids.length, isCut]).toEqual([10, true]);
  expect(await audience.listChannels('api:key')).toEqual({ ids: [], isCut: false });
});

it('kinds of channels that the app may not list are not asked for, and may hold more', async () => {
  const { api, audience } = open(['mpim:read']);
  api.answers.set('users.conversations', () => ({ ok: true, channels: [] }));
  expect(await audience.listChannels(ana.id)).toEqual({ ids: [], isCut: true });
  expect(api.of('users.conversations')[0]).toMatchObject({ types: 'public_channel,private_channel' });
});

it('people of other organisations are in a channel that is shared; without an answer nobody knows', async () => {
  const { api, audience } = open();
  const asked = (channel: object, id = 'slack:T1:C1') => {
    api.answers.set('conversations.info', () => ({ ok: true, channel: { ...channel } }));
    return audience.hasOutsiders(id);
  };
  expect(await asked({ is_ext_shared: false })).toBe(false);
  expect(await asked({ is_ext_shared: true })).toBe(true);
  expect(await asked({ is_ext_shared: false, is_org_shared: true })).toBe(true);
  expect(await asked({ is_ext_shared: false, is_org_shared: true }, 'slack:E1:C1')).toBe(false);
  await expect(asked({})).rejects.toThrow();
  api.answers.set('conversations.info', () => ({ ok: false, error: 'fatal_error' }));
  await expect(audience.hasOutsiders('slack:T1:C1')).rejects.toThrow();
});
