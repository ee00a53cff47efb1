// Bundles the program: `node scripts/bundle.ts <folder>`, which is made anew if it's there.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { z } from 'zod';

const ROOT = dirname(import.meta.dirname);
const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().default('see below'),
});
/** The longest line of a bundle, in characters: Node prints the line that threw what nobody caught. */
const LONGEST_LINE = 200;

/** Keeps the names of classes that nothing refers to, which `minifySyntax` drops: this package stores records by them. */
const classNames: Plugin = {
  name: 'class names',
  setup({ onLoad }) {
    onLoad({ filter: /\/node_modules\/oidc-provider\/lib\// }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const named = await transform(source, { keepNames: true, sourcefile: path, sourcemap: 'inline' });
      return { contents: named.code, loader: 'js' };
    });
  },
};

const folder = resolve(process.argv[2] ?? 'dist');
// Whole or not there at all: a start must not find half of it.
const part = `${folder}.${process.pid}`;
try {
  const options = {
    absWorkingDir: ROOT,
    outdir: part,
    outExtension: { '.js': '.mjs' },
    // Beside it, the local workspace looks for its page in ../page/.
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    conditions: ['countersign-source'],
    // Only the page's own build needs the first; the others are installed by those who share documents.
    external: ['esbuild', '@lancedb/lancedb', 'apache-arrow'],
    // Packages in CommonJS ask for Node's modules so.
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);",
    },
    // Names stay: errors and models are told apart by the names of their classes.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: LONGEST_LINE,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'linked',
    metafile: true,
    logLevel: 'warning',
  } as const satisfies BuildOptions;
  // The map is read, and what is compiled is kept, before the rest is loaded.
  const main = await build({ ...options, plugins: [classNames], entryPoints: { index: 'src/bundle.ts' } });
  // Processes and a thread of their own, which whoever starts them looks for beside itself. What they share with the
  // program would be in files of its own otherwise, and the start would have to read more of them.
  const beside = await build({
    ...options,
    plugins: [classNames],
    entryPoints: {
      'chunks/javascript': 'src/app/demo-servers/code/javascript.ts',
      'chunks/documents': 'src/storage/documents/thread.ts',
      'chunks/parse': 'src/knowledge/parse/child.ts',
    },
  });
  execFileSync(process.execPath, [
    join(ROOT, 'packages/slack-emulator/scripts/build-page.ts'),
    join(part, 'page'),
  ]);
  writeFileSync(join(part, 'LICENSES.txt'), licences([main.metafile, beside.metafile]));
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
} finally {
  rmSync(part, { recursive: true, force: true });
}

/** The licences of the packages whose code is in the bundle, which must come with every copy. */
function licences(made: readonly Metafile[]): string {
  const folders = new Set(
    made
      .flatMap(({ inputs }) => Object.keys(inputs))
      .flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = [...folders].sort().map((path) => {
    const { name, version, license } = packageSchema.parse(
      JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')),
    );
    const files = readdirSync(join(ROOT, path)).filter((file) => /^(?:licen[cs]e|notice)/i.test(file));
    const own = files.map((file) => readFileSync(join(ROOT, path, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...own].join('\n\n');
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
