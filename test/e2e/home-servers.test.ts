import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { ROOT } from '../helpers/sources.ts';

it('an open Home shows that a server that was down has come', { timeout: 60_000 }, async () => {
  const app = await startTestApp({
    modelUrl: 'http://127.0.0.1:1',
    file: { mcpServers: { ledger: { command: process.execPath, args: ['$FOLDER/late.ts', '$FOLDER'] } } },
  });
  onTestFinished(async () => {
    await app.stopApp();
    await app.remove();
  });
  const ana = app.driver.as('ana');
  const home = () => JSON.stringify(ana.home()?.blocks ?? []);
  await ana.openHome();
  expect(home()).toContain('ledger · down');
  symlinkSync(join(ROOT, 'test/fixtures/servers/ledger.ts'), join(app.folder, 'late.ts'));
  await expect.poll(home, { timeout: 30_000 }).toContain('ledger · 3 tools');
  expect(home()).not.toContain('down');
});
