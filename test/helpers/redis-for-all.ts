import type { TestProject } from 'vitest/node';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the one server that all suites of the project `redis` share. */
    redisUrl: string;
  }
}

/** Starts the server that the suites of a vitest project share; ended with them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis({ args: ['--databases', '4096'] });
  project.provide('redisUrl', redis.url);
  return () => redis.dispose();
}
