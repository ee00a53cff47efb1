import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ANA } from '@countersign/slack-emulator';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfigFile } from '../../src/config/file.ts';
import { countersign, type EndedCommand } from '../helpers/command.ts';
import { type CountersignProcess, startProcess, temporaryFolder } from '../helpers/process.ts';
import { ROOT } from '../helpers/sources.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const run = (...args: readonly string[]): Promise<EndedCommand> => countersign(folder, args);
const ESCAPE = '\u001b[';
/** The terminal is Python's. */
const hasPython = spawnSync('python3', ['--version']).status === 0;

function atTerminal(args: readonly string[], env: Readonly<Record<string, string>> = {}): CountersignProcess {
  return startProcess({
    dataDir: join(folder, 'data'),
    cwd: folder,
    // No configuration of Claude Desktop is found, and colours are what the terminal can.
    env: {
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      TERM: 'xterm',
      FORCE_COLOR: undefined,
      CI: undefined,
      ...env,
    },
    command: [process.execPath, join(ROOT, 'bin/countersign.js'), ...args],
    hasTerminal: true,
  });
}

/** As a configuration refers to it. */
const variable = (name: string): string => `\${${name}}`;
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

describe('countersign', () => {
  it('lists its commands, in colours only where they are wanted', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    for (const command of ['init', 'start', 'doctor', 'policy', 'audit', 'keys', 'servers', 'completion']) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect(stdout).not.toContain('\u001b[');
    const coloured = await countersign(folder, ['--help'], { FORCE_COLOR: '1' });
    expect(coloured.stdout).toContain('\u001b[1mCommands:');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(!hasPython).each([
    ['', true],
    ['1', false],
  ])('at a terminal with NO_COLOR=%s has colours: %s', async (NO_COLOR, isColoured) => {
    await run('keys', 'create', 'laptop', '--scope', 'run');
    for (const args of [['--help'], ['keys', 'list']]) {
      const shown = atTerminal(args, { NO_COLOR });
      expect(await shown.exited).toEqual({ code: 0, signal: null });
      expect(shown.output()).toMatch(/Commands:|laptop/);
      expect(shown.output().includes(`${ESCAPE}1m`)).toBe(isColoured);
    }
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('says what each command does in one short line', async () => {
    const { stdout } = await run('--help');
    const [, listed = ''] = stdout.split('Commands:\n');
    const commands = listed.split('\n\n')[0]?.split('\n') ?? [];
    expect(commands.length).toBeGreaterThan(9);
    for (const line of commands) expect(line).toMatch(/^ {2}[a-z]+(?: [[<]\w+[\]>])? +[a-z].{1,55}$/);
  });

  it('without a configuration says how to write one', async () => {
    expect(await run('start')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('countersign.yaml: there is no such file. Run npx countersign init'),
    });
  });

  it('lists keys under headings', async () => {
    await run('keys', 'create', 'laptop', '--scope', 'run,read');
    const { stdout } = await run('keys', 'list');
    expect(stdout).toMatch(
      /^NAME {4}SCOPES {4}MADE {8}STATE\nlaptop {2}run,read {2}\d{4}-\d\d-\d\d {2}active\n$/,
    );
  });

  it.each([
    ['keys', 'list'],
    ['keys', 'revoke', 'laptop'],
    ['audit', 'verify'],
    ['audit', 'export'],
    ['audit', 'keys'],
    ['forget', '--person', 'slack:T1:U1'],
  ])('makes nothing where there is no data: %s %s', async (...command) => {
    expect(await run(...command)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^There is no data in data: .* Nothing was made\. Start Countersign first/,
      ),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('makes nothing for a review where no server is reviewed', async () => {
    await run('init', '--yes');
    const { code, stdout } = await run('servers', 'review');
    expect([code, stdout]).toEqual([0, 'Nothing waits for a review.\n']);
    expect(readdirSync(folder)).toEqual(['.env', 'countersign.yaml']);
  });

  it.each(['bash', 'zsh', 'fish'])('completes commands and options in %s', async (shell) => {
    const script = await run('completion', shell);
    expect(script.code).toBe(0);
    expect(script.stdout).toContain('countersign complete --');
    const { stdout } = await run('complete', '--', 'audit', 'ver');
    expect(stdout).toMatch(/^verify\t/m);
  });
});

describe('countersign init', () => {
  it('writes a configuration that starts, for its owner alone', async () => {
    const { code, stdout } = await run('init', '--yes');
    expect(stdout).toMatch(/^Written: \.env, countersign\.yaml\.\n/);
    expect(code).toBe(0);
    expect(statSync(join(folder, '.env')).mode & 0o077).toBe(0);
    // As the example, but for its simulation, its mailbox and its team.
    const { cards, policy } = parse(readFileSync(join(ROOT, 'countersign.yaml'), 'utf8'));
    const ofCalendar = Object.entries(cards).filter(([tool]) => tool.startsWith('calendar.'));
    const rules = policy.rules.filter(
      ({ tools }: { tools: string[] }) => !/simulation\.|documents\.|mail\./.test(String(tools)),
    );
    const written = parse(read('countersign.yaml'));
    expect(written).toMatchObject({ cards: Object.fromEntries(ofCalendar), policy: { ...policy, rules } });
    const explained = await run('policy', 'explain', 'calendar.get_event');
    expect(explained.stdout).toContain('Runs without approval');
    const started = startProcess({
      dataDir: join(folder, 'data'),
      env: { COUNTERSIGN_CONFIG: join(folder, 'countersign.yaml') },
      command: [process.execPath, join(ROOT, 'bin/countersign.js'), 'start'],
    });
    expect((await started.ready()).workspaceUrl).not.toBeNull();
    expect(await started.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('offers the simulation, as the example has it, unless a server has that name', async () => {
    await run('init', '--yes');
    const offered = read('countersign.yaml').replace(/^ {2}# simulation:[\s\S]*/m, (block) =>
      block.replaceAll(/^ {2}# /gm, '  '),
    );
    const example = parse(readFileSync(join(ROOT, 'countersign.yaml'), 'utf8'));
    expect(parse(read('countersign.yaml')).mcpServers.simulation).toBeUndefined();
    // What only the example's team needs isn't offered.
    const { calendar, simulation } = example.mcpServers;
    expect(parse(offered).mcpServers).toEqual({ calendar, simulation });
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { simulation: { command: 'x' } } }));
    await run('init', '--yes', '--force', '--take-over', 'mcp.json');
    expect(read('countersign.yaml')).not.toContain('in_process: simulation');
  });

  it('overwrites nothing, but with --force', async () => {
    writeFileSync(join(folder, '.env'), 'PORT=4000\n');
    const refused = await run('init', '--yes');
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Nothing was written: .env is there. --force overwrites.\n',
    });
    expect(read('.env')).toBe('PORT=4000\n');
    expect(existsSync(join(folder, 'countersign.yaml'))).toBe(false);
    const forced = await run('init', '--yes', '--force');
    expect(forced).toMatchObject({ code: 0, stderr: 'What .env held is kept as .env.bak.\n' });
    expect(read('.env')).not.toContain('4000');
    expect(read('.env.bak')).toBe('PORT=4000\n');
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
  });

  it('takes over servers of Claude Desktop, with their secrets in .env', async () => {
    const github = { command: 'npx', args: ['-y', 'gh'], env: { TOKEN: "a'b c", MODE: variable('MODE:-x') } };
    const remote = {
      type: 'http',
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer s3cret' },
    };
    const others = { mcpServers: { github, remote }, globalShortcut: '' };
    writeFileSync(join(folder, 'claude_desktop_config.json'), JSON.stringify(others));
    const { code } = await run('init', '--yes', '--take-over', 'claude_desktop_config.json', '--no-calendar');
    expect(code).toBe(0);
    expect(parse(read('countersign.yaml'))).toEqual({
      policy: { default: 'ask' },
      mcpServers: {
        github: {
          command: 'npx',
          args: ['-y', 'gh'],
          env: { TOKEN: variable('MCP_GITHUB_TOKEN'), MODE: variable('MODE:-x') },
        },
        remote: {
          transport: 'http',
          url: 'https://example.com/mcp',
          headers: { Authorization: variable('MCP_REMOTE_AUTHORIZATION') },
        },
      },
    });
    expect(read('.env')).toContain(`MCP_GITHUB_TOKEN="a'b c"\nMCP_REMOTE_AUTHORIZATION='Bearer s3cret'\n`);
    const { servers } = await readConfigFile(join(folder, 'countersign.yaml'), parseEnv(read('.env')));
    expect(servers).toMatchObject({
      github: { env: { TOKEN: "a'b c", MODE: 'x' } },
      remote: { headers: { Authorization: 'Bearer s3cret' } },
    });
  });

  it('leaves out servers and files that cannot be used, says why, and takes over the others', async () => {
    const bad = { comand: 'x', env: { TOKEN: 'of the bad one' } };
    const good = { command: 'y', env: { TOKEN: 'of the good one' } };
    writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: { bad, good } }));
    const { code, stderr } = await run('init', '--yes', '--no-calendar', '--take-over', 'mcp.json');
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^Left out: mcp\.json: .*bad.*did you mean command\?$/),
    ]);
    expect(Object.keys(parse(read('countersign.yaml')).mcpServers)).toEqual(['good']);
    expect(read('.env')).toContain("MCP_GOOD_TOKEN='of the good one'");
    expect(read('.env')).not.toContain('of the bad one');
  });

  it.each([
    [['--model', 'foo bar'], /^--model: A model’s name has no spaces/],
    [['--model', 'gpt-5-mini', '--base-url', 'notaurl'], /^--base-url: This is no http or https address/],
    [['--base-url', 'https://models.test/v1'], /^--base-url: .* name that with --model\./],
    [
      ['--take-over', 'missing.json', 'broken.json'],
      /^--take-over: missing\.json: there is no such file\.\n/,
    ],
    [['--take-over', 'broken.json'], /^--take-over: broken\.json: could not be read: it is not JSON/],
  ])('refuses %j before anything is written', async (options, words) => {
    writeFileSync(join(folder, 'broken.json'), '{"mcpServers": {');
    const { code, stdout, stderr } = await run('init', '--yes', ...options);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
    expect(stderr).toContain('Nothing was done.');
    expect(readdirSync(folder)).toEqual(['broken.json']);
  });

  it('names what has yet to be filled in, and writes a compose file of the image’s volumes', async () => {
    const { stdout } = await run('init', '--yes', '--slack', '--model', 'gpt-5-mini', '--compose');
    expect(stdout).toContain('Fill in in .env: SLACK_BOT_TOKEN, SLACK_APP_TOKEN, OPENAI_API_KEY.');
    const compose = parse(read('compose.yaml'));
    const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    const [, volumes = ''] = /^VOLUME (.*)$/m.exec(image) ?? [];
    const mounted = compose.services.countersign.volumes.map((it: string) => it.split(':')[1]);
    expect(mounted).toEqual(['/app/countersign.yaml', ...volumes.split(' ')]);
    expect(compose.services.countersign.ports).toEqual(['127.0.0.1:3000:3000']);
  });

  describe.skipIf(!hasPython)('at a terminal', () => {
    const [ENTER, DOWN, CTRL_C] = ['\r', '\u001b[B', '\u0003'];

    it('writes what was answered, and asks before it overwrites', async () => {
      writeFileSync(join(folder, 'mcp.json'), '{"mcpServers": {');
      const other = { command: 'npx', env: { TOKEN: 's3cret' } };
      writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { other } }));
      writeFileSync(join(folder, 'countersign.yaml'), 'mcpServers: {}\n');
      const init = atTerminal(['init']);
      const answers: readonly (readonly [RegExp, string])[] = [
        [/Where do people talk to it\?/, DOWN + ENTER],
        [/Bot User OAuth Token/, `xoxb-1${ENTER}`],
        [/App-Level Token/, ENTER],
        [/Which model answers\?/, DOWN + ENTER],
        [/The model’s name/, ` two${ENTER}`],
        [/A model’s name has no spaces/, `${'\u007f'.repeat(4)}${ENTER}`],
        [/Base URL of its API/, `notaurl${ENTER}`],
        [/This is no http or https address/, `${'\u007f'.repeat(7)}http://127.0.0.1:9/v1${ENTER}`],
        [/API key/, `k3y${ENTER}`],
        [
          /Left out: mcp\.json: could not be read: it is not JSON[\s\S]*Take over the servers of \.mcp\.json\? \(other\)/,
          ENTER,
        ],
        [/Add the example calendar\?/, ENTER],
        [/Write a compose\.yaml for Docker too\?/, `y`],
        [/countersign\.yaml is there\. Overwrite it\?/, `y`],
      ];
      for (const [question, keys] of answers) {
        await init.waitFor(question);
        init.type(keys);
      }
      expect(await init.exited).toEqual({ code: 0, signal: null });
      expect(init.output()).toContain('Written: .env, countersign.yaml, compose.yaml.');
      expect(init.output()).toContain('Fill in in .env: SLACK_APP_TOKEN.');
      expect(init.output()).not.toContain('k3y');
      expect(parseEnv(read('.env'))).toEqual({
        SLACK_BOT_TOKEN: 'xoxb-1',
        SLACK_APP_TOKEN: '',
        OPENAI_API_KEY: 'k3y',
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
        MODEL: 'openai:gpt-5-mini',
        MCP_OTHER_TOKEN: 's3cret',
      });
      const { mcpServers } = parse(read('countersign.yaml'));
      expect(mcpServers).toEqual({ other: { command: 'npx', env: { TOKEN: variable('MCP_OTHER_TOKEN') } } });
      expect(read('countersign.yaml.bak')).toBe('mcpServers: {}\n');
      expect(existsSync(join(folder, 'compose.yaml'))).toBe(true);
    });

    it('writes nothing after Ctrl-C, also at the last question', async () => {
      writeFileSync(join(folder, 'compose.yaml'), 'services: {}\n');
      const questions = [
        /Where do people/,
        /Which model/,
        /example calendar\?/,
        /Docker too\?/,
        /Overwrite it\?/,
      ];
      for (const last of questions.keys()) {
        const init = atTerminal(['init']);
        for (const [index, question] of questions.slice(0, last + 1).entries()) {
          await init.waitFor(question);
          init.type(index === last ? CTRL_C : index === 3 ? 'y' : ENTER);
        }
        expect(await init.exited).toEqual({ code: 1, signal: null });
        expect(init.output()).toContain('Nothing was written.');
        expect(readdirSync(folder)).toEqual(['compose.yaml']);
      }
      expect(read('compose.yaml')).toBe('services: {}\n');
    });
  });

  it('asks at a terminal only', async () => {
    expect(await run('init')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes takes') });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('countersign start', () => {
  it('says where it is before servers have connected, and of each how it went', async () => {
    const mcpServers = {
      calendar: { in_process: 'calendar' },
      silent: { command: process.execPath, args: ['-e', 'process.stdin.resume()'] },
      missing: { command: 'there-is-no-such-program' },
    };
    writeFileSync(join(folder, 'countersign.yaml'), JSON.stringify({ mcpServers }));
    const started = startProcess({
      dataDir: join(folder, 'data'),
      env: { COUNTERSIGN_CONFIG: join(folder, 'countersign.yaml'), LOG_LEVEL: 'silent' },
    });
    const { workspaceUrl } = await started.ready();
    await started.waitFor(/^Server calendar: up, 6 tools\.$/m);
    await started.waitFor(
      /^Server missing is not up: The program there-is-no-such-program does not exist\. Install it, or correct command\. See /m,
    );
    expect(started.output()).not.toContain('Server silent');
    expect(started.output().indexOf('open http:')).toBeLessThan(started.output().indexOf('Server '));
    const state = await fetch(new URL(`/workspace/state?user=${ANA}`, workspaceUrl ?? ''));
    expect((await state.json()).notices).toEqual([
      expect.stringContaining('scripted demo model'),
      expect.stringContaining('Server missing is not up'),
    ]);
  });
});
