import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { authorizations } from '../../../../src/http/authorization/collections.ts';
import { PUBLIC_URL, startAuthorizationServer } from '../../../helpers/authorization-server.ts';

const BACK = 'http://127.0.0.1:7777/callback';
const VERIFIER = 'a-verifier-that-is-long-enough-for-the-rule-43-or-more';
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

const text = z.string().default('');
const answerSchema = z.looseObject({ client_id: text, access_token: text, refresh_token: text, error: text });

/** Two processes on one store, and a browser whose every request goes to the other one. */
async function opened(publicUrl = PUBLIC_URL) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-oauth-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const time = { now: Date.now() };
  const start = () =>
    startAuthorizationServer({ path: join(folder, 'store.db'), clock: () => time.now, publicUrl });
  const both = [await start(), await start()] as const;
  const prefix = new URL(publicUrl).pathname.replace(/\/$/, '');
  let turn = 0;
  const paths: string[] = [];
  const cookies = new Map<string, string>([['__Host-countersign-session', 'of-ana']]);
  async function visit(address: string, init: RequestInit = {}): Promise<Response> {
    turn += 1;
    const { pathname, search } = new URL(address, PUBLIC_URL);
    // A proxy takes the path of the public address off.
    const path = address.startsWith(publicUrl) ? pathname.slice(prefix.length) : pathname;
    const response = await fetch(`${both[turn % 2 === 0 ? 0 : 1].url}${path}${search}`, {
      redirect: 'manual',
      ...init,
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const line of response.headers.getSetCookie()) {
      expect(line).toMatch(/; secure/i);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
      paths.push(/path=([^;]*)/i.exec(line)?.[1] ?? '');
    }
    return response;
  }
  const at = (which: 0 | 1, path: string, body: Readonly<Record<string, string>>) =>
    fetch(`${both[which].url}${path}`, { method: 'POST', body: new URLSearchParams(body) }).then(
      async (response) => ({ status: response.status, ...answerSchema.parse(await response.json()) }),
    );
  const registered = await fetch(`${both[0].url}/oauth/register`, {
    method: 'POST',
    body: JSON.stringify({ client_name: 'Builder', redirect_uris: [BACK] }),
    headers: { 'content-type': 'application/json' },
  });
  const { client_id } = answerSchema.parse(await registered.json());

  /** Lets the client in, each step in another process than the one before. */
  async function code(): Promise<string> {
    const asked = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: BACK,
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    });
    const begun = await visit(`/oauth/authorize?${asked}`);
    const page = begun.headers.get('location') ?? '';
    const html = await (await visit(page)).text();
    const token = /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const told = await visit(page, { method: 'POST', body: new URLSearchParams({ token, word: 'allow' }) });
    const next = /url=(.*)$/.exec(told.headers.get('refresh') ?? '')?.[1] ?? '';
    expect(next.startsWith(`${publicUrl}/oauth/authorize/`), next).toBe(true);
    const back = await visit(next);
    const address = new URL(back.headers.get('location') ?? '');
    expect(address.searchParams.get('iss')).toBe(publicUrl);
    return address.searchParams.get('code') ?? '';
  }
  const exchange = (which: 0 | 1, value: string) =>
    at(which, '/oauth/token', {
      grant_type: 'authorization_code',
      client_id,
      redirect_uri: BACK,
      code: value,
      code_verifier: VERIFIER,
    });
  const refresh = (which: 0 | 1, token: string) =>
    at(which, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token: token });
  const isIn = async (token: string) =>
    (await Promise.all(both.map(({ authorization: { programs } }) => programs.find(token)))).map((caller) =>
      caller === null || caller === 'over' ? caller : caller.settings.person,
    );
  return { both, time, code, exchange, refresh, isIn, paths };
}

describe('two processes on one store', () => {
  it('let a program in together, and both know it from then on', async () => {
    const { code, exchange, refresh, isIn, both } = await opened();
    const first = await exchange(0, await code());
    expect(await isIn(first.access_token)).toEqual(['U0ANA00001', 'U0ANA00001']);
    const second = await refresh(1, first.refresh_token);
    expect(await isIn(second.access_token)).toEqual(['U0ANA00001', 'U0ANA00001']);
    const [listed] = await both[1].authorization.programs.list('U0ANA00001');
    expect(listed).toMatchObject({ name: 'Builder (localhost)' });
    await both[1].authorization.programs.end('U0BOB00001', listed?.id ?? '');
    expect(await isIn(second.access_token)).toEqual(['U0ANA00001', 'U0ANA00001']);
    await both[1].authorization.programs.end('U0ANA00001', listed?.id ?? '');
    expect(await isIn(second.access_token)).toEqual([null, null]);
    expect(await refresh(0, second.refresh_token)).toMatchObject({ error: 'invalid_grant' });
  });

  it('stand below a path, which the cookies of a browser are for', async () => {
    const { code, exchange, isIn, paths } = await opened(`${PUBLIC_URL}/gate`);
    const { access_token } = await exchange(0, await code());
    expect(await isIn(access_token)).toEqual(['U0ANA00001', 'U0ANA00001']);
    expect(paths.filter((path) => path !== '/').length).toBeGreaterThan(1);
    for (const path of paths) expect(path).toMatch(/^\/$|^\/gate\/oauth\/(?:authorize|consent)\//);
  });

  it('give out tokens for a code once, and end them where both are asked at the same moment', async () => {
    const { code, exchange, isIn } = await opened();
    const value = await code();
    const answers = await Promise.all([exchange(0, value), exchange(1, value)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { access_token } of answers) expect(await isIn(access_token)).toEqual([null, null]);
  });

  it('end what a refresh token led to where both are asked with it at the same moment', async () => {
    const { code, exchange, refresh, isIn } = await opened();
    const first = await exchange(0, await code());
    const answers = await Promise.all([refresh(0, first.refresh_token), refresh(1, first.refresh_token)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { access_token } of [first, ...answers])
      expect(await isIn(access_token)).toEqual([null, null]);
  });

  it('keep no code or token as it is, and nothing for longer than it counts', async () => {
    const { both, time, code, exchange } = await opened();
    const value = await code();
    const { access_token, refresh_token } = await exchange(0, value);
    const { store, authorization } = both[0];
    const { items } = await store.query(authorizations, 'byEnd', {}, 100);
    expect(items.map(({ value: { kind } }) => kind).sort()).toEqual([
      'AccessToken',
      'AuthorizationCode',
      'Client',
      'Grant',
      'RefreshToken',
    ]);
    const kept = JSON.stringify(items);
    for (const secret of [value, access_token, refresh_token]) expect(kept).not.toContain(secret);
    time.now += 31 * 86_400_000;
    await authorization.records.forget(time.now, 100);
    const left = await store.query(authorizations, 'byEnd', {}, 100);
    expect(left.items.map(({ value: { kind } }) => kind).sort()).toEqual(['Client', 'Grant']);
  });
});
