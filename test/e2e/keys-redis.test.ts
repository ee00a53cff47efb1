import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { ROOT } from '../helpers/sources.ts';

const execute = promisify(execFile);

describe.skipIf(!hasRedis('the keys command on Redis'))('the keys command with REDIS_URL', () => {
  it('makes a key that every server on that Redis knows, and no database', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    const dataDir = join(temporaryFolder(), 'data');
    const env = { PATH: process.env.PATH, DATA_DIR: dataDir, REDIS_URL: redis.url };
    const args = [join(ROOT, 'scripts/keys.ts'), 'create', 'ci', '--scope', 'run,read'];
    const { stdout } = await execute(process.execPath, args, { env });

    const store = await openRedisStore({ url: redis.url });
    onTestFinished(() => store.close());
    const keys = createApiKeys({ store, clock: Date.now, secrets: () => '', environmentKey: null });
    expect(await keys.find(stdout.trimEnd())).toEqual({ keyName: 'ci', scopes: ['run', 'read'] });
    expect(existsSync(dataDir)).toBe(false);
  });
});
