import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { hasRedis } from '../helpers/redis.ts';
import { runSeed } from './run-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    storage: { type: 'string', default: 'sqlite' },
    verbose: { type: 'boolean', default: false },
  },
});
const options = z
  .object({
    seeds: z.coerce.number().int().min(1),
    from: z.coerce.number().int().min(0),
    storage: z.enum(['sqlite', 'redis']),
    verbose: z.boolean(),
  })
  .parse(values);

const { seeds, from, storage, verbose } = options;
if (storage === 'redis' && !hasRedis('chaos on Redis')) process.exit(1);
const compileCache = mkdtempSync(join(tmpdir(), 'countersign-chaos-compiled-'));
let violations = 0;
let lived = 0;
let interrupted = false;
// The seed that runs is brought to its end: its processes would outlive this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
  });
}
for (let seed = from; seed < from + seeds && !interrupted; seed += 1) {
  const result = await runSeed({ seed, storage, compileCache });
  lived += 1;
  const isBroken = result.violations.length > 0;
  violations += result.violations.length;
  process.stdout.write(`seed ${seed}: ${isBroken ? 'VIOLATED' : 'ok'}, ${result.tookMs} ms\n`);
  for (const violation of result.violations) process.stdout.write(`  ${violation}\n`);
  if (isBroken || verbose) {
    for (const line of result.history) process.stdout.write(`    ${line}\n`);
    process.stdout.write(`  again: npm run chaos -- --storage ${storage} --from ${seed} --seeds 1\n`);
  }
}
rmSync(compileCache, { recursive: true, force: true });
process.stdout.write(`seeds ${lived}, violations ${violations}\n`);
process.exit(violations > 0 ? 1 : 0);
