import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, temporaryFolder } from '../helpers/process.ts';

/** A package as `npm run build` makes it, in a folder of its own. */
function builtPackage(): string {
  const folder = temporaryFolder();
  const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [
    '-p',
    join(ROOT, 'tsconfig.build.json'),
    '--outDir',
    join(folder, 'dist'),
  ]);
  expect(tsc.stdout.toString()).toBe('');
  const styles = 'packages/slack-emulator/src/page/styles';
  cpSync(join(ROOT, styles), join(folder, 'dist', styles), { recursive: true });
  for (const part of ['bin', 'countersign.yaml', 'package.json']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'data'));
  return folder;
}

it('the built package starts, and its workspace page loads', async () => {
  const folder = builtPackage();
  expect(existsSync(join(folder, 'src'))).toBe(false);
  const child = spawn(process.execPath, [join(folder, 'bin/countersign.js')], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', WORKSPACE_PORT: '0', DATA_DIR: join(folder, 'data') },
  });
  onTestFinished(() => void child.kill('SIGTERM'));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      output += chunk.toString();
      const address = /open (http:\S+)/.exec(output)?.[1];
      if (address) resolve(address);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', () => reject(new Error(output)));
  });
  const page = await fetch(url);
  expect(page.status).toBe(200);
  const script = await fetch(new URL('/assets/page.js', url));
  expect(script.status).toBe(200);
  expect((await script.text()).length).toBeGreaterThan(100_000);
  expect((await fetch(new URL('/assets/page.css', url))).status).toBe(200);
}, 120_000);
