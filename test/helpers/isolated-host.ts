import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { HostOrder, HostReport } from '../fixtures/isolated-host.ts';

const HOST = join(import.meta.dirname, '../fixtures/isolated-host.ts');
/** A secret of the host, in its environment. */
const SECRET = 'host-secret-0123456789';
/** Nobody special: owns nothing on the machine. */
const STRANGER = 65_534;

export const isRoot = process.getuid?.() === 0;
/** Whether this machine lets bubblewrap make namespaces. */
export const hasNamespaces = runs('bwrap', '--unshare-pid', '--bind', '/', '/', '--proc', '/proc', 'true');
if (process.env.CI && !hasNamespaces && !isRoot) {
  throw new Error(
    'Neither namespaces nor another user can be tested here: install bubblewrap, or run this as root.',
  );
}

/** The configuration of a server that steals what it can. */
const hostile = {
  command: process.execPath,
  args: [join(import.meta.dirname, '../fixtures/servers/hostile-stdio.ts')],
};

/** That server with a sandbox. */
export function sandboxed(sandbox: object) {
  return { ...hostile, sandbox };
}

/** The call by which it steals the secret and whatever is to be read of these paths. */
export function steal(...paths: readonly string[]) {
  return { name: 'steal', arguments: { secretsBackwards: [[...SECRET].reverse().join('')], paths } };
}

interface Host {
  readonly dataDir: string;
  /** The key that signs its audit. */
  readonly keyFile: string;
  /** A file of the host's keys, in the folder that it runs in. */
  readonly envFile: string;
  /** What it's configured by: `countersign.yaml`, and the `mcp.json` that this names. */
  readonly configuration: readonly string[];
  readonly folder: string;
  /** Starts the host; it ends with its report. */
  run(
    order: Partial<HostOrder> & {
      readonly isStranger?: boolean;
      readonly node?: string;
      /** A shell of the same user, with the same environment, waits until the host has ended. */
      readonly isBelowShell?: boolean;
    },
  ): Promise<HostReport>;
}

/** A folder as the product has it, with data and keys, and the product's part that starts servers. */
export function createHost(): Host {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-isolated-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(join(dataDir, 'token-key'), 'k1:secret', { mode: 0o600 });
  const keyFile = join(folder, 'data.audit-key.pem');
  writeFileSync(keyFile, 'a private key', { mode: 0o600 });
  const envFile = join(folder, '.env');
  writeFileSync(envFile, `OPENAI_API_KEY=${SECRET}\n`, { mode: 0o600 });
  const configuration = ['countersign.yaml', 'mcp.json'].map((name) => join(folder, name));
  for (const file of configuration) writeFileSync(file, '{}');
  return {
    dataDir,
    keyFile,
    envFile,
    configuration,
    folder,
    async run({ isStranger = false, node = process.execPath, isBelowShell = false, ...order }) {
      const whole = {
        config: hostile,
        calls: [],
        sandbox: { strict: false, user: 'nobody' },
        dataDir,
        ...order,
      };
      const args = ['--disable-sigusr1', HOST, JSON.stringify(whole)];
      const home = mkdtempSync(join(folder, 'home-'));
      if (isStranger) execFileSync('chown', ['-R', `${STRANGER}`, folder]);
      const below = isBelowShell ? ['sh', '-c', '"$@"; exit', 'sh'] : [];
      const [command = '', ...rest] = [...(isStranger ? asStranger : []), ...below, node, ...args];
      // What this process has in its environment is no affair of the host's.
      const env = { PATH: process.env.PATH, HOME: home, OPENAI_API_KEY: SECRET };
      const { stdout } = await promisify(execFile)(command, rest, { cwd: folder, env, timeout: 120_000 });
      return JSON.parse(stdout);
    },
  };
}

/** Node in a copy that may be run and not read, in the folder of a host. */
export function unreadableNode({ folder }: Pick<Host, 'folder'>): string {
  const copy = join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o111);
  return copy;
}

/** By way of a shell: what setpriv starts itself counts as started by root. */
const asStranger: readonly [string, ...string[]] = [
  'setpriv',
  `--reuid=${STRANGER}`,
  `--regid=${STRANGER}`,
  '--clear-groups',
  ...['sh', '-c', 'exec "$@"', 'sh'],
];

if (isRoot && !runs(...asStranger, 'test', '-r', HOST)) {
  throw new Error(
    'These tests run servers as another user, who can’t enter the folder of this checkout: allow that (chmod o+x) on it and those above it.',
  );
}

function runs(command: string, ...args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
