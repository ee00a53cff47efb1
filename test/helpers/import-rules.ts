import type { SourceFile, SourceImport } from './sources.ts';

/** What every module may import: errors, JSON, the reading of what people write, and the store's port (types and pure helpers). */
const FOR_ANYONE = [
  'src/errors.ts',
  'src/json.ts',
  'src/written/near-name.ts',
  'src/written/read.ts',
  'src/storage/store.ts',
];

interface ModuleRule {
  /** Beginnings of paths under `src/` that the module may import besides its own. */
  readonly may: readonly string[];
  /** The same, but with `import type` only. */
  readonly mayForTypes?: readonly string[];
  /** False takes the store's port away. */
  readonly store?: boolean;
}

/** What each folder or file of `src/` may import. */
export const MODULES: Readonly<Record<string, ModuleRule>> = {
  'errors.ts': { may: [] },
  'json.ts': { may: [] },
  written: { may: [], store: false },
  'app.ts': { may: [''] },
  app: { may: [''] },
  'index.ts': { may: ['app.ts', 'app/', 'config/'] },
  gate: { may: [] },
  runs: { may: ['gate/'], mayForTypes: ['mcp/types.ts'] },
  agents: { may: ['gate/types.ts', 'mcp/types.ts'], mayForTypes: ['gate/ports.ts', 'runs/ports.ts'] },
  mcp: { may: ['gate/'] },
  slack: { may: ['gate/', 'runs/', 'mcp/types.ts'] },
  http: { may: ['gate/', 'runs/', 'mcp/types.ts'] },
  storage: { may: [] },
  config: { may: ['mcp/config.ts', 'mcp/validate.ts', 'gate/policy'] },
  'local-workspace': { may: [], store: false },
};

/** Where a package may be imported: the beginning of its name, and of paths under `src/`. */
const PACKAGES: readonly { readonly name: string; readonly only: readonly string[] }[] = [
  { name: '@slack/', only: ['slack/', 'local-workspace/', 'app.ts'] },
  { name: 'hono', only: ['http/'] },
  { name: '@hono/', only: ['http/'] },
  { name: '@modelcontextprotocol/', only: ['mcp/', 'app.ts'] },
  { name: '@langchain/', only: ['agents/', 'storage/checkpointer-', 'app.ts'] },
  { name: 'node:sqlite', only: ['storage/'] },
];

/** Words that only these files may contain outside of comments, and why. */
const WORDS: readonly {
  readonly word: RegExp;
  readonly only: readonly string[];
  readonly why: string;
}[] = [
  {
    word: /(?<!['"])\bprocess\.env\b|\benv\b[^;]*from 'node:process'/,
    only: ['config/env.ts', 'index.ts'],
    why: 'settings are read once, in config/env.ts',
  },
  {
    // `ports.callTool` is the gate's own port; any other receiver would be a client of a server.
    word: /(?<!\bports)\.callTool\b/,
    only: ['mcp/send.ts'],
    why: 'no call leaves the process but through the gate',
  },
  {
    // The other only looks at what the first has sent.
    word: /['"]tools\/call['"]/,
    only: ['mcp/send.ts', 'mcp/unanswered.ts'],
    why: 'no call leaves the process but through the gate',
  },
  {
    word: /\bSendCall\b/,
    only: ['mcp/types.ts', 'mcp/send.ts', 'mcp/gated-caller.ts', 'app.ts'],
    why: 'only the gated caller sends calls',
  },
  {
    word: /\bdecideOnWeb\b/,
    only: ['gate/index.ts', 'http/routes/decide.ts'],
    why: 'only the page that verified a sign-in says so to the gate',
  },
];

/** What the table forbids in these files, as sentences; empty when all is well. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => file.imports.flatMap((it) => problemWith(file.path, it) ?? []));
}

/** Uses of the words of {@link WORDS} where they may not stand, as sentences. */
export function forbiddenWords(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, code }) =>
    WORDS.filter(({ word, only }) => !only.includes(path.slice('src/'.length)) && word.test(code)).map(
      ({ word, only, why }) => `${path} holds ${word}, which only ${only.join(', ')} may: ${why}`,
    ),
  );
}

/** The folder or file of `src/` that a path belongs to. */
export function moduleOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function problemWith(path: string, { specifier, target, typeOnly }: SourceImport): string | null {
  const own = path.slice('src/'.length);
  if (target === null) {
    const rule = PACKAGES.find(
      ({ name }) => specifier === name || specifier.startsWith(name.endsWith('/') ? name : `${name}/`),
    );
    if (!rule || rule.only.some((begin) => own.startsWith(begin))) return null;
    return `${path} imports ${specifier}, which only ${rule.only.join(', ')} may`;
  }
  if (!target.startsWith('src/')) {
    const allowed = own === 'app.ts' && target.startsWith('examples/');
    return allowed ? null : `${path} imports ${target}; only app.ts may leave src/, for examples/`;
  }
  const rule = MODULES[moduleOf(path)];
  if (!rule) return `${path} belongs to no module of the table in test/helpers/import-rules.ts`;
  if (moduleOf(target) === moduleOf(path)) return null;
  const shared = FOR_ANYONE.filter((it) => rule.store !== false || it !== 'src/storage/store.ts');
  const may = [...rule.may, ...(typeOnly ? (rule.mayForTypes ?? []) : [])];
  if (shared.includes(target) || may.some((begin) => target.startsWith(`src/${begin}`))) return null;
  return `${path} imports ${target}; ${moduleOf(path)} may import ${[...shared, ...may.map((it) => `src/${it}`)].join(', ')}`;
}

/** Import cycles, each as the files in order, the first one again at the end. Types make none. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      file.imports.flatMap(({ target, typeOnly }) => (target === null || typeOnly ? [] : [target])),
    ]),
  );
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) cycles.push([...trail.slice(seenAt), path].join(' → '));
    if (seenAt >= 0 || finished.has(path)) return;
    for (const target of edges.get(path) ?? []) visit(target, [...trail, path]);
    finished.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}
