import { expect, test } from 'vitest';
import { ANA, BOB, emptyStore, newKey, said } from '../../fixtures/oauth/instance.ts';
import { connectorsInstance, googleInstance } from '../../helpers/connector.ts';

const DAY = { from: '2026-12-01T00:00:00Z', to: '2026-12-02T00:00:00Z' };
const MAIL = { to: ['bob@example.com'], subject: 'Plan', body: 'On Friday.' };

test('one sign-in is for the mail and the calendar, and each person sees their own', async () => {
  const { signIn, mail, calendar, oauth, service } = await googleInstance();
  expect(await mail('search_messages', ANA)).toBe('blocked: Connect google as yourself to go on.');
  expect(await calendar('list_events', ANA, DAY)).toBe('blocked: Connect google as yourself to go on.');
  await signIn(ANA, 'ana');
  await signIn(BOB, 'bob');
  expect(await oauth.personal.list(ANA)).toMatchObject([{ server: 'google', state: 'connected' }]);
  expect(await mail('search_messages', ANA)).toContain('“Roses” from Bob <bob@example.com>');
  expect(await mail('search_messages', ANA)).not.toContain('Sails');
  expect(await mail('search_messages', BOB)).toContain('“Sails” from carol@example.com');
  expect(await mail('get_message', BOB, { message_id: 'msg_roses' })).toMatch(
    /^failed: Gmail has nothing like that/,
  );
  expect(await calendar('list_events', ANA, DAY)).toContain('Planting');
  expect(await calendar('list_events', ANA, DAY)).not.toContain('Regatta');
  expect(await calendar('list_events', BOB, DAY)).toContain('Regatta');
  expect(service.counts.exchanges).toBe(2);
});

test('what was proposed for one account is not sent with another one, and goes on after a new sign-in with the same', async () => {
  const { signIn, hub, oauth, mail, sendOf, service } = await googleInstance();
  await signIn(ANA, 'ana');
  const offered = await hub.tools(ANA);
  const ofAna = { id: 'ana@example.com', name: 'ana@example.com' };
  expect(new Set(offered.map(({ account }) => account))).toEqual(new Set([ofAna]));
  const send = async () => said(await sendOf(ofAna, 'gmail', 'send_message', ANA, MAIL));
  service.forgetAll();
  expect(await send()).toMatch(/^blocked/);
  await signIn(ANA, 'ana');
  expect(await send()).toMatch(/^Sent/);
  await oauth.personal.disconnect('google', ANA);
  await signIn(ANA, 'bob');
  expect(await oauth.personal.list(ANA)).toMatchObject([{ account: 'bob@example.com' }]);
  expect(await send()).toBe(
    'failed: This was proposed while gmail was connected with the account ana@example.com, and it is bob@example.com now; nothing was done. Look things up again before proposing it anew.',
  );
  expect(service.seen().filter(({ login, method }) => login === 'bob' && method === 'POST')).toEqual([]);
  expect(await mail('send_message', ANA, MAIL)).toMatch(/^Sent/);
});

test('a calendar alone says whose it is, too', async () => {
  const { signIn, oauth } = await googleInstance({ names: ['google-calendar'] });
  await signIn(ANA, 'ana');
  expect(await oauth.personal.list(ANA)).toMatchObject([{ account: 'ana@example.com' }]);
});

test('a token that is over is renewed once for both, and keeps the refresh token', async () => {
  const { signIn, mail, calendar, service } = await googleInstance();
  await signIn(ANA, 'ana');
  for (const refreshes of [1, 2]) {
    service.expireAccess();
    const both = await Promise.all([mail('search_messages', ANA), calendar('list_events', ANA, DAY)]);
    expect(both).toEqual([expect.stringContaining('Roses'), expect.stringContaining('Planting')]);
    expect(service.counts).toMatchObject({ exchanges: 1, refreshes });
  }
});

test('what people withdraw at Google asks for one sign-in, for both', async () => {
  const { signIn, mail, calendar, oauth, service } = await googleInstance();
  await signIn(ANA, 'ana');
  await mail('search_messages', ANA);
  await calendar('list_events', ANA, DAY);
  service.forgetAll();
  expect(await mail('send_message', ANA, MAIL)).toMatch(/^blocked/);
  expect(await oauth.personal.list(ANA)).toMatchObject([{ state: 'sign_in_required', isOver: true }]);
  expect(await calendar('list_events', ANA, DAY)).toMatch(/^blocked/);
  await signIn(ANA, 'ana');
  expect(await calendar('list_events', ANA, DAY)).toContain('Planting');
  expect(await mail('send_message', ANA, MAIL)).toMatch(/^Sent to bob@example.com\./);
});

test('to disconnect revokes once, and ends both for this person alone', async () => {
  const { signIn, mail, calendar, oauth, service, logger } = await googleInstance();
  await signIn(ANA, 'ana');
  await signIn(BOB, 'bob');
  await mail('search_messages', ANA);
  await calendar('list_events', ANA, DAY);
  await oauth.personal.disconnect('google', ANA);
  expect(service.counts.revocations).toBe(1);
  const said = {
    message: 'token revocation finished',
    details: expect.objectContaining({ isRevoked: true }),
  };
  expect(logger.lines).toContainEqual(said);
  expect(await mail('search_messages', ANA)).toMatch(/^blocked/);
  expect(await calendar('list_events', ANA, DAY)).toMatch(/^blocked/);
  expect(await mail('search_messages', BOB)).toContain('Sails');
});

test('who signs in again keeps what the new sign-in gave, although Google revokes all with one token', async () => {
  const { signIn, mail, service } = await googleInstance();
  await signIn(ANA, 'ana');
  await signIn(ANA, 'ana');
  expect(service.counts).toMatchObject({ exchanges: 2, revocations: 0 });
  expect(await mail('search_messages', ANA)).toContain('Roses');
});

test('a scope that wasn’t asked for, or was declined, is asked for by its name alone, and nothing is done', async () => {
  const [read, compose, modify, events] = [
    'gmail.readonly',
    'gmail.compose',
    'gmail.modify',
    'calendar.events',
  ].map((name) => `https://www.googleapis.com/auth/${name}`);
  const { signIn, mail, calendar, send, oauth, service } = await googleInstance({
    scopes: [String(read), String(events)],
    declined: [String(events)],
  });
  await signIn(ANA, 'ana');
  expect(await mail('search_messages', ANA)).toContain('Roses');
  const wanted = (scope = '') =>
    `blocked: google wants more rights for this: ${scope}. Connect it again to give them.`;
  expect(await mail('send_message', ANA, MAIL)).toBe(wanted(compose));
  expect(await calendar('list_events', ANA, DAY)).toBe(wanted(events));
  expect(await mail('mark_as_read', ANA, { message_id: 'msg_roses' })).toBe(wanted(modify));
  expect(service.seen().filter(({ method }) => method === 'POST')).toHaveLength(2);
  const refused = await send('gmail', 'mark_as_read', ANA, { message_id: 'msg_roses' });
  if (refused.kind !== 'blocked' || refused.need.kind !== 'oauth_url' || !refused.need.connect)
    throw new Error('it is not asked for');
  const { connect } = refused.need;
  await signIn(ANA, 'ana', await oauth.personal.link({ ...connect, person: ANA, callKey: null }));
  expect(await mail('mark_as_read', ANA, { message_id: 'msg_roses' })).toMatch(/^It is marked as read\./);
});

test('who connected before a connector was added is asked for its scope, and keeps what they had', async () => {
  const shared = { store: await emptyStore(), keys: [newKey('k1')] };
  const before = await googleInstance({ names: ['gmail'], shared });
  const { service } = before;
  await before.signIn(ANA, 'ana');
  const after = await googleInstance({ service, shared });
  expect(await after.mail('search_messages', ANA)).toContain('Roses');
  expect(await after.calendar('list_events', ANA, DAY)).toMatch(
    /^blocked: google wants more rights .*calendar\.events/,
  );
  await after.signIn(ANA, 'ana');
  expect(await after.calendar('list_events', ANA, DAY)).toContain('Planting');
  expect(await after.mail('send_message', ANA, MAIL)).toMatch(/^Sent/);
});

test('rate limits say when to try again, where Google says it, and that nothing was done', async () => {
  const { signIn, send, service } = await googleInstance();
  await signIn(ANA, 'ana');
  service.beBusy(90);
  expect(await send('gmail', 'send_message', ANA, MAIL)).toMatchObject({
    outcome: {
      status: 'failed',
      message: expect.stringMatching(
        /^gmail accepts no more requests for now; nothing was done\. Try again in (89|9[01]) seconds\.$/,
      ),
    },
  });
  expect(await send('google-calendar', 'list_events', ANA, DAY)).toMatchObject({
    outcome: {
      status: 'failed',
      message: 'google-calendar accepts no more requests for now; nothing was done. Try again later.',
    },
  });
});

test('a mail whose answer is lost is in doubt, and was sent once', async () => {
  const { signIn, send, mail, service } = await googleInstance();
  await signIn(ANA, 'ana');
  service.loseNextAnswer();
  expect(await send('gmail', 'send_message', ANA, MAIL)).toMatchObject({ outcome: { status: 'in_doubt' } });
  expect(await mail('search_messages', ANA, { query: 'in:sent' })).toMatch(/^1 messages\./);
});

test('entries of one account with different clients are refused', async () => {
  const [one, other] = ['one', 'another'].map((name) => ({
    oauth: { client_id: name, client_secret: name },
  }));
  await expect(connectorsInstance({ gmail: { ...one }, 'google-calendar': { ...other } })).rejects.toThrow(
    /^bad_config: oauth of "google-calendar" under mcpServers: people sign in to google for it and for "gmail", and with different clients/,
  );
});

test('without its variables each names them, and nobody can sign in', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in the file
  const oauth = { client_id: '${GOOGLE_CLIENT_ID}', client_secret: '${GOOGLE_CLIENT_SECRET}' };
  const { hub, oauth: accounts } = await connectorsInstance({
    gmail: { oauth },
    'google-calendar': { oauth },
  });
  const error = 'An admin has to set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.';
  expect(hub.status().map((status) => status.error)).toEqual([error, error]);
  const missing = ['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET'];
  expect(await accounts.personal.list(ANA)).toMatchObject([
    { server: 'google', state: 'setup_required', missing },
  ]);
});
