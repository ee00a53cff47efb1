import { posix } from 'node:path';
import type { SourceFile } from './sources.ts';

/** A name that a file exports and that no other file imports. */
interface UnusedExport {
  readonly path: string;
  readonly name: string;
}

const DECLARATION =
  /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class|interface|type|enum) +([\w$]+)/gm;
const LIST = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm;
const ALL = /^export \* from '([^']+)'/gm;
const IMPORT = /^[ \t]*import (?:type )?([^'";]*?) ?from '([^']+)'/gm;
const DYNAMIC = /(?:\b(?:await )?import|\btypeof import|vi\.importActual(?:<[^>]*>)?)\(\s*'([^']+)'\s*\)/g;
const EXTENSION = /\.(?:m?[tj]s|tsx)$/;

/**
 * What these files export and none of them imports. What an entry of a package exports counts as imported;
 * `packages` says which file a package's name means.
 */
export function unusedExports(
  files: readonly SourceFile[],
  {
    entries,
    packages,
  }: { readonly entries: readonly string[]; readonly packages: ReadonlyMap<string, string> },
): UnusedExport[] {
  const byPath = new Map(files.map((file) => [withoutExtension(file.path), file]));
  const used = new Map<string, Set<string>>();
  const whole = new Set<string>();

  const target = (from: string, specifier: string): string | null =>
    specifier.startsWith('.')
      ? withoutExtension(posix.join(posix.dirname(from), specifier))
      : withoutExtension(packages.get(specifier) ?? '') || null;
  const use = (path: string, name: string): void => {
    const names = used.get(path) ?? new Set();
    if (names.has(name)) return;
    used.set(path, names.add(name));
    follow(path, name);
  };
  /** A name that is only passed on counts for the file that it comes from as well. */
  const follow = (path: string, name: string): void => {
    const file = byPath.get(path);
    if (!file) return;
    for (const [, list = '', specifier] of file.code.matchAll(LIST)) {
      const source = specifier === undefined ? null : target(file.path, specifier);
      const passed = namesIn(list).find(({ as }) => as === name);
      if (source !== null && passed) use(source, passed.name);
    }
    for (const [, specifier = ''] of file.code.matchAll(ALL)) {
      const source = target(file.path, specifier);
      if (source !== null) use(source, name);
    }
  };
  const useAll = (path: string | null): void => {
    if (path === null || whole.has(path)) return;
    whole.add(path);
    const file = byPath.get(path);
    for (const name of file ? exportedNames(file) : []) use(path, name);
    for (const [, specifier = ''] of file?.code.matchAll(ALL) ?? [])
      useAll(target(file?.path ?? '', specifier));
  };

  for (const entry of entries) useAll(withoutExtension(entry));
  for (const { path, code } of files) {
    for (const [, bindings = '', specifier = ''] of code.matchAll(IMPORT)) {
      const source = target(path, specifier);
      if (source === null) continue;
      if (bindings.includes('*')) useAll(source);
      for (const { name } of namesIn(/\{([^}]*)\}/.exec(bindings)?.[1] ?? '')) use(source, name);
    }
    for (const [, specifier = ''] of code.matchAll(DYNAMIC)) useAll(target(path, specifier));
  }
  return files.flatMap((file) =>
    exportedNames(file)
      .filter((name) => !used.get(withoutExtension(file.path))?.has(name))
      .map((name) => ({ path: file.path, name })),
  );
}

function exportedNames({ code }: SourceFile): string[] {
  const declared = [...code.matchAll(DECLARATION)].map(([, name = '']) => name);
  const listed = [...code.matchAll(LIST)].flatMap(([, list = '']) => namesIn(list).map(({ as }) => as));
  return [...declared, ...listed];
}

/** The names of a list in braces, each with the one that it goes by outside. */
function namesIn(list: string): { readonly name: string; readonly as: string }[] {
  return list
    .split(',')
    .map((item) => item.trim().replace(/^type /, ''))
    .filter((item) => item !== '')
    .map((item) => {
      const [name = '', as = name] = item.split(/ as /);
      return { name, as };
    });
}

function withoutExtension(path: string): string {
  return path.replace(EXTENSION, '');
}
