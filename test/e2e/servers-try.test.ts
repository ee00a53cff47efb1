import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/sources.ts';

it('npm run servers:try starts servers together, and calls them through the gate', async () => {
  // These two are installed here, so that npx needs no network.
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'test/servers-try/main.ts'), 'everything', 'filesystem'],
    { cwd: ROOT, env: { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_offline: 'true' } },
  );
  const rows = stdout.split('\n').filter((line) => /^\| (?:everything|filesystem) /.test(line));
  expect(rows.toSorted()).toEqual([
    expect.stringMatching(/allowed, succeeded in .*is 5.*approved, succeeded in .*hello/),
    expect.stringMatching(/allowed, succeeded in .*approved, succeeded in .*Successfully wrote/),
  ]);
  expect(stdout).toMatch(/\n2 of 2 servers are up, with \d+ tools\.\n$/);
});
