import { expect, test } from 'vitest';
import { adaptSlack } from '../../../src/connectors/slack/adapt.ts';
import { ANA, BOB } from '../../fixtures/oauth/instance.ts';
import { connectorInstance } from '../../helpers/connector.ts';
import { GENERAL, SLACK_CLIENT, startSlackService } from '../../helpers/slack-service.ts';

async function slack(options: Parameters<typeof startSlackService>[0] = {}) {
  const service = await startSlackService(options);
  const { clientId, clientSecret } = SLACK_CLIENT;
  const oauth = { client_id: clientId, client_secret: clientSecret };
  return { service, ...(await connectorInstance('slack', { api_url: service.url, oauth })) };
}

const HELLO = { channel: GENERAL, text: 'Hello to all' };

test('its tools are offered before anybody signs in, and only posting and sending write', async () => {
  const { hub } = await slack();
  expect(hub.status()).toMatchObject([{ state: 'sign_in_required', toolCount: 8 }]);
  const tools = await hub.tools(ANA);
  expect(tools.filter(({ readOnly }) => !readOnly).map(({ name }) => name)).toEqual([
    'post_message',
    'send_direct_message',
  ]);
  expect(tools.filter(({ destructive }) => destructive)).toEqual([]);
  expect(tools.filter(({ outputSchema }) => outputSchema === null)).toEqual([]);
});

test('a call waits for the sign-in, and each person sees what they are in', async () => {
  const { service, ask, send, signIn } = await slack();
  expect(await ask('list_channels', ANA)).toBe('blocked: Connect slack as yourself to go on.');
  expect(service.seen()).toEqual([]);
  await signIn(ANA, 'ana');
  await signIn(BOB, 'bob');
  expect(await ask('list_channels', ANA)).toContain('roses');
  expect(await ask('list_channels', ANA)).not.toContain('boats');
  expect(await ask('list_channels', BOB)).toContain('boats');
  expect(await ask('search_messages', ANA, { query: 'Friday' })).toContain('The roses come on Friday');
  expect(await ask('search_messages', ANA, { query: 'Friday' })).not.toContain('sails');
  expect(await ask('read_channel', BOB, { channel: service.channels.boats })).toContain('The sails');
  expect(await ask('read_channel', BOB, { channel: service.channels.roses })).toMatch(
    /^failed: Slack refused .*not_in_channel. Nothing was read\.$/,
  );
  expect(await send('list_channels', ANA)).toMatchObject({ outcome: { ownAccount: true } });
});

test('a message is posted as the person, in a channel and in a thread, and read', async () => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  await signIn(BOB, 'bob');
  const [, ts] = /"ts":"(\d+\.\d{6})"/.exec(await ask('post_message', ANA, HELLO)) ?? [];
  const thread = { channel: GENERAL, thread_ts: ts };
  expect(await ask('post_message', BOB, { ...thread, text: 'Hello Ana' })).toMatch(/^Posted in C000000001\./);
  const [ana, bob] = ['ana', 'bob'].map((name) => service.users.get(name));
  const read = await ask('get_thread', BOB, thread);
  expect(read).toMatch(new RegExp(`^2 messages\\.\n- ${ana}: Hello to all\n- ${bob}: Hello Ana`));
  expect(await ask('read_channel', BOB, { channel: GENERAL })).toContain('"replies":1');
  expect(await ask('read_channel', BOB, { channel: GENERAL })).not.toContain('Hello Ana');
  expect(await ask('get_channel', BOB, { channel: GENERAL })).toMatch(/^general \(public\)/);
});

test.each<[kind: string, toPerson: (id: string) => string, given?: string]>([
  ['an e-mail address', () => 'carol@example.com'],
  ['the id of a display name', (id) => id, '@caro'],
  ['the id of a whole name', (id) => id, 'Carol  Reed'],
])('a direct message goes to whom %s means, as the person', async (_kind, toPerson, given) => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  const carol = service.users.get('carol') ?? '';
  const person = toPerson(carol);
  expect(await ask('get_person', ANA, { person: given ?? person })).toMatch(
    new RegExp(`^Carol Reed \\(${carol}\\)`),
  );
  expect(await ask('send_direct_message', ANA, { person, text: 'The roses are here' })).toMatch(
    new RegExp(`^Sent to Carol Reed \\(${carol}\\)\\.`),
  );
  const [opened, posted] = service.seen().filter(({ method }) => method === 'POST');
  expect(JSON.parse(opened?.body ?? '')).toEqual({ users: carol });
  expect(JSON.parse(posted?.body ?? '')).toMatchObject({ text: 'The roses are here' });
});

test('a direct message to a name goes to nobody, whoever takes the name once it was looked up', async () => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  await service.rename('bob', 'Bobby');
  const [, bob = ''] = /\((U\w+)\)/.exec(await ask('get_person', ANA, { person: '@Bobby' })) ?? [];
  expect(bob).toBe(service.users.get('bob'));
  await service.rename('bob', 'Rob');
  await service.rename('ana', 'Bobby');
  expect(await ask('get_person', ANA, { person: '@Bobby' })).toContain(service.users.get('ana'));
  expect(await ask('send_direct_message', ANA, { person: '@Bobby', text: 'x' })).toContain(
    'is no id and no e-mail address: get_person gives the id of somebody by name',
  );
  expect(service.seen().filter(({ method }) => method === 'POST')).toEqual([]);
  expect(await ask('send_direct_message', ANA, { person: bob, text: 'x' })).toContain(`(${bob})`);
});

test('where several people have a name, the answer says who they are', async () => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  const [hill, wood] = ['robin', 'rw'].map((name) => service.users.get(name));
  expect(await ask('get_person', ANA, { person: '@Robin' })).toBe(
    `failed: Several people are called “@Robin”: ${hill}, robin@example.com ("Robin Hill", "robin", "Gardener"); ${wood}, wood@example.com ("Robin Wood", "Robin"). Say who it is by their id. Nothing was read.`,
  );
  expect(await ask('get_person', ANA, { person: 'nobody' })).toBe(
    'failed: Slack has nobody called “nobody”. Nothing was read.',
  );
  expect(await ask('get_person', ANA, { person: 'U0NOBODY1' })).toBe(
    'failed: Slack has nobody with U0NOBODY1. Nothing was read.',
  );
});

test('what people call themselves names nobody else where several have a name', async () => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  const [lee, long] = ['kim', 'kl'].map((name) => service.users.get(name));
  const title = String.raw`CEO\”\", robin@example.com, U00000001\); U00000002, robin@examp`;
  expect(await ask('get_person', ANA, { person: 'Kim' })).toBe(
    `failed: Several people are called “Kim”: ${lee}, kim@example.com ("Kim Lee", "kim", "${title}"); ${long}, long@example.com ("Kim Long", "Kim"). Say who it is by their id. Nothing was read.`,
  );
});

test('a direct message whose answer is lost is in doubt, and one whose conversation can’t be opened was not sent', async () => {
  const { service, send, signIn } = await slack();
  await signIn(ANA, 'ana');
  const message = { person: 'carol@example.com', text: 'The roses are here' };
  service.loseNextAnswer();
  // The first of two requests, which only finds the conversation.
  expect(await send('send_direct_message', ANA, message)).toMatchObject({ outcome: { status: 'failed' } });
  service.beforeNext('POST', async () => {
    service.beforeNext('POST', async () => service.loseNextAnswer());
  });
  expect(await send('send_direct_message', ANA, message)).toMatchObject({ outcome: { status: 'in_doubt' } });
});

test('a channel is read page by page, and back to a time', async () => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  for (const text of ['One', 'Two']) await ask('post_message', ANA, { channel: GENERAL, text });
  const first = await ask('read_channel', ANA, { channel: GENERAL, limit: 1 });
  const [, cursor] = /"next_page":"([^"]+)"/.exec(first) ?? [];
  expect(first).toMatch(/^1 messages\.\n- \w+: Two/);
  const rest = { channel: GENERAL, cursor, after: '2025-12-01T01:00:00+01:00' };
  expect(await ask('read_channel', ANA, rest)).toMatch(/^1 messages\.\n- \w+: One.*"next_page":null/s);
  expect(service.seen().at(-1)?.path).toContain('&oldest=1764547200&');
});

test.each([
  { channel: 'general', text: 'x' },
  { channel: GENERAL, text: '' },
  { channel: GENERAL, text: 'x'.repeat(4_001) },
  { channel: GENERAL, text: 'x', thread_ts: 'yesterday' },
])('nothing is sent to Slack for the arguments of case %#', async (args) => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  expect(await ask('post_message', ANA, args)).toMatch(/^failed/);
  expect(service.seen()).toEqual([]);
});

test('a token that is over is renewed once for calls at once, and one that is withdrawn asks for a sign-in', async () => {
  const { service, ask, signIn, oauth } = await slack({ expiresIn: 43_200 });
  await signIn(ANA, 'ana');
  for (const refreshes of [1, 2]) {
    service.expireAccess();
    const both = await Promise.all([
      ask('list_channels', ANA),
      ask('search_messages', ANA, { query: 'roses' }),
    ]);
    expect(both.every((it) => it.includes('roses'))).toBe(true);
    expect(service.counts).toMatchObject({ exchanges: 1, refreshes });
  }
  service.forgetAll();
  expect(await ask('post_message', ANA, HELLO)).toMatch(/^blocked/);
  expect(await oauth.personal.list(ANA)).toMatchObject([{ state: 'sign_in_required', isOver: true }]);
  await signIn(ANA, 'ana');
  expect(await ask('post_message', ANA, HELLO)).toMatch(/^Posted/);
});

test('to disconnect revokes both tokens where they rotate, and the authorization where they do not', async () => {
  for (const [expiresIn, revocations] of [
    [43_200, 2],
    [null, 1],
  ] as const) {
    const { service, ask, signIn, disconnect } = await slack({ expiresIn });
    await signIn(ANA, 'ana');
    await signIn(BOB, 'bob');
    await disconnect(ANA);
    expect(service.counts.revocations).toBe(revocations);
    expect(service.live()).toBe(1);
    expect(await ask('list_channels', ANA)).toMatch(/^blocked/);
    expect(await ask('list_channels', BOB)).toContain('boats');
  }
});

test('who signs in again keeps what the new sign-in gave, although Slack may have given the same token', async () => {
  const { service, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  await signIn(ANA, 'ana');
  expect(service.counts).toMatchObject({ exchanges: 2, revocations: 0 });
  expect(await ask('list_channels', ANA)).toContain('roses');
});

test('a token without the scope asks for more rights, and nothing is done', async () => {
  const { service, ask, signIn } = await slack({ declined: ['chat:write'] });
  await signIn(ANA, 'ana');
  expect(await ask('post_message', ANA, HELLO)).toBe(
    'blocked: slack wants more rights for this: chat:write. Connect it again to give them.',
  );
  expect(service.seen()).toHaveLength(1);
  expect(await ask('read_channel', ANA, { channel: GENERAL })).not.toContain('Hello');
});

test('a rate limit says when to try again, and that nothing was done', async () => {
  const { service, send, signIn } = await slack();
  await signIn(ANA, 'ana');
  service.beBusy(60);
  expect(await send('post_message', ANA, HELLO)).toMatchObject({
    outcome: {
      status: 'failed',
      message: expect.stringMatching(
        /^slack accepts no more requests for now; nothing was done\. Try again in (1 minute|(59|61) seconds)\.$/,
      ),
    },
  });
});

test('a message whose answer is lost is in doubt, and was posted once; a read has failed', async () => {
  const { service, send, ask, signIn } = await slack();
  await signIn(ANA, 'ana');
  service.loseNextAnswer();
  expect(await send('post_message', ANA, HELLO)).toMatchObject({ outcome: { status: 'in_doubt' } });
  expect(await ask('search_messages', ANA, { query: HELLO.text })).toMatch(/^1 found\./);
  service.failNext();
  expect(await send('list_channels', ANA)).toMatchObject({
    outcome: { status: 'failed' },
    retry: { afterMs: null },
  });
});

test.each([
  ['token_revoked', 401],
  ['account_inactive', 401],
  ['channel_not_found', 404],
  ['ratelimited', 429],
  ['is_archived', 400],
  // Slack says of these that something may have been done.
  ['fatal_error', 500],
  ['internal_error', 500],
])('Slack’s %s with HTTP 200 is %i', async (error, status) => {
  const ask = adaptSlack(() => Promise.resolve(Response.json({ ok: false, error })));
  const response = await ask('https://slack.com/api/chat.postMessage', { method: 'POST' });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({ ok: false, error });
});

test('the scopes that are missing are named as OAuth has them', async () => {
  const body = { ok: false, error: 'missing_scope', needed: 'im:read,mpim:read', provided: 'chat:write' };
  const ask = adaptSlack(() => Promise.resolve(Response.json(body)));
  const { status, headers } = await ask('https://slack.com/api/users.conversations');
  expect(status).toBe(403);
  expect(headers.get('www-authenticate')).toBe(
    'Bearer error="insufficient_scope", scope="im:read mpim:read"',
  );
});

test('tokens are given as OAuth has them', async () => {
  const given = { access_token: 'xoxe.xoxp-1', refresh_token: 'xoxe-1', expires_in: 43_200 };
  const body = {
    ok: true,
    ...given,
    token_type: 'user',
    scope: 'search:read,chat:write',
    team: { id: 'T1' },
  };
  const ask = adaptSlack(() => Promise.resolve(Response.json(body)));
  const response = await ask('https://slack.com/api/oauth.v2.user.access', { method: 'POST' });
  expect(await response.json()).toEqual({ ...given, token_type: 'Bearer', scope: 'search:read chat:write' });
});

test('a trouble of Slack’s while a token is renewed is not taken for the end of the sign-in', async () => {
  const answer = async (error: string) => {
    const ask = adaptSlack(() => Promise.resolve(Response.json({ ok: false, error })));
    return (await ask('https://slack.com/api/oauth.v2.user.access', { method: 'POST' })).status;
  };
  expect(await answer('internal_error')).toBe(500);
  expect(await answer('ratelimited')).toBe(429);
  expect(await answer('invalid_refresh_token')).toBe(400);
});

test('who refuses at Slack, and a client with another secret, connect nobody', async () => {
  const { service, signIn, ask } = await slack();
  await expect(signIn(ANA, 'deny')).rejects.toThrow('not finished: denied');
  expect(await ask('list_channels', ANA)).toMatch(/^blocked/);
  const oauth = { client_id: SLACK_CLIENT.clientId, client_secret: 'another-secret-0123456789' };
  const other = await connectorInstance('slack', { api_url: service.url, oauth });
  await expect(other.signIn(ANA, 'ana')).rejects.toThrow('not finished: client_refused');
});
