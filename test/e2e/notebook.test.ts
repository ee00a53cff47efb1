import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANA } from '@countersign/slack-emulator';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../helpers/app.ts';
import { AUDIT_SIGNING_KEY } from '../helpers/audit-keys.ts';
import { countersign } from '../helpers/command.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

/** The app with the demo model as the planner, and the simulations that come with it. */
async function start() {
  const app = await startTestApp({
    modelUrl: null,
    file: {
      routes: { dm: 'planner' },
      policy: {
        default: 'ask',
        rules: [
          { tools: ['simulation.list_*', 'simulation.get_*', 'simulation.calculate_*'], action: 'allow' },
        ],
      },
      mcpServers: {
        simulation: {
          command: process.execPath,
          args: [join(ROOT, 'test/fixtures/servers/simulation.ts'), '$FOLDER'],
          trusted: true,
        },
      },
    },
  });
  onTestFinished(() => app.remove());
  const ana = app.driver.as(ANA);
  const files = () => [...app.workspace.driver.workspace.files.values()];
  const shows = (words: string) =>
    app.driver.waitForMessage((message) => app.driver.text(message).includes(words));
  /** Has a planner's conversation from its first word to its answer. */
  async function converse(): Promise<void> {
    ana.dm('simulate 500 mg twice a day for an 80 kg person');
    const first = await shows('Review 1…');
    await ana.click(first, 'Review 1…');
    await ana.submit({});
    const second = await shows('Review 4…');
    await ana.click(second, 'Review 4…');
    await ana.submit({});
    await shows('Cmax');
  }
  return { app, ana, files, shows, converse };
}

/** The files as somebody downloads them, in a folder of their own. */
function download(files: readonly { readonly name: string; readonly content: string }[]): string {
  const folder = temporaryFolder();
  for (const { name, content } of files) writeFileSync(join(folder, name), Buffer.from(content, 'base64'));
  return folder;
}

test('a session is posted into its thread as a page with its plots, which the audit verifies', async () => {
  const { app, ana, files, converse } = await start();
  await converse();
  const said = await ana.command('/countersign notebook', ana.dmChannel);
  expect(said.join('\n')).toContain('The lab notebook of “simulate 500 mg twice a day for an 80 kg person”');
  const posted = app.driver.messages(ana.dmChannel).at(-1);
  expect(posted?.text).toContain('It says what the audit says.');
  const names = posted?.files.map((id) => files().find((file) => file.id === id)?.name);
  expect(names).toEqual([
    'notebook-simulate-500-mg-twice-a-day-for-an-80-kg-person-2026-11-23.md',
    'call-5-1-image.png',
  ]);

  const folder = download(files());
  const name = names?.[0] ?? '';
  const verify = () =>
    countersign(folder, ['notebook', 'verify', name], { DATA_DIR: app.dataDir, AUDIT_SIGNING_KEY });
  expect(await verify()).toMatchObject({ code: 0, stdout: expect.stringContaining('all is as it was') });

  const page = readFileSync(join(folder, name), 'utf8');
  const line = page.split('\n').indexOf('  "value": 80,') + 1;
  writeFileSync(join(folder, name), page.replace('  "value": 80,', '  "value": 90,'));
  const altered = await verify();
  expect(altered.code).toBe(1);
  expect(altered.stdout).toContain(`${name}:${line}: The line is not as it was exported.`);
  expect(altered.stdout).toMatch(/These are not the arguments of call 4/);
});
