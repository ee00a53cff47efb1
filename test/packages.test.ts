import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { packageOf, projectFiles, ROOT, type SourceFile, sourceFiles } from './helpers/sources.ts';

const names = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  devDependencies: names,
  scripts: names,
});

/** What uses a package without importing it. */
const TOOLS: Readonly<Record<string, string>> = {
  node: 'the runtime itself, pinned',
  typescript: 'npm run types',
  '@biomejs/biome': 'npm run lint',
};

const EMULATOR = 'packages/slack-emulator';
const CLIENT = 'packages/client';

/** Programs that ask the gate: nothing of the product runs them. */
const CLIENT_EXAMPLES = ['examples/ai-sdk-app', 'examples/first-approval', 'examples/langgraph-app'];

/** What comes to users within the bundle, or is for examples; from no registry. */
const BUNDLED = new Set(['@countersign/slack-emulator', 'countersign-client']);

/** The packages of the repository: their folder, what of them runs at their users', and everything else. */
const PACKAGES = [
  {
    folder: '',
    runs: sourceFiles('src', 'examples/calendar', 'examples/pk-simulation', 'bin'),
    rest: sourceFiles(...CLIENT_EXAMPLES, 'test', 'bench', 'scripts'),
  },
  { folder: CLIENT, runs: sourceFiles(`${CLIENT}/src`), rest: sourceFiles(`${CLIENT}/test`) },
  {
    folder: EMULATOR,
    runs: sourceFiles(`${EMULATOR}/src`).filter(({ path }) => !isBundled(path)),
    rest: [
      ...sourceFiles(`${EMULATOR}/src`).filter(({ path }) => isBundled(path)),
      ...sourceFiles(`${EMULATOR}/test`, `${EMULATOR}/scripts`),
    ],
  },
];

/** The page and what bundles it: users get the bundle. */
function isBundled(path: string): boolean {
  return path.startsWith(`${EMULATOR}/src/page/`) || path === `${EMULATOR}/src/server/bundle-page.ts`;
}

describe.each(PACKAGES)('package.json of /$folder', ({ folder, runs, rest }) => {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies, scripts } =
    manifestSchema.parse(JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')));
  const runtime = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }));
  const everything = new Set([...runtime, ...Object.keys(devDependencies)]);

  it('declares every package that is imported, and for running what runs', () => {
    const undeclared = [
      ...packagesOf(runs).filter(({ name }) => !runtime.has(name) && !BUNDLED.has(name)),
      ...packagesOf(rest).filter(({ name }) => !everything.has(name)),
    ];
    expect(undeclared.filter(({ name }) => !everything.has(`@types/${name}`))).toEqual([]);
  });

  it('declares no package that is not used', () => {
    const configs = projectFiles(folder)
      .map((path) => path.slice(folder === '' ? 0 : folder.length + 1))
      .filter((path) => /^(?:[\w.-]+\.(?:ts|json)|examples\/.*\.json)$/.test(path))
      .filter((path) => !path.startsWith('package'));
    const texts = [
      ...[...runs, ...rest].map(({ code }) => code),
      ...Object.values(scripts),
      ...configs.map((path) => readFileSync(join(ROOT, folder, path), 'utf8')),
    ].join('\n');
    const isUsed = (name: string): boolean =>
      name in TOOLS ||
      // Some are started or resolved by name and never imported, such as the MCP test servers.
      new RegExp(`["'\`/ ]${name}(?=["'\`/ ])`).test(texts) ||
      (name.startsWith('@types/') && everything.has(name.slice('@types/'.length))) ||
      name === '@types/node';
    expect([...everything].filter((name) => !isUsed(name))).toEqual([]);
  });
});

function packagesOf(files: readonly SourceFile[]): { path: string; name: string }[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier, target }) => target === null && !isBuiltin(specifier))
      .map(({ specifier }) => ({ path, name: packageOf(specifier) })),
  );
}
