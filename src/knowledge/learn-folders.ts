import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import { errorMessage } from '../lib/errors.ts';
import { createPeriodic } from '../lib/periodic.ts';
import type { DocumentIndex, DocumentRecord } from '../storage/documents/index.ts';
import { type FolderFile, listFolder, readFile, readVersion } from './folder.ts';
import { toPassages } from './passages.ts';
import type { ParsedDocument, ParseFile, ParseResult } from './ports.ts';
import { folderAway, learned, leftOut, notLearned, STILL_LEARNING, unreadableFolder } from './texts.ts';

/** How often folders are looked at, in milliseconds. Events of the file system don't come from every kind of disk. */
const LOOK_MS = 15_000;
/** The largest file that is read, in bytes. */
const MOST_BYTES = 50 * 1024 * 1024;

export interface FolderPorts {
  /** Absolute. */
  readonly folders: readonly string[];
  readonly index: DocumentIndex;
  readonly parse: ParseFile;
  readonly clock: Clock;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** Learns the documents of folders, and keeps up with what is changed, added and deleted there. */
export function createFolderLearner(ports: FolderPorts) {
  const { folders, index, log } = ports;
  const stopping = new AbortController();
  const names = prefixes(folders);
  /** Folders that can't be read, or have too much, and were said to. */
  const told = new Map<string, string>();
  /** The names of those that can't be read. */
  let unread: readonly string[] = [];
  let isLooked = false;

  async function look(): Promise<void> {
    const away: string[] = [];
    if (!isLooked) await forgetOthers();
    for (const folder of folders) {
      const found = await listFolder(folder).catch((error: unknown) => errorMessage(error));
      const problem =
        typeof found === 'string' ? unreadableFolder(folder, found) : found.isCut ? leftOut(folder) : null;
      if (problem !== null && told.get(folder) !== problem) log.warn({ folder }, problem);
      if (problem === null) told.delete(folder);
      else told.set(folder, problem);
      // What was learned of a folder that is away for a moment stays.
      if (typeof found === 'string') away.push(basename(folder));
      else await learnFolder(folder, found.files);
    }
    unread = away;
    isLooked = !stopping.signal.aborted;
  }

  /** What is no longer configured isn't found any more. */
  async function forgetOthers(): Promise<void> {
    for (const { id, origin } of await index.list()) if (!folders.includes(origin)) await index.remove(id);
  }

  async function learnFolder(folder: string, files: readonly FolderFile[]): Promise<void> {
    const known = new Map((await index.list(folder)).map((document) => [document.id, document]));
    for (const file of files) {
      if (stopping.signal.aborted) return;
      const id = documentId(folder, file.name);
      await learnFile(folder, file, known.get(id) ?? null);
      known.delete(id);
    }
    for (const id of known.keys()) await index.remove(id);
  }

  function ifStopped(error: unknown): null {
    if (stopping.signal.aborted) return null;
    throw error;
  }

  async function learnFile(folder: string, file: FolderFile, known: DocumentRecord | null): Promise<void> {
    const path = join(folder, file.name);
    const name = `${names.get(folder) ?? ''}${file.name}`;
    const stat = await readVersion(path);
    const version = stat === null ? '' : `${stat.size}:${stat.changed}`;
    if (stat === null || (known?.version === version && known.name === name)) return;
    const isLarge = stat.size > MOST_BYTES;
    const content = isLarge ? Buffer.alloc(0) : await readFile(path);
    // It went meanwhile; the next look finds it so.
    if (content === null) return;
    const hash = createHash('sha256').update(content).digest('hex');
    if (known?.hash === hash && !isLarge) {
      await index.put({ ...known, name, version }, await index.read(known.id, 1, known.passages));
      return;
    }
    const result: ParseResult | null = isLarge
      ? { ok: false, problem: 'too_large' }
      : await ports.parse(content, file.kind, { signal: stopping.signal }).catch(ifStopped);
    if (result === null || stopping.signal.aborted) return;
    const document = result.ok ? result.document : NOTHING;
    const passages = toPassages(document);
    const problem = result.ok ? null : result.problem;
    const { title, pages } = document;
    const record = { name, kind: file.kind, hash, version, title, pages, problem };
    const id = documentId(folder, file.name);
    await index.put(
      { ...record, id, origin: folder, passages: passages.length, learnedAt: ports.clock() },
      passages,
    );
    if (problem === null) log.info({ folder }, learned({ name, pages, passages: passages.length }));
    else log.warn({ folder }, notLearned(name, problem));
  }

  const looking = createPeriodic({ name: 'look at folders of documents', everyMs: LOOK_MS, run: look, log });
  return {
    /** Looks now, and then every few seconds; resolves once everything there is learned. */
    start: () => looking.start(),
    /** What people should know who ask now, as sentences: what they ask for may be where nobody has looked. */
    notes: (): readonly string[] => [...(isLooked ? [] : [STILL_LEARNING]), ...unread.map(folderAway)],
    /** Looks once more; for tests. */
    look: () => looking.runNow(),
    async stop(): Promise<void> {
      stopping.abort();
      await looking.stop();
    },
  };
}

/** What names of documents begin with, so that those of several folders differ. */
function prefixes(folders: readonly string[]): ReadonlyMap<string, string> {
  if (folders.length === 1) return new Map();
  const ends = folders.map((folder) => basename(folder));
  return new Map(
    folders.map((folder, at) => {
      const isAlone = ends.filter((end) => end === ends[at]).length === 1;
      return [folder, isAlone ? `${ends[at]}/` : `${ends[at]}-${at + 1}/`];
    }),
  );
}

const NOTHING: ParsedDocument = { title: null, pages: null, blocks: [] };

/** The same for each version of a file. */
function documentId(folder: string, name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([folder, name]))
    .digest('hex')
    .slice(0, 32);
}
