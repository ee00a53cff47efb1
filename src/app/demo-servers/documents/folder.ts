import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Document, readPassages, readText } from './document.ts';

/** What is read of a folder; whatever is beyond is left out, and said to be. */
const MOST_DOCUMENTS = 200;
const MOST_BYTES_EACH = 256 * 1024;
const MOST_BYTES = 2 * 1024 * 1024;
const DEEPEST = 4;

/** The kinds of files that are read, by the ends of their names. */
const KINDS: Readonly<Record<string, Document['kind']>> = {
  '.md': 'markdown',
  '.txt': 'text',
  '.csv': 'csv',
  '.html': 'html',
  '.htm': 'html',
};

/** The documents of a folder, and how many files are too large or too many to be among them. */
export interface Folder {
  /** By name, which is the path within the folder. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly leftOut: number;
}

/**
 * Reads the documents of a folder and of those in it. Files that are links aren't read, nor are hidden ones, so that nothing
 * from elsewhere is among them.
 */
export async function readFolder(path: string): Promise<Folder> {
  const documents = new Map<string, Document>();
  let [leftOut, bytes] = [0, 0];
  for (const name of await listFiles(path)) {
    const kind = KINDS[extname(name).toLowerCase()];
    if (kind === undefined) continue;
    const content = documents.size < MOST_DOCUMENTS ? await readFile(join(path, name)) : null;
    if (content === null || bytes + content.length > MOST_BYTES) {
      leftOut += 1;
      continue;
    }
    bytes += content.length;
    const text = readText(kind, content.toString('utf8'));
    documents.set(name, { name, kind, ...text, passages: readPassages(name, kind, text) });
  }
  return { documents, leftOut };
}

async function listFiles(root: string, within = '', depth = 1): Promise<string[]> {
  const entries = await readdir(join(root, within), { withFileTypes: true });
  const names: string[] = [];
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`;
    if (entry.name.startsWith('.')) continue;
    if (entry.isFile()) names.push(name);
    if (entry.isDirectory() && depth < DEEPEST) names.push(...(await listFiles(root, name, depth + 1)));
  }
  return names;
}

/** A file's content; null where it's too large, has gone, or became a link since it was listed. */
async function readFile(path: string): Promise<Buffer | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => null);
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    return size > MOST_BYTES_EACH ? null : await file.readFile();
  } catch {
    return null;
  } finally {
    await file.close();
  }
}
