import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { ANA, BOT_USER, manualClock, startSlackEmulator } from '../src/index.ts';

const BACK = 'https://app.test/sign-in/slack/callback';
const answerSchema = z.looseObject({ ok: z.boolean(), error: z.string().optional() });

const keysSchema = z.object({ keys: z.array(z.looseObject({ kid: z.string(), alg: z.literal('RS256') })) });

async function opened() {
  const clock = manualClock(Date.UTC(2026, 10, 23, 8));
  const slack = await startSlackEmulator({ clock });
  onTestFinished(() => slack.stop());
  slack.setRedirectUrls(['https://app.test/sign-in']);
  const asked = (changes: Record<string, string> = {}) =>
    `${slack.url}/openid/connect/authorize?${new URLSearchParams({
      response_type: 'code',
      scope: 'openid',
      client_id: slack.clientId,
      state: 's1',
      nonce: 'n1',
      redirect_uri: BACK,
      ...changes,
    })}`;
  const agree = async (user: string, url = asked()) => {
    const response = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ user }),
      redirect: 'manual',
    });
    const cookie = response.headers.get('set-cookie');
    return { status: response.status, location: response.headers.get('location'), cookie };
  };
  const call = async (method: string, form: Record<string, string>, token?: string) => {
    const response = await fetch(`${slack.apiUrl}${method}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    });
    return answerSchema.parse(await response.json());
  };
  const codeOf = async (user = ANA) =>
    new URL((await agree(user)).location ?? '').searchParams.get('code') ?? '';
  const client = { client_id: slack.clientId, client_secret: slack.clientSecret, redirect_uri: BACK };
  const exchange = (code: string, changes: Record<string, string> = {}) =>
    call('openid.connect.token', { ...client, code, ...changes });
  return { slack, clock, asked, agree, call, codeOf, exchange };
}

describe('signing in with the stand-in for Slack', () => {
  it('sends whoever agrees back with a code, by which the app learns who it is', async () => {
    const { agree, exchange, call, slack } = await opened();
    const { status, location } = await agree(ANA);
    const back = new URL(location ?? '');
    expect([status, back.origin + back.pathname, back.searchParams.get('state')]).toEqual([302, BACK, 's1']);
    const token = await exchange(back.searchParams.get('code') ?? '');
    expect(token).toMatchObject({ ok: true, token_type: 'Bearer' });
    const [, claims = ''] = String(token.id_token).split('.');
    const who = { sub: ANA, 'https://slack.com/user_id': ANA, 'https://slack.com/team_id': 'T0LOCAL001' };
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      ...who,
      nonce: 'n1',
      aud: slack.clientId,
      iss: slack.url,
    });
    expect(await call('openid.connect.userInfo', {}, String(token.access_token))).toEqual({
      ok: true,
      ...who,
    });
    // It is good for that and nothing else.
    expect(await call('auth.test', {}, String(token.access_token))).toMatchObject({
      error: 'not_allowed_token_type',
    });
    expect(await call('openid.connect.userInfo', {}, slack.botToken)).toMatchObject({ ok: false });
  });

  it('signs the identity with a key that apps can read', async () => {
    const { codeOf, exchange, slack } = await opened();
    const [header = '', claims = '', signature = ''] = String(
      (await exchange(await codeOf())).id_token,
    ).split('.');
    const response = await fetch(`${slack.url}/openid/connect/keys`);
    const { keys } = keysSchema.parse(await response.json());
    const { kid, alg } = keysSchema.shape.keys.element.parse(
      JSON.parse(Buffer.from(header, 'base64url').toString()),
    );
    const key = keys.find((it) => it.kid === kid && it.alg === alg);
    const publicKey = createPublicKey({ key: { ...key } satisfies JsonWebKey, format: 'jwk' });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('takes a code once, for ten minutes, from the app that it was made for', async () => {
    const { codeOf, exchange, clock } = await opened();
    const code = await codeOf();
    expect(await exchange(code, { client_secret: 'no' })).toMatchObject({ error: 'bad_client_secret' });
    expect(await exchange(code, { client_id: 'no' })).toMatchObject({ error: 'invalid_client_id' });
    expect(await exchange(code, { redirect_uri: `${BACK}/x` })).toMatchObject({ error: 'bad_redirect_uri' });
    expect(await exchange(code)).toMatchObject({ ok: true });
    expect(await exchange(code)).toMatchObject({ error: 'code_already_used' });
    expect(await exchange('made-up')).toMatchObject({ error: 'invalid_code' });
    const late = await codeOf();
    clock.advance(10 * 60_000);
    expect(await exchange(late)).toMatchObject({ error: 'code_expired' });
  });

  it.each([
    ['client_id', 'other'],
    ['redirect_uri', 'https://evil.test/sign-in'],
    ['redirect_uri', 'https://app.test/sign-in.evil.test'],
    ['response_type', 'token'],
    ['scope', 'profile'],
    ['scope', 'openid admin'],
    ['team', 'T0OTHER'],
  ])('shows no page and sends nobody anywhere for a wrong %s (%s)', async (name, value) => {
    const { asked, agree } = await opened();
    const shown = await fetch(asked({ [name]: value }));
    expect([shown.status, await shown.text()]).toEqual([
      400,
      expect.stringContaining('Something went wrong'),
    ]);
    expect(await agree(ANA, asked({ [name]: value }))).toEqual({ status: 400, location: null, cookie: null });
  });

  it('makes links to messages lead to the workspace as who signed in, in that browser', async () => {
    const { slack, agree } = await opened();
    const ts = slack.driver.as('ana').post('general', 'hi');
    const bob = slack.driver.as('bob').id;
    const { cookie } = await agree(bob);
    const link = `${slack.url}/archives/C0GENERAL1/p${ts.replace('.', '')}`;
    const there = await fetch(link, { redirect: 'manual', headers: { cookie: cookie ?? '' } });
    expect(there.headers.get('location')).toBe(`/#${bob}/C0GENERAL1/${ts}`);
    expect((await agree('')).cookie).toBeNull();
  });

  it('is for its people: no apps, no closed accounts, and whoever calls it off says so', async () => {
    const { agree, slack, asked } = await opened();
    slack.driver.setUser('bob', { deleted: true });
    const bob = slack.driver.as('bob').id;
    for (const user of [BOT_USER, bob, 'U0NOBODY01']) expect((await agree(user)).location).toBeNull();
    expect((await agree('')).location).toBe(`${BACK}?error=access_denied&state=s1`);
    const page = await (await fetch(asked(), { headers: { cookie: `workspace-person=${ANA}` } })).text();
    expect(page).toContain('Continue as Ana Almeida');
    expect(page).not.toContain('Bob');
  });
});
