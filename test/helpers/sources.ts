import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceImport {
  /** As written: `../json.ts`, `@slack/bolt`, `node:fs`. */
  readonly specifier: string;
  /** The file that a relative import names, from the root; null for a package. */
  readonly target: string | null;
  /** Whether it is gone once types are stripped. */
  readonly typeOnly: boolean;
  /** Whether it is `import(…)`, which loads the module only when it is reached. */
  readonly dynamic: boolean;
}

export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** The text without comments, so that a comment can name what the code may not use. */
  readonly code: string;
  readonly imports: readonly SourceImport[];
}

/** What is made or fetched and never part of the project; as in `.gitignore`. */
const NOT_OURS = new Set(['node_modules', '.git', 'data', 'dist', 'coverage']);

/** Every file of the project, from the root, with forward slashes, in order. */
export function projectFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => !NOT_OURS.has(entry.name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      return entry.isDirectory() ? projectFiles(path) : entry.isFile() ? [path] : [];
    })
    .sort();
}

/** TypeScript and JavaScript under these folders, with their imports. */
export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => projectFiles(folder))
    .filter((path) => /\.(?:m?ts|tsx|m?js)$/.test(path))
    .map((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, code: withoutComments(text), imports: importsOf(text, path) };
    });
}

const STATIC_IMPORT = /^[ \t]*(import|export)\s+(?:(type)\s+)?([^'";]*?\bfrom\s*)?(['"])([^'"\n]+)\4/gm;
const DYNAMIC_IMPORT = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?(['"])([^'"\n]+)\1/g;

/**
 * The imports of a file, read from its text: TypeScript 7 has no stable parser to call, and the
 * formatter keeps every import statement at the start of a line.
 */
export function importsOf(text: string, path: string): SourceImport[] {
  const code = withoutComments(text);
  const found = [...code.matchAll(STATIC_IMPORT)]
    .filter(([, keyword, , bindings]) => bindings !== undefined || keyword === 'import')
    .map(([, , type, bindings, , specifier = '']) => ({
      specifier,
      typeOnly: type === 'type' || onlyTypes(bindings ?? ''),
      dynamic: false,
    }));
  const dynamic = [...code.matchAll(DYNAMIC_IMPORT)].map(([, , specifier = '']) => ({
    specifier,
    typeOnly: false,
    dynamic: true,
  }));
  return [...found, ...dynamic].map((it) => ({ ...it, target: targetOf(it.specifier, path) }));
}

function onlyTypes(bindings: string): boolean {
  const named = /^\{([\s\S]*)\}\s*from\s*$/.exec(bindings.trim());
  const names = named?.[1]?.split(',').filter((name) => name.trim() !== '') ?? [];
  return names.length > 0 && names.every((name) => name.trim().startsWith('type '));
}

function targetOf(specifier: string, path: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(ROOT, join(ROOT, dirname(path), specifier)).replaceAll('\\', '/');
}

/** Keeps strings, so that a `//` inside of one is not taken for a comment. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|(?<![:\\])\/\/[^\n]*/g,
    (match: string, quoted: string | undefined) =>
      quoted === undefined ? match.replace(/[^\n]/g, ' ') : quoted,
  );
}

/** The package of a bare specifier: `@slack/bolt/x` → `@slack/bolt`. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
