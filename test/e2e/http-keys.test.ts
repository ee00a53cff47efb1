import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiKeys } from '../../src/http/api/keys.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { countersign } from '../helpers/command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function command(...args: readonly string[]): Promise<string> {
  return commandWith({ DATA_DIR: join(folder, 'data') }, ...args);
}

/** Runs it in the test's folder, where no `.env` of anybody else is. */
async function commandWith(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> {
  const ended = await countersign(folder, ['keys', ...args], env);
  if (ended.code !== 0) throw ended;
  return ended.stdout.trimEnd();
}

async function whose(key: string) {
  const store = openSqliteStore({ path: join(folder, 'data', 'countersign.db') });
  const keys = createApiKeys({ store, clock: Date.now, secrets: () => '', environmentKey: null });
  const caller = await keys.find(key);
  await store.close();
  return caller;
}

describe('the keys command', () => {
  it('prints a key that the server then knows, with its scopes', async () => {
    const key = await command('create', 'ci', '--scope', 'run,read');
    expect(key).toMatch(/^cs_[\w-]{43}$/);
    expect(await whose(key)).toEqual({ keyName: 'ci', scopes: ['run', 'read'] });
  });

  it('looks at the data that .env names, as the server does', async () => {
    writeFileSync(join(folder, '.env'), `DATA_DIR=${join(folder, 'data')}\n`);
    const key = await commandWith({}, 'create', 'ci');
    expect(await whose(key)).toEqual({ keyName: 'ci', scopes: ['run'] });
  });

  it('says which setting of .env is wrong, and makes no key', async () => {
    writeFileSync(join(folder, '.env'), 'PORT=none\n');
    await expect(commandWith({}, 'create', 'ci')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('PORT: must be a port'),
    });
  });

  it('lists names, scopes and states, and no key', async () => {
    const key = await command('create', 'ci');
    await command('create', 'old', '--scope', 'admin');
    await command('revoke', 'old');
    const listed = await command('list');
    const today = '\\d{4}-\\d{2}-\\d{2}';
    expect(listed).toMatch(
      new RegExp(`^NAME .*\\nci +run +${today} +active\\nold +admin +${today} +revoked ${today}$`),
    );
    expect(listed).not.toContain(key.slice(3));
  });

  it('revokes a key', async () => {
    const key = await command('create', 'ci');
    await command('revoke', 'ci');
    expect(await whose(key)).toBeNull();
  });

  it.each([
    ['nothing to do', [], 2, 'Usage: countersign keys'],
    ['a command that is none', ['rotate', 'ci'], 2, "Unknown command 'rotate'"],
    ['no name', ['create'], 2, "Missing required argument 'name'"],
    [
      'a scope that is none',
      ['create', 'ci', '--scope', 'root'],
      2,
      'A scope is one of run, agent, read, documents, admin',
    ],
    ['a name that is none', ['create', 'a:b'], 1, 'No key was made'],
    ['a key to revoke that is not there', ['revoke', 'nobody'], 1, 'no key named "nobody"'],
    ['an option that is none', ['list', '--all'], 2, "Unknown option '--all'"],
  ])('says what is wrong with %s, and fails', async (_, args, code, words) => {
    await command('create', 'another');
    await expect(command(...args)).rejects.toMatchObject({ code, stderr: expect.stringContaining(words) });
  });

  it('does not make a second key of a name, revoked or not', async () => {
    await command('create', 'ci');
    await command('revoke', 'ci');
    await expect(command('create', 'ci')).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('choose another name'),
    });
  });
});
