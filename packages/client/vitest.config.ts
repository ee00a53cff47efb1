import { defineProject } from 'vitest/config';

/** The client's own tests: a part of the repository's run, or alone with `npm test` in this folder. */
export default defineProject({
  test: {
    name: 'countersign-client',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    isolate: false,
    // As in the repository's run, where all projects share their workers.
    maxWorkers: 3,
  },
});
