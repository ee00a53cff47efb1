import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../../../../src/http/context.ts';
import { type OAuthRoutePorts, oauthRoutes } from '../../../../src/http/web/oauth.ts';
import type { WayBack } from '../../../../src/http/web/ports.ts';
import type { SignInPages } from '../../../../src/oauth/ports.ts';
import { membersOnly } from '../../../helpers/people.ts';

const ANA = { id: 'slack:T1:UANA', name: 'Ana' };
const COOKIE = 'countersign-session';

type Finished = Awaited<ReturnType<SignInPages['finish']>>;
const UNKNOWN: Finished = { ok: false, problem: 'unknown_link', server: null, origin: null };
const BACK = /<a [^>]*href="([^"]*)"[^>]*>Back to Slack<\/a>/;

/** The pages of a link that was made for `person`; sessions are called like the Slack user who signed in. */
function pages(
  person: { readonly id: string; readonly name: string },
  {
    canSignIn = true,
    finished = UNKNOWN,
    via = 'slack',
  }: { canSignIn?: boolean; finished?: Finished; via?: 'slack' | 'link' | 'key' } = {},
) {
  const begun: string[] = [];
  const signIns: SignInPages = {
    preview: async () => ({ ok: true, server: 'tasks', person, host: 'tasks.test' }),
    async begin(ticket) {
      begun.push(ticket);
      return { ok: true, url: 'https://login.test/', browser: { name: 'mark', value: 'secret' } };
    },
    finish: async () => finished,
    clientMetadata: () => null,
    isSecure: () => false,
    linkLifetimeMs: 600_000,
  };
  const web: NonNullable<OAuthRoutePorts['web']> = {
    samePerson: membersOnly.samePerson,
    publicUrl: () => 'http://countersign.test',
    actor: async (user) => ({ id: `slack:T1:${user}`, name: user }),
    signIn: { session: async (secret) => (secret === '' ? null : { secret, user: secret, via }) },
  };
  const app = new Hono<HttpEnv>();
  const wayBack: WayBack = async ({ callKey, personId }) =>
    personId.startsWith('slack:') ? `https://t.slack.com/${callKey ?? ''}?a=1&b=2` : null;
  oauthRoutes(app, { signIns, web: canSignIn ? web : null, wayBack });
  const as = (user: string | null) => (user === null ? {} : { cookie: `${COOKIE}=${user}` });
  return {
    begun,
    async open(user: string | null) {
      const answer = await app.request('/oauth/start?link=abc', { headers: as(user) });
      return { status: answer.status, text: await answer.text() };
    },
    async comeBack() {
      const answer = await app.request('/oauth/callback?state=s&code=c');
      return { status: answer.status, text: await answer.text() };
    },
    async press(user: string | null) {
      const body = new URLSearchParams({ link: 'abc' });
      const answer = await app.request('/oauth/start', { method: 'POST', headers: as(user), body });
      return { status: answer.status, text: await answer.text() };
    },
  };
}

describe('the link that connects a server', () => {
  it('asks whoever has not said who they are to sign in with Slack first, and begins nothing', async () => {
    const { open, press, begun } = pages(ANA);
    const { status, text } = await open(null);
    expect(status).toBe(401);
    expect(text).toContain('http://countersign.test/sign-in/slack?link=abc');
    expect(text).not.toContain('<form');
    expect((await press(null)).status).toBe(401);
    expect(begun).toEqual([]);
  });

  it.each(['link', 'key'] as const)('asks whoever signed in by a %s to sign in with Slack', async (via) => {
    const { open, press, begun } = pages(ANA, { via });
    expect((await open('UANA')).status).toBe(401);
    expect((await press('UANA')).status).toBe(401);
    expect(begun).toEqual([]);
  });

  it('says that nothing was done to whoever presses its button once their sign-in is over', async () => {
    const { open, press, begun } = pages(ANA);
    const { status, text } = await press(null);
    expect([status, text]).toEqual([401, expect.stringContaining('so nothing was done')]);
    expect(text).toContain('href="http://countersign.test/sign-in/slack?link=abc"');
    expect(begun).toEqual([]);
    expect((await open(null)).text).not.toContain('nothing was done');
  });

  it('is of no use to somebody else, neither opened nor pressed', async () => {
    const { open, press, begun } = pages(ANA);
    const { status, text } = await open('UBOB');
    expect(status).toBe(403);
    expect(text).toContain('This link is not yours');
    expect(text).toContain('<a href="http://countersign.test/sign-in/slack?link=abc">sign in as Ana</a>');
    expect((await press('UBOB')).status).toBe(403);
    expect(begun).toEqual([]);
  });

  it('goes on for the person that it was made for', async () => {
    const { open, press, begun } = pages(ANA);
    expect(await open('UANA')).toMatchObject({ status: 200, text: expect.stringContaining('Connect tasks') });
    expect((await press('UANA')).status).toBe(200);
    expect(begun).toEqual(['abc']);
  });

  it('names whose it is where nobody can sign in with Slack, and for an API key', async () => {
    const key = pages({ id: 'api:ci', name: 'ci' });
    expect(await key.open(null)).toMatchObject({
      status: 200,
      text: expect.stringContaining('only if you are ci'),
    });
    const { open } = pages(ANA, { canSignIn: false });
    expect(await open(null)).toMatchObject({
      status: 200,
      text: expect.stringContaining('only if you are Ana'),
    });
    // Anybody can call themselves Ana.
    expect((await open(null)).text).toContain('<strong>Ana</strong> (<code>UANA</code>)');
  });
});

describe('the page after a sign-in to a server', () => {
  const origin = { callKey: 'KEY', personId: ANA.id };

  it.each<[Finished, string]>([
    [{ ok: true, server: 'tasks', person: ANA, account: null, origin }, 'tasks is connected'],
    [{ ok: false, problem: 'denied', server: 'tasks', origin }, 'To try again, press Connect tasks in Slack'],
    [{ ok: false, problem: 'failed', server: 'tasks', origin }, 'To try again, press Connect tasks in Slack'],
  ])('leads back to where it was asked for: %j', async (finished, words) => {
    const { text } = await pages(ANA, { finished }).comeBack();
    expect(text).toContain(words);
    expect(BACK.exec(text)?.[1]).toBe('https://t.slack.com/KEY?a=1&amp;b=2');
  });

  it('leads nowhere for whoever did not come from Slack, or is not known', async () => {
    const key = { callKey: null, personId: 'api:ci' };
    const ofKey = pages(ANA, { finished: { ok: false, problem: 'denied', server: 'tasks', origin: key } });
    expect((await ofKey.comeBack()).text).not.toMatch(BACK);
    expect((await pages(ANA).comeBack()).text).not.toMatch(BACK);
  });

  it('leads somebody else back to Slack, and not to the thread', async () => {
    const { text } = await pages(ANA).open('UBOB');
    expect(BACK.exec(text)?.[1]).toBe('https://t.slack.com/?a=1&amp;b=2');
  });
});
