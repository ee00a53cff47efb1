#!/usr/bin/env node
// Starts Countersign on the Node that it is pinned to, whichever Node runs this file; so this file
// itself keeps to what old versions understand.
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  copyFileSync,
  existsSync,
  constants as fs,
  mkdirSync,
  renameSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freshBundle } from './bundle.js';

const OLDEST_NODE = 24;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

const pinned = pinnedNode();
const entry = findEntry();

// Only where there is one: Node's own "if exists" flag complains of a missing file.
const envFile = existsSync('.env') ? ['--env-file=.env'] : [];
// Where the source runs as it stands, so do the packages of this repository.
const conditions = entry.endsWith('.ts') ? ['--conditions=countersign-source'] : [];
const args = [
  '--disable-sigusr1',
  // Young objects have 8 MB, not 32: with 32 people at once, 250 MB stay instead of 315, in the same processor time.
  '--max-semi-space-size=8',
  ...conditions,
  ...envFile,
  entry,
  ...process.argv.slice(2),
];
const node = canIsolate() ? pinned : unreadableCopy(pinned);
// In place of this process, which MCP servers could read, and whose environment holds the same secrets.
if (node !== pinned && process.execve) process.execve(node, [node, ...args]);
// The channel tells the child when this process is killed, so that it does not go on unseen.
const child = spawn(node, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
child.on('error', (error) => fail(`Node could not be started (${error.message}).`));
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to the child too; passed on, it would count twice and cut the drain short.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}

/** The bundle: as it was installed or, in a checkout, of the sources as they are now; else the sources themselves. */
function findEntry() {
  const source = join(root, 'src', 'index.ts');
  const installed = join(root, 'dist', 'index.mjs');
  if (existsSync(source)) return freshBundle(root, pinned) || source;
  if (existsSync(installed)) return installed;
  return fail('there is neither src/index.ts nor dist/index.mjs; run `npm run build` or install it again.');
}

function pinnedNode() {
  const pinned = ['bin/node', 'bin/node.exe']
    .map((path) => join(nodePackage(), path))
    .find((path) => existsSync(path));
  if (pinned) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  return fail(
    `Node ${OLDEST_NODE} or newer is needed, this is ${process.version}, and the package "node" is not installed; run \`npm install\` with install scripts allowed.`,
  );
}

/** Whether MCP servers can be kept from reading the process that starts them by other means, or not at all. */
function canIsolate() {
  if (process.platform !== 'linux' || process.getuid() === 0) return true;
  const namespace = ['--unshare-pid', '--bind', '/', '/', '--proc', '/proc', 'true'];
  return spawnSync('bwrap', namespace, { stdio: 'ignore' }).status === 0;
}

/**
 * A copy of Node that may be run and not read: Linux lets no process of the same user read one that runs it.
 * It stays for the next start. Where it can't be made, Node itself; the start then says what isn't isolated.
 */
function unreadableCopy(node) {
  try {
    const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'countersign');
    const { size, mtimeMs } = statSync(node);
    const copy = join(folder, `node-${size}-${Math.trunc(mtimeMs)}`);
    if (!existsSync(copy)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const part = `${copy}.${process.pid}`;
      copyFileSync(node, part, fs.COPYFILE_FICLONE);
      chmodSync(part, 0o111);
      renameSync(part, copy);
    }
    accessSync(copy, fs.X_OK);
    return copy;
  } catch {
    return node;
  }
}

/** The folder of the package `node`, or one that does not exist. */
function nodePackage() {
  try {
    return dirname(createRequire(import.meta.url).resolve('node/package.json'));
  } catch {
    return join(root, 'node_modules', 'node');
  }
}

function fail(message) {
  console.error(`countersign: ${message}`);
  process.exit(1);
}
