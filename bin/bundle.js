// The bundle of a checkout: `npm start` runs it, and `npm install` makes it. As its sister, this file keeps to what
// old versions of Node understand.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  existsSync,
  constants as fs,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How long the bundle of other sources stays, in milliseconds: a process may still load parts of it. */
const KEPT_FOR_MS = 24 * 60 * 60 * 1000;

/** Where a bundle's folder says which files it was made with. */
const FINGERPRINT = 'fingerprint';
/** What changes in a bundle's folder afterwards: Node checks what was compiled by itself. */
const NOT_MADE = new Set([FINGERPRINT, 'compiled']);

const emulator = join('packages', 'slack-emulator');
const SOURCES = [
  'src',
  join(emulator, 'src'),
  join(emulator, 'scripts'),
  join(emulator, 'package.json'),
  join('scripts', 'bundle.ts'),
  'package.json',
  'tsconfig.json',
  join('node_modules', '.package-lock.json'),
];

/**
 * The entry of a bundle of the sources as they are now, made where there is none, or where files of it were changed or
 * cut off since; null where none can be made.
 */
export function freshBundle(root, node) {
  const all = join(root, 'node_modules', '.cache', 'countersign');
  const folder = join(all, fingerprint(root, SOURCES, root).slice(0, 16));
  const entry = join(folder, 'index.mjs');
  if (isWhole(folder)) return entry;
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
  const part = `${folder}.${process.pid}`;
  try {
    const made = spawnSync(node, [script, part], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (made.status !== 0) return withoutBundle('making it failed');
    writeFileSync(join(part, FINGERPRINT), fingerprintMade(part));
    put(part, folder);
  } catch (error) {
    return withoutBundle(error.message);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  removeOld(all, folder);
  return entry;
}

function withoutBundle(reason) {
  console.error(
    `countersign: no bundle was made: ${reason}. The sources run instead: they start slower and need more memory.`,
  );
  return null;
}

function isWhole(folder) {
  try {
    return readFileSync(join(folder, FINGERPRINT), 'utf8') === fingerprintMade(folder);
  } catch {
    return false;
  }
}

function fingerprintMade(folder) {
  return fingerprint(
    folder,
    readdirSync(folder).filter((name) => !NOT_MADE.has(name)),
    '',
  );
}

/**
 * Says which files these are, without reading them: one that is written, replaced or moved has another time of change,
 * also where an older one comes back. What somebody edits in a package of `node_modules` isn't seen.
 */
function fingerprint(folder, paths, salt) {
  const hash = createHash('sha256').update(salt);
  const add = (path) => {
    const stat = statSync(join(folder, path), { throwIfNoEntry: false });
    if (stat?.isDirectory()) {
      for (const name of readdirSync(join(folder, path)).sort()) add(join(path, name));
    } else if (stat) {
      hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0${stat.ctimeMs}\n`);
    }
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

function put(from, to) {
  if (!isWhole(to)) rmSync(to, { recursive: true, force: true });
  try {
    renameSync(from, to);
  } catch (error) {
    // Another start was faster, with the same.
    if (!isWhole(to)) throw error;
  }
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
