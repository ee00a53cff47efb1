import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { hasRedis } from '../helpers/redis.ts';
import { faultsOf } from './fault-list.ts';
import { planOf } from './plan.ts';
import { runSeed, type SeedOptions } from './run-seed.ts';

const SLOW = 120_000;
const compileCache = mkdtempSync(join(tmpdir(), 'countersign-chaos-compiled-'));
afterAll(() => rmSync(compileCache, { recursive: true, force: true }));

/** What does not hold, with all that helps to find out why. */
async function violationsOf(options: Omit<SeedOptions, 'compileCache'>): Promise<string> {
  const { violations, history } = await runSeed({ ...options, compileCache });
  return violations.length === 0 ? '' : [...violations, ...history].join('\n');
}

describe('whatever goes wrong, nothing is lost and nothing happens twice', () => {
  // Killed after an effect and after an acknowledgement, and locked out of the database.
  it.each([2, 5, 16])('on SQLite, seed %i', { timeout: SLOW }, async (seed) => {
    expect(await violationsOf({ seed, storage: 'sqlite' })).toBe('');
  });

  it.skipIf(!hasRedis('chaos on Redis'))('on Redis, with two workers', { timeout: SLOW }, async () => {
    expect(await violationsOf({ seed: 17, storage: 'redis' })).toBe('');
  });
});

it('a seed is the same plan each time', () => {
  expect(planOf(7, 'sqlite')).toEqual(planOf(7, 'sqlite'));
});

it('as many seeds as there are faults meet each of them', () => {
  const names = faultsOf('redis');
  const met = names.map((_name, seed) => planOf(seed, 'redis').faults[0]?.name);
  expect(new Set(met)).toEqual(new Set(names));
});
