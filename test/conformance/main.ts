/**
 * Runs the official conformance suite on our client: what each revision of the protocol requires, and everything
 * that there is. Fails on what neither passes nor stands in the baseline.
 */

import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';

/** For one scenario, in milliseconds: they run all at once. */
const TIMEOUT_MS = 240_000;
const HERE = import.meta.dirname;
/** The client finds its packages from here, and git does not see it. */
const FOLDER = join(HERE, '../../node_modules/.cache/conformance');
const SUITE = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  '../dist/index.js',
);

/** A requirement set is passed without excuses; of all the rest, what fails stands in the baseline with why. */
const RUNS: readonly { readonly title: string; readonly args: readonly string[] }[] = [
  { title: 'required by 2025-11-25', args: ['--requirements', '2025-11-25'] },
  { title: 'required by 2026-07-28', args: ['--requirements', '2026-07-28'] },
  {
    title: 'everything',
    args: ['--suite', 'all', '--expected-failures', join(HERE, 'baseline.yaml')],
  },
];

/** One file starts a hundred times faster than many; packages stay where they are. */
async function bundled(): Promise<string> {
  const outfile = join(FOLDER, 'client.mjs');
  const entryPoints = [join(HERE, 'client.ts')];
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  return outfile;
}

/** What the suite says, and whether it was content. */
async function run(client: string, args: readonly string[]): Promise<{ output: string; ok: boolean }> {
  const options = [
    '--command',
    `${process.execPath} ${client}`,
    '--timeout',
    String(TIMEOUT_MS),
    '-o',
    FOLDER,
  ];
  const child = spawn(process.execPath, [SUITE, 'client', ...options, ...args], {
    cwd: FOLDER,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.pipe(createWriteStream(join(FOLDER, 'suite.log'), { flags: 'a' }));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { output: await text(child.stdout), ok: (await ended) === 0 };
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const client = await bundled();
let failed = 0;
for (const { title, args } of RUNS) {
  const begun = Date.now();
  const { output, ok } = await run(client, args);
  console.log(`\n${title} (${Math.round((Date.now() - begun) / 1000)} s): ${ok ? 'passed' : 'FAILED'}`);
  console.log(output.slice(output.indexOf('=== SUITE SUMMARY ===')).trimEnd());
  if (!ok) failed += 1;
}
if (failed > 0) {
  console.log(`\nWhat was sent and said in each scenario is in ${FOLDER}.`);
  process.exitCode = 1;
}
