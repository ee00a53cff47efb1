import { describe, expect, it } from 'vitest';
import { connectionId, connections } from '../../../src/oauth/collections.ts';
import { type Binding, createVault, UnreadableSecretError } from '../../../src/oauth/token-vault.ts';
import { put } from '../../../src/storage/store.ts';
import {
  ANA,
  BOB,
  emptyStore,
  newKey,
  oauthInstance,
  said,
  tasksServer,
} from '../../fixtures/oauth/instance.ts';

const BOUND: Binding = {
  kind: 'tokens',
  team: 'T1',
  user: 'U1',
  issuer: 'https://as',
  resource: 'https://rs',
};

describe('a sealed secret', () => {
  it('opens for what it was sealed for, and shows nothing of what it holds', () => {
    const vault = createVault([newKey('k1')]);
    const sealed = vault.seal('very secret', BOUND);
    expect(vault.open(sealed, BOUND)).toBe('very secret');
    expect(JSON.stringify(sealed)).not.toContain('secret');
    expect(Buffer.from(sealed.iv, 'base64')).toHaveLength(12);
    expect(Buffer.from(sealed.tag, 'base64')).toHaveLength(16);
  });

  it('is another one each time', () => {
    const vault = createVault([newKey('k1')]);
    expect(vault.seal('same', BOUND)).not.toEqual(vault.seal('same', BOUND));
  });

  it.each([
    ['another person', { ...BOUND, user: 'U2' }],
    ['another team', { ...BOUND, team: 'T2' }],
    ['another authorization server', { ...BOUND, issuer: 'https://evil' }],
    ['another server', { ...BOUND, resource: 'https://other' }],
    ['another use', { ...BOUND, kind: 'client' as const }],
    ['parts that are cut elsewhere', { ...BOUND, team: 'T', user: '1U1' }],
  ])('does not open for %s', (_, binding) => {
    const vault = createVault([newKey('k1')]);
    const sealed = vault.seal('secret', BOUND);
    expect(() => vault.open(sealed, binding)).toThrow(UnreadableSecretError);
  });

  it('does not open with another key of the same name, nor when a bit of it was changed', () => {
    const vault = createVault([newKey('k1')]);
    const sealed = vault.seal('secret', BOUND);
    expect(() => createVault([newKey('k1')]).open(sealed, BOUND)).toThrow(UnreadableSecretError);
    const data = Buffer.from(sealed.data, 'base64');
    data[0] = (data[0] ?? 0) ^ 1;
    const changed = { ...sealed, data: data.toString('base64') };
    expect(() => vault.open(changed, BOUND)).toThrow(UnreadableSecretError);
    const cut = { ...sealed, tag: Buffer.from(sealed.tag, 'base64').subarray(0, 4).toString('base64') };
    expect(() => vault.open(cut, BOUND)).toThrow(UnreadableSecretError);
  });
});

describe('tokens in the store', () => {
  it('are not readable there, and not with another key', async () => {
    const server = await tasksServer();
    const store = await emptyStore();
    const keys = [newKey('k1')];
    const instance = oauthInstance(server, { store, keys });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const row = await store.get(connections, connectionId('tasks', ANA.id));
    const kept = JSON.stringify(row);
    expect(server.authorization.secrets.length).toBeGreaterThan(2);
    for (const secret of server.authorization.secrets) expect(kept).not.toContain(secret);

    const other = oauthInstance(server, { store, keys: [newKey('k1')] });
    await other.hub.start();
    expect(await other.oauth.isConnected('tasks', ANA)).toBe(false);
    expect(said(await other.send('list_tasks', ANA))).toMatch(/^blocked/);
    expect(server.seen).toEqual([]);
  });

  it('are sealed anew when they are read under a former key, which can then go', async () => {
    const server = await tasksServer();
    const store = await emptyStore();
    const [former, current] = [newKey('k1'), newKey('k2')];
    const before = oauthInstance(server, { store, keys: [former] });
    await before.hub.start();
    await before.signIn(ANA, 'ana');
    const keyOf = async () => (await store.get(connections, connectionId('tasks', ANA.id)))?.value.sealed.key;
    expect(await keyOf()).toBe('k1');

    const during = oauthInstance(server, { store, keys: [current, former] });
    await during.hub.start();
    expect(said(await during.send('list_tasks', ANA))).toBe('the tasks of ana: none');
    expect(await keyOf()).toBe('k2');

    const after = oauthInstance(server, { store, keys: [current] });
    await after.hub.start();
    expect(said(await after.send('list_tasks', ANA))).toBe('the tasks of ana: none');
  });

  it('are of no use to somebody whose record they are copied into', async () => {
    const server = await tasksServer();
    const store = await emptyStore();
    const instance = oauthInstance(server, { store });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const row = await store.get(connections, connectionId('tasks', ANA.id));
    if (!row) throw new Error('nothing is kept');
    const id = connectionId('tasks', BOB.id);
    await store.commit({ put: [put(connections, id, { ...row.value, person: BOB })] });
    expect(said(await instance.send('list_tasks', BOB))).toMatch(/^blocked/);
    expect(server.seen).toEqual([]);
  });

  it('go to no other address than the one they were given for', async () => {
    const [server, elsewhere] = [await tasksServer(), await tasksServer()];
    const store = await emptyStore();
    const keys = [newKey('k1')];
    const instance = oauthInstance(server, { store, keys });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const moved = oauthInstance(elsewhere, { store, keys });
    await moved.hub.start();
    expect(await moved.oauth.isConnected('tasks', ANA)).toBe(false);
    expect(said(await moved.send('list_tasks', ANA))).toMatch(/^blocked/);
  });
});

describe('tokens that no key opens any more', () => {
  it('are said to be of no use, and not to be a connection', async () => {
    const server = await tasksServer();
    const store = await emptyStore();
    const instance = oauthInstance(server, { store, keys: [newKey('k1')] });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const rekeyed = oauthInstance(server, { store, keys: [newKey('k2')] });
    await rekeyed.hub.start();
    expect(await rekeyed.oauth.personal.list(ANA)).toMatchObject([
      { state: 'sign_in_required', isOver: true, since: null },
    ]);
  });

  it('let nothing go on that waits for the sign-in, and the log says so once', async () => {
    const server = await tasksServer();
    const store = await emptyStore();
    const instance = oauthInstance(server, { store, keys: [newKey('k1')] });
    await instance.hub.start();
    await instance.signIn(ANA, 'ana');
    const rekeyed = oauthInstance(server, { store, keys: [newKey('k2')] });
    await rekeyed.hub.start();
    for (let look = 0; look < 3; look += 1) {
      expect(await rekeyed.oauth.hasSignedIn('tasks', ANA, null)).toBe(false);
    }
    const told = rekeyed.logger.lines.filter(({ message }) => message === 'failed to decrypt tokens');
    expect(told).toHaveLength(1);
  });
});

describe('without a key', () => {
  it('nobody can sign in, and the server says what is missing', async () => {
    const server = await tasksServer();
    const instance = oauthInstance(server, { store: await emptyStore(), keys: [] });
    await instance.hub.start();
    expect(instance.hub.status()).toMatchObject([
      { state: 'setup_required', error: 'An admin has to set TOKEN_ENCRYPTION_KEY.' },
    ]);
    expect(await instance.hub.tools(ANA)).toEqual([]);
    expect(said(await instance.send('list_tasks', ANA))).toBe(
      'failed: Nobody can sign in yet: an admin has to set TOKEN_ENCRYPTION_KEY first. Nothing was done.',
    );
    await expect(
      instance.oauth.personal.link({ server: 'tasks', person: ANA, callKey: null }),
    ).rejects.toMatchObject({ code: 'setup_required' });
    expect(await instance.oauth.personal.list(ANA)).toMatchObject([
      { state: 'setup_required', missing: ['TOKEN_ENCRYPTION_KEY'] },
    ]);
  });
});
