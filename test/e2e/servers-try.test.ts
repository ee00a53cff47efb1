import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { launchChromium } from '../helpers/chromium.ts';
import { ROOT } from '../helpers/sources.ts';

const browser = await launchChromium();
await browser?.close();

it('npm run servers:try starts servers together, and calls them through the gate', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-pictures-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // These two are installed here, so that npx needs no network.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=countersign-source',
      join(ROOT, 'test/servers-try/main.ts'),
      ...(browser === null ? [] : ['--pictures', folder]),
      ...['everything', 'filesystem'],
    ],
    { cwd: ROOT, env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_offline: 'true' } },
  );
  const names = ['everything-asks', 'everything-ended', 'filesystem-asks', 'filesystem-ended'];
  const pictures = browser === null ? [] : names.map((name) => `${name}.png`);
  expect(readdirSync(folder).toSorted()).toEqual(pictures);
  const rows = stdout.split('\n').filter((line) => /^\| (?:everything|filesystem) /.test(line));
  expect(rows.toSorted()).toEqual([
    expect.stringMatching(/allowed, succeeded in .*is 5.*approved, succeeded in .*hello/),
    expect.stringMatching(/allowed, succeeded in .*approved, succeeded in .*Successfully wrote/),
  ]);
  expect(stdout).toMatch(/\n2 of 2 servers are up, with \d+ tools\.\n$/);
});
