import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys, createApiKeys } from '../../../../src/http/api/keys.ts';
import { openSqliteStore } from '../../../../src/storage/sqlite/store.ts';
import type { Store } from '../../../../src/storage/store.ts';

let store: Store;
beforeEach(() => {
  store = openSqliteStore({ path: ':memory:' });
});
afterEach(() => store.close());

function keysWith(environmentKey: string | null, secret = 'secret') {
  return createApiKeys({ store, clock: () => 1_000, secrets: () => secret, environmentKey });
}

describe('API keys', () => {
  it('are kept as a hash only', async () => {
    const key = await keysWith(null).create('ci', ['run']);
    const stored = await store.get(apiKeys, 'ci');
    expect(key).toBe('cs_secret');
    expect(stored?.value.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(stored)).not.toContain('secret');
  });

  it('from the environment have every scope, and no record', async () => {
    const keys = keysWith('from-the-environment');
    expect(await keys.find('from-the-environment')).toEqual({
      keyName: 'env',
      scopes: ['run', 'agent', 'read', 'documents', 'admin'],
    });
    expect(await keys.list()).toEqual([]);
  });

  it('are nobody’s when there is none', async () => {
    expect(await keysWith(null).find('')).toBeNull();
    expect(await keysWith('from-the-environment').find('')).toBeNull();
  });

  it('made at the same time with one name are one', async () => {
    const made = await Promise.allSettled([
      keysWith(null, 'one').create('ci', ['run']),
      keysWith(null, 'two').create('ci', ['admin']),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it.each(['env', '', 'a:b', 'a b', '-a', 'a'.repeat(65), 'ä'])('cannot be named %j', async (name) => {
    await expect(keysWith(null).create(name, ['run'])).rejects.toMatchObject({ code: 'bad_key_name' });
  });

  it('revoked twice stay revoked since the first time', async () => {
    await keysWith(null).create('ci', ['run']);
    await keysWith(null).revoke('ci');
    await createApiKeys({ store, clock: () => 2_000, secrets: () => '', environmentKey: null }).revoke('ci');
    expect((await store.get(apiKeys, 'ci'))?.value.revokedAt).toBe(1_000);
  });
});
