import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'countersign', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        // LangGraph's own suite for checkpointers calls `describe`, `it` and `expect` as globals.
        test: { name: 'checkpointers', include: ['test/contract/**/*.official.ts'], globals: true },
      },
    ],
  },
});
