import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenKeys } from '../../../../src/app/keys/token-keys.ts';
import { readEnv } from '../../../../src/config/env.ts';

const KEY = `mine:${Buffer.alloc(32, 3).toString('base64')}`;
const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };

function inFolder(variables: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, env: readEnv({ DATA_DIR: folder, ...variables }) };
}

describe('the keys that sign-ins are sealed with', () => {
  it('are those that are set', () => {
    const { env, folder } = inFolder({ ...SLACK, TOKEN_ENCRYPTION_KEY: KEY });
    expect(tokenKeys(env)).toMatchObject([{ id: 'mine' }]);
    expect(() => statSync(join(folder, 'token-key'))).toThrow('ENOENT');
  });

  it('are none with a real Slack and nothing set: no key is made up for other people’s accounts', () => {
    const { env, folder } = inFolder(SLACK);
    expect(tokenKeys(env)).toEqual([]);
    expect(() => statSync(join(folder, 'token-key'))).toThrow('ENOENT');
  });

  it('are made for the local workspace, kept for its owner alone, and the same the next time', () => {
    const { env, folder } = inFolder();
    const [first] = tokenKeys(env);
    expect(first?.key).toHaveLength(32);
    expect(statSync(join(folder, 'token-key')).mode & 0o777).toBe(0o600);
    expect(tokenKeys(env)).toEqual([first]);
    expect(tokenKeys(inFolder().env)).not.toEqual([first]);
  });

  it('are not replaced when their file cannot be used: it says so, without what the file holds', () => {
    const { env, folder } = inFolder();
    writeFileSync(join(folder, 'token-key'), 'not a key');
    chmodSync(join(folder, 'token-key'), 0o600);
    expect(() => tokenKeys(env)).toThrow(/token-key, the key of people's sign-ins, cannot be used/);
    expect(() => tokenKeys(env)).not.toThrow('not a key');
  });
});
