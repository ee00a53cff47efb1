import { createHash } from 'node:crypto';
import { basename, isAbsolute } from 'node:path';
import { errorMessage } from '../lib/errors.ts';
import { createPeriodic } from '../lib/periodic.ts';
import { type FolderFiles, listFolder } from './folder.ts';
import type { LearnPorts } from './learn-content.ts';
import { createLearnFile } from './learn-file.ts';
import { EVERYBODY } from './ports.ts';
import {
  emptyFolder,
  folderAway,
  folderEmpty,
  leftOut,
  STILL_LEARNING,
  unreadableFolder,
  unreadableWithin,
} from './texts.ts';

/** How often folders are looked at, in milliseconds. Events of the file system don't come from every kind of disk. */
const LOOK_MS = 15_000;

const FOR_EVERYBODY = (): readonly string[] => [EVERYBODY];

export interface FolderPorts extends LearnPorts {
  /** Absolute. */
  readonly folders: readonly string[];
  /**
   * Who may read what is in a folder, which is asked at each look.
   * @default everybody
   */
  readonly readersWithin?: (folder: string) => readonly string[];
}

/** Why nothing is known of what is in a folder now: what its operator reads, and what those do who ask. */
interface FolderProblem {
  readonly problem: string;
  readonly note: string;
}

type Away = Pick<FolderProblem, 'note'> & { readonly folder: string };

/** Learns the documents of folders, and keeps up with what is changed, added and deleted there. */
export function createFolderLearner(ports: FolderPorts) {
  const { folders, index, log, turn, readersWithin = FOR_EVERYBODY } = ports;
  const stopping = new AbortController();
  const learnFolder = createLearnFolder(ports, stopping.signal);
  /** Folders that can't be read, or have too much, and were said to. */
  const told = new Map<string, string>();
  /** Those of which nothing new is known, with what is said of them. */
  let away: readonly Away[] = [];
  let isLooked = false;
  const { prepare, admit, forget } = createAdmission({ folders, index, readersWithin });
  const hasLooked = async () => (turn ? turn.hasLooked() : isLooked);

  /** What is in a folder, or why it's away. A disk that isn't mounted is seen as an empty folder. */
  async function list(folder: string): Promise<FolderFiles | FolderProblem> {
    const name = basename(folder);
    try {
      const listed = await listFolder(folder);
      if (!listed.isEmpty || (await index.list(folder)).length === 0) return listed;
      return { problem: emptyFolder(folder), note: folderEmpty(name) };
    } catch (error) {
      return { problem: unreadableFolder(folder, errorMessage(error)), note: folderAway(name) };
    }
  }

  async function look(): Promise<void> {
    // Another process looks, and what it learns is found here.
    if ((await turn?.isOurs()) === false) {
      away = [];
      return;
    }
    // Before this turn, another one may have had folders and readers of its own.
    if (turn && !(await hasLooked())) forget();
    const found: Away[] = [];
    await prepare();
    for (const folder of folders) {
      await admit(folder);
      const listed = await list(folder);
      const problem = describeProblem(folder, listed);
      if (problem !== null && told.get(folder) !== problem) log.warn({ folder }, problem);
      if (problem === null) told.delete(folder);
      else told.set(folder, problem);
      // What was learned of a folder that is away for a moment stays.
      if (!('files' in listed)) found.push({ folder, note: listed.note });
      else await learnFolder(folder, listed);
    }
    away = found;
    if (stopping.signal.aborted) return;
    isLooked = true;
    if (!(await hasLooked())) await turn?.noteLooked();
  }

  const looking = createPeriodic({ name: 'look at folders of documents', everyMs: LOOK_MS, run: look, log });
  return {
    /** Looks now, and then every few seconds; resolves once everything there is learned. */
    start: () => looking.start(),
    /** Nothing is answered before this: what is no longer configured isn't found, nor by whom it no longer is for. */
    async prepare(): Promise<void> {
      // Another process has its own configuration, and changes what is known by that.
      if ((await turn?.isOurs()) !== false) await prepare();
    },
    /** What these should know who ask now, as sentences: what they ask for may be where nobody has looked. */
    notes: async (readers: readonly string[]): Promise<readonly string[]> => [
      ...((await hasLooked()) ? [] : [STILL_LEARNING]),
      ...away
        .filter(({ folder }) => readersWithin(folder).some((reader) => readers.includes(reader)))
        .map(({ note }) => note),
    ],
    /** Looks once more; for tests. */
    look: () => looking.runNow(),
    async stop(): Promise<void> {
      stopping.abort();
      await looking.stop();
    },
  };
}

/** Learns the files of a folder, and forgets those that have gone. */
function createLearnFolder(ports: FolderPorts, signal: AbortSignal) {
  const { folders, index, readersWithin = FOR_EVERYBODY } = ports;
  const names = prefixes(folders);
  const learn = createLearnFile(ports);
  return async (folder: string, { files, unread }: FolderFiles): Promise<void> => {
    const prefix = names.get(folder) ?? '';
    const known = new Map((await index.list(folder)).map((document) => [document.id, document]));
    for (const file of files) {
      if (signal.aborted) return;
      const id = documentId(folder, file.name);
      const name = `${prefix}${file.name}`;
      await learn({ id, folder, file, name, readers: readersWithin(folder) }, known.get(id) ?? null, signal);
      known.delete(id);
    }
    const isUnread = (name: string) => unread.some((path) => name.startsWith(`${prefix}${path}/`));
    for (const { id, name } of known.values()) if (!isUnread(name)) await index.remove(id);
  };
}

/** What an operator should know of a look at a folder; null: nothing. */
function describeProblem(folder: string, found: FolderFiles | FolderProblem): string | null {
  if ('problem' in found) return found.problem;
  if (found.unread.length > 0) return unreadableWithin(folder, found.unread);
  return found.isCut ? leftOut(folder) : null;
}

/** Keeps who may read what is known of folders as it's configured. */
function createAdmission({
  folders,
  index,
  readersWithin,
}: Required<Omit<FolderPorts, keyof LearnPorts>> & Pick<LearnPorts, 'index'>) {
  /** As JSON, by their folders. */
  const admitted = new Map<string, string>();
  let prepared: Promise<void> | null = null;

  async function admit(folder: string): Promise<void> {
    const readers = readersWithin(folder);
    const known = JSON.stringify(readers);
    if (admitted.get(folder) === known) return;
    await index.admit(folder, readers);
    admitted.set(folder, known);
  }

  async function admitAll(): Promise<void> {
    for (const { id, origin } of await index.list())
      if (isAbsolute(origin) && !folders.includes(origin)) await index.remove(id);
    for (const folder of folders) await admit(folder);
  }
  return {
    admit,
    /** What was admitted may be so no longer. */
    forget(): void {
      admitted.clear();
      prepared = null;
    },
    /** Removes what is no longer configured, and admits the readers of all that is, once. */
    prepare(): Promise<void> {
      prepared ??= admitAll().catch((error: unknown) => {
        prepared = null;
        throw error;
      });
      return prepared;
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

/** The same for each version of a file. */
function documentId(folder: string, name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([folder, name]))
    .digest('hex')
    .slice(0, 32);
}
