import { afterEach, expect, test, vi } from 'vitest';
import { hasRedis } from '../helpers/redis.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a missing redis-server is a failure where CI is set', () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('CI', 'true');
  expect(() => hasRedis('something')).toThrow('There is no redis-server to test something with');
});

test('a missing redis-server is said aloud elsewhere', () => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('CI', undefined);
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(hasRedis('something')).toBe(false);
  expect(said.mock.calls.flat().join('')).toContain('SKIPPED: something');
});
