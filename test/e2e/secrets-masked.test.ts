import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { generateAuditKey } from '../../src/gate/audit/keys.ts';
import { startAppWithModel } from '../helpers/app.ts';
import { temporaryFolder } from '../helpers/process.ts';

const SERVER = new URL('../fixtures/mcp/tells-secrets.ts', import.meta.url).pathname;
const SECRET = 'hostile-hands-have-this-0123456789-abcdef';

it('a secret of ours in what a server says reaches neither the model, nor the thread, the log or the store', {
  timeout: 60_000,
}, async () => {
  const { app, model, driver } = await startAppWithModel({
    file: {
      mcpServers: { tells: { command: process.execPath, args: [SERVER, SECRET], log_level: 'debug' } },
      policy: { rules: [{ name: 'all', tools: '*', action: 'allow' }] },
    },
    env: { OTHER_CLOUD_SECRET: SECRET },
  });
  driver.as('ana').dm('tell me');
  await model.calls([
    { name: 'tells__read_secret', arguments: {} },
    { name: 'tells__read_secret', arguments: { how: 'failed' } },
    { name: 'tells__read_secret', arguments: { how: 'thrown' } },
  ]);
  expect(await model.heard()).toContain('structured $OTHER_CLOUD_SECRET');
  await model.says('It says $OTHER_CLOUD_SECRET.');
  await driver.waitForMessage((message) => driver.text(message).includes('It says'));

  const forms = [SECRET, Buffer.from(`xy${SECRET}z`).toString('base64')];
  const stored = readdirSync(app.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  const texts = [JSON.stringify(model.requests()), JSON.stringify(app.logged), ...stored];
  expect(stored.join('')).toContain('structured $OTHER_CLOUD_SECRET');
  for (const form of forms) expect(texts.filter((text) => text.includes(form))).toEqual([]);
});

it('the key that signs the audit is masked too where it is in a file', { timeout: 60_000 }, async () => {
  const file = join(temporaryFolder(), 'audit-key.pem');
  const key = generateAuditKey();
  writeFileSync(file, key, { mode: 0o600 });
  const [, secret = ''] = key.split('\n');
  const { model, driver } = await startAppWithModel({
    file: {
      mcpServers: { tells: { command: process.execPath, args: [SERVER, secret] } },
      policy: { rules: [{ name: 'all', tools: '*', action: 'allow' }] },
    },
    env: { AUDIT_SIGNING_KEY: '', AUDIT_SIGNING_KEY_FILE: file },
  });
  driver.as('ana').dm('tell me');
  await model.calls([{ name: 'tells__read_secret', arguments: {} }]);
  expect(await model.heard()).toContain('structured $AUDIT_SIGNING_KEY');
  expect(JSON.stringify(model.requests())).not.toContain(secret);
  await model.says('Done.');
  await driver.waitForMessage((message) => driver.text(message).includes('Done.'));
});
