// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the notation of the configuration.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseServers } from '../../../../src/mcp/config/load.ts';
import type { ToolHubOptions } from '../../../../src/mcp/hub/hub.ts';
import { fixture, testHub } from '../../../fixtures/mcp/harness.ts';

async function started(kind: 'open' | 'shy' | 'broken', afterMs = 0, options: Partial<ToolHubOptions> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-mcp-start-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const starts = join(folder, 'starts');
  const { hub } = testHub({ it: fixture('shy.ts', starts, kind, String(afterMs)) }, options);
  await hub.start();
  return { status: hub.status(), starts: (await readFile(starts, 'utf8')).trim().split('\n').length };
}

it('a server of an older revision that says so is started once', async () => {
  expect(await started('open')).toMatchObject({ status: [{ state: 'up', toolCount: 1 }], starts: 1 });
});

it('one that ends on being asked for its revision is started again, and not asked', async () => {
  expect(await started('shy')).toMatchObject({ status: [{ state: 'up', toolCount: 1 }], starts: 2 });
});

it('one that is asked in vain, and ends when it comes to read that, is started again too', async () => {
  // A third of the time is for asking.
  const begun = await started('shy', 5_500, { connectTimeoutMs: 15_000 });
  expect(begun).toMatchObject({ status: [{ state: 'up', toolCount: 1 }], starts: 2 });
});

it('one that ends each time is down, and what it said is told once', async () => {
  expect(await started('broken')).toMatchObject({
    status: [{ state: 'down', error: expect.stringMatching(/^(?!.*missing.*missing).*the key is missing/s) }],
    starts: 2,
  });
});

it('one that ends after a line too long to be kept is down, and told of by its beginning', async () => {
  // More characters than a string of the runtime can have.
  const lament = `
    const part = 'x'.repeat(1024 * 1024);
    require('node:fs').writeSync(2, 'Error: no key ');
    for (let count = 0; count < 520; count += 1) require('node:fs').writeSync(2, part);
    process.exit(1);`;
  const { hub, logger } = testHub({ it: { command: process.execPath, args: ['-e', lament] } });
  await hub.start();
  expect(hub.status()).toMatchObject([
    { state: 'down', error: expect.stringContaining('Error: no key xxx') },
  ]);
  expect(JSON.stringify(logger.lines).length).toBeLessThan(20_000);
});

it('one that says what it was given shows nobody the secrets in it', async () => {
  const complain = 'console.error(`Error: the key ${process.argv[1]} is not valid`); process.exit(1)';
  const it = { command: process.execPath, args: ['-e', complain, '${KEY}'] };
  const servers = parseServers({ it }, { KEY: 'sk-live-0123' }, 'countersign.yaml');
  const { hub, logger } = testHub({}, { servers });
  await hub.start();
  const [status] = hub.status();
  expect(status?.error).toContain('Error: the key $KEY is not valid');
  expect(JSON.stringify(logger.lines)).toContain('Error: the key $KEY is not valid');
  expect(JSON.stringify([status, logger.lines])).not.toContain('sk-live-0123');
});
