import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { BOT, CHANNEL, openSlackApp, type SlackApp, TEAM } from '../../../helpers/slack-app.ts';

let slack: SlackApp;
const MENTION = `<@${BOT}>`;

beforeEach(async () => {
  slack = await openSlackApp();
  // The handlers only take messages in; nothing is to come of them here.
  slack.network.model.script('Hello.', 'Hello.', 'Hello.');
});

const message = (fields: JsonObject = {}): JsonObject => ({
  type: 'message',
  channel: CHANNEL,
  channel_type: 'channel',
  user: 'U1',
  text: 'hello',
  ts: '5.000100',
  team: TEAM,
  ...fields,
});
const mention = (fields: JsonObject = {}): JsonObject =>
  message({ type: 'app_mention', text: `${MENTION} hello`, ...fields });
const direct = (fields: JsonObject = {}): JsonObject =>
  message({ channel: 'D1', channel_type: 'im', ...fields });
const received = (channel: string, ts: string) => slack.network.runs.item(`slack:${TEAM}:${channel}:${ts}`);

describe('what is taken in', () => {
  it('is a mention, in a thread of its own, without the mention in its words', async () => {
    expect(await slack.event(mention())).toEqual([null]);
    expect(await received(CHANNEL, '5.000100')).toMatchObject({
      threadId: `slack:${TEAM}:${CHANNEL}:5.000100`,
      actor: { id: `slack:${TEAM}:U1`, name: 'Ana' },
      text: 'hello',
      at: 5000,
    });
    expect((await slack.network.runs.thread(`slack:${TEAM}:${CHANNEL}:5.000100`))?.surface).toEqual({
      kind: 'slack',
      team: TEAM,
      channel: CHANNEL,
      threadTs: '5.000100',
      isDm: false,
    });
  });

  it('is durable before it is acknowledged', async () => {
    const { receive } = slack.ports.runs;
    Object.assign(slack.ports.runs, {
      async receive(...args: Parameters<typeof receive>) {
        const isNew = await receive(...args);
        slack.trace.push('durable');
        return isNew;
      },
    });
    // Bolt acknowledges events by itself; our receivers hold that back until the listener is done.
    await slack.event(mention());
    expect(slack.trace).toContain('durable');
  });

  it('is refused to Slack, to come again, when it could not be made durable', async () => {
    Object.assign(slack.ports.runs, { receive: () => Promise.reject(new Error('no disk')) });
    await expect(slack.event(mention())).rejects.toThrow('no disk');
  });

  it('is a direct message', async () => {
    await slack.event(direct());
    expect(await received('D1', '5.000100')).toMatchObject({ text: 'hello' });
  });

  it('is one message where the same gesture comes as a mention and as a message', async () => {
    await slack.event(mention());
    await slack.event(message({ text: `${MENTION} hello` }));
    await slack.event(mention());
    await slack.network.runs.idle();
    expect(slack.network.model.seen).toHaveLength(1);
  });

  it('is one message where the same event comes in another envelope', async () => {
    await slack.event(mention(), { event_id: 'Ev7', envelope_id: 'one' });
    await slack.event(mention(), { event_id: 'Ev7', envelope_id: 'two' });
    await slack.event(mention(), { event_id: 'Ev7', team_id: 'T2' });
    await slack.network.runs.idle();
    expect(slack.network.model.seen).toHaveLength(1);
    expect(await slack.network.runs.item(`slack:T2:${CHANNEL}:5.000100`)).toBeNull();
  });

  it('is refused when nothing says which event it is of', async () => {
    await expect(slack.event(mention(), { event_id: null })).rejects.toThrow('event_id');
  });

  it('is a reply without a mention, of somebody who has addressed the bot in the thread', async () => {
    await slack.event(mention());
    await slack.event(message({ ts: '6.0', thread_ts: '5.000100', text: 'and then?' }));
    expect(await received(CHANNEL, '6.0')).toMatchObject({
      threadId: `slack:${TEAM}:${CHANNEL}:5.000100`,
      actor: { name: 'Ana' },
    });
  });

  it('is a reply of everybody from their first mention in the thread on', async () => {
    await slack.event(mention());
    await slack.event(mention({ ts: '6.0', thread_ts: '5.000100', user: 'U2' }));
    await slack.event(message({ ts: '7.0', thread_ts: '5.000100', user: 'U2', text: 'and then?' }));
    expect(await received(CHANNEL, '7.0')).toMatchObject({ actor: { name: 'Bob' } });
  });

  it.each(['file_share', 'thread_broadcast'])('is a message with the subtype %s', async (subtype) => {
    await slack.event(direct({ subtype, files: [{ id: 'F1' }] }));
    expect(await received('D1', '5.000100')).not.toBeNull();
  });

  it('by way of another workspace is by the same person as any other', async () => {
    await slack.event(mention({ user: 'U1', user_team: 'T9', team: 'T9' }), { team_id: 'T8' });
    expect((await received(CHANNEL, '5.000100'))?.actor.id).toBe('slack:T1:U1');
  });

  it.each([['T8'], [null], [undefined]])(
    'is of our installation, whatever the envelope names: %s',
    async (team) => {
      await slack.event(mention(), team === undefined ? {} : { team_id: team });
      expect((await received(CHANNEL, '5.000100'))?.threadId).toBe(`slack:${TEAM}:${CHANNEL}:5.000100`);
    },
  );

  it('from somebody whom Slack does not name is by their id', async () => {
    await slack.event(mention({ user: 'U7' }));
    expect((await received(CHANNEL, '5.000100'))?.actor).toEqual({ id: `slack:${TEAM}:U7`, name: 'U7' });
  });
});

describe('what is not for the bot', () => {
  it.each<[string, JsonObject]>([
    ['a message in a channel without a mention', message()],
    ['a reply in a thread that the bot is not in', message({ ts: '6.0', thread_ts: '4.0' })],
    ['a bot’s message', direct({ bot_id: 'B2' })],
    ['a bot’s message by subtype', direct({ subtype: 'bot_message' })],
    ['its own message', direct({ user: BOT })],
    ['an edit', direct({ subtype: 'message_changed', message: { text: 'x' } })],
    ['a join', direct({ subtype: 'channel_join' })],
    ['a message whose user is no id', direct({ user: 5 })],
    ['a message without a ts', direct({ ts: null })],
  ])('%s is acknowledged and left alone', async (_what, event) => {
    expect(await slack.event(event)).toEqual([null]);
    expect(await received('D1', '5.000100')).toBeNull();
    expect(await received(CHANNEL, '5.000100')).toBeNull();
    expect(await received(CHANNEL, '6.0')).toBeNull();
    expect(slack.api.of('chat.postEphemeral')).toEqual([]);
  });
});

describe('what people say to each other in a thread of the bot', () => {
  it.each<[string, JsonObject]>([
    ['a reply of somebody who has not addressed the bot there', { user: 'U2', text: 'nice, thanks' }],
    ['a reply that begins with somebody else’s name', { text: '<@U2> what do you think?' }],
  ])('%s is left alone', async (_what, reply) => {
    await slack.event(mention());
    expect(await slack.event(message({ ts: '6.0', thread_ts: '5.000100', ...reply }))).toEqual([null]);
    expect(await received(CHANNEL, '6.0')).toBeNull();
  });
});

describe('a mention without words', () => {
  it('is greeted, for the one who wrote it alone', async () => {
    await slack.event(mention({ text: MENTION }));
    expect(slack.api.of('chat.postEphemeral')[0]).toMatchObject({ channel: CHANNEL, user: 'U1' });
    expect(await received(CHANNEL, '5.000100')).toBeNull();
  });

  it('in a thread is greeted there', async () => {
    await slack.event(mention({ text: MENTION, thread_ts: '4.0' }));
    expect(slack.api.of('chat.postEphemeral')[0]).toMatchObject({ thread_ts: '4.0' });
  });

  it('is done with when Slack does not take the greeting', async () => {
    slack.api.answers.set('chat.postEphemeral', () => ({ ok: false, error: 'user_not_in_channel' }));
    expect(await slack.event(mention({ text: MENTION }))).toEqual([null]);
    expect(slack.logged.join()).toContain('user_not_in_channel');
  });
});

it('a deleted message is looked at, in case it was ours', async () => {
  await slack.event({
    type: 'message',
    subtype: 'message_deleted',
    channel: CHANNEL,
    channel_type: 'channel',
    deleted_ts: '2.0',
    ts: '7.0',
  });
  expect(slack.deleted).toEqual([`${CHANNEL} 2.0`]);
});

describe('where the app was installed without the scopes of group DMs', () => {
  const unnamed = { type: 'app_mention', user: 'U1', text: `${MENTION} hello`, ts: '5.0', channel: CHANNEL };

  /** The notices that mentions lead to, where Slack answers like this when it is asked about the channel. */
  async function notices(answer: JsonObject, event: JsonObject): Promise<unknown[]> {
    const shown: unknown[] = [];
    Object.assign(slack.ports, {
      missingScopes: (scopes: readonly string[]) => scopes,
      show: async (_threadId: string, shows: readonly unknown[]) => void shown.push(...shows),
    });
    slack.api.answers.set('conversations.info', () => answer);
    await slack.event(event);
    return shown;
  }

  it.each(['missing_scope', 'channel_not_found'])(
    'a mention in one, which Slack hides by %s, is told so',
    async (error) => {
      const missing = ['mpim:history', 'mpim:read'];
      expect(await notices({ ok: false, error }, unnamed)).toEqual([
        { kind: 'scopes', channel: CHANNEL, missing },
      ]);
    },
  );

  it('a mention that names its group DM is told so without asking Slack', async () => {
    expect(await notices({ ok: true }, { ...unnamed, channel_type: 'mpim' })).toHaveLength(1);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['a channel that it sees', { ok: true, channel: { id: CHANNEL, name: 'general' } }, unnamed],
    ['a channel of which Slack does not tell', { ok: false, error: 'internal_error' }, unnamed],
    [
      'direct messages',
      { ok: false, error: 'missing_scope' },
      { ...unnamed, type: 'message', channel_type: 'im', text: 'hello' },
    ],
  ])('nothing is said in %s', async (_where, answer, event) => {
    expect(await notices(answer, event)).toEqual([]);
  });
});
