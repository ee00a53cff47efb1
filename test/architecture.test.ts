import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unusedExports } from './helpers/exports.ts';
import {
  forbiddenImports,
  importCycles,
  importsBeyond,
  MODULES,
  moduleOf,
  pathsIntoPackages,
} from './helpers/import-rules.ts';
import { crowdedFolders, longFiles, longFunctions } from './helpers/sizes.ts';
import { importsOf, projectFiles, ROOT, type SourceFile, sourceFiles } from './helpers/sources.ts';
import { forbiddenWords } from './helpers/word-rules.ts';

const MAX_LINES = 400;
/** Of the product; tests may be as long as {@link MAX_LINES}. */
const MAX_SOURCE_LINES = 300;
const MAX_FILES_PER_FOLDER = 22;
const MAX_FUNCTION_LINES = 80;
/** May fall, and must not rise. */
const MAX_LONG_FUNCTIONS = 2;

/** Functions over {@link MAX_FUNCTION_LINES} lines, each with the reason; an entry that is not needed fails. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  'src/mcp/connection/supervisor.ts createSupervisor': 'one connection state machine over shared timers',
  'src/mcp/hub/server-access.ts createServerAccess': 'one server, shared or per user, behind one face',
};

const src = sourceFiles('src');
const all = sourceFiles('src', 'packages', 'test', 'bench', 'examples', 'scripts', 'bin');

function file(path: string, text: string): SourceFile {
  return { path, text, code: text, imports: importsOf(text, path) };
}

describe('the modules', () => {
  it('import only what the table allows', () => {
    expect(src.length).toBeGreaterThan(0);
    expect(forbiddenImports(src)).toEqual([]);
  });

  it('are all in the table', () => {
    expect(src.map(({ path }) => path).filter((path) => !(moduleOf(path) in MODULES))).toEqual([]);
  });

  it('have no import cycles', () => {
    expect(importCycles(src)).toEqual([]);
  });

  it('leave settings to config/env.ts, and sending calls to the gated caller', () => {
    expect(forbiddenWords(src)).toEqual([]);
  });
});

describe.each(['client', 'slack-emulator'])('the package %s', (name) => {
  const folder = `packages/${name}`;
  const files = sourceFiles(folder);

  it('imports only itself and packages from npm', () => {
    expect(files.length).toBeGreaterThan(5);
    expect(importsBeyond(folder, files)).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(importCycles(files)).toEqual([]);
  });

  it('is imported by its name', () => {
    expect(pathsIntoPackages(all)).toEqual([]);
  });
});

describe('the client', () => {
  it('imports nothing from npm', () => {
    const imported = sourceFiles('packages/client/src').flatMap(({ imports }) => imports);
    expect(imported.filter(({ specifier }) => !/^(?:\.|node:)/.test(specifier))).toEqual([]);
  });
});

describe('the check itself', () => {
  it.each([
    ['src/gate/a.ts', `import { b } from '../slack/b.ts';`],
    ['src/gate/a.ts', `import type { b } from '../runs/b.ts';`],
    ['src/gate/a.ts', `export * from '../mcp/b.ts';`],
    ['src/gate/a.ts', `const b = await import('../mcp/b.ts');`],
    ['src/gate/a.ts', `import {\n  b,\n  c,\n} from '../http/b.ts';`],
    ['src/gate/a.ts', `import '@slack/bolt';`],
    ['src/lib/a.ts', `import type { b } from '../storage/store.ts';`],
    ['src/slack/a.ts', `import { b } from '../http/b.ts';`],
    ['src/http/a.ts', `import { b } from '../slack/b.ts';`],
    ['src/agents/a.ts', `import { b } from '../runs/ports.ts';`],
    ['src/runs/a.ts', `import { StateGraph } from '@langchain/langgraph';`],
    ['src/runs/a.ts', `import { b } from '../storage/sqlite/store.ts';`],
    ['src/mcp/a.ts', `import { b } from '../../examples/calendar/server.ts';`],
    ['src/app/start.ts', `import { b } from '@countersign/slack-emulator';`],
    ['src/gate/a.ts', `import { b } from '../../test/helpers/b.ts';`],
  ])('finds what the table forbids in %s: %s', (path, text) => {
    expect(forbiddenImports([file(path, text)])).toHaveLength(1);
  });

  it.each([
    ['src/slack/a.ts', `import { b } from '../gate/requests/open.ts';`],
    ['src/runs/a.ts', `import type { b } from '../gate/call/record.ts';`],
    ['src/app/a.ts', `import { b } from '../slack/outbox/outbox.ts';`],
    ['src/app/a.ts', `import { b } from '../http/server.ts';`],
    ['src/mcp/hub/a.ts', `import { b } from '../../oauth/refresh.ts';`],
    ['src/config/a.ts', `import { b } from '../gate/policy/evaluate.ts';`],
  ])('finds who comes in past a door in %s: %s', (path, text) => {
    expect(forbiddenImports([file(path, text)])).toHaveLength(1);
  });

  it.each([
    ['src/gate/policy/a.ts', `import { b } from '../call/b.ts';`],
    ['src/gate/call/a.ts', `import type { b } from '../requests/b.ts';`],
    ['src/gate/requests/a.ts', `import { b } from '../gate.ts';`],
    ['src/gate/unknown/a.ts', `import { b } from '../another/b.ts';`],
    ['src/mcp/tools/a.ts', `import { b } from '../protocol/b.ts';`],
    ['src/mcp/connection/a.ts', `import { b } from '../calls/b.ts';`],
    ['src/slack/people/a.ts', `import type { b } from '../handlers/ports.ts';`],
    ['src/slack/cards/a.ts', `import { b } from '../index.ts';`],
  ])('finds what looks upwards in %s: %s', (path, text) => {
    expect(forbiddenImports([file(path, text)])).toHaveLength(1);
  });

  it.each([
    ['src/gate/a.ts', `import { put } from '../storage/store.ts';`],
    ['src/gate/a.ts', `// import { b } from '../slack/b.ts';`],
    ['src/gate/requests/a.ts', `import { b } from '../policy/b.ts';`],
    ['src/gate/policy/a.ts', `import type { b } from '../ports.ts';`],
    ['src/agents/x/a.ts', `import type { b } from '../../runs/ports.ts';`],
    [
      'src/app/a.ts',
      `import { b } from '../slack/index.ts';\nimport { c } from '../storage/sqlite/store.ts';`,
    ],
    ['src/http/a.ts', `import { serve } from '@hono/node-server';`],
    ['src/slack/a.ts', `import { b } from '../gate/types.ts';`],
    ['src/config/a.ts', `import { b } from '../gate/policy/schema.ts';`],
    ['src/app/slack-or-emulator.ts', `const b = await import('@countersign/slack-emulator');`],
    ['src/app/slack-or-emulator.ts', `import type { B } from '@countersign/slack-emulator';`],
  ])('lets pass what is allowed in %s: %s', (path, text) => {
    expect(forbiddenImports([file(path, text)])).toEqual([]);
  });

  it.each([
    ['src/gate/a.ts', 'const port = process.env.PORT;'],
    ['src/gate/a.ts', "import { env } from 'node:process';"],
    ['src/agents/a.ts', 'await client.callTool({ name });'],
    ['src/mcp/a.ts', "await client.request({ method: 'tools/call' });"],
    ['src/slack/a.ts', 'await gate.decideOnWeb(input, actor);'],
    ['src/runs/a.ts', 'const send: SendCall = createSend(connections);'],
  ])('finds a word that is forbidden in %s: %s', (path, text) => {
    expect(forbiddenWords([file(path, text)])).toHaveLength(1);
  });

  it.each([
    ['src/config/env.ts', 'const port = process.env.PORT;'],
    ['src/mcp/calls/request.ts', 'await connection.client.callTool(params);'],
    ['src/agents/a.ts', 'await ports.callTool(input);'],
    ['src/lib/a.ts', `define: { 'process.env.NODE_ENV': '"production"' }`],
  ])('lets pass a word that is allowed in %s: %s', (path, text) => {
    expect(forbiddenWords([file(path, text)])).toEqual([]);
  });

  it.each([
    `import { b } from '../../../src/lib/json.ts';`,
    `import { b } from '@countersign/slack-emulator';`,
  ])('finds what leads out of the emulator: %s', (text) => {
    const planted = file('packages/slack-emulator/src/a.ts', text);
    expect(importsBeyond('packages/slack-emulator', [planted])).toHaveLength(1);
  });

  it('finds a path into a package', () => {
    const planted = file('test/a.ts', `import { b } from '../packages/slack-emulator/src/index.ts';`);
    expect(pathsIntoPackages([planted])).toHaveLength(1);
  });

  it('finds a cycle, of values and of types', () => {
    const a = file('src/gate/a.ts', `import { b } from './b.ts';`);
    const b = file('src/gate/b.ts', `import { a } from './a.ts';`);
    const typesOnly = file('src/gate/b.ts', `import { type A, type B } from './a.ts';`);
    const cycle = ['src/gate/a.ts → src/gate/b.ts → src/gate/a.ts'];
    expect(importCycles([a, b])).toEqual(cycle);
    expect(importCycles([a, typesOnly])).toEqual(cycle);
    expect(importCycles([a, file('src/gate/b.ts', '')])).toEqual([]);
  });
});

/** Entries of the packages, by their names. */
const PACKAGES = new Map([
  ['countersign-client', 'packages/client/src/index.ts'],
  ['@countersign/slack-emulator', 'packages/slack-emulator/src/index.ts'],
  ['@countersign/slack-emulator/driver', 'packages/slack-emulator/src/driver/index.ts'],
]);

/** Exports that no file imports, each with the reason; an entry that is not needed fails. */
const EXPORTED_ANYWAY: Readonly<Record<string, string>> = {
  'bin/bundle.d.ts freshBundle': 'it declares what bin/bundle.js has, which is imported',
  'src/agents/nodes/state.ts GivenUp': 'an inferred type names it (TS4058)',
  'src/gate/gate.ts Shown': 'an inferred type names it (TS4058)',
  'test/contract/open-sqlite.ts openStore': 'imported by its address, in another process',
  'test/contract/redis-open.ts openStore': 'imported by its address, in another process',
};

describe('the exports', () => {
  const entries = [...PACKAGES.values()];

  it('are imported by another file, or have a reason in the list', () => {
    const unused = unusedExports(sourceFiles(''), { entries, packages: PACKAGES });
    const ids = unused.map(({ path, name }) => `${path} ${name}`);
    expect(ids.filter((id) => !(id in EXPORTED_ANYWAY))).toEqual([]);
    expect(Object.keys(EXPORTED_ANYWAY).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each([
    [`import { a, type B } from './a.ts';`, []],
    [`import * as a from './a.ts';`, []],
    [`const { a } = await import('./a.ts');`, []],
    [`import { a as other } from './a.ts';`, ['B']],
    [`import { c } from './door.ts';`, ['a']],
    [`// import { a, type B } from './a.ts';`, ['a', 'B', 'c']],
  ])('the check finds what is not imported by %s', (text, unused) => {
    const files = [
      file('src/a.ts', 'export const a = 1;\nexport interface B {}\n'),
      file('src/door.ts', `export { type B as c } from './a.ts';`),
      { ...file('src/user.ts', text), code: text.startsWith('//') ? '' : text },
    ];
    const found = unusedExports(files, { entries: [], packages: new Map() }).map(({ name }) => name);
    expect(found.filter((name) => name !== 'c' || unused.includes('c'))).toEqual(unused);
  });
});

describe('the sizes', () => {
  it(`a folder of src has at most ${MAX_FILES_PER_FOLDER} files`, () => {
    expect(crowdedFolders(src, MAX_FILES_PER_FOLDER)).toEqual([]);
  });

  it(`a file of src has at most ${MAX_SOURCE_LINES} lines`, () => {
    expect(longFiles(src, MAX_SOURCE_LINES)).toEqual([]);
  });

  it(`a function of src has at most ${MAX_FUNCTION_LINES} lines, or a reason in the list`, () => {
    const long = longFunctions(src, MAX_FUNCTION_LINES).map(({ id }) => id);
    expect(long.filter((id) => !(id in LONG_FUNCTIONS))).toEqual([]);
    expect(Object.keys(LONG_FUNCTIONS).filter((id) => !long.includes(id))).toEqual([]);
    expect(long.length).toBeLessThanOrEqual(MAX_LONG_FUNCTIONS);
  });

  const filler = (lines: number) => '    work();\n'.repeat(lines);

  it.each([
    ['a', (lines: number) => `function a(): void {\n${filler(lines)}}\n`],
    [
      'a',
      (lines: number) =>
        `export async function a(\n  b: string,\n): Promise<{ c: string }> {\n${filler(lines)}}\n`,
    ],
    ['a', (lines: number) => `const a = async (b: string) => {\n${filler(lines)}};\n`],
    ['a', (lines: number) => `const a = () => ({\n${filler(lines)}});\n`],
    [
      'a',
      (lines: number) =>
        `class B {\n  async a(b: (c: string) => void): Promise<void> {\n${filler(lines)}  }\n}\n`,
    ],
    ['a', (lines: number) => `const b = {\n  a() {\n${filler(lines)}  },\n};\n`],
    ['a', (lines: number) => `function a() {\n  const b = '{';\n  const c = \`\n}\n\`;\n${filler(lines)}}\n`],
  ])('the check finds a long function %s: %#', (name, text) => {
    expect(longFunctions([file('src/a.ts', text(20))], 20)).toMatchObject([{ id: `src/a.ts ${name}` }]);
    expect(longFunctions([file('src/a.ts', text(10))], 20)).toEqual([]);
  });

  it('the check takes long statements, types and calls for no functions', () => {
    const blocks = [
      'if (a(b)) {',
      'for (const a of b) {',
      'const a = {',
      'interface A {',
      'call(b, {',
      'class A {',
    ];
    const planted = blocks.map((block) => file('src/a.ts', `${block}\n${filler(30)}}\n`));
    expect(longFunctions(planted, 20)).toEqual([]);
  });

  it('the check finds a folder with too many files, and a file with too many lines', () => {
    const files = ['a', 'b', 'c'].map((name) => file(`src/full/${name}.ts`, ''));
    expect(crowdedFolders([...files, file('src/other/d.ts', '')], 2)).toEqual(['src/full']);
    expect(longFiles([file('src/a.ts', '\n'.repeat(3)), file('src/b.ts', '\n'.repeat(2))], 2)).toEqual([
      'src/a.ts',
    ]);
  });
});

describe('the files', () => {
  it(`have at most ${MAX_LINES} lines each`, () => {
    const tooLong = all.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
    expect(tooLong.filter(({ lines }) => lines > MAX_LINES)).toEqual([]);
  });

  it('name no path of anybody’s machine', () => {
    // In pieces, so that this file does not contain what it looks for.
    const machinePath = new RegExp(
      ['work', 'home', 'Users', 'root'].map((top) => `(?<![\\w.:/-])/${top}/\\w`).join('|'),
    );
    const binary = /\.(?:png|jpe?g|gif|webp|ico|woff2?)$/;
    const wrong = projectFiles()
      .filter((path) => !binary.test(path))
      .filter((path) => machinePath.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(wrong).toEqual([]);
  });
});
