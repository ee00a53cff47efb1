import { defineConfig } from 'vitest/config';
import { hasRedis } from './test/helpers/redis.ts';

/** The suites that run on both storages, once more on Redis. */
const onRedis = {
  extends: true as const,
  test: {
    name: 'redis',
    include: [
      'test/e2e/{decide-on-web,dialogues,earlier-version}.test.ts',
      'test/e2e/http-{access,dialogues,doubt,events,resume,run}.test.ts',
    ],
    env: { TEST_STORAGE: 'redis' },
    globalSetup: ['test/helpers/redis-for-all.ts'],
  },
};

/** The dialogues once more with one web process and two workers, one of which is killed in the middle. */
const scaled = {
  extends: true as const,
  test: {
    name: 'scaled',
    include: ['test/e2e/dialogues.test.ts'],
    env: { TEST_STORAGE: 'redis', TEST_SCALED: '1' },
    globalSetup: ['test/helpers/redis-for-all.ts'],
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
};

export default defineConfig({
  // The packages of this repository run from their source, without a build.
  ssr: { resolve: { conditions: ['countersign-source', 'module', 'node', 'development'] } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    pool: 'forks',
    projects: [
      {
        extends: true,
        test: { name: 'countersign', include: ['test/**/*.test.ts'] },
      },
      'packages/*',
      ...(hasRedis('the end-to-end suites on Redis') ? [onRedis, scaled] : []),
      {
        extends: true,
        // LangGraph's own suite for checkpointers calls `describe`, `it` and `expect` as globals.
        test: { name: 'checkpointers', include: ['test/contract/**/*.official.ts'], globals: true },
      },
    ],
  },
});
