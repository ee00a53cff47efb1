import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The path of a file of this package, wherever its code runs from; null where it isn't installed. */
export function findPackageFile(name: string, folder = import.meta.dirname): string | null {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  return dirname(folder) === folder ? null : findPackageFile(name, dirname(folder));
}

/** The version of this package. */
export function readVersion(): string {
  const path = findPackageFile('package.json');
  if (path === null) throw new Error('package.json is not installed');
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path, 'utf8'))).version;
}
