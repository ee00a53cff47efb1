import { chmodSync, closeSync, lstatSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../lib/errors.ts';
import { fileOfAnotherUser, folderOfAnotherUser, folderShared, folderStaysOpen } from './texts.ts';

/** The permissions of a file that are not its owner's. */
const OTHERS = 0o077;
/** Whoever may write to the folder deletes only their own files in it, as in /tmp: it is meant for many. */
const STICKY = 0o1000;

/** What keeps a folder, or a file in it, from being its owner's alone. */
interface PrivacyProblem {
  /** `another_owner`: somebody else's; `shared`: a folder for many, such as `/tmp`; `open`: others may use it. */
  readonly kind: 'another_owner' | 'shared' | 'open';
  readonly path: string;
  readonly isFolder: boolean;
}

/**
 * Everything of a folder that is not this user's alone: the folder itself, and the files right in it. What is
 * deeper is out of reach once the folder is. A system without users (Windows) has none.
 */
export function findPrivacyProblems(folder: string): readonly PrivacyProblem[] {
  const uid = process.getuid?.();
  if (uid === undefined) return [];
  const own = problemWith(folder, statSync(folder), uid);
  const inside = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // A folder of somebody else's, such as `lost+found` of a disk, holds nothing of ours.
    if (!stats || stats.isSymbolicLink() || (stats.isDirectory() && stats.uid !== uid)) return [];
    return problemWith(path, stats, uid) ?? [];
  });
  return own === null ? inside : [own, ...inside];
}

function problemWith(path: string, stats: Stats, uid: number): PrivacyProblem | null {
  const at = { path, isFolder: stats.isDirectory() };
  if (stats.uid !== uid) return { kind: 'another_owner', ...at };
  if (stats.isDirectory() && (stats.mode & STICKY) !== 0) return { kind: 'shared', ...at };
  return (stats.mode & OTHERS) === 0 ? null : { kind: 'open', ...at };
}

/**
 * Takes a folder and the files in it from everybody but their owner, whoever made them and however. Returns the paths
 * that others could use.
 * @throws ConfigError where that can't be: somebody else owns one of them, the folder is one for many such as
 * `/tmp`, or its file system keeps no permissions.
 */
export function makePrivate(folder: string): readonly string[] {
  const problems = findPrivacyProblems(folder);
  for (const { kind, path, isFolder } of problems) {
    if (kind === 'shared') throw new ConfigError(folderShared(path));
    if (kind === 'another_owner') {
      throw new ConfigError(isFolder ? folderOfAnotherUser(path) : fileOfAnotherUser(path));
    }
    withdraw(path);
  }
  // A file that another process has just deleted is no problem; one that stays open is.
  const left = findPrivacyProblems(folder)[0];
  if (left) throw new ConfigError(folderStaysOpen(left.path));
  return problems.map(({ path }) => path);
}

function withdraw(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  try {
    chmodSync(path, stats.mode & 0o700);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw new ConfigError(folderStaysOpen(path), error);
    }
  }
}

/** Makes an empty file for its owner alone where there is nothing. Throws Node's error when that can't be. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
