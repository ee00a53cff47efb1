import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { fileSchema } from '../../../src/config/file.ts';
import type * as Door from '../../../src/connectors/index.ts';
import { CONNECTOR_NAMES, loadConnectors } from '../../../src/connectors/index.ts';
import { compilePolicy } from '../../../src/gate/policy/evaluate.ts';
import { parseServers } from '../../../src/mcp/config/load.ts';
import type { Connectors } from '../../../src/mcp/ports.ts';
import { listen, testHub } from '../../fixtures/mcp/harness.ts';
import { createAuthorizationServer } from '../../fixtures/oauth/authorization-server.ts';
import { ANA, BOB, emptyStore, oauthInstance, said } from '../../fixtures/oauth/instance.ts';
import { docBlocks } from '../../helpers/doc-blocks.ts';
import { ROOT, sourceFiles } from '../../helpers/sources.ts';

const BLOCKS = docBlocks('docs/connectors.md');
const shown = (heading: string, language: string, nth = 0) =>
  BLOCKS.filter((block) => block.heading === heading && block.language === language)[nth]?.text ?? '';

test('the configuration that the page shows names every connector, lets what only reads run, and asks about all else', async () => {
  const { mcpServers, policy } = fileSchema.parse(parse(shown('Setting it up', 'yaml')));
  const servers = parseServers(mcpServers, {}, 'countersign.yaml');
  const names = Object.values(servers).map((config) => ('connector' in config ? config.connector : ''));
  expect(names.toSorted()).toEqual([...CONNECTOR_NAMES].toSorted());
  // As whoever looks at tools without signing in.
  const { mailbox, owner } = z.looseObject({}).parse(mcpServers?.imap);
  const bare = Object.fromEntries(
    names.map((name) => [
      name,
      {
        connector: name,
        oauth: { client_id: 'none' },
        key: 'none',
        ...(name === 'imap' && { mailbox, owner }),
      },
    ]),
  );
  const { hub } = testHub(bare, { connectors: await loadConnectors(bare) });
  await hub.start();
  const evaluate = compilePolicy(policy);
  const tools = await hub.tools();
  const found = tools.map(({ server, name, readOnly }) => {
    const { action } = evaluate({ server, tool: name, arguments: {} });
    return { tool: `${server}.${name}`, readOnly, action };
  });
  expect(found.filter(({ readOnly, action }) => action !== (readOnly ? 'allow' : 'ask'))).toEqual([]);
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(names));
  const page = readFileSync(join(ROOT, 'docs/connectors.md'), 'utf8');
  expect(tools.filter(({ name }) => !page.includes(`\`${name}\``)).map(({ name }) => name)).toEqual([]);
});

test('every folder of connectors has its line and its name', async () => {
  const folders = sourceFiles('src/connectors').flatMap(
    ({ path }) => /^src\/connectors\/([^/]+)\/index\.ts$/.exec(path)?.[1] ?? [],
  );
  expect(folders.toSorted()).toEqual([...CONNECTOR_NAMES].toSorted());
  const entries = CONNECTOR_NAMES.map((connector) => [connector, { connector }]);
  expect([...(await loadConnectors(Object.fromEntries(entries))).keys()].toSorted()).toEqual(
    folders.toSorted(),
  );
});

/** The example of the page, written and loaded as somebody would who adds it. */
async function addExample(): Promise<Connectors> {
  const text = shown('Adding one', 'ts');
  const path = /^\/\/ (\S+)\n/.exec(text)?.[1] ?? '';
  const folder = await mkdtemp(join(tmpdir(), 'countersign-connector-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const modules = (await readdir(join(ROOT, 'src'))).filter((name) => name !== 'connectors');
  const folders = (await readdir(join(ROOT, 'src/connectors'))).filter((name) => !name.endsWith('.ts'));
  const others = [
    'node_modules',
    'package.json',
    ...folders.map((it) => `src/connectors/${it}`),
    ...modules.map((it) => `src/${it}`),
  ];
  for (const own of others) await symlink(join(ROOT, own), join(folder, own));
  // The lines that the page says, where it says.
  const [imported = '', entry = ''] = shown('Adding one', 'ts', 1).split('\n');
  const all = readFileSync(join(ROOT, 'src/connectors/all.ts'), 'utf8');
  const withLine = all
    .replace(/^import /m, `${imported}\nimport `)
    .replace(/^ {2}\['github'/m, `${entry}\n$&`);
  await writeFile(join(folder, 'src/connectors/all.ts'), withLine);
  const index = readFileSync(join(ROOT, 'src/connectors/index.ts'), 'utf8');
  const withName = index.replace(/^ {2}'github',/m, `${shown('Adding one', 'ts', 2)}$&`);
  await writeFile(join(folder, 'src/connectors/index.ts'), withName);
  const door = join(folder, 'src/connectors/index.ts');
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { noEmit: true },
    files: [file, door],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ ...options, include: [] }));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, ['-p', folder]).catch(({ stdout }: { stdout: string }) => {
    throw new Error(stdout);
  });
  const { CONNECTOR_NAMES: names, loadConnectors: load }: typeof Door = await import(
    pathToFileURL(door).href
  );
  expect(names).toContain('tasks');
  return load({ tasks: { connector: 'tasks' } });
}

const CLIENT = { client_id: 'countersign', client_secret: 'secret-of-tasks-0123456789' };

/** A service as the example has it, which signs people in. */
async function startTasks() {
  let url = '';
  const authorization = createAuthorizationServer(() => url);
  authorization.register(CLIENT.client_id, 'http://127.0.0.1:4000/oauth/callback');
  const tasks = new Map<string, { id: string; title: string }[]>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (await authorization.handle(request, response, body)) return;
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const login = authorization.grantOf(token)?.login;
    if (login === undefined) return void response.writeHead(401).end();
    const own = tasks.get(login) ?? [];
    tasks.set(login, own);
    if (request.method === 'GET') return void response.end(JSON.stringify(own));
    const { title } = z.object({ title: z.string() }).parse(JSON.parse(body));
    own.push({ id: String(own.length + 1), title });
    response.writeHead(201).end(JSON.stringify(own.at(-1)));
  });
  url = `http://127.0.0.1:${await listen(server)}`;
  return { url, authorization, tasks };
}

test('the example of the page is a connector: it is compiled, signed in to, and used by two people', async () => {
  const [connectors, service] = [await addExample(), await startTasks()];
  expect([...connectors.keys()]).toEqual(['tasks']);
  const servers = parseServers(
    { tasks: { connector: 'tasks', api_url: service.url, oauth: CLIENT } },
    {},
    'c',
  );
  const instance = oauthInstance(service, {
    store: await emptyStore(),
    servers,
    connectors,
  });
  await instance.hub.start();
  expect(said(await instance.send('add_task', ANA, { title: 'rest' }))).toMatch(/^blocked/);
  await instance.signIn(ANA, 'ana');
  await instance.signIn(BOB, 'bob');
  expect(said(await instance.send('add_task', ANA, { title: 'rest' }))).toMatch(/^Added rest\./);
  expect(said(await instance.send('list_tasks', ANA))).toMatch(/^1 tasks\./);
  expect(said(await instance.send('list_tasks', BOB))).toMatch(/^0 tasks\./);
  service.authorization.expireAccess();
  expect(said(await instance.send('list_tasks', ANA))).toMatch(/^1 tasks\./);
  await instance.oauth.personal.disconnect('tasks', ANA);
  expect(service.authorization.counts).toMatchObject({ refreshes: 1, revocations: 2 });
  expect(service.tasks.get('bob')).toEqual([]);
});
