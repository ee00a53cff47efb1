import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordKey } from '../../src/gate/types.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { countersign } from '../helpers/command.ts';
import { openGate, opening, proposed } from '../helpers/gate.ts';
import { ana } from '../helpers/people.ts';
import { temporaryFolder } from '../helpers/process.ts';

/** A folder in which a server has run: Ana approved one of three calls and rejected another. */
async function past() {
  const folder = temporaryFolder();
  const store = openSqliteStore({ path: join(folder, 'countersign.db') });
  const { gate, fence, call } = openGate({ store, clock: () => Date.now() });
  const titles = ['Standup', 'Lunch', 'Board'];
  const calls = titles.map((title, at) => ({ ...proposed(`c${at}`), arguments: { title } }));
  await gate.requests.open(opening(await fence(), ...calls));
  const decide = async (callId: string, type: 'approve' | 'reject') => {
    const record = await call(callId);
    await gate.decisions.decide([{ callKey: recordKey(record), type, digest: record.digest }], ana);
  };
  await decide('c0', 'approve');
  await decide('c1', 'reject');
  await store.close();
  const tryPolicy = (policy: object, ...options: readonly string[]) => {
    // Every JSON text is a YAML text.
    writeFileSync(join(folder, 'new.yaml'), JSON.stringify({ policy, mcpServers: {} }));
    return run({}, ...options);
  };
  const run = (variables: Readonly<Record<string, string>>, ...options: readonly string[]) =>
    countersign(folder, ['policy', 'replay', 'new.yaml', ...options], { DATA_DIR: folder, ...variables });
  return { folder, tryPolicy, run };
}

it('a policy that lets more through names the calls, and what people had said', async () => {
  const { tryPolicy, run } = await past();
  const rules = [{ name: 'meetings', tools: 'calendar.create_*', action: 'allow' }];
  const { code, stdout } = await tryPolicy({ rules });
  expect(code).toBe(0);
  expect(stdout).toMatch(/of 3 calls since \S+, 3 would be treated otherwise\./);
  expect(stdout).toContain(
    'calendar.create_event ×3: people were asked → would run without asking (rule: meetings)',
  );
  expect(stdout).toContain('people said: approve ×1, reject ×1');
  expect(stdout).toMatch(/ {2}\S+Z {2}Ana: Create event ‘Board’\n {4}[\w-]{22}\n/);
  // The local workspace has no pages of Slack's.
  expect(stdout).not.toContain('https://');
  const slack = await run({ SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' });
  expect(slack.stdout).toContain('https://app.slack.com/client/T1/C1/thread/C1-1.0');
  const pages = await run({ PUBLIC_URL: 'https://countersign.example' });
  expect(pages.stdout).toContain('https://countersign.example/dashboard/calls/');
});

it('says that nothing changes, and what is no time', async () => {
  const { tryPolicy } = await past();
  expect((await tryPolicy({ rules: [] })).stdout).toMatch(
    /of 3 calls since \S+, none would be treated otherwise\.\n$/,
  );
  expect((await tryPolicy({ rules: [] }, '--from', '2099-01-01')).stdout).toContain(
    'there is no call since 2099',
  );
  expect(await tryPolicy({ rules: [] }, '--from', 'soon')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"soon" is no time such as 30d, 12h or 2026-11-30.'),
  });
});

it('makes no data where no server has run', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'new.yaml'), JSON.stringify({ mcpServers: {} }));
  const { code, stderr } = await countersign(folder, ['policy', 'replay', 'new.yaml'], {
    DATA_DIR: join(folder, 'data'),
  });
  expect(code).toBe(1);
  expect(stderr).toContain('countersign.db');
});
