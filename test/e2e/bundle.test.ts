import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, temporaryFolder } from '../helpers/process.ts';

/** A checkout with only what says whether a bundle can be made. */
function checkout() {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'scripts'));
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'scripts/bundle.ts'), 'throw new RangeError("planted");');
  const bundle = () => spawnSync(process.execPath, [join(folder, 'bin/bundle.js')], { encoding: 'utf8' });
  return { folder, bundle };
}

describe('a checkout that cannot be bundled', () => {
  it('says that the bundler is not installed', () => {
    const { status, stderr } = checkout().bundle();
    expect(status).toBe(0);
    expect(stderr).toContain('no bundle was made: esbuild is not installed. The sources run instead');
  });

  it('says which folder cannot be written to and what to do, without a stack', () => {
    const { folder, bundle } = checkout();
    mkdirSync(join(folder, 'node_modules/esbuild'));
    // Nobody can make a folder in a file, not even root.
    writeFileSync(join(folder, 'node_modules/.cache'), '');
    const { status, stderr } = bundle();
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /\.cache.countersign can't be written to \(\w+\); run `node bin\/bundle\.js` once/,
    );
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('shows why making it failed', () => {
    const { folder, bundle } = checkout();
    mkdirSync(join(folder, 'node_modules/esbuild'));
    const { status, stderr } = bundle();
    expect(status).toBe(0);
    expect(stderr).toContain('RangeError: planted');
    expect(stderr).toContain('no bundle was made: making it failed.');
  });
});
