import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../helpers/sources.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-bin-'));
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of ['node', 'esbuild']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  mkdirSync(join(folder, 'src'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(...args: string[]) {
  return spawn(process.execPath, [join(folder, 'bin/countersign.js'), ...args], {
    cwd: folder,
    stdio: 'pipe',
  });
}

async function outputOf(child: ReturnType<typeof start>): Promise<string> {
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
  });
  await once(child, 'close');
  return output;
}

/** Stands in for the bundler: the bundle says what it was made of. */
function placeBundler(script = `cpSync('src/index.ts', join(folder, 'index.mjs'));`): void {
  mkdirSync(join(folder, 'scripts'));
  writeFileSync(
    join(folder, 'scripts/bundle.ts'),
    `import { appendFileSync, cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
const folder: string = process.argv[2] ?? '';
appendFileSync('made.txt', 'x');
mkdirSync(folder, { recursive: true });
${script}
`,
  );
}

const made = () => readFileSync(join(folder, 'made.txt'), 'utf8');

describe('the bundle of a checkout', () => {
  const write = (text: string) =>
    writeFileSync(join(folder, 'src/index.ts'), `console.log('${text}', import.meta.filename);\n`);

  it('is made once, and run', async () => {
    placeBundler();
    write('one');
    expect(await outputOf(start())).toMatch(
      /^one .*\/node_modules\/\.cache\/countersign\/\w+\/index\.mjs\n$/,
    );
    expect(await outputOf(start())).toContain('index.mjs');
    expect(made()).toBe('x');
  });

  it('is made anew when a file was written, came or went, also with an older date', async () => {
    placeBundler();
    write('one');
    await outputOf(start());
    write('two');
    utimesSync(join(folder, 'src/index.ts'), 1, 1);
    expect(await outputOf(start())).toMatch(/^two .*index\.mjs\n$/);
    writeFileSync(join(folder, 'src/more.ts'), '');
    await outputOf(start());
    expect(made()).toBe('xxx');
    rmSync(join(folder, 'src/more.ts'));
    // As it was before, for which there is one.
    expect(await outputOf(start())).toMatch(/^two .*index\.mjs\n$/);
    expect(made()).toBe('xxx');
  });

  it('is made anew when a package was installed', async () => {
    placeBundler();
    write('one');
    await outputOf(start());
    writeFileSync(join(folder, 'node_modules/.package-lock.json'), '{}');
    await outputOf(start());
    expect(made()).toBe('xx');
  });

  it('is left out where it could not be made: the source runs', async () => {
    placeBundler('process.exit(1);');
    write('one');
    expect(await outputOf(start())).toBe(`one ${join(folder, 'src/index.ts')}\n`);
  });

  it('is made anew when a file of it was cut off, changed or removed', async () => {
    placeBundler();
    write('one');
    const [, entry = ''] = (await outputOf(start())).trim().split(' ');
    const damages = [
      () => truncateSync(entry, 5),
      () => {
        const { atime, mtime, size } = statSync(entry);
        writeFileSync(entry, 'x'.repeat(size));
        utimesSync(entry, atime, mtime);
      },
      () => rmSync(entry),
      () => truncateSync(join(dirname(entry), 'fingerprint')),
    ];
    for (const [count, damage] of damages.entries()) {
      damage();
      expect(await outputOf(start())).toBe(`one ${entry}\n`);
      expect(made()).toHaveLength(count + 2);
    }
    mkdirSync(join(dirname(entry), 'compiled'));
    writeFileSync(join(dirname(entry), 'compiled/code'), 'x');
    await outputOf(start());
    expect(made()).toHaveLength(damages.length + 1);
  });

  it('is one for two that start at once', async () => {
    placeBundler();
    write('one');
    const [one, other] = await Promise.all([outputOf(start()), outputOf(start())]);
    expect(one).toContain('index.mjs');
    expect(other).toBe(one);
    expect(readdirSync(join(folder, 'node_modules/.cache/countersign'))).toHaveLength(1);
  });

  it('is removed a day after it was made, when there is another', async () => {
    placeBundler();
    write('one');
    const all = join(folder, 'node_modules/.cache/countersign');
    mkdirSync(join(all, 'old'), { recursive: true });
    mkdirSync(join(all, 'recent'));
    utimesSync(join(all, 'old'), 1, 1);
    await outputOf(start());
    expect(existsSync(join(all, 'old'))).toBe(false);
    expect(existsSync(join(all, 'recent'))).toBe(true);
  });
});

describe('bin/countersign.js', () => {
  it('runs the source on the pinned Node, with its arguments, and ends with its exit code', async () => {
    writeFileSync(
      join(folder, 'src/index.ts'),
      'const args: string[] = process.argv.slice(2);\nconsole.log(process.versions.node.split(".")[0], ...args);\nprocess.exitCode = 7;\n',
    );
    const child = start('one', 'two');
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    const [code] = await once(child, 'close');
    expect(output).toBe('24 one two\n');
    expect(code).toBe(7);
  });

  it('takes settings from .env in the folder it is started in', async () => {
    writeFileSync(join(folder, '.env'), 'COUNTERSIGN_BIN_TEST=from the file\n');
    writeFileSync(join(folder, 'src/index.ts'), 'console.log(process.env.COUNTERSIGN_BIN_TEST);\n');
    const child = start();
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
    });
    await once(child, 'close');
    expect(output).toBe('from the file\n');
  });

  it('passes a signal on and waits for what it starts to finish', async () => {
    writeFileSync(
      join(folder, 'src/index.ts'),
      'process.on("SIGTERM", () => { console.log("drained"); process.exit(3); });\nsetInterval(() => {}, 1000);\nconsole.log("ready");\n',
    );
    const child = start();
    let output = '';
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString();
      if (output === 'ready\n') child.kill('SIGTERM');
    });
    const [code] = await once(child, 'close');
    expect(output).toBe('ready\ndrained\n');
    expect(code).toBe(3);
  });

  it('runs the bundle that was installed, where there is no source', async () => {
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.mjs'), 'console.log("installed");\n');
    expect(await outputOf(start())).toBe('installed\n');
  });

  it('says what to do when there is nothing to run', async () => {
    const child = start();
    let output = '';
    child.stderr.on('data', (data: Buffer) => {
      output += data.toString();
    });
    const [code] = await once(child, 'close');
    expect(output).toContain('npm run build');
    expect(code).toBe(1);
  });
});
