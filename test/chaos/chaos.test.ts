import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { threads } from '../../src/runs/collections.ts';
import { leases } from '../../src/storage/lease/collections.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { put } from '../../src/storage/store.ts';
import { hasRedis } from '../helpers/redis.ts';
import { FAR_OFF_MS, faultsOf, LONG_FAULTS } from './fault-list.ts';
import { planOf } from './plan.ts';
import { createProcessClock } from './process-clock.ts';
import { unrest } from './record.ts';
import { runSeed, type SeedOptions } from './run-seed.ts';

const SLOW = 240_000;
const compileCache = mkdtempSync(join(tmpdir(), 'countersign-chaos-compiled-'));
afterAll(() => rmSync(compileCache, { recursive: true, force: true }));

const ON_SQLITE = [
  [2, 'kill after the effect, before the outcome'],
  [3, 'kill at a random point'],
  [5, 'power cut after the ack of a decision'],
  [16, 'store locked'],
  [17, 'clock ten minutes behind'],
] as const;
const ON_REDIS = 5;

/** What does not hold, with all that helps to find out why. */
async function violationsOf(options: Omit<SeedOptions, 'compileCache'>): Promise<string> {
  const { violations, history } = await runSeed({ ...options, compileCache });
  return violations.length === 0 ? '' : [...violations, ...history].join('\n');
}

describe('whatever goes wrong, nothing is lost and nothing happens twice', () => {
  it.each(ON_SQLITE)('on SQLite, seed %i: %s', { timeout: SLOW }, async (seed, only) => {
    expect(await violationsOf({ seed, storage: 'sqlite', only: [only] })).toBe('');
  });

  it.skipIf(!hasRedis('chaos on Redis'))('on Redis, with two workers', { timeout: SLOW }, async () => {
    expect(
      await violationsOf({ seed: ON_REDIS, storage: 'redis', only: ['Redis killed and restarted'] }),
    ).toBe('');
  });

  it.each([
    ['sqlite', ON_SQLITE.map(([seed]) => seed)],
    ['redis', [ON_REDIS]],
  ] as const)('on %s, also with programs over HTTP and over MCP', (storage, seeds) => {
    const kinds = seeds.flatMap((seed) => planOf(seed, storage).programs.map(({ kind }) => kind));
    expect([...new Set(kinds)].toSorted()).toEqual(['agent', 'mcp']);
  });

  it('also with a mailbox', () => {
    expect(ON_SQLITE.some(([seed]) => planOf(seed, 'sqlite').inbox !== null)).toBe(true);
  });
});

it('a server that nothing keeps away is seen to steal each secret', { timeout: SLOW }, async () => {
  const violations = await violationsOf({
    seed: 2,
    storage: 'sqlite',
    only: ['Slack connection breaks'],
    protection: 'none',
  });
  for (const secret of ['SLACK_BOT_TOKEN', 'AUDIT_SIGNING_KEY', 'a file in DATA_DIR']) {
    expect(violations).toContain(`${secret} can be read by a server of ours`);
  }
});

it('a lease keeps everything from resting while its holder runs, and not once that was killed', async () => {
  const store = openSqliteStore({ path: ':memory:' });
  onTestFinished(() => store.close());
  const holders = { 'of a running process': process.pid, 'of a killed process': 0 };
  for (const [threadId, pid] of Object.entries(holders)) {
    const thread = { threadId, surface: { kind: 'http' }, graph: 'assistant', createdAt: 0 };
    const lease = { owner: JSON.stringify(['host', pid, 'start']), until: 0 };
    await store.commit({ put: [put(threads, threadId, thread), put(leases, threadId, lease)] });
  }
  expect(await unrest(store, [process.pid])).toEqual([
    expect.stringContaining('thread of a running process is leased to'),
  ]);
});

it('a process goes by the clock that it is given', () => {
  const { env } = createProcessClock(join(compileCache, 'clock'), -FAR_OFF_MS);
  const times =
    'process.stdout.write(JSON.stringify([Date.now(), new Date().getTime(), Date.parse(Date())]))';
  const before = Date.now();
  const said: unknown = JSON.parse(
    execFileSync(process.execPath, ['-e', times], { env: { ...process.env, ...env }, encoding: 'utf8' }),
  );
  const [now, date, words] = z.array(z.number()).parse(said);
  // Date() says whole seconds.
  for (const time of [now, date, (words ?? 0) + 1_000]) {
    expect(time).toBeGreaterThanOrEqual(before - FAR_OFF_MS);
    expect(time).toBeLessThanOrEqual(Date.now() - FAR_OFF_MS + 1_000);
  }
});

it('a clock that is set for a time jumps at that time, wherever it is looked at', {
  timeout: SLOW,
}, async () => {
  const clock = createProcessClock(join(compileCache, 'set-clock'), 0);
  // Another realm's clock is the real one. Says when the clock was last seen as it was, and when it was first seen set.
  const told = `
    const real = require('node:vm').runInNewContext('Date');
    let still = 0;
    const look = () => {
      const before = real.now();
      const isSet = Date.now() - before > ${FAR_OFF_MS / 2};
      if (isSet) return void process.stdout.write(JSON.stringify([still, real.now()]));
      still = before;
      setImmediate(look);
    };
    process.stdout.write(' ');
    look();`;
  const processes = [0, 1].map(() =>
    spawn(process.execPath, ['-e', told], {
      env: { ...process.env, ...clock.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  onTestFinished(() => {
    for (const one of processes) one.kill('SIGKILL');
  });
  await Promise.all(processes.map(({ stdout }) => once(stdout, 'data')));
  const at = Date.now() + 1_000;
  clock.shift(FAR_OFF_MS, at);
  for (const said of await Promise.all(processes.map(({ stdout }) => text(stdout)))) {
    const [still, set] = z.tuple([z.int(), z.int()]).parse(JSON.parse(said));
    expect(still).toBeLessThan(at);
    expect(set).toBeGreaterThanOrEqual(at);
  }
});

it('a seed is the same plan each time', () => {
  expect(planOf(7, 'sqlite')).toEqual(planOf(7, 'sqlite'));
});

it.each(['sqlite', 'redis'] as const)('a hundred seeds meet each fault, on %s', (storage) => {
  const met = Array.from({ length: 100 }, (_, seed) => planOf(seed, storage).faults[0]?.name);
  expect(new Set(met)).toEqual(new Set([...faultsOf(storage), ...LONG_FAULTS]));
});
