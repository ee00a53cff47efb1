import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const WITHOUT_EMULATOR = [
  process.execPath,
  '--conditions=countersign-source',
  '--import=./test/fixtures/hide-emulator.mjs',
  'src/index.ts',
];

describe('where the emulator is not installed', () => {
  it('the product starts with a real Slack', async () => {
    const slack = await startWorkspace({ botName: 'countersign' });
    const started = startProcess({
      dataDir: temporaryFolder(),
      env: {
        SLACK_BOT_TOKEN: slack.botToken,
        SLACK_APP_TOKEN: slack.appToken,
        SLACK_API_URL: slack.apiUrl,
      },
      command: WITHOUT_EMULATOR,
    });
    expect((await started.ready()).workspaceUrl).toBeNull();
    await slack.driver.waitForApp();
  });

  it('the product says what to set or install when there are no tokens', async () => {
    const started = startProcess({ dataDir: temporaryFolder(), command: WITHOUT_EMULATOR });
    expect(await started.exited).toEqual({ code: 1, signal: null });
    expect(started.output()).toMatch(
      /^Countersign did not start\.\nNo Slack tokens are set.*SLACK_BOT_TOKEN.*npm install @countersign\/slack-emulator/m,
    );
  });
});

it('a workspace.json that is no snapshot is named, and nothing starts', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'workspace.json'), '{"version": 99}');
  const started = startProcess({ dataDir });
  expect(await started.exited).toEqual({ code: 1, signal: null });
  expect(started.output()).toMatch(
    /^Countersign did not start\.\n\S+workspace\.json is not a snapshot of the local workspace/m,
  );
});
