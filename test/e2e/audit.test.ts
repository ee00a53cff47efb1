import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type AuditEntry, auditEntrySchema } from '../../src/gate/audit/chain.ts';
import { callKey } from '../../src/gate/call/digest.ts';
import { openRedisStore } from '../../src/storage/redis/store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import type { Store } from '../../src/storage/store.ts';
import { startTestApp } from '../helpers/app.ts';
import { entriesOf, sealAll } from '../helpers/audit.ts';
import { AUDIT_SIGNING_KEY, auditKeys } from '../helpers/audit-keys.ts';
import { countersign } from '../helpers/command.ts';
import { openGate, opening, proposed } from '../helpers/gate.ts';
import { startModel } from '../helpers/model.ts';
import { ana, bob, THREAD } from '../helpers/people.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { ROOT } from '../helpers/sources.ts';

let folder: string;
let database: string;
beforeEach(() => {
  folder = temporaryFolder();
  database = join(folder, 'countersign.db');
});

/** Runs `countersign audit` as an operator does, away from anybody's `.env`. */
async function audit(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; out: string; told: string }> {
  const { code, stdout, stderr } = await countersign(folder, ['audit', ...args], {
    DATA_DIR: folder,
    ...env,
  });
  return { code, out: stdout, told: stderr };
}

/** Two calls of which one is approved, a refused attempt, and a seal of it all. */
async function livedIn(store: Store): Promise<AuditEntry> {
  const fixture = openGate({ store });
  await fixture.gate.requests.open(opening(await fixture.fence(), proposed('c1'), proposed('c2')));
  const decision = { callKey: callKey(THREAD, 'c1'), digest: null, type: 'approve' } as const;
  await fixture.gate.decisions.decide([decision], ana);
  await fixture.gate.decisions.decide([decision], bob).catch(() => undefined);
  const [seal] = await sealAll(store);
  if (!seal) throw new Error('nothing was sealed');
  await store.close();
  return seal;
}

function sql(statement: string): void {
  const tampering = new DatabaseSync(database);
  tampering.exec(statement);
  tampering.close();
}

const at = (id: string) => `collection = 'audit_entries' AND id = '${id}'`;

describe('countersign audit verify', () => {
  it('finds nothing wrong with what was written, and says what it could not look for', async () => {
    await livedIn(openSqliteStore({ path: database }));
    expect(await audit(['verify'], { AUDIT_SIGNING_KEY })).toEqual({
      code: 0,
      told: '',
      out:
        'No heads were given (--heads): that the newest seals were cut off would not be seen.\n' +
        '5 entries in 2 chains, 1 of them seals: all are as they were written.\n',
    });
  });

  it.each([
    [
      'an edited entry',
      `UPDATE records SET json = replace(json, '"name":"Ana"', '"name":"Eve"') WHERE ${at(`${THREAD}#3`)}`,
      `${THREAD} #3: It was changed after it was written.`,
    ],
    [
      'a gap',
      `DELETE FROM records WHERE ${at(`${THREAD}#2`)}`,
      `${THREAD} #3: The entry before it, 2, is missing.`,
    ],
    [
      'an end that was cut after it was sealed',
      `DELETE FROM records WHERE ${at(`${THREAD}#4`)}; UPDATE records SET json = json_set(json, '$.seq', 3, '$.sealed', null, '$.hash',
         (SELECT json_extract(json, '$.hash') FROM records WHERE ${at(`${THREAD}#3`)})) WHERE collection = 'audit_heads' AND id = '${THREAD}'`,
      `${THREAD} #4: Seal 1 names it, and it is missing.`,
    ],
    [
      'a chain that is gone after it was sealed',
      `DELETE FROM records WHERE id LIKE '${THREAD}%'; DELETE FROM index_entries WHERE id LIKE '${THREAD}%'`,
      `${THREAD} #4: Seal 1 names it, and it is missing.`,
    ],
  ])('finds %s in the file, says where, and fails', async (_what, statement, line) => {
    await livedIn(openSqliteStore({ path: database }));
    sql(statement);
    const { code, out } = await audit(['verify']);
    expect(code).toBe(1);
    expect(out).toContain(`${line}\n`);
    expect(out).toMatch(/Problems: 1\.\n$/);
  });

  it('finds seals that were cut, by the heads that were noted in a file', async () => {
    const { seq, hash } = await livedIn(openSqliteStore({ path: database }));
    const heads = join(folder, 'heads.jsonl');
    writeFileSync(heads, `${JSON.stringify({ seq, hash })}\n`);
    expect(await audit(['verify', '--heads', heads])).toMatchObject({ code: 0, told: '' });
    sql(
      "DELETE FROM records WHERE collection LIKE 'audit%'; DELETE FROM index_entries WHERE collection LIKE 'audit%'",
    );
    expect(await audit(['verify'])).toMatchObject({ code: 0 });
    const { code, out } = await audit(['verify'], { AUDIT_HEADS_FILE: heads });
    expect(code).toBe(1);
    expect(out).toContain('seals #1: It was noted outside the store, and is missing: the seals were cut.\n');
  });

  it('verifies a copy by the public key alone, and finds votes that somebody wrote into it', async () => {
    await livedIn(openSqliteStore({ path: database }));
    const [key] = auditKeys.publicKeys;
    const verify = ['verify', '--key', key?.x ?? ''];
    expect(await audit(verify)).toMatchObject({ code: 0, told: '' });
    const call = `collection = 'calls' AND json_extract(json, '$.callId') = 'c2'`;
    const decision = `json('{"type":"approve","actor":{"id":"slack:T1:U2","name":"Bob"},"at":1,"feedback":null}')`;
    sql(
      `UPDATE records SET json = json_set(json, '$.state', 'approved', '$.decision', ${decision}) WHERE ${call}`,
    );
    const { code, out } = await audit(verify);
    expect(code).toBe(1);
    expect(out).toContain(
      `${THREAD}: The record of its call c2 says more than the audit: it was changed past Countersign.\n`,
    );
  });

  it('finds entries of another key than the one that was given', async () => {
    await livedIn(openSqliteStore({ path: database }));
    const { out: made } = await audit(['new-key']);
    const { out: other } = await audit(['keys'], { AUDIT_SIGNING_KEY: made.trim() });
    const { code, out } = await audit(['verify', '--key', JSON.parse(other).keys[0].x]);
    expect(code).toBe(1);
    expect(out).toContain(`${THREAD} #1: It isn’t signed by a key of the audit: somebody else wrote it.\n`);
  });

  it('says which line of the heads names no seal', async () => {
    await livedIn(openSqliteStore({ path: database }));
    writeFileSync(join(folder, 'heads'), 'no head\n');
    expect(await audit(['verify', '--heads', 'heads'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('heads #1: This line names no seal.\n'),
    });
  });
});

it('a refused click is in the record of the process in which it was made, and the record is whole', async () => {
  const model = await startModel();
  onTestFinished(() => model.stop());
  const ledger = join(ROOT, 'test/fixtures/servers/ledger.ts');
  const heads = join(folder, 'heads.jsonl');
  const app = await startTestApp({
    modelUrl: model.url,
    file: { mcpServers: { ledger: { command: process.execPath, args: [ledger, '$FOLDER'] } } },
    env: { AUDIT_HEADS_FILE: heads },
  });
  onTestFinished(() => app.remove());
  const { driver } = app;
  const [general] = driver.workspace.channels.values();
  driver.as('ana').post(general?.id ?? '', '<@U0BOT00001> enter rent');
  await model.calls([{ name: 'ledger__add_entry', arguments: { entry: 'rent' } }]);
  const card = await driver.waitUntil(() =>
    driver.messages(general?.id ?? '').find((message) => driver.text(message).includes('[Approve]')),
  );
  await driver.as('bob').click(card, 'Approve');
  await driver.as('ana').click(card, 'Approve');
  await model.says('It is in.');
  await driver.eventsDelivered();
  await app.stopApp();

  const env = { DATA_DIR: app.dataDir, AUDIT_HEADS_FILE: heads, AUDIT_SIGNING_KEY };
  const { out } = await audit(['export'], env);
  const entries = out
    .split('\n')
    .flatMap((line) => (line === '' ? [] : auditEntrySchema.parse(JSON.parse(line))));
  const refused = entries.filter(({ what }) => what === 'refused');
  expect(refused).toMatchObject([
    { actor: { name: 'Bob' }, details: { attempt: 'approve', code: 'not_allowed' } },
  ]);
  expect(await audit(['verify'], env)).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^\d+ entries in 2 chains, [1-9] of them seals: all are as they were written\.\n$/,
    ),
  });
});

describe('countersign audit export', () => {
  it('prints each entry as a line of JSON, of one thread or of all', async () => {
    await livedIn(openSqliteStore({ path: database }));
    const store = openSqliteStore({ path: database });
    const entries = await entriesOf(store);
    await store.close();
    const printed = async (...args: readonly string[]) => {
      const { code, out } = await audit(['export', ...args]);
      expect(code).toBe(0);
      return out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => auditEntrySchema.parse(JSON.parse(line)));
    };
    expect(await printed()).toEqual(entries);
    expect(await printed('--thread', THREAD)).toEqual(entries.filter(({ threadId }) => threadId === THREAD));
    const time = ['--from', '1970-01-01T00:16:40Z', '--to', '1970-01-01T00:16:41Z'];
    expect(await printed(...time)).toHaveLength(4);
    expect(await printed('--from', '2026-01-01')).toEqual([]);
  });

  it.each([
    ['nothing to do', [], 2, 'Usage: countersign audit'],
    ['a command that is none', ['destroy'], 2, "Unknown command 'destroy'"],
    ['an option of the other command', ['verify', '--thread', THREAD], 2, "Unknown option '--thread'"],
    ['a date that is none', ['export', '--from', 'yesterday'], 2, '"yesterday" is no date'],
    ['heads that are not there', ['verify', '--heads', 'nowhere'], 1, 'There is no file nowhere.'],
  ])('says what is wrong with %s, and fails', async (_what, args, code, words) => {
    openSqliteStore({ path: database }).close();
    expect(await audit(args)).toMatchObject({ code, told: expect.stringContaining(words) });
  });

  it('does not take a folder without a database for an audit without faults', async () => {
    expect(await audit(['verify'])).toMatchObject({
      code: 1,
      told: expect.stringContaining(`there is no database ${database}. Nothing was made.`),
    });
  });
});

it.skipIf(!hasRedis('the audit command on Redis'))(
  'both look at the Redis that the server uses',
  async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.dispose());
    await livedIn(await openRedisStore({ url: redis.url }));
    const env = { REDIS_URL: redis.url };
    expect(await audit(['verify'], env)).toMatchObject({ code: 0, told: '' });
    const { out } = await audit(['export'], env);
    expect(out.trimEnd().split('\n')).toHaveLength(5);
  },
);
