import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { hasRedis } from '../helpers/redis.ts';
import { faultsOf, LONG_FAULTS } from './fault-list.ts';
import { runSeed, type SeedResult } from './run-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    storage: { type: 'string', default: 'sqlite' },
    fault: { type: 'string', multiple: true, default: [] },
    'at-once': { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
  },
});
const { storage } = z.object({ storage: z.enum(['sqlite', 'redis']) }).parse(values);
const options = z
  .object({
    seeds: z.coerce.number().int().min(1),
    from: z.coerce.number().int().min(0),
    fault: z.array(z.enum([...faultsOf(storage), ...LONG_FAULTS])),
    'at-once': z.coerce.number().int().min(1),
    verbose: z.boolean(),
  })
  .parse(values);

const { seeds, from, fault: only, verbose } = options;
if (storage === 'redis' && !hasRedis('chaos on Redis')) process.exit(1);
const compileCache = mkdtempSync(join(tmpdir(), 'countersign-chaos-compiled-'));
const begin = Date.now();
let next = from;
let violations = 0;
let lived = 0;
let interrupted = false;
// The seeds that run are brought to their end: their processes would outlive this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
  });
}

async function liveOnSeeds(): Promise<void> {
  while (next < from + seeds && !interrupted) {
    const seed = next;
    next += 1;
    tell(await runSeed({ seed, storage, compileCache, only }));
  }
}

function tell(result: SeedResult): void {
  const { seed, tookMs } = result;
  const isBroken = result.violations.length > 0;
  lived += 1;
  violations += result.violations.length;
  const chosen = only.map((name) => ` --fault '${name}'`).join('');
  const lines = [
    `seed ${seed}: ${isBroken ? 'VIOLATED' : 'ok'}, ${tookMs} ms`,
    ...result.violations.map((violation) => `  ${violation}`),
    ...(isBroken || verbose
      ? [
          ...result.history.map((line) => `    ${line}`),
          `  again: npm run chaos -- --storage ${storage} --from ${seed} --seeds 1${chosen}`,
        ]
      : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

await Promise.all(Array.from({ length: options['at-once'] }, liveOnSeeds));
rmSync(compileCache, { recursive: true, force: true });
process.stdout.write(`${Math.round((Date.now() - begin) / 1_000)} s\n`);
process.stdout.write(`seeds ${lived}, violations ${violations}\n`);
process.exit(violations > 0 ? 1 : 0);
