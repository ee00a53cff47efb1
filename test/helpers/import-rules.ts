import type { SourceFile, SourceImport } from './sources.ts';

interface ModuleRule {
  /** Beginnings of paths under `src/` that the module may import besides its own. */
  readonly may: readonly string[];
  /** The same, but with `import type` only. */
  readonly mayForTypes?: readonly string[];
  /** The files by which others come in; absent: every file may be imported. */
  readonly doors?: readonly string[];
  /** Its folders, lowest first: each imports only lower ones. Folders of one list stand on one floor. */
  readonly floors?: readonly (string | readonly string[])[];
}

/** The storage that modules besides `app` may see: the store's port, the scans over it, retention rules, and leases. */
const STORE = [
  'storage/store.ts',
  'storage/scan.ts',
  'storage/queue-depth.ts',
  'storage/reindex.ts',
  'storage/retention.ts',
  'storage/lease/',
];

/** What each module of `src/` may import, by which doors it is entered, and how its own folders stand. */
export const MODULES: Readonly<Record<string, ModuleRule>> = {
  lib: { may: [] },
  storage: { may: ['lib/'] },
  gate: {
    may: ['lib/', ...STORE],
    doors: ['gate/index.ts', 'gate/types.ts'],
    floors: [
      'texts',
      'policy',
      'risk',
      'call',
      'approval',
      'audit',
      'store',
      'delegation',
      'decisions',
      'grants',
      'execution',
      'elicitation',
      'requests',
    ],
  },
  oauth: {
    may: ['lib/', 'storage/store.ts', 'storage/scan.ts', 'gate/types.ts'],
    doors: ['oauth/index.ts', 'oauth/ports.ts'],
  },
  telemetry: {
    may: ['lib/'],
    mayForTypes: ['config/telemetry.ts'],
    doors: ['telemetry/index.ts'],
  },
  tools: {
    may: ['lib/', ...STORE, 'gate/'],
    doors: ['tools/index.ts', 'tools/ports.ts'],
  },
  mcp: {
    may: ['lib/', ...STORE, 'gate/', 'oauth/', 'tools/ports.ts'],
    doors: ['mcp/index.ts', 'mcp/ports.ts'],
    floors: [
      'texts',
      'arguments',
      'config',
      ['tools', 'protocol', 'isolation'],
      'connection',
      'hub',
      'calls',
    ],
  },
  connectors: {
    may: ['lib/'],
    mayForTypes: ['mcp/ports.ts'],
    doors: ['connectors/index.ts', 'connectors/service/mailbox-tools.ts'],
  },
  knowledge: {
    may: ['lib/'],
    mayForTypes: ['storage/documents/index.ts'],
    doors: ['knowledge/index.ts', 'knowledge/ports.ts', 'knowledge/evaluation/index.ts'],
  },
  memory: {
    may: ['lib/', 'storage/store.ts'],
    doors: ['memory/index.ts', 'memory/ports.ts'],
  },
  inbox: {
    may: ['lib/', 'storage/store.ts', 'storage/scan.ts', 'gate/types.ts', 'schedules/index.ts'],
    mayForTypes: ['memory/ports.ts'],
    doors: ['inbox/index.ts', 'inbox/ports.ts'],
  },
  schedules: {
    may: ['lib/', 'storage/store.ts', 'storage/scan.ts', 'gate/types.ts'],
    mayForTypes: ['tools/index.ts', 'mcp/ports.ts'],
    doors: ['schedules/index.ts', 'schedules/ports.ts'],
  },
  runs: {
    may: ['lib/', ...STORE, 'gate/'],
    mayForTypes: ['tools/ports.ts'],
    doors: ['runs/index.ts', 'runs/ports.ts'],
  },
  programs: {
    may: ['lib/', 'storage/store.ts', 'storage/lease/nudges.ts', 'gate/', 'runs/'],
    mayForTypes: ['tools/ports.ts'],
    doors: ['programs/index.ts', 'programs/ports.ts'],
  },
  agents: {
    may: ['lib/', 'gate/types.ts', 'presentation/text/visible.ts'],
    mayForTypes: ['runs/ports.ts', 'tools/ports.ts', 'inbox/ports.ts', 'config/langsmith.ts'],
    doors: ['agents/index.ts', 'agents/ports.ts'],
  },
  presentation: { may: ['lib/', 'gate/types.ts'], mayForTypes: ['tools/ports.ts', 'mcp/ports.ts'] },
  notebook: {
    may: ['lib/', 'storage/store.ts', 'gate/', 'presentation/'],
    mayForTypes: ['runs/index.ts'],
    doors: ['notebook/index.ts', 'notebook/ports.ts'],
  },
  slack: {
    may: [
      'lib/',
      ...STORE,
      'gate/',
      'runs/',
      'presentation/',
      'tools/ports.ts',
      'knowledge/ports.ts',
      'memory/ports.ts',
      'schedules/',
      'inbox/ports.ts',
    ],
    mayForTypes: [
      'mcp/ports.ts',
      'notebook/ports.ts',
      'oauth/ports.ts',
      'programs/ports.ts',
      'knowledge/index.ts',
      'memory/index.ts',
    ],
    doors: ['slack/index.ts'],
    floors: [
      'texts',
      ['text', 'client'],
      'people',
      'cards',
      ['modals', 'views'],
      'outbox',
      ['documents', 'schedules', 'inbox'],
      'home',
      'handlers',
      'live',
    ],
  },
  http: {
    may: ['lib/', ...STORE, 'gate/', 'runs/', 'presentation/', 'programs/', 'knowledge/ports.ts'],
    mayForTypes: ['notebook/ports.ts', 'oauth/ports.ts', 'mcp/ports.ts', 'tools/ports.ts'],
    doors: ['http/index.ts'],
  },
  config: {
    may: [
      'lib/',
      'gate/policy/schema.ts',
      'gate/policy/card-template.ts',
      'gate/risk/permissions.ts',
      'mcp/config/',
      'mcp/arguments/',
      'runs/ports.ts',
    ],
  },
  app: { may: [''] },
  'index.ts': { may: ['app/', 'config/', 'lib/'] },
  'bundle.ts': { may: ['index.ts', 'lib/'] },
};

/** Modules whose doors a few may pass by, each with the reason. */
const PAST_THE_DOOR: Readonly<Record<string, readonly string[]>> = {
  // The file of settings holds what both parse, and needs nothing else of them.
  config: [
    'gate/policy/schema.ts',
    'gate/policy/card-template.ts',
    'gate/risk/permissions.ts',
    'mcp/config/',
    'mcp/arguments/',
  ],
};

/** Where a package may be imported: the beginning of its name, and of paths under `src/`. */
const PACKAGES: readonly {
  readonly name: string;
  readonly only: readonly string[];
  /** Whether it may be loaded by `import(…)` only, so that the product starts without it. */
  readonly dynamically?: boolean;
}[] = [
  { name: '@slack/', only: ['slack/', 'app/'] },
  { name: 'hono', only: ['http/'] },
  { name: '@hono/', only: ['http/'] },
  { name: 'openid-client', only: ['http/web/session/'] },
  { name: 'oidc-provider', only: ['http/authorization/'], dynamically: true },
  { name: '@modelcontextprotocol/', only: ['mcp/', 'oauth/', 'connectors/', 'app/', 'http/mcp/'] },
  { name: '@langchain/', only: ['agents/', 'storage/checkpoints/', 'app/'] },
  { name: 'langsmith', only: ['agents/runtime/langsmith.ts'] },
  { name: 'node:sqlite', only: ['storage/'] },
  { name: '@lancedb/lancedb', only: ['storage/documents/'], dynamically: true },
  { name: 'apache-arrow', only: ['storage/documents/'], dynamically: true },
  { name: 'unpdf', only: ['knowledge/parse/'] },
  { name: 'mammoth', only: ['knowledge/parse/'] },
  { name: 'read-excel-file', only: ['knowledge/parse/'] },
  { name: 'htmlparser2', only: ['knowledge/parse/', 'lib/text/html.ts'] },
  { name: 'papaparse', only: ['knowledge/parse/'] },
  { name: 'yauzl', only: ['knowledge/parse/'] },
  { name: '@countersign/slack-emulator', only: ['app/slack-or-emulator.ts'], dynamically: true },
];

/** What the table, the doors and the floors forbid in these files, as sentences; empty when all is well. */
export function forbiddenImports(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => file.imports.flatMap((it) => problemWith(file.path, it) ?? []));
}

/** The folder or file of `src/` that a path belongs to. */
export function moduleOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** What the files of a workspace package import of this repository besides their own package, as sentences. */
export function importsBeyond(folder: string, files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ specifier, target }) =>
        target === null ? specifier.startsWith('@countersign/') : !target.startsWith(`${folder}/`),
      )
      .map(({ specifier }) => `${path} imports ${specifier}; ${folder} stands alone`),
  );
}

/** Imports that reach into a workspace package by its path instead of its name, as sentences. */
export function pathsIntoPackages(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target?.startsWith('packages/') && !path.startsWith('packages/'))
      .map(({ specifier }) => `${path} imports ${specifier}; a package is imported by its name`),
  );
}

function problemWith(path: string, { specifier, target, typeOnly, dynamic }: SourceImport): string | null {
  const own = path.slice('src/'.length);
  if (target === null) {
    const rule = PACKAGES.find(
      ({ name }) => specifier === name || specifier.startsWith(name.endsWith('/') ? name : `${name}/`),
    );
    if (!rule) return null;
    if (!rule.only.some((begin) => own.startsWith(begin))) {
      return `${path} imports ${specifier}, which only ${rule.only.join(', ')} may`;
    }
    if (!rule.dynamically || typeOnly || dynamic) return null;
    return `${path} imports ${specifier}, which may be loaded by \`await import()\` only`;
  }
  if (!target.startsWith('src/')) return `${path} imports ${target}, which is not in src/`;
  const rule = MODULES[moduleOf(path)];
  if (!rule) return `${path} belongs to no module of the table in test/helpers/import-rules.ts`;
  if (moduleOf(target) === moduleOf(path)) return floorProblem(path, target, rule);
  const may = [...rule.may, ...(typeOnly ? (rule.mayForTypes ?? []) : [])];
  if (!may.some((begin) => target.startsWith(`src/${begin}`))) {
    return `${path} imports ${target}; ${moduleOf(path)} may import ${may.map((it) => `src/${it}`).join(', ')}`;
  }
  return doorProblem(path, target);
}

/** Whether a module is entered by another file than one of its doors. */
function doorProblem(path: string, target: string): string | null {
  const doors = MODULES[moduleOf(target)]?.doors;
  const passing = PAST_THE_DOOR[moduleOf(path)] ?? [];
  if (!doors || doors.some((door) => target === `src/${door}`)) return null;
  if (passing.some((begin) => target.startsWith(`src/${begin}`))) return null;
  return `${path} imports ${target}; ${moduleOf(target)} is entered by ${doors.map((it) => `src/${it}`).join(', ')}`;
}

/** Whether a folder of a module imports one that stands above it. */
function floorProblem(path: string, target: string, { floors }: ModuleRule): string | null {
  if (!floors) return null;
  const [from, to] = [floorOf(path, floors), floorOf(target, floors)];
  // Files beside the folders stand above them all; what they say of types (`ports.ts`) is for everybody.
  if (to === null) return from === null || /\/(?:ports|ids|permalinks)\.ts$/.test(target) ? null : upwards();
  if (from === null || to.floor < from.floor || to.folder === from.folder) return null;
  return upwards();

  function upwards(): string {
    return `${path} imports ${target}, which stands above it`;
  }
}

function floorOf(
  path: string,
  floors: readonly (string | readonly string[])[],
): { readonly floor: number; readonly folder: string } | null {
  const [, , folder = '', ...rest] = path.split('/');
  if (rest.length === 0) return null;
  const floor = floors.findIndex((it) => (typeof it === 'string' ? it === folder : it.includes(folder)));
  return { floor: floor < 0 ? floors.length : floor, folder };
}

/** Import cycles, each as the files in order, the first one again at the end. Types count. */
export function importCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => [file.path, file.imports.flatMap(({ target }) => (target === null ? [] : [target]))]),
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
