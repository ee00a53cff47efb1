import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import type { Logger } from '../lib/logger.ts';
import { findServerUser, ProcessIsolation, takeOver } from '../mcp/index.ts';
import { auditKeyPath } from './keys/audit-key.ts';
import { RESERVED_FILE } from './texts/start.ts';

/** What no other program is to see of this one: its data, and its keys. */
export function hiddenPaths(env: Pick<Env, 'dataDir' | 'auditKey'>): string[] {
  // Where it is started with `.env`, the keys are in there too.
  return [env.dataDir, auditKeyPath(env), '.env'].map((path) => resolve(path));
}

/** Isolation of MCP servers that are processes, from what this program has and runs. */
export function createIsolation(
  env: Pick<Env, 'dataDir' | 'auditKey' | 'auditHeadsFile' | 'configFile' | 'sandbox'> &
    Pick<FileConfig, 'mcpFile'>,
  logger: Pick<Logger, 'info' | 'warn'>,
): ProcessIsolation {
  const named = [env.auditHeadsFile, env.mcpFile].filter((path) => path !== null);
  return new ProcessIsolation({
    hidden: hiddenPaths(env),
    readOnly: [...named, env.configFile ?? 'countersign.yaml', process.execPath, ...ownCode()].map((path) =>
      resolve(path),
    ),
    ...env.sandbox,
    logger,
  });
}

/**
 * Takes `DATA_DIR`, and the folder that AUDIT_SIGNING_KEY_FILE names, from the user that servers run as where this program runs as root: what an earlier version
 * wrote as that user would be the servers' to read.
 */
export async function takeOverData({
  dataDir,
  auditKey,
  sandbox,
}: Pick<Env, 'dataDir' | 'auditKey' | 'sandbox'>): Promise<void> {
  const user = await findServerUser(sandbox.user);
  if (typeof user === 'string') return;
  // Where root may not, whoever opens the folder says whose it is.
  await takeOver(dataDir, user).catch(() => undefined);
  if (auditKey.file !== null) await takeOver(dirname(resolve(auditKey.file)), user).catch(() => undefined);
}

/**
 * Makes an empty `.env` where there is none: a server that may write in this folder could otherwise make one, and decide
 * what the next start believes. What is there can be kept from servers.
 */
export function reserveEnvFile({ servers }: Pick<FileConfig, 'servers'>, folder = process.cwd()): void {
  if (!Object.values(servers).some((server) => 'command' in server)) return;
  try {
    writeFileSync(join(folder, '.env'), RESERVED_FILE, { flag: 'wx', mode: 0o600 });
  } catch {
    // It's there; or nobody can make it here, so that no server with our rights can, either.
  }
}

/**
 * The code that this program runs: a server that could change it would be this program after the next start.
 * An installed package is all in the `node_modules` that hold it.
 */
function ownCode(): string[] {
  const root = packageRoot(import.meta.dirname);
  const [before] = root.split(`${sep}node_modules${sep}`);
  if (before !== undefined && before !== root) return [join(before, 'node_modules')];
  return ['bin', 'dist', 'node_modules', 'packages', 'scripts', 'src', 'package.json'].map((name) =>
    join(root, name),
  );
}

function packageRoot(folder: string): string {
  const above = dirname(folder);
  return existsSync(join(folder, 'package.json')) || above === folder ? folder : packageRoot(above);
}
