import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { hasRedis } from './test/helpers/redis.ts';

/** The suites that run on both storages, once more on Redis. */
const onRedis = {
  extends: true as const,
  test: {
    name: 'redis',
    include: [
      'test/e2e/{decide-on-web,dialogues,earlier-version}.test.ts',
      'test/e2e/http-{access,dialogues,doubt,events,jobs,resume,run}.test.ts',
      'test/e2e/{agent-gate,gate-mcp-clients,gate-mcp-sign-in,gate-mcp-tasks,gate-mcp-waits}.test.ts',
      'test/e2e/{forget-person,personal-programs,personal-programs-attacked,retention}.test.ts',
    ],
    env: { TEST_STORAGE: 'redis' },
    globalSetup: ['test/helpers/redis-for-all.ts'],
  },
};

/**
 * Once more with one web process and two workers: the dialogues, in which one of them is killed in the middle, and what
 * programs ask.
 */
const scaled = {
  extends: true as const,
  test: {
    name: 'scaled',
    include: ['test/e2e/dialogues.test.ts', 'test/e2e/{agent-gate,gate-mcp-clients,gate-mcp-waits}.test.ts'],
    env: { TEST_STORAGE: 'redis', TEST_SCALED: '1' },
    globalSetup: ['test/helpers/redis-for-all.ts'],
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
};

/** Files that take minutes come first, so that no worker is left alone with one of them at the end. */
class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const length = ({ moduleId }: TestSpecification) =>
      /\/dialogues(?:-\d)?\.test\.ts$/.test(moduleId) ? 0 : /\/test\/(e2e|chaos)\//.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).toSorted((one, other) => length(one) - length(other));
  }
}

export default defineConfig({
  // The packages of this repository run from their source, without a build.
  ssr: { resolve: { conditions: ['countersign-source', 'module', 'node', 'development'] } },
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', ...(process.env.CI ? ['./test/helpers/failed-files.ts'] : [])],
    // One more than the two cores that CI has: many tests wait for processes, servers and sockets.
    maxWorkers: 3,
    pool: 'forks',
    // Files of one worker share its modules, which are loaded once and hold no state; what a test replaces
    // ends with that test.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    sequence: { sequencer: LongFilesFirst },
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
