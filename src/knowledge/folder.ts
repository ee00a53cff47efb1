import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { DOCUMENT_KINDS, type DocumentKind } from './ports.ts';

/** How many folders deep, and how many files, are read. */
const DEEPEST = 12;
const MOST_FILES = 10_000;

/** A file of a folder that may be read. */
export interface FolderFile {
  /** Its path within the folder, by which it's asked for. */
  readonly name: string;
  readonly kind: DocumentKind;
}

export interface FolderFiles {
  /** There is nothing in it at all, as where a disk isn't mounted. */
  readonly isEmpty: boolean;
  readonly files: readonly FolderFile[];
  /** Some are left out, as there are too many, or folders too deep in one another. */
  readonly isCut: boolean;
  /** The paths of folders in it that can't be read now, of which nothing is known. */
  readonly unread: readonly string[];
}

/**
 * The files of a folder, and of those in it, whose kind is known. Links aren't followed, and hidden files not read, so that
 * nothing from elsewhere is among them. Rejects if the folder can't be read.
 *
 * @param readEntries what is in a folder
 */
export async function listFolder(root: string, readEntries = readFolder): Promise<FolderFiles> {
  const files: FolderFile[] = [];
  const unread: string[] = [];
  let isCut = false;
  async function list(within: string, depth: number): Promise<number> {
    const entries = await readEntries(join(root, within));
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue;
      const name = within === '' ? entry.name : `${within}/${entry.name}`;
      const kind = entry.isFile() ? findKind(name) : null;
      if (kind !== null) {
        if (files.length >= MOST_FILES) isCut = true;
        else files.push({ name, kind });
      }
      if (!entry.isDirectory()) continue;
      if (depth < DEEPEST) await list(name, depth + 1).catch((error: unknown) => noteUnread(error, name));
      else isCut = true;
    }
    return entries.length;
  }
  /** A folder that went is as one that is empty; one that can't be read isn't. */
  function noteUnread(error: unknown, name: string): void {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') unread.push(name);
  }
  const isEmpty = (await list('', 1)) === 0;
  return { isEmpty, files, isCut, unread };
}

function readFolder(path: string) {
  return readdir(path, { withFileTypes: true });
}

/** The kind of a file, by its name; null where that isn't known. */
export function findKind(name: string): DocumentKind | null {
  const end = extname(name).toLowerCase();
  return Object.entries(DOCUMENT_KINDS).find(([known]) => known === end)?.[1] ?? null;
}

/** What tells a version of a file from another, without its content; null where it has gone, or became a link. */
export async function readVersion(
  path: string,
): Promise<{ readonly size: number; readonly changed: number } | null> {
  return withFile(path, async (file) => {
    const { size, mtimeMs } = await file.stat();
    return { size, changed: mtimeMs };
  });
}

/** A file's content; null where it has gone, became a link since it was listed, or can't be read. */
export function readFile(path: string): Promise<Buffer | null> {
  return withFile(path, (file) => file.readFile());
}

async function withFile<T>(
  path: string,
  use: (file: Awaited<ReturnType<typeof open>>) => Promise<T>,
): Promise<T | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (file === null) return null;
  try {
    return await use(file);
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
