import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { runForget } from '../../src/app/commands/forget-person.ts';
import { startTestApp } from '../helpers/app.ts';
import { AUDIT_SIGNING_KEY } from '../helpers/audit-keys.ts';
import { reportPdf } from '../helpers/dropped-files.ts';
import { post } from '../helpers/http-client.ts';
import { startModel } from '../helpers/model.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

const API_KEY = 'k7Qm2Zr9Tx4Vb6Nc8Ld1Ws3Ey5';
const EVENT = {
  ...{ calendar_id: 'primary', time_zone: 'Europe/Berlin' },
  ...{ title: 'Secret party', start: '2026-11-24T09:00:00', duration_minutes: 15 },
};

/**
 * The app after Ana asked for things in Slack, of which Bob approved one, and brought a document for herself and one for a channel,
 * and a program asked for one thing over HTTP.
 */
async function livedIn() {
  const model = await startModel();
  onTestFinished(() => model.stop());
  const library = join(ROOT, 'test/fixtures/servers/library.ts');
  const app = await startTestApp({
    modelUrl: model.url,
    env: { COUNTERSIGN_API_KEY: API_KEY },
    file: {
      knowledge: { folders: [temporaryFolder()] },
      policy: {
        rules: [
          { tools: 'library.*', action: 'allow' },
          { tools: 'calendar.*', action: 'ask', approvers: ['requester', 'user:U0BOB00001'] },
        ],
      },
      mcpServers: {
        calendar: { in_process: 'calendar' },
        documents: { in_process: 'documents' },
        library: { command: process.execPath, args: [library] },
      },
    },
  });
  onTestFinished(() => app.remove());
  const { driver } = app;
  const ana = driver.as('ana');
  const [general] = driver.workspace.channels.values();
  const channel = general?.id ?? '';
  const answered = (words: string) =>
    driver.waitForMessage((message) => driver.text(message).includes(words));

  ana.post(channel, '<@U0BOT00001> a secret question');
  await model.calls([{ name: 'library__read_archive', arguments: {} }]);
  await model.says('A secret answer.');
  await answered('A secret answer.');

  ana.post(channel, '<@U0BOT00001> plan a secret party');
  await model.calls([{ name: 'calendar__create_event', arguments: EVENT }]);
  const card = await driver.waitUntil(() =>
    driver.messages(channel).find((message) => driver.text(message).includes('[Approve]')),
  );
  await ana.click(card, 'Approve');
  await model.says('The secret party is in.');
  await answered('The secret party is in.');

  const files = [{ name: 'Secret plans.pdf', content: reportPdf('The secret is behind the boiler.') }];
  ana.dm('', { files });
  await answered('Only you can ask for it.');
  ana.post(channel, '<@U0BOT00001>', { files });
  await answered('Everybody in #general can ask for it.');

  const asked = post({ url: app.url, key: API_KEY }, '/run', {
    thread_id: 'secret-thread',
    user_request: 'a secret request',
  });
  await model.says('A secret response.');
  expect((await asked).status).toBe(200);
  await driver.eventsDelivered();
  await app.stopApp();
  return { app, ana: `slack:${driver.workspace.team.id}:${ana.id}` };
}

interface Row {
  /** The table, or the collection. */
  readonly where: string;
  readonly text: string;
}

/** Every row of the database. */
function readRows(path: string): Row[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return tables.flatMap(({ name }) =>
      database
        .prepare(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => ({
          where: String(row.collection ?? name),
          text: Object.values(row)
            .map((value) =>
              value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : `${value}`,
            )
            .join(' '),
        })),
    );
  } finally {
    database.close();
  }
}

/** What is about nobody, or for how things go on. */
const STAYS = [
  ...['audit_entries', 'audit_heads', 'commits', 'fences', 'leases', 'written_with'],
  ...['tool_reviews', 'tool_definitions', 'received_events', 'slack_channels', 'slack_home_changes'],
  // Of the index of words, how many there are.
  ...['passage_words_data', 'passage_words_config'],
];
const THREAD_ID = /slack:T\w+:C\w+:\d|secret-thread/;

it('of whoever is forgotten, nothing is left anywhere but in the audit', async () => {
  const { app, ana } = await livedIn();
  const paths = ['countersign.db', 'documents.db'].map((name) => join(app.dataDir, name));
  const rows = () => paths.flatMap(readRows);
  const isTheirs = ({ text }: Row) => /secret|behind the boiler/i.test(text);
  const collections = new Set(rows().map(({ where }) => where));
  expect([...collections]).toEqual(
    expect.arrayContaining([
      ...['kept_results', 'slack_posted', 'slack_told', 'http_events', 'checkpoints'],
      ...['slack_brought_files', 'passages', 'contents'],
    ]),
  );
  expect(rows().filter(isTheirs)).not.toEqual([]);
  const env = { DATA_DIR: app.dataDir, AUDIT_SIGNING_KEY };
  for (const person of [ana, 'api:env']) {
    expect(await runForget(env, { person, yes: true }, () => undefined)).toBe(true);
  }
  expect(rows().filter(isTheirs)).toEqual([]);
  // Nor in the file, where what was deleted could stand on.
  for (const path of paths) expect(/secret|boiler/i.test(readFileSync(path, 'latin1')), path).toBe(false);
  const isAudit = ({ where }: Row) => where.startsWith('audit_');
  const left = rows().filter(
    (row) => !STAYS.includes(row.where) || (!isAudit(row) && THREAD_ID.test(row.text)),
  );
  expect(left).toEqual([]);
});
