import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { createLog } from '../../../src/lib/logger.ts';
import { createStackReader } from '../../../src/lib/stack-traces.ts';

const PROGRAM = `interface NeverThere { readonly some: string }
function failing(): never {
  throw new RangeError('out of range');
}
try {
  failing();
} catch (error) {
  console.log((error as Error).stack);
}
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-stacks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** What the program prints of its error. */
async function stackOf(sourcemap: 'linked' | false): Promise<string> {
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const outfile = join(folder, 'out/program.mjs');
  await build({ entryPoints: [join(folder, 'program.ts')], outfile, minifyWhitespace: true, sourcemap });
  return execFileSync(process.execPath, [outfile], { encoding: 'utf8' });
}

it('a stack names the places in the sources', async () => {
  const [head, first, second, ...rest] = createStackReader()(await stackOf('linked')).split('\n');
  expect(head).toBe('RangeError: out of range');
  expect(first).toBe(`    at failing (${folder}/program.ts:3:9)`);
  expect(second).toBe(`    at ${folder}/program.ts:6:3`);
  expect(rest.join('\n')).toContain('node:internal/');
});

it('every place of a bundle of several sources is named as Node names it', async () => {
  writeFileSync(join(folder, 'other.ts'), `export const far = -1;\n${'// ☃\n'.repeat(3_000)}${PROGRAM}`);
  writeFileSync(
    join(folder, 'program.ts'),
    `import { far } from './other.ts';\n${PROGRAM}console.log(far);\n`,
  );
  const outfile = join(folder, 'out/program.mjs');
  const entryPoints = [join(folder, 'program.ts')];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    format: 'esm',
    minifyWhitespace: true,
    sourcemap: 'linked',
  });
  const map = new SourceMap(JSON.parse(readFileSync(`${outfile}.map`, 'utf8')));
  const read = createStackReader();
  const lines = readFileSync(outfile, 'utf8').split('\n');
  const places = lines.flatMap((line, row) => Array.from(line, (_, column) => ({ row, column })));
  expect(places.length).toBeGreaterThan(100);
  for (const { row, column } of places) {
    const place = `file://${outfile}:${row + 1}:${column + 1}`;
    const entry = map.findEntry(row, column);
    const isOfLine = 'originalSource' in entry && entry.generatedLine === row;
    const origin = isOfLine
      ? `${join(folder, 'out', entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
      : place;
    expect(read(`    at f (${place})`)).toBe(`    at f (${origin})`);
  }
});

it('the log has such stacks, and everything else that pino writes of an error', async () => {
  const error = Object.assign(new RangeError('out of range'), { code: 'too_far' });
  error.stack = await stackOf('linked');
  const lines: string[] = [];
  createLog('info', { write: (line) => void lines.push(line) }).warn({ err: error }, 'something failed');
  expect(JSON.parse(lines.join(''))).toMatchObject({
    msg: 'something failed',
    err: {
      type: 'RangeError',
      message: 'out of range',
      code: 'too_far',
      stack: expect.stringContaining(`at failing (${folder}/program.ts:3:9)`),
    },
  });
});

it('a stack names the bundle where there is no map, or one that is none', async () => {
  const stack = await stackOf(false);
  expect(stack).toContain(`file://${folder}/out/program.mjs:`);
  expect(createStackReader()(stack)).toBe(stack);
  writeFileSync(join(folder, 'out/program.mjs.map'), 'no map');
  expect(createStackReader()(stack)).toBe(stack);
});
