import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listAuditKeySecrets, loadAuditKeys } from '../../../../src/app/keys/audit-key.ts';
import { readEnv } from '../../../../src/config/env.ts';
import { generateAuditKey, parsePublicKey } from '../../../../src/gate/audit/keys.ts';
import { ConfigError } from '../../../../src/lib/errors.ts';
import { createMask } from '../../../../src/lib/secret-mask.ts';
import { AUDIT_SIGNING_KEY, auditKeys } from '../../../helpers/audit-keys.ts';
import { temporaryFolder } from '../../../helpers/process.ts';

const REDIS = { REDIS_URL: 'redis://a.test' };

function load(variables: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const said: string[] = [];
  const env = readEnv({ DATA_DIR: join(folder, 'data'), ...variables });
  return { folder, said, env, load: () => loadAuditKeys(env, (line) => said.push(line)) };
}

function inBase64(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

describe('the key that signs the audit', () => {
  it('is made beside the data at the first start, for its owner alone, which is said once', () => {
    const { folder, said, load: start } = load();
    const { keyId } = start();
    expect(statSync(join(folder, 'data.audit-key.pem')).mode & 0o777).toBe(0o600);
    expect(start().keyId).toBe(keyId);
    expect(said).toEqual([expect.stringContaining('whoever can also read this file can sign approvals')]);
  });

  it.each([AUDIT_SIGNING_KEY, generateAuditKey(), generateAuditKey().replaceAll('\n', '\\n')])(
    'comes from the environment, as base64 or PEM',
    (key) => {
      const { folder, load: start } = load({ ...REDIS, AUDIT_SIGNING_KEY: key });
      expect(start().publicKeys).toHaveLength(1);
      expect(existsSync(join(folder, 'data.audit-key.pem'))).toBe(false);
    },
  );

  it('is masked in what servers say, wherever it comes from', () => {
    for (const variables of [{}, { AUDIT_SIGNING_KEY: generateAuditKey() }]) {
      const { folder, env, load: start } = load(variables);
      start();
      const file = join(folder, 'data.audit-key.pem');
      const key = existsSync(file) ? readFileSync(file, 'utf8') : (env.auditKey.value ?? '');
      const mask = createMask([...env.secrets, ...listAuditKeySecrets(env)]);
      const [, line = ''] = key.split('\n');
      expect(line).toHaveLength(64);
      for (const form of [key, line, Buffer.from(key).toString('base64')]) {
        expect(mask(`It is ${form}`)).toContain('$AUDIT_SIGNING_KEY');
        expect(mask(`It is ${form}`)).not.toContain(line);
      }
    }
  });

  it('must be set where several processes share a Redis', () => {
    expect(load(REDIS).load).toThrow(/Set AUDIT_SIGNING_KEY or AUDIT_SIGNING_KEY_FILE/);
  });

  it('is refused within the data', () => {
    const folder = temporaryFolder();
    const file = join(folder, 'key.pem');
    expect(load({ DATA_DIR: folder, AUDIT_SIGNING_KEY_FILE: file }).load).toThrow(ConfigError);
    expect(existsSync(file)).toBe(false);
  });

  it('is refused where others can read it', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'keys'));
    const file = join(folder, 'keys', 'key.pem');
    writeFileSync(file, generateAuditKey());
    chmodSync(file, 0o640);
    expect(load({ AUDIT_SIGNING_KEY_FILE: file }).load).toThrow(/Others can read/);
  });

  it('is not shown where it is no key', () => {
    expect(load({ AUDIT_SIGNING_KEY: 'not-a-key-but-secret' }).load).toThrow(
      expect.objectContaining({ userMessage: expect.not.stringContaining('secret') }),
    );
  });

  const other = generateKeyPairSync('ed448');
  const pem = { type: 'pkcs8', format: 'pem' } as const;

  it.each([
    ['of another kind', { AUDIT_SIGNING_KEY: other.privateKey.export(pem).toString() }],
    ['of another kind, and a former one', { AUDIT_FORMER_KEYS: inBase64(other.publicKey) }],
    ['a private one, and a former one', { AUDIT_FORMER_KEYS: AUDIT_SIGNING_KEY }],
  ])('is refused if it is %s', (_, variables) => {
    expect(load(variables).load).toThrow(ConfigError);
  });

  it('is not taken for its public half', () => {
    expect(() => parsePublicKey(generateAuditKey())).toThrow('it is a private key');
  });

  it('leaves entries of a former key signed', () => {
    const [former] = auditKeys.publicKeys;
    const keys = load({ AUDIT_FORMER_KEYS: former?.x ?? '' }).load();
    const hash = 'a hash';
    const entry = { hash, keyId: auditKeys.keyId, signature: auditKeys.sign(hash) };
    expect(keys.isSigned(entry)).toBe(true);
    expect(load().load().isSigned(entry)).toBe(false);
  });
});

it('of the image is kept apart from its data', () => {
  const dockerfile = readFileSync(new URL('../../../../Dockerfile', import.meta.url), 'utf8');
  expect(dockerfile).toContain('AUDIT_SIGNING_KEY_FILE=/keys/');
});
