import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ANA, BOB, type Message } from '@countersign/slack-emulator';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { startTestApp } from '../helpers/app.ts';
import { AUDIT_SIGNING_KEY } from '../helpers/audit-keys.ts';
import { countersign } from '../helpers/command.ts';
import { expectDescribed } from '../helpers/described-answers.ts';
import { temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

const KEY = 'a-key-that-reads-notebooks-2718';

/** The app with the demo model as the planner, and the simulations that come with it. */
async function start() {
  const app = await startTestApp({
    modelUrl: null,
    env: { COUNTERSIGN_API_KEY: KEY },
    file: {
      routes: { dm: 'planner' },
      policy: {
        default: 'ask',
        rules: [
          { tools: ['simulation.list_*', 'simulation.get_*', 'simulation.calculate_*'], action: 'allow' },
        ],
      },
      cards: { 'simulation.set_parameter_value': { title: 'Set {parameter} to {value} {unit}' } },
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
  expect(posted && app.driver.text(posted)).toContain('It says what the audit says.');
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

  rmSync(join(folder, 'call-5-1-image.png'));
  expect((await verify()).stdout).toContain('Named on the page, but not beside it: call-5-1-image.png.');

  const page = readFileSync(join(folder, name), 'utf8');
  expect(page).toContain(
    '\n```text\nSet ‘body_weight’ to 80 ‘kg’\nOnly Ana can approve\n⚠️ This runs even if steps 1 and 2 aren’t done.\n⚠️ Without this, step 4 doesn’t run.\n```\n',
  );
  expect(page).toContain('\n1. `Set ‘dose’ to 500 ‘mg’`, call 2\n');
  const line = page.split('\n').indexOf('  "value": 80,') + 1;
  writeFileSync(join(folder, name), page.replace('  "value": 80,', '  "value": 90,'));
  const altered = await verify();
  expect(altered.code).toBe(1);
  expect(altered.stdout).toContain(`${name}:${line}: The line is not as it was exported.`);
  expect(altered.stdout).toMatch(/These are not the arguments of call 4/);
}, 120_000);

test('of several conversations the one is posted that is chosen, or that a link leads to, for who took part', async () => {
  const { app, ana, files, shows } = await start();
  const one = ana.dm('simulate 100 mg twice a day');
  await shows('1 action waits for you');
  ana.dm('simulate 200 mg once a day');
  await vi.waitFor(() => expect(app.driver.messages(ana.dmChannel).filter(isPlan)).toHaveLength(2), 20_000);

  const [listed = ''] = await ana.command('/countersign notebook');
  expect(listed).toContain('Nothing was called for you in a conversation here. Elsewhere:');
  expect(listed).toContain('simulate 100 mg twice a day');
  await ana.command('/countersign notebook', ana.dmChannel);
  const list = ana.ephemerals().at(-1);
  expect(list && app.driver.text(list)).toContain('simulate 200 mg once a day');
  if (list) await Promise.all([1, 2].map(() => ana.click(list, 'Post its notebook')));
  await vi.waitFor(() => expect(pages()).toEqual([expect.stringContaining('200-mg')]), 20_000);
  const words = 'Lab notebook of “simulate 200 mg once a day”. It says what the audit says.';
  expect(app.driver.messages(ana.dmChannel).at(-1)?.blocks).toMatchObject([
    { type: 'rich_text', elements: [{ elements: [{ type: 'text', text: words }] }] },
  ]);

  const link = `<https://emulated.slack.com/archives/${ana.dmChannel}/p${one.replace('.', '')}>`;
  const [refused = ''] = await app.driver.as(BOB).command(`/countersign notebook ${link}`);
  expect(refused).toContain('There is no such conversation that you took part in. Nothing was posted.');
  expect(pages()).toHaveLength(1);
  const [posted = ''] = await ana.command(`/countersign notebook ${link}`);
  expect(posted).toContain('The lab notebook of “simulate 100 mg twice a day” is in its thread.');
  expect(app.driver.messages(ana.dmChannel).at(-1)).toMatchObject({ threadTs: one });
  expect((await ana.command('/countersign notebook please'))[0]).toContain('“please” is no link');
  const local = `http://127.0.0.1:8080/#${ana.id}/${ana.dmChannel}/${one}`;
  for (const address of [local, local.slice(local.indexOf('#'))]) {
    const [again = ''] = await ana.command(`/countersign notebook ${address}`);
    expect(again).toContain('The lab notebook of “simulate 100 mg twice a day” is in its thread.');
  }

  function pages(): readonly string[] {
    return files().flatMap(({ name, channels }) =>
      channels.length > 0 && name.endsWith('.md') ? [name] : [],
    );
  }
  function isPlan(message: Message): boolean {
    return app.driver.text(message).includes('1 action waits for you');
  }
});

test('a program with a key reads the page and its files', async () => {
  const { app, converse } = await start();
  const get = async (path: string, key = KEY) => {
    const answer = await fetch(`${app.url}/api${path}`, { headers: { authorization: `Bearer ${key}` } });
    await expectDescribed('GET', answer);
    return answer;
  };
  await converse();
  const { calls } = z
    .object({ calls: z.array(z.object({ thread_id: z.string() })) })
    .parse(await (await get('/calls')).json());
  const thread = encodeURIComponent(calls[0]?.thread_id ?? '');
  const page = await get(`/sessions/${thread}/notebook`);
  expect(page.headers.get('content-type')).toContain('text/markdown');
  expect(page.headers.get('content-disposition')).toContain('.md"');
  const [, name = '', hash = ''] = /\[(call-5-1-[\w.-]+)\].* SHA-256 `(\w+)`/.exec(await page.text()) ?? [];
  const image = Buffer.from(await (await get(`/sessions/${thread}/notebook/${name}`)).arrayBuffer());
  expect(createHash('sha256').update(image).digest('hex')).toBe(hash);
  expect((await get(`/sessions/${thread}/notebook/other.png`)).status).toBe(404);
  expect((await get('/sessions/none/notebook')).status).toBe(404);
  expect((await get(`/sessions/${thread}/notebook`, 'another-key')).status).toBe(401);
});
