import { describe, expect, it } from 'vitest';
import { signIns } from '../../../src/oauth/collections.ts';
import {
  ANA,
  consent,
  emptyStore,
  newKey,
  oauthInstance,
  said,
  tasksServer,
} from '../../fixtures/oauth/instance.ts';

async function begunNetwork(now = { at: Date.now() }) {
  const server = await tasksServer();
  const store = await emptyStore();
  const keys = [newKey('k1')];
  const open = () => oauthInstance(server, { store, keys, clock: () => now.at });
  const instance = open();
  await instance.hub.start();
  const link = await instance.oauth.personal.link({ server: 'tasks', person: ANA, callKey: null });
  const ticket = new URL(link).searchParams.get('link') ?? '';
  async function begin() {
    const begun = await instance.oauth.pages.begin(ticket);
    if (!begun.ok) throw new Error(begun.problem);
    const browser = (name: string) => (name === begun.browser.name ? begun.browser.value : null);
    return { ...begun, browser };
  }
  const isConnected = () => instance.oauth.isConnected('tasks', ANA);
  return { server, store, instance, open, ticket, begin, isConnected, pages: instance.oauth.pages, now };
}

describe('a link to sign in by', () => {
  it('can be looked at as often as anybody likes', async () => {
    const { pages, ticket, server } = await begunNetwork();
    const offer = { ok: true, server: 'tasks', person: ANA, host: new URL(server.url).host };
    expect(await pages.preview(ticket)).toEqual(offer);
    expect(await pages.preview(ticket)).toEqual(offer);
  });

  it('begins one sign-in, whoever is faster', async () => {
    const { pages, ticket } = await begunNetwork();
    const all = await Promise.all(Array.from({ length: 10 }, () => pages.begin(ticket)));
    expect(all.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await pages.begin(ticket)).toMatchObject({ ok: false, problem: 'used' });
    expect(await pages.preview(ticket)).toMatchObject({ ok: false, problem: 'used' });
  });

  it('is over after ten minutes', async () => {
    const now = { at: Date.now() };
    const { pages, ticket } = await begunNetwork(now);
    now.at += 10 * 60_000;
    expect(await pages.preview(ticket)).toMatchObject({ ok: false, problem: 'expired', server: 'tasks' });
    expect(await pages.begin(ticket)).toMatchObject({ ok: false, problem: 'expired' });
  });

  it('is nothing when it was made up', async () => {
    const { pages } = await begunNetwork();
    expect(await pages.preview('made-up')).toEqual({
      ok: false,
      problem: 'unknown_link',
      server: null,
      origin: null,
    });
    expect(await pages.begin('made-up')).toMatchObject({ ok: false, problem: 'unknown_link' });
  });
});

describe('coming back', () => {
  it('connects once; the same address again does nothing', async () => {
    const { pages, begin, isConnected, server } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'ana');
    expect(await pages.finish({ parameters, browser })).toMatchObject({ ok: true, person: ANA });
    expect(await pages.finish({ parameters, browser })).toMatchObject({ ok: false, problem: 'used' });
    expect(await isConnected()).toBe(true);
    expect(server.authorization.counts.exchanges).toBe(1);
  });

  it('in another browser than it began in connects nobody, and takes nothing away', async () => {
    const { pages, begin, isConnected } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'bob');
    const stranger = { parameters, browser: () => null };
    // Where it was asked for, is nothing for a stranger either.
    expect(await pages.finish(stranger)).toMatchObject({ problem: 'other_browser', origin: null });
    expect(await pages.finish({ parameters, browser: () => 'made up' })).toMatchObject({
      problem: 'other_browser',
    });
    expect(await isConnected()).toBe(false);
    expect(await pages.finish({ parameters: await consent(url, 'ana'), browser })).toMatchObject({
      ok: true,
    });
  });

  it('with a state that nobody gave out, or none, connects nobody', async () => {
    const { pages, begin, isConnected } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'ana');
    parameters.set('state', 'made-up');
    expect(await pages.finish({ parameters, browser })).toMatchObject({ problem: 'unknown_link' });
    parameters.delete('state');
    expect(await pages.finish({ parameters, browser })).toMatchObject({ problem: 'unknown_link' });
    expect(await isConnected()).toBe(false);
  });

  it('from another authorization server than the one it began at connects nobody', async () => {
    const { pages, begin, isConnected, server } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'ana');
    parameters.set('iss', 'https://evil.example.com');
    expect(await pages.finish({ parameters, browser })).toMatchObject({ ok: false, problem: 'failed' });
    expect(await isConnected()).toBe(false);
    expect(server.authorization.counts.exchanges).toBe(0);
  });

  it('says that the person did not allow it', async () => {
    const { pages, begin, isConnected } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'deny');
    const origin = { callKey: null, personId: ANA.id };
    expect(await pages.finish({ parameters, browser })).toMatchObject({ problem: 'denied', origin });
    expect(await isConnected()).toBe(false);
  });

  it('too late connects nobody', async () => {
    const now = { at: Date.now() };
    const { pages, begin } = await begunNetwork(now);
    const { url, browser } = await begin();
    now.at += 10 * 60_000;
    const parameters = await consent(url, 'ana');
    expect(await pages.finish({ parameters, browser })).toMatchObject({ problem: 'expired' });
  });

  it('to another process, or after a restart, connects all the same', async () => {
    const { begin, open } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'ana');
    const other = open();
    await other.hub.start();
    expect(await other.oauth.pages.finish({ parameters, browser })).toMatchObject({ ok: true });
    expect(said(await other.send('list_tasks', ANA))).toBe('the tasks of ana: none');
  });

  it('is told to what waits for it, again if that was cut short', async () => {
    const { instance, begin, pages } = await begunNetwork();
    instance.failToTell(true);
    const { url, browser } = await begin();
    const parameters = await consent(url, 'ana');
    expect(await pages.finish({ parameters, browser })).toMatchObject({ ok: true });
    expect(instance.connected).toEqual([]);
    instance.failToTell(false);
    await instance.oauth.sweep.runNow();
    expect(instance.connected).toEqual([['tasks', ANA.id]]);
    await instance.oauth.sweep.runNow();
    expect(instance.connected).toHaveLength(1);
  });
});

describe('what is kept of a sign-in', () => {
  it('holds none of its secrets in the clear', async () => {
    const { store, begin, ticket } = await begunNetwork();
    const { url, browser } = await begin();
    const kept = JSON.stringify((await store.query(signIns, 'byTime', {}, 10)).items);
    const state = new URL(url).searchParams.get('state') ?? '';
    for (const secret of [ticket, state]) {
      expect(secret.length).toBeGreaterThan(40);
      expect(kept).not.toContain(secret);
    }
    expect(kept).not.toContain('"verifier"');
    expect(browser('')).toBe(null);
  });
});

describe('a process that has just started', () => {
  it('takes a sign-in back before it has reached the server itself', async () => {
    const { begin, open } = await begunNetwork();
    const { url, browser } = await begin();
    const parameters = await consent(url, 'ana');
    const started = open();
    expect(await started.oauth.pages.finish({ parameters, browser })).toMatchObject({
      ok: true,
      person: ANA,
    });
    expect(await started.oauth.personal.list(ANA)).toMatchObject([{ server: 'tasks', state: 'connected' }]);
  });
});
