import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../helpers/process.ts';

it('the packed client is built, has its types, and can be imported without anything installed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const pack = ['pack', '-w', 'countersign-client', '--pack-destination', folder];
  execFileSync('npm', pack, { cwd: ROOT, stdio: 'pipe' });
  execFileSync('tar', ['-xzf', readdirSync(folder)[0] ?? ''], { cwd: folder });
  const dist = join(folder, 'package/dist');
  expect(readdirSync(dist)).toEqual(expect.arrayContaining(['index.js', 'index.d.ts']));
  const address = pathToFileURL(join(dist, 'index.js')).href;
  const script = `import(${JSON.stringify(address)}).then(({ Gate, verifyReceipt }) => console.log(typeof Gate, typeof verifyReceipt))`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()).toBe(
    'function function',
  );
}, 240_000);
