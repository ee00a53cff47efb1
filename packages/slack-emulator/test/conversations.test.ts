import { describe, expect, it } from 'vitest';
import { BOT_USER, DEFAULT_SCOPES } from '../src/index.ts';
import { isJsonObject } from '../src/json.ts';
import { startWorkspace, webClient } from './helpers/workspace.ts';

const GENERAL = 'C0GENERAL1';
const refusal = (error: string) =>
  expect.objectContaining({ data: expect.objectContaining({ ok: false, error }) });

describe('an app that was removed', () => {
  it('is told by two events, and its token ends until it is installed again', async () => {
    const { driver, ...workspace } = await startWorkspace();
    driver.install(false);
    const told = driver.events().map(({ event }) => event);
    expect(told).toEqual([
      expect.objectContaining({ type: 'tokens_revoked', tokens: { oauth: [], bot: [BOT_USER] } }),
      expect.objectContaining({ type: 'app_uninstalled' }),
    ]);
    const { auth } = webClient({ driver, ...workspace });
    await expect(auth.test()).rejects.toEqual(refusal('account_inactive'));
    driver.install(true);
    expect((await auth.test()).response_metadata?.scopes).toEqual([...DEFAULT_SCOPES]);
  });
});

describe('an archived channel', () => {
  it('can be read and not written to, by an error of its own for updates', async () => {
    const workspace = await startWorkspace();
    const { chat, conversations } = webClient(workspace);
    const { ts = '' } = await chat.postMessage({ channel: GENERAL, text: 'before' });
    workspace.driver.archive('general');
    await expect(chat.postMessage({ channel: GENERAL, text: 'x' })).rejects.toEqual(refusal('is_archived'));
    await expect(chat.update({ channel: GENERAL, ts, text: 'x' })).rejects.toEqual(refusal('is_inactive'));
    expect((await conversations.replies({ channel: GENERAL, ts })).messages).toHaveLength(1);
  });
});

describe('the channels of somebody', () => {
  it('are those that they are in now, and of group DMs those that the app is in, too', async () => {
    const workspace = await startWorkspace();
    const group = workspace.driver.openGroup(['ana', 'bob']);
    const { users, conversations } = webClient(workspace);
    const list = async (user: string, types = 'public_channel,mpim') =>
      (await users.conversations({ user: workspace.driver.as(user).id, types })).channels?.map(
        ({ id }) => id,
      );
    expect(await list('ana')).toEqual([GENERAL, 'C0RANDOM01', 'C0OPS00001', group]);
    expect(await list('carol')).not.toContain(group);
    workspace.driver.kick('general', 'ana');
    expect(await list('ana', 'public_channel')).toEqual(['C0RANDOM01', 'C0OPS00001']);
    const isShared = async () => (await conversations.info({ channel: GENERAL })).channel?.is_ext_shared;
    expect(await isShared()).toBe(false);
    workspace.driver.setUser('bob', { teamId: 'T0ELSEWHERE' });
    expect(await isShared()).toBe(true);
  });
});

describe('a group DM', () => {
  it.each([
    ['comes twice', {}, ['message', 'app_mention']],
    ['may come as a message alone', { groupMentions: false }, ['message']],
    ['comes alone without mpim:history', { scopes: ['app_mentions:read', 'chat:write'] }, ['app_mention']],
  ] as const)('a mention in it %s', async (_how, options, types) => {
    const { driver } = await startWorkspace({ botName: 'Deployer', ...options });
    const group = driver.openGroup(['ana', 'bob']);
    driver.as('ana').post(group, '@deployer hello');
    const events = driver.events().map(({ event }) => event);
    expect(events.map((event) => isJsonObject(event) && event.type)).toEqual(types);
    expect(events.at(-1)).not.toHaveProperty('channel_type', 'im');
  });

  it('is described as one, to whom its scope was granted', async () => {
    const workspace = await startWorkspace();
    const channel = workspace.driver.openGroup(['ana', 'bob']);
    const { conversations } = webClient(workspace);
    const { channel: info } = await conversations.info({ channel });
    expect(info).toMatchObject({ is_mpim: true, is_channel: false });
    expect((await conversations.members({ channel })).members).toHaveLength(3);
    const other = await startWorkspace({ scopes: ['channels:read'] });
    const hidden = other.driver.openGroup(['ana', 'bob']);
    const call = webClient(other).conversations.info({ channel: hidden });
    await expect(call).rejects.toMatchObject({ data: { error: 'missing_scope', needed: 'mpim:read' } });
  });
});
