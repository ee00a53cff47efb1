import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../helpers/sources.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-bin-'));
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
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
