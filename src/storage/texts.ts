/** The texts of the storage that people see: why it can't be opened, read or written, and what a crash can lose. */

// Redis

export const REDIS_READ_FAILED = 'Redis did not answer; nothing was read.';
export const REDIS_OUTCOME_UNKNOWN =
  'Redis did not answer, so the change may or may not have been made. Check before you try again.';
export const REDIS_UNREACHABLE = 'Redis cannot be reached. Nothing was done; try again.';
export const REDIS_NEWER =
  'What is in Redis was written by a later version of the program; nothing was changed in it.';
export const REDIS_FOREIGN = 'Redis holds data that this program did not write; it was left as it is.';
export const REDIS_CHECKPOINTS_UNREADABLE =
  'Redis holds checkpoints that cannot be read; they were left as they are.';
export const STORE_CLOSED = 'The store is closed; nothing was done.';

/** `code`: the first word of the server's answer. */
export function redisRefused(code: string): string {
  return `Redis refused (${code}). Nothing was done; try again.`;
}

/** `missing`: the names of the modules. */
export function redisModulesMissing(missing: readonly string[]): string {
  return `CHECKPOINTER=langgraph-redis needs a Redis with ${missing.join(' and ')}, which this one lacks. Use Redis 8 or Redis Stack, or CHECKPOINTER=own, which needs no modules.`;
}

export const DURABILITY_UNKNOWN =
  "Redis: its settings cannot be read, so what a crash can lose is not known; ask the server's operator.";

/** `loss`: one of {@link LOSS}; `evictionPolicy`: null if nothing is evicted. */
export function crashCanLose(loss: string, evictionPolicy: string | null): string {
  const eviction =
    evictionPolicy === null
      ? ''
      : `, and a full memory can lose any record (maxmemory-policy ${evictionPolicy})`;
  return `Redis: a crash of the server can lose ${loss}${eviction}.`;
}

/** What a crash loses, by when the append-only file is synced, or without one. */
export const LOSS = {
  always: 'nothing that was acknowledged (append-only file, synced always)',
  everysec: 'about the last second (append-only file, synced every second)',
  never: 'what the operating system has not written yet, often 30 seconds (append-only file, never synced)',
  everything: 'everything (neither an append-only file nor snapshots)',
} as const;

/** `save`: when snapshots are made, as Redis has it in its settings. */
export function lossSinceSnapshot(save: string): string {
  return `all since the last snapshot (no append-only file; save ${save})`;
}

// SQLite

export const DATABASE_UNUSABLE = 'The database could not be used.';
export const DATABASE_NEWER =
  'The database was written by a later version of the program; nothing was changed in it.';
export const DISK_NOT_WRITTEN =
  'The disk could not be written, so the last changes may be lost. Nothing more is changed until Countersign is started again.';
export const COMMIT_NUMBER_LOST = 'The database has lost its commit number; nothing was written.';
export const CHECKPOINTS_UNREADABLE =
  'The database holds checkpoints that cannot be read; they were left as they are.';

export function databaseNotOpened(path: string): string {
  return `The database ${path} could not be opened.`;
}

/** `what`: a sentence about what went wrong. */
export function nothingDoneTryAgain(what: string): string {
  return `${what} Nothing was done; try again.`;
}

export function columnUnreadable(column: string): string {
  return `The database holds a row whose ${column} cannot be read; it was left as it is.`;
}

/** Why the program doesn't start with this file; `problem`: a sentence. */
export function databaseProblem(path: string, problem: string): string {
  return `${path}: ${problem}`;
}

export function databaseDamaged(path: string): string {
  return `${path} is not a database that can be read; it was left as it is. Put a backup in its place, or move it away to begin with an empty one.`;
}

const OTHER_FOLDER = 'or set DATA_DIR to another folder';

/** `why`: the system's message. */
export function databaseFileNotOpened(path: string, why: string): string {
  return `${path} could not be opened (${why}). Fix that, ${OTHER_FOLDER}.`;
}

/** `pid`: the process that has the folder; null if that isn't known. */
export function folderInUse(folder: string, pid: string | null): string {
  const process = pid === null ? '' : ` (process ${pid})`;
  return `Another Countersign${process} is running on ${folder}. Stop it, ${OTHER_FOLDER}.`;
}

export function folderNotWritable(folder: string): string {
  return `${folder} cannot be written to. Fix that, ${OTHER_FOLDER}.`;
}

// Who may read the data folder

export function folderOfAnotherUser(folder: string): string {
  return `${folder} belongs to another user, who could read everything in it. Nothing was written. Make it yours (chown), or set DATA_DIR to a folder in it that doesn't exist yet.`;
}

export function fileOfAnotherUser(path: string): string {
  return `${path} belongs to another user, who could read or change it. Nothing was written. Make it yours (chown), or move it out of DATA_DIR.`;
}

export function folderShared(folder: string): string {
  return `${folder} is a folder that many users share, so it can't hold what only one may read. Nothing was written. Set DATA_DIR to a folder in it that doesn't exist yet.`;
}

export function folderStaysOpen(path: string): string {
  return `Others than its owner can use ${path}, and that could not be changed. Set DATA_DIR to a folder on a file system that keeps permissions.`;
}

// Records and pages

/** `collection`: its name. */
export function recordDoesNotFit(id: string, collection: string): string {
  return `The record ${id} does not fit ${collection}; nothing was written.`;
}

export const NO_SUCH_PAGE =
  'That is not a page this list has. Nothing was read; start again from its first page.';

export const DOCUMENTS_CLOSED = 'The index of documents is closed; nothing was done.';

export const DOCUMENTS_UNUSABLE =
  'The index of documents, documents.db in DATA_DIR, can’t be used. Put back a backup of it. Without one, move it away: folders are learned again, and what people gave has to be given again.';

export const LANCE_MISSING =
  'knowledge.store needs LanceDB, which isn’t installed here: npm install @lancedb/lancedb apache-arrow. No document was read.';

export const SHARED_DOCUMENTS_UNUSABLE =
  'The index of documents at knowledge.store can’t be used now; nothing was changed in it.';
