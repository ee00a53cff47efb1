import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, temporaryFolder } from '../helpers/process.ts';

/** What `npm pack` makes, unpacked. Its dependencies are found here, but for the ones that it brings along. */
function unpackedTarball(): string {
  const folder = temporaryFolder();
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
  execFileSync('tar', ['-xzf', readdirSync(folder)[0] ?? ''], { cwd: folder });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'data'));
  return join(folder, 'package');
}

it('the packed product starts with the local workspace that it brings along', async () => {
  const folder = unpackedTarball();
  expect(existsSync(join(folder, 'src'))).toBe(false);
  expect(existsSync(join(folder, 'node_modules/@countersign/slack-emulator/dist/page/page.js'))).toBe(true);
  const child = spawn(process.execPath, [join(folder, 'bin/countersign.js')], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', WORKSPACE_PORT: '0', DATA_DIR: join(folder, '../data') },
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
