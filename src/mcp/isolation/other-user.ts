import { chown, lchown, lstat, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homeTaken, isOurUser, NEEDS_LINUX, NEEDS_ROOT, noSuchUser } from '../texts/isolation.ts';

/** The user of the system that servers run as. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  /** A folder of its own, which it may write: npm caches there. */
  readonly home: string;
}

/**
 * The user that servers run as; a text says why there is none. A user without a home gets a folder among the
 * temporary ones.
 */
export async function findServerUser(name: string): Promise<ServerUser | string> {
  if (process.platform !== 'linux') return NEEDS_LINUX;
  if (process.geteuid?.() !== 0) return NEEDS_ROOT;
  const passwd = await readFile('/etc/passwd', 'utf8');
  const entry = passwd.split('\n').find((line) => line.startsWith(`${name}:`));
  const [, , uid, gid, , home] = entry?.split(':') ?? [];
  if (home === undefined) return noSuchUser(name);
  const user = { name, uid: Number(uid), gid: Number(gid), home };
  if (user.uid === 0) return isOurUser(name);
  if (await isFolderOfUser(home, user.uid)) return user;
  const made = join(tmpdir(), `countersign-servers-${user.uid}`);
  // The temporary folder is everybody's, so one that is there already counts only if it's this user's.
  const isNew = await mkdir(made, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  // A container may take this from its root; then the folder isn't the user's.
  if (isNew) await chown(made, user.uid, user.gid).catch(() => undefined);
  return (await isFolderOfUser(made, user.uid)) ? { ...user, home: made } : homeTaken(made);
}

/**
 * Takes a folder of this program, and all that is in it, from the user that servers run as, whose it is where
 * an earlier version ran as that user; but not that user's home. Throws Node's error where that can't be.
 */
export async function takeOver(folder: string, { uid, home }: ServerUser): Promise<void> {
  if (folder === home || (await stat(folder).catch(() => null))?.uid !== uid) return;
  const inside = await readdir(folder, { recursive: true });
  for (const path of [...inside.map((name) => join(folder, name)), folder]) await lchown(path, 0, 0);
}

/** The arguments of setpriv, up to the program's own. */
export function setprivArguments({ uid, gid }: ServerUser): string[] {
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return [...ids, '--inh-caps=-all', '--no-new-privs', '--'];
}

async function isFolderOfUser(path: string, uid: number): Promise<boolean> {
  const found = await lstat(path).catch(() => null);
  return found?.isDirectory() === true && found.uid === uid;
}
