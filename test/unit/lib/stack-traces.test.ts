import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../../helpers/sources.ts';

const PROGRAM = `import { mapStackTraces } from '${join(ROOT, 'src/lib/stack-traces.ts')}';
interface NeverThere { readonly some: string }
mapStackTraces(new URL('.', import.meta.url).href);
function failing(): never {
  throw new RangeError('out of range');
}
const report = (work: () => unknown): void => {
  try {
    work();
  } catch (error) {
    console.log((error as Error).stack);
  }
};
report(failing);
report(() => JSON.parse('{'));
report(() => { throw Object.defineProperty(new Error(), 'name', { get() { throw new Error(); } }); });
`;

async function stacksOf(sourcemap: 'linked' | false): Promise<{ folder: string; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-stacks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  await build({
    entryPoints: [join(folder, 'program.ts')],
    outfile: join(folder, 'out/program.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    minifyWhitespace: true,
    sourcemap,
  });
  return {
    folder,
    output: execFileSync(process.execPath, [join(folder, 'out/program.mjs')], { encoding: 'utf8' }),
  };
}

it('a stack names the place in the source', async () => {
  const { folder, output } = await stacksOf('linked');
  const [first = '', second = ''] = output.split(/^(?=SyntaxError|RangeError)/m);
  expect(first).toMatch(/^RangeError: out of range\n {4}at failing \(/);
  expect(first).toContain(`at failing (${folder}/program.ts:5:9)\n`);
  expect(first).toContain(`${folder}/program.ts:14:1\n`);
  expect(second).toMatch(/^SyntaxError: .*\n {4}at JSON\.parse \(<anonymous>\)\n/);
  expect(second).toContain(`${folder}/program.ts:15:`);
});

it('an error that cannot say what it is has a stack all the same', async () => {
  const { folder, output } = await stacksOf('linked');
  expect(output).toContain('<error>\n');
  expect(output).toContain(`${folder}/program.ts:16:`);
});

it('a stack names the bundle where there is no map', async () => {
  const { folder, output } = await stacksOf(false);
  expect(output).toMatch(/^RangeError: out of range\n/);
  expect(output).toContain(`file://${folder}/out/program.mjs:`);
});
