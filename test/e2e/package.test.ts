import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { closeRedis, connectRedis } from '../../src/storage/redis/client.ts';
import { webSettings } from '../helpers/app.ts';
import { createProgram } from '../helpers/personal-programs.ts';
import { ROOT, startProcess, temporaryFolder } from '../helpers/process.ts';
import { recordModules } from '../helpers/recorded-modules.ts';
import { hasRedis, startRedis } from '../helpers/redis.ts';
import { startWorkspace } from '../helpers/workspace.ts';

/** What `npm pack` makes, unpacked, without its dependencies: what they hold is in the bundle. */
let folder: string;

beforeAll(() => {
  const around = mkdtempSync(join(tmpdir(), 'countersign-package-'));
  unpackTarball(around);
  folder = join(around, 'package');
}, 240_000);

afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

function unpackTarball(folder: string): void {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
  execFileSync('tar', ['-xzf', readdirSync(folder)[0] ?? ''], { cwd: folder });
}

const KEY = 'a-key-for-metrics-31415926';
/**
 * Files that a start of the bundle may load: one for each part that others share, five of them with telemetry, the
 * simulation and the demo model, which are loaded later; the demo's team reads with the schemas of all; three with how documents
 * are searched, which a command measures too, and with the dates that the demo model reads as well; six, of a kilobyte or so, with connectors
 * and with the words of times, which are loaded once somebody needs them; eight with mailboxes, whose graph, server and connector are
 * loaded later. May fall, and must not rise.
 */
const MAX_FILES = 53;

describe('the packed product', () => {
  it('starts with the local workspace, from a bundle of few files', async () => {
    expect(existsSync(join(folder, 'src'))).toBe(false);
    const licences = readFileSync(join(folder, 'dist/LICENSES.txt'), 'utf8');
    for (const name of ['@slack/bolt', '@langchain/langgraph', 'zod', 'bullmq']) {
      expect(licences).toMatch(new RegExp(`^${name} [\\d.]+ \\(MIT\\)$`, 'm'));
    }
    expect(licences.match(/Permission is hereby granted/g)?.length).toBeGreaterThan(80);

    const modules = recordModules();
    const started = startProcess({
      dataDir: temporaryFolder(),
      env: { ...modules.env, NODE_COMPILE_CACHE: '', COUNTERSIGN_API_KEY: KEY },
      command: [process.execPath, join(folder, 'bin/countersign.js')],
    });
    const { workspaceUrl, apiUrl } = await started.ready();
    const page = await fetch(workspaceUrl ?? '');
    expect(page.status).toBe(200);
    const script = await fetch(new URL('/assets/page.js', page.url));
    expect(script.status).toBe(200);
    expect((await script.text()).length).toBeGreaterThan(100_000);
    expect((await fetch(new URL('/assets/page.css', page.url))).status).toBe(200);

    const loaded = modules.loaded().filter((path) => path.startsWith(join(folder, 'dist')));
    expect(loaded.length).toBeLessThanOrEqual(MAX_FILES);
    const bytes = loaded.reduce((total, path) => total + statSync(path).size, 0);
    expect(bytes).toBeLessThan(9_000_000);
    const sources = loaded.map((path) => readFileSync(`${path}.map`, 'utf8')).join('\n');
    expect(sources).toContain('/src/app/start.ts"');
    for (const name of [
      'bullmq',
      'ioredis',
      '@langchain/openai',
      'openai',
      '@langchain/langgraph-checkpoint-redis',
      'prom-client',
    ]) {
      expect(sources).not.toContain(`node_modules/${name}/`);
    }
    const scrape = await fetch(`${apiUrl}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
    expect(await scrape.text()).toContain('countersign_slack_connected 1');
    // What V8 compiled is its owner's alone, and is written before the end, which not everybody comes to.
    const compiled = join(folder, 'dist/compiled');
    expect(statSync(compiled).mode & 0o077).toBe(0);
    await expect
      .poll(() => readdirSync(compiled, { recursive: true }).length, { timeout: 20_000 })
      .toBeGreaterThan(1);
    expect(await started.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  const run = (...args: string[]) =>
    spawnSync(process.execPath, [...args, join(folder, 'dist/index.mjs'), 'help'], {
      encoding: 'utf8',
      // Whoever runs the tests may have such a folder of their own.
      env: { ...process.env, NODE_COMPILE_CACHE: '' },
    });

  it('keeps what V8 compiled for the next start, but not where others may write', () => {
    const compiled = join(folder, 'dist/compiled');
    rmSync(compiled, { recursive: true, force: true });
    expect(run().status).toBe(0);
    expect(readdirSync(compiled, { recursive: true }).length).toBeGreaterThan(1);
    rmSync(compiled, { recursive: true });
    mkdirSync(compiled);
    chmodSync(compiled, 0o777);
    expect(run().status).toBe(0);
    expect(readdirSync(compiled)).toEqual([]);
  });

  it('names the source of what nobody caught', () => {
    const planted = 'process.umask = () => { throw new RangeError("planted"); };';
    const { status, stderr } = run('--import', `data:text/javascript,${encodeURIComponent(planted)}`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^RangeError: planted$/m);
    expect(stderr).toContain(`${join(folder, 'src/index.ts')}:`);
  });

  it('runs programs in a process of its own, and has documents to read', async () => {
    const dataDir = temporaryFolder();
    const config = join(dataDir, 'countersign.yaml');
    const mcpServers = { code: { in_process: 'code' }, documents: { in_process: 'documents' } };
    writeFileSync(config, JSON.stringify({ mcpServers }));
    const command = [process.execPath, join(folder, 'bin/countersign.js'), 'doctor'];
    const ended = startProcess({ dataDir, env: { COUNTERSIGN_CONFIG: config }, command });
    await ended.exited;
    expect(ended.output()).toMatch(/code sandbox: (?:Programs|Only programs) in .*javascript/);
    expect(ended.output()).toContain('server code: 1 tools.');
    expect(existsSync(join(folder, 'examples/documents/travel-policy.md'))).toBe(true);
  });

  it('lets a program of a person in, by a library that tells its records apart by the names of classes', async () => {
    const workspace = await startWorkspace({ botName: 'countersign' });
    const dataDir = temporaryFolder();
    const config = join(dataDir, 'countersign.yaml');
    writeFileSync(config, JSON.stringify({ personal_programs: { tools: ['calendar.*'] } }));
    const web = await webSettings(workspace);
    const started = startProcess({
      dataDir,
      env: {
        ...web,
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_APP_TOKEN: workspace.appToken,
        SLACK_API_URL: workspace.apiUrl,
        COUNTERSIGN_CONFIG: config,
      },
      command: [process.execPath, join(folder, 'bin/countersign.js')],
    });
    await started.ready();
    const mcpUrl = new URL(`${web.PUBLIC_URL}/mcp`);
    const program = await createProgram({ app: { driver: workspace.driver }, mcpUrl });
    expect((await (await program.signIn()).listTools()).tools).toHaveLength(1);
    // The token that it has is replaced by the other one.
    const { tokens } = program.kept;
    if (tokens) program.kept.tokens = { ...tokens, access_token: 'over' };
    await program.connect();
    expect(program.kept.tokens?.refresh_token).not.toBe(tokens?.refresh_token);
    expect(await started.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it.runIf(hasRedis('the bundle with Redis'))('listens to BullMQ where it has Redis', async () => {
    const redis = await startRedis();
    const client = connectRedis(redis.url);
    onTestFinished(async () => {
      await closeRedis(client);
      await redis.dispose();
    });
    const started = startProcess({
      dataDir: temporaryFolder(),
      env: { REDIS_URL: redis.url },
      command: [process.execPath, 'bin/countersign.js'],
    });
    await started.ready();
    await expect.poll(() => client.client('LIST'), { timeout: 20_000 }).toContain('cmd=bzpopmin');
    expect(await started.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
