import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MODULES } from '../helpers/import-rules.ts';
import { ROOT } from '../helpers/sources.ts';

const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** Paths in the page's code spans; those of `src/` and `test/` may leave these folders out. */
function namedPaths(): string[] {
  const spans = [...page.matchAll(/`([\w.-]+(?:\/[\w.*-]+)+)`/g)].map(([, path = '']) => path);
  return spans.filter((path) => !path.includes('*') && !path.startsWith('POST'));
}

it('names only files and folders that are there', () => {
  const isThere = (path: string) => ['', 'src', 'test'].some((base) => existsSync(join(ROOT, base, path)));
  expect(namedPaths().length).toBeGreaterThan(40);
  expect(namedPaths().filter((path) => !isThere(path))).toEqual([]);
});

it('draws every module that may be imported by others', () => {
  const undrawn = Object.keys(MODULES).filter(
    (name) => !['index.ts', 'bundle.ts', 'app', 'config', 'lib'].includes(name),
  );
  expect(undrawn.filter((name) => !page.includes(`${name}["`) && !page.includes(`${name}[`))).toEqual([]);
});
