import { ANA, BOT_USER } from '@countersign/slack-emulator';
import { expect, it } from 'vitest';
import { ON_SOURCES, ROOT, startProcess, temporaryFolder } from '../helpers/process.ts';
import { recordModules } from '../helpers/recorded-modules.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { startWorkspace } from '../helpers/workspace.ts';

/** What only some starts need: its folder, and what it is for. */
const HEAVY = {
  redis: ['node_modules/bullmq', 'node_modules/ioredis', 'src/storage/redis'],
  officialSaver: ['node_modules/@langchain/langgraph-checkpoint-redis'],
  localWorkspace: ['packages/slack-emulator'],
  demoModel: ['node_modules/chrono-node', 'src/agents/demo'],
  authorizationServer: ['node_modules/oidc-provider', 'node_modules/koa'],
  model: ['node_modules/@langchain/openai', 'node_modules/openai'],
  telemetry: [
    'node_modules/@opentelemetry/sdk-trace',
    'node_modules/@opentelemetry/sdk-metrics',
    'src/telemetry/start',
  ],
  simulation: ['src/app/demo-servers/simulation'],
  mailboxes: [
    'src/app/demo-servers/mail/post-office',
    // Not its reader of addresses, which is one small file.
    'node_modules/nodemailer/lib/mail-composer',
    'node_modules/nodemailer/lib/smtp-',
    'node_modules/mailparser',
    'node_modules/smtp-server',
  ],
  commands: ['src/app/commands', 'src/app/doctor', 'node_modules/commander', 'node_modules/@clack'],
};

async function startRecorded(env: Readonly<Record<string, string>>) {
  const modules = recordModules();
  const dataDir = temporaryFolder();
  const started = startProcess({ dataDir, env: { ...env, ...modules.env }, command: ON_SOURCES });
  const { workspaceUrl } = await started.ready();
  return { modules, started, workspaceUrl };
}

async function loadedBy(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return (await startRecorded(env)).modules.loaded();
}

/** What of {@link HEAVY} is among these modules. */
function heavyOf(modules: readonly string[]): string[] {
  const has = (folder: string) => modules.some((path) => path.startsWith(`${ROOT}/${folder}`));
  return Object.entries(HEAVY).flatMap(([name, folders]) => (folders.some(has) ? [name] : []));
}

it('a start with Slack and a model loads neither Redis, nor the local workspace, nor the demo model', async () => {
  const slack = await startWorkspace({ botName: 'countersign' });
  const modules = await loadedBy({
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    OPENAI_API_KEY: 'none',
  });
  expect(heavyOf(modules)).toEqual(['model']);
});

it('a start without settings loads the local workspace and the demo model, and no client of a model', async () => {
  expect(heavyOf(await loadedBy({}))).toEqual(['localWorkspace', 'demoModel']);
});

it('the simulation is there without settings, and loaded when somebody in #lab first needs it', async () => {
  const { modules, started, workspaceUrl } = await startRecorded({});
  await started.waitFor(/Server calendar: up/);
  expect(heavyOf(modules.loaded())).not.toContain('simulation');
  const say = async (path: string, body?: object) => {
    const request = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: ANA, channel: 'C0LAB00000', ...body }),
    };
    const response = await fetch(new URL(`/workspace/${path}`, workspaceUrl ?? ''), request);
    expect(response.status).toBe(200);
    return response.text();
  };
  await say('post', { text: `<@${BOT_USER}> simulate 500 mg twice a day for a 70 kg person` });
  const plan = () => say(`history?user=${ANA}&channel=C0LAB00000`);
  await expect.poll(plan, { timeout: 30_000 }).toContain('Review 1…');
  expect(await plan()).toContain('Plan: “simulate 500 mg twice a day for a 70 kg person”');
  expect(heavyOf(modules.loaded())).toContain('simulation');
  await started.waitFor(/Server simulation: up, 9 tools/);
});

it.runIf(hasRedis('a start with Redis'))(
  'a start with Redis loads that, and not the official saver',
  async () => {
    const redis = await startRedis();
    try {
      expect(heavyOf(await loadedBy({ REDIS_URL: redis.url }))).toEqual([
        'redis',
        'localWorkspace',
        'demoModel',
      ]);
    } finally {
      await redis.dispose();
    }
  },
);
