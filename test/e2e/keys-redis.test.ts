import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { AUDIT_SIGNING_KEY } from '../helpers/audit-keys.ts';
import { countersign } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';

describe.skipIf(!hasRedis('the keys command on Redis'))('the keys command with REDIS_URL', () => {
  it('makes a key that every server on that Redis knows, and no database', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    const dataDir = join(temporaryFolder(), 'data');
    const env = { DATA_DIR: dataDir, REDIS_URL: redis.url, AUDIT_SIGNING_KEY };
    const { stdout } = await countersign(
      temporaryFolder(),
      ['keys', 'create', 'ci', '--scope', 'run,read'],
      env,
    );

    const store = await openRedisStore({ url: redis.url });
    onTestFinished(() => store.close());
    const keys = createApiKeys({ store, clock: Date.now, secrets: () => '', environmentKey: null });
    expect(await keys.find(stdout.trimEnd())).toEqual({ keyName: 'ci', scopes: ['run', 'read'] });
    expect(existsSync(dataDir)).toBe(false);
  });
});
