import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Message } from '@countersign/slack-emulator';
import type { Driver } from '@countersign/slack-emulator/driver';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordKey } from '../../src/gate/call/digest.ts';
import { createGate } from '../../src/gate/index.ts';
import { compilePolicy } from '../../src/gate/policy/evaluate.ts';
import { calls } from '../../src/gate/store/collections.ts';
import { createArgumentValidator } from '../../src/mcp/arguments/validator.ts';
import { createWakeListener } from '../../src/runs/index.ts';
import { openSqliteStore } from '../../src/storage/sqlite/store.ts';
import { fixture, listen } from '../fixtures/mcp/harness.ts';
import { auditKeys } from '../helpers/audit-keys.ts';
import { startModel } from '../helpers/model.ts';
import { membersOnly } from '../helpers/people.ts';
import { type CountersignProcess, startProcess, temporaryFolder } from '../helpers/process.ts';
import { startWorkspace } from '../helpers/workspace.ts';

const SLOW = 60_000;
const CREATE = 'create a meeting called Standup tomorrow at 9am';
/** What `src/index.ts` gives running work, and a little for the machine, in milliseconds. */
const STOP_LIMIT_MS = 27_000;

/** A Slack that outlives the processes, and one data folder for all of them. */
async function world(config?: object, more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const workspace = await startWorkspace({ botName: 'countersign' });
  const env: Record<string, string> = {
    SLACK_BOT_TOKEN: workspace.botToken,
    SLACK_APP_TOKEN: workspace.appToken,
    SLACK_API_URL: workspace.apiUrl,
    ...more,
  };
  if (config) {
    env.COUNTERSIGN_CONFIG = join(folder, 'countersign.yaml');
    // Every JSON text is a YAML text.
    writeFileSync(env.COUNTERSIGN_CONFIG, JSON.stringify(config));
  }
  const { driver } = workspace;
  return {
    folder,
    workspace,
    driver,
    ana: driver.as('ana'),
    async start(): Promise<CountersignProcess> {
      const started = startProcess({ dataDir: folder, env });
      await started.ready();
      await driver.waitForApp();
      return started;
    },
  };
}

/** The world with one tool, whose calls last until `release` is there. */
async function slowWorld() {
  // Not within the data, which servers don't see.
  const folder = temporaryFolder();
  const base = await world({
    mcpServers: {
      files: fixture('slow-files.ts', join(folder, 'ledger'), join(folder, 'release')),
    },
  });
  const ledger = () => {
    const file = join(folder, 'ledger');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const release = () => writeFileSync(join(folder, 'release'), '');
  return { ...base, ledger, release };
}

function shows(driver: Driver, words: string): Promise<Message> {
  return driver.waitForMessage((message) => driver.text(message).includes(words), 20_000);
}

function eventsIn(folder: string): readonly string[] {
  const file = join(folder, 'calendar.json');
  if (!existsSync(file)) return [];
  return JSON.parse(readFileSync(file, 'utf8')).events.map(({ title }: { title: string }) => title);
}

describe('a process that is killed', () => {
  it('leaves a waiting card that works after the next start', { timeout: SLOW }, async () => {
    const { folder, driver, ana, start } = await world();
    const first = await start();
    ana.dm(CREATE);
    const card = await shows(driver, '[Approve]');
    await first.end('SIGKILL');
    await start();
    await ana.click(card.ts, 'Approve');
    await shows(driver, 'Created evt_1: Standup');
    expect(eventsIn(folder)).toEqual(['Standup']);
  });

  it('between a click and the call runs the call once, at the next start', { timeout: SLOW }, async () => {
    const { folder, driver, ana, start } = await world();
    const first = await start();
    ana.dm(CREATE);
    await shows(driver, '[Approve]');
    await first.end('SIGKILL');
    await approveInStore(folder);
    expect(eventsIn(folder)).toEqual([]);
    const second = await start();
    await shows(driver, 'Created evt_1: Standup');
    await second.end('SIGKILL');
    const third = await start();
    ana.dm('what is on my calendar tomorrow?');
    await shows(driver, 'one event');
    expect(eventsIn(folder)).toEqual(['Standup']);
    expect((await third.end('SIGTERM')).code).toBe(0);
  });

  it('in the middle of a call shows it as unclear, and never sends it again', { timeout: SLOW }, async () => {
    const { driver, ana, start, ledger } = await slowWorld();
    const first = await start();
    const ts = ana.dm('write hello to notes.txt');
    await ana.click((await shows(driver, '[Approve]')).ts, 'Approve');
    await expect.poll(ledger, { timeout: 10_000 }).toHaveLength(1);
    await first.end('SIGKILL');
    await start();
    const card = await shows(driver, 'Unclear whether it happened');
    // What is written next is kept until somebody has said what happened.
    ana.dm('hello?', { threadTs: ts });
    await shows(driver, 'Your message is kept.');
    await ana.click(card.ts, 'It happened');
    await shows(driver, 'Ana says that it happened');
    await shows(driver, 'I only follow a script');
    expect(ledger()).toEqual(['notes.txt: hello']);
  });
});

it('a form that is open when the process is killed is closed by the next one', {
  timeout: SLOW,
}, async () => {
  const model = await startModel();
  onTestFinished(() => model.stop());
  const { driver, ana, start } = await world(
    {
      policy: { default: 'allow' },
      mcpServers: { rooms: fixture('../servers/rooms.ts', temporaryFolder()) },
    },
    { OPENAI_API_KEY: 'key-of-the-scripted-model', OPENAI_BASE_URL: model.url },
  );
  const first = await start();
  ana.dm('book a room');
  await model.calls([{ name: 'rooms__book_room', arguments: { day: 'tomorrow' } }]);
  const { channel, ts } = await shows(driver, '[Fill in…]');
  await first.end('SIGKILL');
  await start();
  await model.says('It is unclear.');
  await shows(driver, 'It is unclear.');
  await expect.poll(() => driver.text(driver.message(channel, ts))).not.toContain('[Fill in…]');
});

describe('a process that is asked to stop', () => {
  it('ends at once and loses no card', { timeout: SLOW }, async () => {
    const { folder, driver, ana, start } = await world();
    const first = await start();
    ana.dm(CREATE);
    const card = await shows(driver, '[Approve]');
    const begin = performance.now();
    expect(await first.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - begin).toBeLessThan(STOP_LIMIT_MS);
    await start();
    await ana.click(card.ts, 'Approve');
    await shows(driver, 'Created evt_1: Standup');
    expect(eventsIn(folder)).toEqual(['Standup']);
  });

  it('is asked so when what `npm start` runs is killed', { timeout: SLOW }, async () => {
    const started = startProcess({
      dataDir: temporaryFolder(),
      command: [process.execPath, 'bin/countersign.js'],
    });
    await started.ready();
    process.kill(started.pid, 'SIGKILL');
    expect(await started.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await expect.poll(started.output, { timeout: STOP_LIMIT_MS }).toMatch(/\nStopped\.\n$/);
  });

  it('is asked so when that is killed while it starts', { timeout: SLOW }, async () => {
    const dataDir = temporaryFolder();
    const started = startProcess({ dataDir, command: [process.execPath, 'bin/countersign.js'] });
    // It takes the folder before it is up.
    await expect.poll(() => existsSync(join(dataDir, 'countersign.pid')), { timeout: 30_000 }).toBe(true);
    process.kill(started.pid, 'SIGKILL');
    await expect.poll(started.output, { timeout: STOP_LIMIT_MS }).toMatch(/\nStopped\.\n$/);
  });

  it('lets a running call come to its end first', { timeout: SLOW }, async () => {
    const { driver, ana, start, ledger, release } = await slowWorld();
    const first = await start();
    ana.dm('write hello to notes.txt');
    await ana.click((await shows(driver, '[Approve]')).ts, 'Approve');
    await expect.poll(ledger, { timeout: 10_000 }).toHaveLength(1);
    const ended = first.end('SIGTERM');
    await expect.poll(() => driver.appConnected(), { timeout: 10_000 }).toBe(false);
    expect(first.output()).toContain('Stopping… It waits up to 15 s for one call that runs.');
    release();
    expect(await ended).toEqual({ code: 0, signal: null });
    await start();
    await shows(driver, 'Done: write file. Wrote notes.txt.');
    expect(ledger()).toEqual(['notes.txt: hello']);
  });
});

describe('a process that cannot start', () => {
  it('names every bad variable, and prints the value of none', async () => {
    const bad = {
      PORT: 'bad-port',
      WORKSPACE_PORT: '70000',
      COUNTERSIGN_API_KEY: 'too-short',
      SLACK_BOT_TOKEN: 'bad-bot-token',
      SLACK_APP_TOKEN: 'bad-app-token',
      SLACK_API_URL: 'bad-api-url',
      OPENAI_BASE_URL: 'bad-base-url',
      MODEL: 'bad-model',
      ROUTER_MODEL: 'bad-router',
      MODEL_TIMEOUT_MS: 'bad-timeout',
      LOG_LEVEL: 'bad-level',
      TZ_DEFAULT: 'bad-zone',
    };
    const output = await failedStart(bad);
    for (const [name, value] of Object.entries(bad)) {
      expect(output).toContain(`\n  ${name}: `);
      expect(output).not.toContain(value);
    }
  });

  it('says which Slack variable is missing beside another one', async () => {
    expect(await failedStart({ SLACK_SIGNING_SECRET: 'shhh' })).toContain('SLACK_BOT_TOKEN is not set');
    expect(await failedStart({ SLACK_BOT_TOKEN: 'xoxb-1' })).toContain('neither SLACK_APP_TOKEN');
  });

  it('names file, line and key of a bad configuration', async () => {
    const file = join(temporaryFolder(), 'my.yaml');
    writeFileSync(file, 'requests:\n  open_for: 24h\npolicy:\n  default: maybe\n  rulez: []\n');
    const output = await failedStart({ COUNTERSIGN_CONFIG: file });
    expect(output).toContain(`${file}:4: policy.default: `);
    expect(output).toContain(`${file}:5: policy.rulez: `);
  });

  it('names a configuration that is not there', async () => {
    const output = await failedStart({ COUNTERSIGN_CONFIG: '/nowhere/countersign.yaml' });
    expect(output).toContain('/nowhere/countersign.yaml: there is no such file');
  });

  it('says that Slack rejected a token, and which variables to look at', async () => {
    const { botToken, appToken, apiUrl } = await startWorkspace();
    const slack = { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken, SLACK_API_URL: apiUrl };
    const wrongBot = await failedStart({ ...slack, SLACK_BOT_TOKEN: 'xoxb-wrong-one' });
    expect(wrongBot).toContain('Slack does not know the token in SLACK_BOT_TOKEN (invalid_auth)');
    const wrongApp = await failedStart({ ...slack, SLACK_APP_TOKEN: 'xapp-wrong-one' });
    expect(wrongApp).toMatch(/Slack does not know the token in SLACK_APP_TOKEN/);
    expect(wrongBot + wrongApp).not.toContain('wrong-one');
  });

  it('says that Slack cannot be reached', async () => {
    const slack = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
    const output = await failedStart({ ...slack, SLACK_API_URL: 'http://127.0.0.1:1/api/' });
    expect(output).toContain("Slack couldn't be reached");
  });

  it('says that its port is taken', async () => {
    const port = await listen(createServer());
    expect(await failedStart({ PORT: String(port) })).toContain(`Port ${port} is taken`);
  });

  it('says which variable names an address that this machine does not have', async () => {
    expect(await failedStart({ HOST: '999.1.1.1' })).toContain('HOST=999.1.1.1 is not an address of this');
  });

  it('says that its database is damaged, and leaves it as it is', async () => {
    const dataDir = temporaryFolder();
    const database = join(dataDir, 'countersign.db');
    writeFileSync(database, 'a text that somebody wrote over the database\n'.repeat(100));
    const before = readFileSync(database, 'utf8');
    const output = await failedStart({}, dataDir);
    expect(output).toContain(`${database} is not a database that can be read`);
    expect(output).toMatch(/backup.*move it away/);
    expect(readFileSync(database, 'utf8')).toBe(before);
  });

  it('says that its folder cannot be made', async () => {
    expect(await failedStart({}, '/proc/countersign')).toMatch(/\/proc\/countersign cannot .*DATA_DIR/);
  });

  it('says that another one runs on the same data', async () => {
    const dataDir = temporaryFolder();
    const first = startProcess({ dataDir });
    await first.ready();
    expect(await failedStart({}, dataDir)).toMatch(
      /Another Countersign \(process \d+\) is running on .*DATA_DIR/,
    );
    expect((await first.end('SIGTERM')).code).toBe(0);
    await startProcess({ dataDir }).ready();
  });
});

it('says so when it has stopped, and writes no log between the lines for people', async () => {
  const started = startProcess({ dataDir: temporaryFolder() });
  await started.ready();
  expect(await started.end('SIGINT')).toEqual({ code: 0, signal: null });
  expect(started.output()).toMatch(/\nStopping…\nStopped\.\n$/);
  expect(started.output()).not.toContain('{');
});

it.each(['SIGINT', 'SIGTERM'])('takes a %s for the same one that npm passes on', async (signal) => {
  const started = startProcess({ dataDir: temporaryFolder() });
  await started.ready();
  process.kill(started.pid, signal);
  await started.waitFor(/Stopping…/);
  process.kill(started.pid, signal);
  expect(await started.exited).toEqual({ code: 0, signal: null });
});

it('as text, it tells of a server that fails in one line; as JSON, the log has it as well', async () => {
  const missing = { policy: {}, mcpServers: { files: { command: '/no/such/program' } } };
  const outputOf = async (env: Readonly<Record<string, string>>) => {
    const dataDir = temporaryFolder();
    const config = join(dataDir, 'countersign.yaml');
    writeFileSync(config, JSON.stringify(missing));
    const started = startProcess({ dataDir, env: { ...env, COUNTERSIGN_CONFIG: config } });
    await started.waitFor(/Server files is not up: .* Install it, or correct command\./);
    await started.end('SIGTERM');
    return started.output();
  };
  const text = await outputOf({ LOG_FORMAT: 'text' });
  expect(text.match(/no\/such\/program/g)).toHaveLength(1);
  expect(text).not.toContain('{"level"');
  expect(await outputOf({})).toContain('{"level":40');
});

it('opens no inspector when a signal asks for one, and goes on', async () => {
  const started = startProcess({ dataDir: temporaryFolder() });
  const { apiUrl } = await started.ready();
  process.kill(started.pid, 'SIGUSR1');
  expect((await fetch(`${apiUrl}/livez`)).status).toBe(200);
  expect(await started.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(started.output()).not.toContain('Debugger');
});

it('warns once of a policy rule that fits no tool', async () => {
  const dataDir = temporaryFolder();
  const config = join(dataDir, 'countersign.yaml');
  const rules = [{ name: 'misspelt', tools: 'calender.list_*', action: 'allow' }];
  const mcpServers = { calendar: { in_process: 'calendar' } };
  writeFileSync(config, JSON.stringify({ policy: { rules }, mcpServers }));
  const started = startProcess({ dataDir, env: { COUNTERSIGN_CONFIG: config } });
  await started.ready();
  await started.end('SIGTERM');
  expect(started.output().match(/The policy rule .*matches no tool/g)).toHaveLength(1);
});

it('takes another port for the local workspace when its own is taken, and says so', async () => {
  const port = await listen(createServer());
  const started = startProcess({ dataDir: temporaryFolder(), env: { WORKSPACE_PORT: String(port) } });
  const { workspaceUrl } = await started.ready();
  expect(workspaceUrl).toMatch(/^http:/);
  expect(workspaceUrl).not.toContain(`:${port}`);
  expect(started.output()).toContain(`Port ${port} (WORKSPACE_PORT) is taken`);
});

/** What a process prints that gives up by itself, with exit code 1 and without a stack. */
async function failedStart(
  env: Readonly<Record<string, string>>,
  dataDir = temporaryFolder(),
): Promise<string> {
  const started = startProcess({ dataDir, env });
  expect(await started.exited).toEqual({ code: 1, signal: null });
  expect(started.output()).toContain('Countersign did not start.');
  expect(started.output()).not.toMatch(/^\s+at /m);
  return started.output();
}

/** Approves what waits, as the record knows it, while no process runs that could act on it. */
async function approveInStore(folder: string): Promise<void> {
  const store = openSqliteStore({ path: join(folder, 'countersign.db') });
  try {
    const gate = createGate({
      auditKeys,
      store,
      clock: Date.now,
      evaluate: compilePolicy({ default: 'ask', rules: [] }),
      validateArguments: createArgumentValidator(),
      people: membersOnly,
      listeners: [createWakeListener({ clock: Date.now, wakeUps: { wake: () => {} } })],
      requestLifetimeMs: null,
    });
    const { items } = await store.query(calls, 'waiting', {}, 10);
    expect(items).toHaveLength(1);
    for (const { value } of items) {
      const key = recordKey(value);
      await gate.decisions.decide([{ callKey: key, digest: value.digest, type: 'approve' }], value.requester);
    }
  } finally {
    await store.close();
  }
}
