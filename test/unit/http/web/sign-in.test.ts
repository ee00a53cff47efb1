import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { html } from 'hono/html';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { page } from '../../../../src/http/web/pages/layout.ts';
import { signInLinks, signIns, webSessions } from '../../../../src/http/web/session/collections.ts';
import { LINK_MS, SESSION_MS } from '../../../../src/http/web/session/links.ts';
import { createSignIn, formToken } from '../../../../src/http/web/session/sessions.ts';
import { SignInError } from '../../../../src/http/web/session/slack-openid.ts';
import { SIGN_IN_WITHIN_MS } from '../../../../src/http/web/session/slack-sign-in.ts';
import { signInRoute } from '../../../../src/http/web/sign-in.ts';
import { sha256Hex } from '../../../../src/lib/canonical-json.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import { put } from '../../../../src/storage/store.ts';
import { callRecord } from '../../slack/cards/fixtures.ts';

const KEY = 'k'.repeat(22);
const quiet = { debug() {}, info() {}, warn() {}, error() {}, fatal() {}, trace() {} };

function opened(publicUrl = 'https://countersign.test') {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const time = { now: 1_000_000 };
  const identified: string[] = [];
  const closed = new Set<string>();
  const signIn = createSignIn({
    store,
    clock: () => time.now,
    secrets: () => randomBytes(32).toString('base64url'),
    openId: {
      authorizeUrl: ({ state }) => `https://slack.test/?state=${state}`,
      async identify(code) {
        identified.push(code);
        if (code === 'refused') throw new SignInError('You signed in to another workspace.');
        return 'UBOB';
      },
    },
    publicUrl: () => publicUrl,
    isOpen: async (user) => !closed.has(user),
  });
  const app = new Hono<HttpEnv>();
  const { slack } = signIn;
  if (!slack) throw new Error('Nobody can sign in with Slack.');
  const gate = { calls: { get: async (key: string) => (key === KEY ? callRecord() : null) } };
  const links = {
    preview: async (ticket: string) =>
      ticket === 'offered'
        ? ({
            ok: true,
            server: 'tasks',
            person: { id: 'slack:T1:UANA', name: 'Ana' },
            host: 'tasks.test',
          } as const)
        : ({ ok: false, problem: 'unknown_link', server: null, origin: null } as const),
  };
  signInRoute(
    app,
    {
      log: quiet,
      gate,
      signIns: links,
      consentPage: async () => null,
      clock: () => time.now,
      trustedProxies: [],
    },
    { publicUrl: () => publicUrl },
    slack,
  );
  const begin = async () => {
    const { location, browser } = await slack.begin(KEY);
    return { state: new URL(location).searchParams.get('state') ?? '', browser, code: 'code' };
  };
  const left = async () =>
    (await Promise.all([store.query(signIns, 'byEnd', {}, 9), store.query(webSessions, 'byEnd', {}, 9)])).map(
      ({ items }) => items.length,
    );
  // Over no connection.
  const request = async (url: string, init?: RequestInit) => app.request(url, init, {});
  return { store, time, identified, closed, signIn, slack, app: { request }, begin, left };
}

describe('a link that signs in', () => {
  it('is kept by its hash, and over after five minutes', async () => {
    const { signIn, time, store } = await opened();
    const link = new URL(await signIn.offerLink('UANA')).searchParams.get('link') ?? '';
    expect(JSON.stringify(await store.query(signInLinks, 'byEnd', {}, 9))).not.toContain(link);
    expect(await signIn.previewLink(link)).toBe('UANA');
    time.now += LINK_MS;
    expect(await signIn.previewLink(link)).toBeNull();
    expect(await signIn.useLink(link)).toBeNull();
    await signIn.forget(time.now + 1, 10);
    expect((await store.query(signInLinks, 'byEnd', {}, 9)).items).toEqual([]);
  });

  it('begins a session that is told from one with Slack; one of an earlier version is of Slack', async () => {
    const { signIn, time, store } = await opened();
    const link = new URL(await signIn.offerLink('UANA')).searchParams.get('link') ?? '';
    const secret = (await signIn.useLink(link)) ?? '';
    expect(await signIn.session(secret)).toEqual({ secret, user: 'UANA', via: 'link' });
    const id = sha256Hex('earlier');
    await store.commit({ put: [put(webSessions, id, { user: 'UANA', until: time.now + 1 })] });
    expect(await signIn.session('earlier')).toMatchObject({ via: 'slack' });
  });
});

describe('an account that is closed', () => {
  it('is signed in no longer, and no link made before signs it in', async () => {
    const { signIn, slack, begin, closed } = await opened();
    const { secret } = await slack.finish(await begin());
    const link = new URL(await signIn.offerLink('UBOB')).searchParams.get('link') ?? '';
    expect(await signIn.session(secret)).toMatchObject({ user: 'UBOB' });
    closed.add('UBOB');
    expect(await signIn.session(secret)).toBeNull();
    expect(await signIn.previewLink(link)).toBeNull();
    expect(await signIn.useLink(link)).toBeNull();
  });
});

describe('a sign-in', () => {
  it('that an address begins without end writes nothing more, and is told to wait', async () => {
    const { app, store, time } = await opened();
    const ask = async () => (await app.request('http://countersign.test/sign-in/slack?dashboard=')).status;
    for (let count = 0; count < 120; count += 1) expect(await ask()).toBe(303);
    expect(await ask()).toBe(429);
    expect(await ask()).toBe(429);
    expect((await store.query(signIns, 'byEnd', {}, 500)).items).toHaveLength(120);
    time.now += 10 * 60_000 + 1;
    expect(await ask()).toBe(303);
  });

  it('of two who bring the same back at once is one', async () => {
    const { slack, begin, identified } = await opened();
    const back = await begin();
    const results = await Promise.allSettled([slack.finish(back), slack.finish(back), slack.finish(back)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(identified).toEqual(['code']);
  });

  it('that Slack refuses is none', async () => {
    const { slack, begin, left } = await opened();
    await expect(slack.finish({ ...(await begin()), code: 'refused' })).rejects.toThrow('another workspace');
    expect(await left()).toEqual([0, 0]);
  });

  it('is kept by hashes, and forgotten when its time is over', async () => {
    const { signIn, slack, begin, time, left, store } = await opened();
    const { secret } = await slack.finish(await begin());
    const back = await begin();
    const [sessions, pending] = await Promise.all([
      store.query(webSessions, 'byEnd', {}, 9),
      store.query(signIns, 'byEnd', {}, 9),
    ]);
    const kept = JSON.stringify([sessions, pending]);
    for (const hidden of [secret, back.state, back.browser]) expect(kept).not.toContain(hidden);
    expect(await signIn.session(secret)).toMatchObject({ user: 'UBOB' });

    time.now += SIGN_IN_WITHIN_MS + 1;
    await signIn.forget(time.now, 10);
    expect(await left()).toEqual([0, 1]);
    time.now += SESSION_MS;
    expect(await signIn.session(secret)).toBeNull();
    await signIn.forget(time.now, 10);
    expect(await left()).toEqual([0, 0]);
  });

  it('has cookies that no script and no other site gets, over https with a prefix that nobody else can set', async () => {
    const { app, signIn } = await opened();
    const begun = await app.request(`/sign-in/slack?for=${KEY}`);
    expect(begun.status).toBe(303);
    const [cookie = ''] = begun.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-countersign-sign-in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state');
    const back = await app.request(`/sign-in/slack/callback?code=c&state=${state}`, {
      headers: { cookie: cookie.split(';')[0] ?? '' },
    });
    expect([back.status, back.headers.get('location')]).toEqual([
      303,
      `https://countersign.test/decide/${KEY}`,
    ]);
    const session = back.headers.getSetCookie().find((line) => line.includes('session')) ?? '';
    expect(session).toMatch(
      /^__Host-countersign-session=[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(back.headers.get('cache-control')).toBe('no-store');
    expect(await signIn.session(/=([\w-]{43})/.exec(session)?.[1] ?? '')).not.toBeNull();
  });

  it.each([
    ['error=access_denied', 'Slack was not allowed to say who you are.'],
    ['code=refused', 'You signed in to another workspace'],
  ])('that comes to nothing (%s) leads back to the page that people came for', async (query, words) => {
    const { app } = await opened();
    const begun = await app.request(`/sign-in/slack?for=${KEY}`);
    const [cookie = ''] = (begun.headers.getSetCookie()[0] ?? '').split(';');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state');
    const back = (headers: Record<string, string>) =>
      app.request(`/sign-in/slack/callback?${query}&state=${state}`, { headers });
    expect(await (await back({})).text()).not.toContain('Try again');
    const page = await (await back({ cookie })).text();
    expect(page).toContain(words);
    expect(page).toContain(`href="https://countersign.test/decide/${KEY}">Try again</a>`);
  });

  it.each([
    ['/audit', '/audit'],
    ['/calls?person=Ana&from=2026-11-28', '/calls?person=Ana&from=2026-11-28'],
    ['', ''],
    ['/../decide/x', ''],
    ['/calls/../../decide/x', ''],
    ['/%2e%2e/api/calls', ''],
    ['.evil.test', ''],
    ['@evil.test', ''],
    ['//evil.test', ''],
    ['/\\evil.test', ''],
    ['https://evil.test', ''],
    [`/calls?text=${'x'.repeat(600)}`, ''],
  ])('for the dashboard’s %s comes back to it, if it is a page of ours', async (dashboard, comesTo) => {
    const { app, slack } = await opened();
    const begun = await app.request(`/sign-in/slack?${new URLSearchParams({ dashboard })}`);
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const browser = /=([\w-]+)/.exec(begun.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
    const { returnTo } = await slack.finish({ state, code: 'code', browser });
    expect(returnTo).toBe(`/dashboard${comesTo}`);
  });

  it('on this machine needs no https', async () => {
    const { app } = await opened('http://127.0.0.1:3000');
    const begun = await app.request(`/sign-in/slack?for=${KEY}`);
    expect(begun.headers.getSetCookie()[0]).toMatch(
      /^countersign-sign-in=[^;]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  it('begins for what is there only', async () => {
    const { app, left } = await opened();
    for (const key of ['', 'u'.repeat(22), 'https://evil.test', `${KEY}/..`])
      expect((await app.request(`/sign-in/slack?for=${encodeURIComponent(key)}`)).status).toBe(404);
    expect(await left()).toEqual([0, 0]);
  });

  it('begins for a link that still works, and comes back to it', async () => {
    const { app, left, slack } = await opened();
    expect((await app.request('/sign-in/slack?link=unknown')).status).toBe(404);
    expect(await left()).toEqual([0, 0]);
    const begun = await app.request('/sign-in/slack?link=offered');
    const state = new URL(begun.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const browser = /=([\w-]+)/.exec(begun.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
    const { returnTo } = await slack.finish({ state, code: 'code', browser });
    expect(returnTo).toBe('/oauth/start?link=offered');
  });
});

describe('what a form carries', () => {
  it('is of one session, one call and one digest', () => {
    const session = { secret: 'a', user: 'UBOB' };
    const tokens = [
      formToken(session, 'one', 'd1'),
      formToken(session, 'one', 'd2'),
      formToken(session, 'two', 'd1'),
      formToken({ ...session, secret: 'b' }, 'one', 'd1'),
      formToken(session, 'oned', '1'),
    ];
    expect(new Set(tokens).size).toBe(tokens.length);
  });
});

describe('a page', () => {
  it('escapes whatever is put into it', async () => {
    const bad = `<img src=x onerror="alert('1')">&`;
    const answer = await page({
      title: bad,
      aside: bad,
      body: html`<p title="${bad}">${[bad, html`<b>${bad}</b>`]}</p>`,
    });
    const shown = await answer.text();
    expect(shown).not.toContain('<img');
    expect(shown.match(/&lt;img src=x onerror=&quot;alert\(&#39;1&#39;\)&quot;&gt;&amp;/g)).toHaveLength(5);
    expect(shown).toContain('<b>&lt;img');
  });

  it('is kept by nobody, framed by nobody, and runs nothing', async () => {
    const { headers } = await page({ title: 'A', body: null });
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    // For browsers that don't know the policy's own word for it.
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});
