import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Env } from '../../config/env.ts';
import { type TokenKey, tokenKeysSchema } from '../../config/token-keys.ts';
import { ConfigError } from '../../lib/errors.ts';
import { makeDataDir } from '../../storage/sqlite/data-dir.ts';
import { unusableTokenKey } from '../texts/start.ts';

const FILE = 'token-key';

/**
 * The keys that encrypt people's sign-ins; without keys, no sign-ins are stored. The local workspace, where
 * no real account is at risk until somebody connects one, creates a key for itself. It keeps that key beside
 * the data, readable by its owner only.
 * @throws ConfigError when that file can't be read or created.
 */
export function tokenKeys(env: Pick<Env, 'tokenKeys' | 'slack' | 'dataDir'>): readonly TokenKey[] {
  if (env.tokenKeys.length > 0 || env.slack !== null) return env.tokenKeys;
  makeDataDir(env.dataDir);
  const path = join(env.dataDir, FILE);
  try {
    const text = `local:${randomBytes(32).toString('base64')}`;
    writeFileSync(path, `${text}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw unusable(path, error);
  }
  return read(path);
}

function read(path: string): readonly TokenKey[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw unusable(path, error);
  }
  const keys = tokenKeysSchema.safeParse(text);
  if (keys.success) return keys.data;
  throw unusable(path, new Error('it does not hold a key'));
}

function unusable(path: string, cause: unknown): ConfigError {
  return new ConfigError(unusableTokenKey(path), cause);
}
