// The bundle of a checkout: `npm start` runs it, and `npm install` makes it. As its sister, this file keeps to what
// old versions of Node understand.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, existsSync, constants as fs, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How long the bundle of other sources stays, in milliseconds: a process may still load parts of it. */
const KEPT_FOR_MS = 24 * 60 * 60 * 1000;

/** The entry of a bundle of the sources as they are now, made where there is none; null where none can be made. */
export function freshBundle(root, node) {
  const all = join(root, 'node_modules', '.cache', 'countersign');
  const folder = join(all, fingerprint(root));
  const entry = join(folder, 'index.mjs');
  if (existsSync(entry)) return entry;
  const script = join(root, 'scripts', 'bundle.ts');
  if (!existsSync(script)) return null;
  if (!existsSync(join(root, 'node_modules', 'esbuild'))) return withoutBundle('esbuild is not installed');
  try {
    mkdirSync(all, { recursive: true });
    accessSync(all, fs.W_OK);
  } catch (error) {
    return withoutBundle(
      `${all} can't be written to (${error.code}); run \`node bin/bundle.js\` once as somebody who may`,
    );
  }
  const made = spawnSync(node, [script, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (made.status !== 0) return withoutBundle('making it failed');
  removeOld(all, folder);
  return entry;
}

function withoutBundle(reason) {
  console.error(
    `countersign: no bundle was made: ${reason}. The sources run instead: they start slower and need more memory.`,
  );
  return null;
}

/**
 * Says which sources these are, without reading them: a file that is written, replaced or moved has another time of
 * change, also where an older one comes back. What somebody edits in a package of `node_modules` isn't seen.
 */
function fingerprint(root) {
  const emulator = join('packages', 'slack-emulator');
  const hash = createHash('sha256').update(root);
  const add = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const name of readdirSync(join(root, path)).sort()) add(join(path, name));
    } else if (stat) {
      hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0${stat.ctimeMs}\n`);
    }
  };
  for (const path of [
    'src',
    join(emulator, 'src'),
    join(emulator, 'scripts'),
    join(emulator, 'package.json'),
    join('scripts', 'bundle.ts'),
    'package.json',
    'tsconfig.json',
    join('node_modules', '.package-lock.json'),
  ]) {
    add(path);
  }
  return hash.digest('hex').slice(0, 16);
}

function removeOld(all, current) {
  for (const name of readdirSync(all)) {
    const folder = join(all, name);
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (folder === current || !stat || Date.now() - stat.mtimeMs < KEPT_FOR_MS) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

// Without the pinned Node, the first start finds one, or says what to do.
if (process.argv[1] === fileURLToPath(import.meta.url) && parseInt(process.versions.node, 10) >= 24) {
  freshBundle(dirname(dirname(fileURLToPath(import.meta.url))), process.execPath);
}
