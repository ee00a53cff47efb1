import { expect, test } from 'vitest';
import { askedByHand, rawClient, startForPersonalPrograms } from '../helpers/personal-programs.ts';
import { createVisitor, signIn } from '../helpers/web-visitor.ts';

const LOOPBACK = 'http://127.0.0.1:1/callback';

test('nobody without a token is let in, and each is told where to get one', async () => {
  const setup = await startForPersonalPrograms();
  const { mcp } = rawClient(setup);
  const { publicUrl } = setup.app;
  const where = `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="tools"`;
  expect(await mcp(null)).toEqual({ status: 401, challenge: `Bearer ${where}` });
  expect(await mcp('made-up')).toEqual({ status: 401, challenge: `Bearer error="invalid_token", ${where}` });
  const read = async (path: string) => (await fetch(`${publicUrl}${path}`)).json();
  expect(await read('/.well-known/oauth-protected-resource/mcp')).toMatchObject({
    resource: `${publicUrl}/mcp`,
    authorization_servers: [publicUrl],
  });
  expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
    issuer: publicUrl,
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  });
});

test('a client is registered as a public one, whatever it asks for, and only with safe addresses', async () => {
  const { register } = rawClient(await startForPersonalPrograms());
  const wanted = {
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['implicit'],
    scope: 'all',
  };
  const registered = await register({ redirect_uris: [LOOPBACK], client_name: 'Builder', ...wanted });
  expect(registered).toMatchObject({ status: 201, token_endpoint_auth_method: 'none' });
  expect(registered).not.toHaveProperty('client_secret');
  for (const address of [
    'https://app.test/back',
    'cursor://anysphere.cursor/callback',
    'http://localhost/cb',
    'http://[::1]:7/cb',
  ]) {
    expect(await register({ redirect_uris: [LOOPBACK, address] }), address).toMatchObject({ status: 201 });
  }
  const unsafe = [
    'javascript:alert(1)',
    'javascript://%0aalert(1)',
    'JavaScript://app.test/%0aalert(1)',
    'data:text/html,hi',
    'vbscript:x',
    'http://app.test/back',
    'http://127.0.0.1.app.test/back',
    'https://app.test@evil.test/back',
    'https://app.test/back#part',
    'https://аpp.test/back',
    'mailto:a@b.test',
    '/back',
  ];
  for (const address of unsafe) {
    const refused = await register({ redirect_uris: [LOOPBACK, address] });
    expect(refused, address).toMatchObject({ status: 400 });
    expect(refused.error, address).toMatch(/^invalid_(client_metadata|redirect_uri)$/);
  }
  expect(await register({ redirect_uris: [] })).toMatchObject({ status: 400 });
  expect(await register({ redirect_uris: Array(11).fill(LOOPBACK) })).toMatchObject({ status: 400 });
  expect(await register({ redirect_uris: [LOOPBACK], client_name: 'x'.repeat(201) })).toMatchObject({
    status: 400,
  });
});

test('who asks wrongly gets no page to allow it on, and is sent nowhere that was not registered', async () => {
  const setup = await startForPersonalPrograms();
  const { client, back, address } = await askedByHand(setup);
  const begin = async (changes: Record<string, string>) => {
    const response = await fetch(address(client, back.url, changes), { redirect: 'manual' });
    return { status: response.status, location: response.headers.get('location') ?? '' };
  };
  const told: readonly (readonly [Record<string, string>, string])[] = [
    [{ code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: '' }, 'invalid_request'],
    [{ resource: 'https://other.test/mcp' }, 'invalid_target'],
    [{ resource: `${setup.app.publicUrl}/mcp/` }, 'invalid_target'],
    [{ response_type: 'token' }, 'invalid_request'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
  ];
  // Of its own computer, any port will do: a program takes a free one.
  const elsewhere = { redirect_uri: 'http://127.0.0.1:2/callback' };
  expect((await begin(elsewhere)).location).toContain('/oauth/consent/');
  for (const [changes, error] of told) {
    const { location } = await begin(changes);
    expect(location, JSON.stringify(changes)).toContain(`error=${error}`);
    expect(location.startsWith(back.url), location).toBe(true);
  }
  for (const changes of [
    { redirect_uri: 'https://evil.test/callback' },
    { redirect_uri: `${back.url}/more` },
    { redirect_uri: 'javascript:alert(1)' },
    { client_id: 'unknown' },
    { client_id: 'https://127.0.0.1/client.json' },
  ]) {
    const { status, location } = await begin(changes);
    expect([status, location], JSON.stringify(changes)).toEqual([400, '']);
  }
});

test('a page that is sent to somebody else, or a form made elsewhere, allows nothing', async () => {
  const setup = await startForPersonalPrograms();
  const { client, back, visitor, address } = await askedByHand(setup);
  const page = await signIn(visitor, setup.app, 'ana', address(client, back.url));
  // Bob has a session of his own, and follows the address of Ana's page.
  const bob = createVisitor();
  await signIn(bob, setup.app, 'bob', address(client, back.url));
  expect(await bob.visit(page.url)).toMatchObject({ status: 410 });
  expect(await bob.visit(page.url, { word: 'allow', token: 'x' })).toMatchObject({ status: 410 });
  // Ana's browser sends what another site has put together.
  for (const form of [{ word: 'allow' }, { word: 'allow', token: 'x' }, { token: 'x' }]) {
    expect(await visitor.visit(page.url, form)).toMatchObject({ status: 403 });
  }
  expect(back.came).toEqual([]);
  // The page runs nothing and can't be framed.
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  await visitor.follow(await visitor.press(page, 'Don’t allow'), 'Back to Builder');
  expect(back.last().get('error')).toBe('access_denied');
});

test('who clicks twice has said it once: the second click goes on from the first', async () => {
  const setup = await startForPersonalPrograms();
  const { client, back, visitor, address } = await askedByHand(setup);
  const page = await signIn(visitor, setup.app, 'ana', address(client, back.url));
  const allowed = await visitor.press(page, 'Allow');
  await visitor.press(page, 'Allow');
  await visitor.follow(await visitor.press(page, 'Don’t allow'), 'Back to Builder');
  expect(back.last().get('code')).toEqual(expect.any(String));
  expect(allowed.status).toBe(200);
  const home = await setup.driver.as('ana').openHome();
  expect(JSON.stringify(home.blocks).split('"program.end"').length - 1).toBe(1);
});

test('one address can have only so many clients fetched by asking for tokens', async () => {
  const { app } = await startForPersonalPrograms();
  const body = new URLSearchParams({ client_id: 'unknown', grant_type: 'refresh_token', refresh_token: 'x' });
  const ask = async () => (await fetch(`${app.publicUrl}/oauth/token`, { method: 'POST', body })).status;
  const statuses = await Promise.all(Array.from({ length: 130 }, ask));
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});

test.each([
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['Claude \u202Eedoc', 'Claude ⟨U+202E⟩edoc'],
  ['long '.repeat(40), `${'long '.repeat(11)}long…`],
])('a client’s name hides nothing on the page: %s', async (name, shown) => {
  const setup = await startForPersonalPrograms();
  const { client, back, visitor, address } = await askedByHand(setup, { metadata: { client_name: name } });
  const page = await signIn(visitor, setup.app, 'ana', address(client, back.url));
  expect(page.html).toContain(`<strong>${shown}</strong> at <strong>localhost</strong>`);
});

test('a code counts once, for its client, its address and its verifier; used twice, its tokens die', async () => {
  const setup = await startForPersonalPrograms();
  const by = await askedByHand(setup);
  const code = await by.allow();
  const other = await by.register({ redirect_uris: [by.back.url] });
  expect(await by.exchange(other.client_id, by.back.url, code)).toMatchObject({
    error: 'invalid_grant',
  });
  for (const changes of [
    { code_verifier: 'another-verifier-that-is-long-enough-for-the-rule-43' },
    { redirect_uri: `${by.back.url}/x` },
    { resource: 'https://other.test/mcp' },
  ]) {
    const asked = await by.allow();
    const refused = await by.exchange(by.client, by.back.url, asked, changes);
    expect(refused.error, JSON.stringify(changes)).toMatch(/^invalid_(grant|target)$/);
  }
  const tokens = await by.exchange(by.client, by.back.url, code);
  expect(await by.mcp(tokens.access_token)).toMatchObject({ status: 200 });
  expect(await by.exchange(by.client, by.back.url, code)).toMatchObject({ error: 'invalid_grant' });
  expect(await by.mcp(tokens.access_token)).toMatchObject({ status: 401 });
  expect(await by.refresh(by.client, tokens.refresh_token)).toMatchObject({ error: 'invalid_grant' });
});

test('a refresh token counts once; used twice, all that came from it dies', async () => {
  const setup = await startForPersonalPrograms();
  const by = await askedByHand(setup);
  const first = await by.tokens();
  expect(await by.mcp(first.access_token)).toMatchObject({ status: 200 });
  expect(await by.mcp(first.refresh_token)).toMatchObject({ status: 401 });
  expect(await by.refresh('unknown', first.refresh_token)).toMatchObject({ error: 'invalid_client' });
  const second = await by.refresh(by.client, first.refresh_token);
  expect(second).toMatchObject({ status: 200, token_type: 'Bearer', scope: 'tools' });
  expect(second.refresh_token).not.toBe(first.refresh_token);
  const access = second.access_token;
  expect(await by.mcp(access)).toMatchObject({ status: 200 });
  expect(await by.refresh(by.client, first.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  for (const token of [first.access_token, access])
    expect(await by.mcp(token)).toMatchObject({ status: 401 });
  expect(await by.refresh(by.client, second.refresh_token)).toMatchObject({ error: 'invalid_grant' });
});

test('tokens are over after their time, when they are revoked, and when their person has left', async () => {
  const setup = await startForPersonalPrograms();
  const by = await askedByHand(setup);
  const first = await by.tokens();
  await setup.app.pass(61 * 60_000);
  for (let times = 0; times < 6; times += 1) {
    expect(await by.mcp(first.access_token)).toMatchObject({ status: 401 });
  }
  // Who has to refresh is no guesser.
  expect(setup.app.logged.filter(({ msg }) => msg === 'wrong API key')).toEqual([]);
  const second = await by.refresh(by.client, first.refresh_token);
  expect(await by.mcp(second.access_token)).toMatchObject({ status: 200 });
  await by.form('/oauth/revoke', { client_id: by.client, token: second.refresh_token });
  expect(await by.mcp(second.access_token)).toMatchObject({ status: 401 });

  const third = await by.tokens();
  setup.driver.setUser('ana', { deleted: true });
  await setup.app.pass(6 * 60_000);
  expect(await by.mcp(third.access_token)).toMatchObject({ status: 401 });
  expect(await by.refresh(by.client, third.refresh_token)).toMatchObject({ error: 'invalid_grant' });
});
