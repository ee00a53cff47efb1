import { lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Env } from '../../config/env.ts';
import {
  type AuditKeys,
  createAuditKeys,
  generateAuditKey,
  parsePrivateKey,
  parsePublicKey,
} from '../../gate/index.ts';
import { ConfigError } from '../../lib/errors.ts';
import type { Secret } from '../../lib/secret-mask.ts';
import { makeFolder } from '../../storage/sqlite/data-dir.ts';
import {
  AUDIT_KEY_MISSING,
  auditKeyInDataDir,
  auditKeyMade,
  auditKeyOpen,
  badAuditKey,
  badFormerAuditKey,
  unusableAuditKey,
} from '../texts/start.ts';

type KeyEnv = Pick<Env, 'auditKey' | 'dataDir' | 'redis'>;

/**
 * The key that signs the audit: from the environment, from a file, or, where one process has everything in
 * `DATA_DIR`, from a file beside that folder, which is made at the first start.
 * @param onMade is told once, when a key was made; without it, none is.
 * @throws ConfigError when there is none, when it can't be used, or when the store or others could read it.
 */
export function loadAuditKeys(env: KeyEnv, onMade?: (line: string) => void): AuditKeys {
  const former = env.auditKey.former.map((text) => {
    try {
      return parsePublicKey(text);
    } catch (error) {
      throw new ConfigError(badFormerAuditKey(text), error);
    }
  });
  const { text, source } = readKey(env, onMade);
  try {
    return createAuditKeys({ privateKey: parsePrivateKey(text.trim()), former });
  } catch {
    // Without the cause, which may hold a part of the key.
    throw new ConfigError(badAuditKey(source));
  }
}

function readKey(
  { auditKey, dataDir, redis }: KeyEnv,
  onMade: ((line: string) => void) | undefined,
): { readonly text: string; readonly source: string } {
  if (auditKey.value !== null) return { text: auditKey.value, source: 'AUDIT_SIGNING_KEY' };
  if (auditKey.file === null && redis !== null) throw new ConfigError(AUDIT_KEY_MISSING);
  const path = auditKeyPath({ auditKey, dataDir });
  if (redis === null && onMade && makeKeyFile(path, dataDir)) onMade(auditKeyMade(path));
  return { text: readPrivately(path, dataDir), source: path };
}

/** The key in a file as a secret, so that no server can say it; one in the environment is among `env.secrets`. */
export function listAuditKeySecrets(env: KeyEnv): readonly Secret[] {
  return env.auditKey.value !== null
    ? []
    : [{ name: 'AUDIT_SIGNING_KEY', value: readKey(env, undefined).text.trim() }];
}

/** The file that holds the key, unless the environment does: beside the data folder, if no other is set. */
export function auditKeyPath({ auditKey, dataDir }: Pick<KeyEnv, 'auditKey' | 'dataDir'>): string {
  return resolve(auditKey.file ?? `${resolve(dataDir)}.audit-key.pem`);
}

/** Makes a key, for its owner alone; false if there is a file already. */
function makeKeyFile(path: string, dataDir: string): boolean {
  try {
    makeFolder(dirname(path), 0o700);
    requireOutside(path, dataDir);
    writeFileSync(path, generateAuditKey(), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw new ConfigError(unusableAuditKey(path), error);
  }
}

function readPrivately(path: string, dataDir: string): string {
  try {
    const file = realpathSync(path);
    requireOutside(file, dataDir);
    if ((lstatSync(file).mode & 0o077) !== 0) throw new ConfigError(auditKeyOpen(path));
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(unusableAuditKey(path), error);
  }
}

/** Refuses a key within the data: whoever can write there must not be able to sign. */
function requireOutside(path: string, dataDir: string): void {
  const data = realPath(resolve(dataDir));
  const way = relative(data, join(realPath(dirname(path)), 'key'));
  if (!way.startsWith('..') && !isAbsolute(way)) throw new ConfigError(auditKeyInDataDir(path));
}

/** The path without links; a folder that isn't there yet has none. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
