import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createOpenId, SignInError } from '../../../../../src/http/web/session/slack-openid.ts';
import type { JsonObject } from '../../../../../src/lib/json.ts';

const NOW = Date.UTC(2026, 10, 23, 8);
const BACK = 'https://countersign.test/sign-in/slack/callback';
const ID = 'https://slack.com/';

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey, publicKey } = rsa();
const anothersKey = rsa().privateKey;

function jwt(header: JsonObject, claims: JsonObject, key: KeyObject): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

interface Answers {
  readonly token?: JsonObject;
  readonly claims?: JsonObject;
  readonly info?: JsonObject;
  readonly idToken?: string;
  readonly header?: JsonObject;
  readonly key?: KeyObject;
}

/** Slack's two methods and its keys, and what they were asked. */
async function slackThat(answers: Answers) {
  const asked: { path: string; form: Record<string, string>; authorization: string | null }[] = [];
  let origin = '';
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    asked.push({ path: request.url ?? '', form, authorization: request.headers.authorization ?? null });
    response.setHeader('content-type', 'application/json');
    if (request.url === '/openid/connect/keys') {
      const key = { ...publicKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'k1' };
      response.end(JSON.stringify({ keys: [key] }));
      return;
    }
    const who = { sub: 'UBOB', [`${ID}user_id`]: 'UBOB', [`${ID}team_id`]: 'T1' };
    const [iat, exp] = [NOW / 1000, NOW / 1000 + 300];
    const claims = { iss: origin, aud: 'client', iat, exp, nonce: 'nonce', ...who, ...answers.claims };
    const header = { alg: 'RS256', typ: 'JWT', kid: 'k1', ...answers.header };
    const idToken = answers.idToken ?? jwt(header, claims, answers.key ?? privateKey);
    const token = { ok: true, access_token: 'xoxp-1', token_type: 'Bearer', id_token: idToken };
    const body = request.url?.endsWith('token')
      ? { ...token, ...answers.token }
      : { ok: true, ...who, ...answers.info };
    response.end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const settings = { clientId: 'client', clientSecret: 'shh', apiUrl: `${origin}/api/`, teamId: () => 'T1' };
  return { asked, origin, openId: createOpenId(settings, () => NOW) };
}

describe('signing in with Slack', () => {
  it('exchanges the code by the client’s secret, and asks whose token that is', async () => {
    const { openId, asked } = await slackThat({});
    expect(await openId.identify('code', 'nonce', BACK)).toBe('UBOB');
    expect(asked).toEqual([
      {
        path: '/api/openid.connect.token',
        form: {
          client_id: 'client',
          client_secret: 'shh',
          code: 'code',
          grant_type: 'authorization_code',
          redirect_uri: BACK,
        },
        authorization: null,
      },
      { path: '/openid/connect/keys', form: {}, authorization: null },
      { path: '/api/openid.connect.userInfo', form: {}, authorization: 'Bearer xoxp-1' },
    ]);
  });

  it.each<[string, Answers]>([
    ['of another sign-in', { claims: { nonce: 'other' } }],
    ['for another app', { claims: { aud: 'other' } }],
    ['that somebody else signed', { key: anothersKey }],
    ['that names a key which Slack does not have', { header: { kid: 'k2' } }],
    ['that is not signed', { header: { alg: 'none' } }],
    ['signed in another way', { header: { alg: 'HS256' } }],
    ['of another issuer', { claims: { iss: 'https://evil.test' } }],
    ['that is over', { claims: { exp: NOW / 1000 - 120 } }],
    ['without a person', { claims: { [`${ID}user_id`]: null } }],
    ['that is none', { idToken: 'nonsense' }],
    ['of somebody else than the token', { info: { [`${ID}user_id`]: 'UANA' } }],
    ['of another team than the token', { info: { [`${ID}team_id`]: 'T2' } }],
    ['that Slack refuses', { token: { ok: false, error: 'invalid_code' } }],
    ['that Slack does not tell', { info: { ok: false, error: 'token_revoked' } }],
  ])('takes no identity %s', async (_, answers) => {
    const { openId } = await slackThat(answers);
    await expect(openId.identify('code', 'nonce', BACK)).rejects.toThrow(SignInError);
  });

  it('takes nobody of another workspace', async () => {
    const elsewhere = { [`${ID}team_id`]: 'T2' };
    const { openId } = await slackThat({ claims: elsewhere, info: elsewhere });
    await expect(openId.identify('code', 'nonce', BACK)).rejects.toThrow('another workspace');
  });

  it('says no secret when it fails', async () => {
    const openId = createOpenId(
      { clientId: 'client', clientSecret: 'shh', apiUrl: 'http://127.0.0.1:9/api/', teamId: () => 'T1' },
      () => NOW,
    );
    const error: unknown = await openId
      .identify('the-code', 'nonce', BACK)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SignInError);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toMatch(/shh|the-code/);
  });

  it('sends people to Slack’s own page, for who they are and nothing else', () => {
    const settings = { clientId: 'client', clientSecret: 'shh', apiUrl: null, teamId: () => 'T1' };
    const openId = createOpenId(settings, () => NOW);
    const url = new URL(openId.authorizeUrl({ state: 's', nonce: 'n', redirectUrl: BACK }));
    expect(url.origin + url.pathname).toBe('https://slack.com/openid/connect/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      scope: 'openid',
      client_id: 'client',
      state: 's',
      nonce: 'n',
      team: 'T1',
      redirect_uri: BACK,
    });
  });
});
