import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { BUNDLED } from '../../src/app/demo-servers/bundled.ts';
import { runDoctor } from '../../src/app/doctor/doctor.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { startA2aAgent } from '../helpers/a2a-agent.ts';
import { hasPython } from '../helpers/code-sandbox.ts';
import { startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const findingsSchema = z.array(
  z.object({ check: z.string(), status: z.string(), detail: z.string(), mend: z.string().nullable() }),
);

type Variables = Readonly<Record<string, string>>;

/** A configuration that works: Slack's emulator, a store that is there, the calendar, and policy tests. */
async function healthy(yaml: object = {}) {
  const folder = temporaryFolder();
  const config = join(folder, 'my.yaml');
  const policy = { rules: [{ tools: '*.list_*', action: 'allow' }] };
  writeFileSync(
    config,
    JSON.stringify({ policy, mcpServers: { calendar: { in_process: 'calendar' } }, ...yaml }),
  );
  const cases = [{ name: 'reads', tool: 'calendar.list_events', expect: { action: 'allow' } }];
  writeFileSync(join(folder, 'my.policy-test.yaml'), JSON.stringify(cases));
  const { botToken, appToken, apiUrl } = await startWorkspace();
  const dataDir = join(folder, 'data');
  await openSqliteStore({ path: join(dataDir, 'countersign.db') }).close();
  const slack = { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl };
  return { folder, config, dataDir, variables: { ...slack, COUNTERSIGN_CONFIG: config, DATA_DIR: dataDir } };
}

/** The answer of a model that says yes. */
const YES = JSON.stringify({
  ...{ id: '1', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
});

/** The address of a model that says yes. */
function startModel(): Promise<string> {
  return serve((response) => {
    response.setHeader('content-type', 'application/json');
    response.end(YES);
  });
}

/** The address of a server that answers everything alike, ended with the test. */
async function serve(answer: (response: ServerResponse, body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(response, body));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

async function examine(variables: Variables) {
  const printed: string[] = [];
  const isFine = await runDoctor({
    variables,
    bundled: BUNDLED,
    json: true,
    print: (text) => void printed.push(text),
  });
  const findings = findingsSchema.parse(JSON.parse(printed.join('')));
  const statusOf = Object.fromEntries(findings.map(({ check, status }) => [check, status]));
  const about = (name: string) => findings.find(({ check }) => check === name);
  return { isFine, statusOf, about, output: printed.join('') };
}

describe('countersign doctor', () => {
  it('finds nothing wrong with a configuration that works, and asks every part', async () => {
    const model = await startModel();
    const { variables } = await healthy();
    const { isFine, statusOf } = await examine({
      ...variables,
      OPENAI_API_KEY: 'sk-0123456789',
      OPENAI_BASE_URL: model,
    });
    expect(statusOf).toEqual({
      environment: 'ok',
      configuration: 'ok',
      'data folder': 'ok',
      store: 'ok',
      'audit key': 'ok',
      slack: 'ok',
      clock: 'ok',
      model: 'ok',
      'public address': 'skipped',
      'policy tests': 'ok',
      'sign-in key': 'skipped',
      'code sandbox': 'skipped',
      'shared documents': 'skipped',
      embeddings: 'skipped',
      servers: 'ok',
      'server calendar': 'ok',
    });
    expect(isFine).toBe(true);
  });

  it.each<[string, string, Variables, RegExp]>([
    [
      'a bot token that Slack rejects',
      'slack',
      { SLACK_BOT_TOKEN: 'xoxb-wrong-token' },
      /^Slack does not know the token in SLACK_BOT_TOKEN \(invalid_auth\)/,
    ],
    [
      'an app token that Slack rejects',
      'slack',
      { SLACK_APP_TOKEN: 'xapp-wrong-token' },
      /^Slack does not know the token in SLACK_APP_TOKEN/,
    ],
    [
      'a Slack that isn’t there',
      'slack',
      { SLACK_API_URL: 'http://127.0.0.1:1/api/' },
      /^Slack can't be reached: .*fetch failed/,
    ],
    [
      'a Redis that isn’t there',
      'store',
      { REDIS_URL: 'redis://:hunter2-hunter2@127.0.0.1:1' },
      /cannot be reached/,
    ],
    ['no audit key beside a Redis', 'audit key', { REDIS_URL: 'redis://127.0.0.1:1' }, /AUDIT_SIGNING_KEY/],
    [
      'an audit key that is none',
      'audit key',
      { AUDIT_SIGNING_KEY: 'hunter2-hunter2' },
      /no Ed25519|Ed25519/,
    ],
    [
      'a model that isn’t there',
      'model',
      { OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: 'http://127.0.0.1:1' },
      /answer/,
    ],
    ['a weak API key', 'environment', { COUNTERSIGN_API_KEY: 'hunter2-hunter2' }, /128 bits/],
    [
      'a configuration that isn’t there',
      'configuration',
      { COUNTERSIGN_CONFIG: '/nowhere.yaml' },
      /no such file/,
    ],
    [
      'a data folder that can’t be',
      'data folder',
      { DATA_DIR: '/dev/null/data' },
      /can't be written|is not there/,
    ],
  ])('finds %s, goes on, and prints no secret', async (_, check, broken, words) => {
    const { variables } = await healthy();
    const { isFine, about, output } = await examine({ ...variables, ...broken });
    expect(about(check)).toMatchObject({ status: 'failed', detail: expect.stringMatching(words) });
    expect(isFine).toBe(false);
    for (const secret of ['hunter2', 'wrong-token', 'sk-0123456789']) expect(output).not.toContain(secret);
  });

  it('finds a server that doesn’t start, a policy that isn’t as expected, and files that others can read', async () => {
    const mcpServers = { broken: { command: '/nowhere/server' } };
    const { variables, dataDir } = await healthy({ mcpServers, policy: { default: 'deny' } });
    chmodSync(dataDir, 0o755);
    const { about } = await examine(variables);
    expect(about('server broken')).toMatchObject({
      status: 'failed',
      mend: expect.stringContaining('Start its command by hand to see what it says, and correct command'),
    });
    expect(about('policy tests')).toMatchObject({ status: 'failed' });
    expect(about('data folder')).toMatchObject({ status: 'warning', mend: expect.stringContaining('chmod') });
  });

  it('finds a bot token without scopes of the manifest, and no key for people’s tokens', async () => {
    const tasks = { url: 'http://127.0.0.1:1/mcp', allow_private_network: true, auth: 'oauth' };
    const { variables } = await healthy({ mcpServers: { tasks } });
    const { botToken, appToken, apiUrl } = await startWorkspace({ scopes: ['chat:write'] });
    const { about } = await examine({
      ...variables,
      ...{ SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl },
    });
    expect(about('slack')).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('The bot token lacks '),
      mend: expect.stringContaining('manifest.yml'),
    });
    expect(about('sign-in key')).toMatchObject({
      status: 'failed',
      detail: 'Nobody can sign in to tasks.',
      mend: expect.stringContaining('TOKEN_ENCRYPTION_KEY'),
    });
  });

  it.each([
    [200, 'ok'],
    [404, 'warning'],
  ])('asks for the address that people use: %i there is %s', async (status, finding) => {
    const url = await serve((response) => void response.writeHead(status).end());
    const { variables } = await healthy();
    const { about } = await examine({ ...variables, PUBLIC_URL: url });
    expect(about('public address')?.status).toBe(finding);
  });

  it('warns of connectors that need settings, and wants a key for those that have them', async () => {
    const oauth = { client_id: '${GITHUB_CLIENT_ID}', client_secret: '${GITHUB_CLIENT_SECRET}' };
    const { variables } = await healthy({ mcpServers: { github: { connector: 'github', oauth } } });
    const before = await examine(variables);
    expect(before.about('server github')).toMatchObject({
      status: 'warning',
      detail: 'Setup required. An admin has to set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET.',
    });
    expect([before.isFine, before.statusOf['sign-in key']]).toEqual([true, 'skipped']);
    expect(before.about('sign-in key')?.detail).toMatch(/^People sign in to github once /);
    const set = { GITHUB_CLIENT_ID: 'Iv1.countersign', GITHUB_CLIENT_SECRET: 'secret-0123456789' };
    const after = await examine({ ...variables, ...set });
    expect(after.about('server github')).toMatchObject({ status: 'ok', detail: '15 tools.' });
    expect(after.about('sign-in key')?.detail).toBe('Nobody can sign in to github.');
  });

  it('tries the sandbox of a server that runs programs, and says what it runs', async () => {
    const { variables } = await healthy({ mcpServers: { code: { in_process: 'code' } } });
    const { about } = await examine(variables);
    expect(about('code sandbox')).toMatchObject(
      hasPython
        ? { status: 'ok', detail: 'Programs in python and javascript were tried, and reached nothing.' }
        : {
            status: 'warning',
            detail: expect.stringMatching(/^Only programs in javascript are run\. Python/),
          },
    );
    expect(about('server code')).toMatchObject({ status: 'ok', detail: '1 tools.' });
  });

  it('says where no program can be kept from what is to be hidden', async () => {
    const { variables } = await healthy({ mcpServers: { code: { in_process: 'code' } } });
    const { about } = await examine({ ...variables, DATA_DIR: '/usr/lib' });
    expect(about('code sandbox')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining("Python isn't offered"),
      mend: expect.stringContaining('bubblewrap'),
    });
  });

  it('finds a clock that is off', async () => {
    const late = await serve((response) => {
      response.setHeader('date', new Date(Date.now() - 300_000).toUTCString());
      response.end('{}');
    });
    const { variables } = await healthy();
    const { about } = await examine({ ...variables, SLACK_API_URL: `${late}/api/` });
    expect(about('clock')).toMatchObject({ status: 'failed', mend: expect.stringContaining('NTP') });
  });

  it('is a command, whose exit code says whether anything failed', async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    const command = [process.execPath, 'bin/countersign.js', 'doctor'];
    const fine = startProcess({ dataDir, command });
    const broken = startProcess({ dataDir, command, env: { PORT: 'none' } });
    expect((await fine.exited).code, fine.output()).toBe(0);
    expect(fine.output()).toMatch(/^ok {4}environment: .*\n(?:.*\n)*\n0 failed, \d+ warnings\.\n$/);
    expect((await broken.exited).code).toBe(1);
    expect(broken.output()).toContain('FAIL  environment: ');
  });

  it.each([
    ['docter', 2, "Unknown command 'docter'.\n(Did you mean doctor?)\nNothing was done."],
    ['--help', 0, 'Usage: countersign [options] [command]'],
  ])('is not taken for a start where it is written %s', async (command, code, text) => {
    const dataDir = join(temporaryFolder(), 'data');
    const ended = startProcess({ dataDir, command: [process.execPath, 'bin/countersign.js', command] });
    expect((await ended.exited).code, ended.output()).toBe(code);
    expect(ended.output()).toContain(text);
    expect(existsSync(dataDir)).toBe(false);
  });
});

it('checks each agent of the team: its tools, or the program that it is', async () => {
  const url = await serve((response) => void response.writeHead(405).end());
  const carded = await startA2aAgent({ work: () => {} });
  const team = {
    agents: {
      fine: { description: 'Reads.', tools: ['calendar.*', 'agents.there'] },
      idle: { description: 'Has none.' },
      wrong: { description: 'Has others.', tools: ['calender.*'] },
      lost: { description: 'Asks nobody.', via: { tool: 'calendar.research' } },
      deaf: { description: 'Is told nothing.', via: { tool: 'calendar.list_events' } },
      there: { description: 'Answers.', via: { url } },
      gone: { description: 'Is gone.', via: { url: 'http://127.0.0.1:9/' } },
      carded: { description: 'Speaks A2A.', via: { a2a: carded.url } },
      cardless: { description: 'Has no card.', via: { a2a: url } },
    },
  };
  const { variables } = await healthy({ team });
  const { statusOf, about } = await examine(variables);
  expect(statusOf).toMatchObject({
    'agent fine': 'ok',
    'agent idle': 'warning',
    'agent wrong': 'failed',
    'agent lost': 'failed',
    'agent deaf': 'failed',
    'agent there': 'ok',
    'agent gone': 'failed',
    'agent carded': 'ok',
    'agent cardless': 'failed',
    'team master': 'ok',
    'team composer': 'ok',
  });
  expect(about('agent wrong')?.detail).toBe('No server has a tool that fits calender.*.');
  expect(about('agent wrong')?.mend).toMatch(/my\.yaml:1: Correct its tools/);
  expect(about('agent carded')?.detail).toContain('has the agent card of “Prices”');
  expect(about('agent cardless')?.detail).toContain('its agent card can’t be read (HTTP 405)');
  expect(carded.received).toEqual([]);
  expect(about('agent deaf')?.detail).toContain('takes no "task"');
});

it('asks the models that the team has for itself, and names the line of one that isn’t there', async () => {
  const model = await serve((response, body) => {
    const isThere = !body.includes('gpt-gone');
    response.writeHead(isThere ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isThere ? YES : JSON.stringify({ error: { message: 'no such model' } }));
  });
  const { variables, config } = await healthy();
  writeFileSync(
    config,
    [
      'team:',
      '  agents:',
      '    fine: { description: Reads., tools: [calendar.*], model: gpt-there }',
      '    stuck:',
      '      description: Reads, too.',
      '      tools: [calendar.*]',
      '      model: gpt-gone',
      '  master:',
      '    model: gpt-gone',
      'mcpServers: { calendar: { in_process: calendar } }',
    ].join('\n'),
  );
  const key = { OPENAI_API_KEY: 'sk-0123456789', OPENAI_BASE_URL: model };
  const { statusOf, about } = await examine({ ...variables, ...key });
  expect(statusOf).toMatchObject({
    'agent fine': 'ok',
    'agent stuck': 'failed',
    'team master': 'failed',
    'team composer': 'ok',
  });
  expect(about('team master')?.detail).toContain('gpt-gone doesn');
  expect(about('team master')?.mend).toContain('my.yaml:9: ');
  expect(about('agent stuck')?.mend).toContain('my.yaml:7: ');
});

it('says what it could not ask of a team: its models without a key, and the tools of a server that is away', async () => {
  const description = 'Works.';
  const team = {
    agents: {
      modelled: { description, tools: ['calendar.*'], model: 'gpt-own' },
      away: { description, tools: ['calendar.*', 'gone.*'] },
      other: { description, via: { tool: 'gone.research' } },
    },
    master: { model: 'gpt-master' },
  };
  const { variables } = await healthy({
    team,
    mcpServers: { calendar: { in_process: 'calendar' }, gone: { command: join(temporaryFolder(), 'none') } },
  });
  const { statusOf, about } = await examine(variables);
  expect(statusOf).toMatchObject({
    'server gone': 'failed',
    'team master': 'skipped',
    'team composer': 'ok',
    'agent modelled': 'skipped',
    'agent away': 'skipped',
    'agent other': 'skipped',
  });
  expect(about('team master')?.detail).toContain('gpt-master was not asked, as no OPENAI_API_KEY is set');
  expect(about('agent modelled')?.detail).toMatch(/^It has \d tools\. Its model gpt-own was not asked/);
  expect(about('agent away')?.detail).toContain("a tool for gone.* isn't known");
  expect(about('agent other')?.detail).toContain("a tool for gone.research isn't known");
});
