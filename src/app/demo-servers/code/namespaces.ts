import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { seccompFilter } from './seccomp.ts';

/** The one folder that a program may write: in memory, its own, and gone when it ends. */
const FOLDER = '/sandbox';
const FOLDER_BYTES = 32 * 1024 * 1024;
/** Each file, folder and link takes some 2 kB of the kernel's memory, which is counted nowhere else. */
const FOLDER_INODES = 10_000;
/**
 * Bubblewrap can limit the bytes of a folder in memory, but not its inodes. So it's mounted before, where only bubblewrap sees
 * it: over a folder that each machine has, and of which a program sees nothing.
 */
const MOUNTED_AT = '/sys';
const MOUNT = `PATH=/usr/bin:/bin mount -t tmpfs -o size=${FOLDER_BYTES},nr_inodes=${FOLDER_INODES},mode=0700,nosuid,nodev none ${MOUNTED_AT}`;
const UNSHARE = '/usr/bin/unshare';
/** Where bubblewrap finds what a program is allowed to ask of the kernel, and where it names its first process. */
const FILTER_DESCRIPTOR = 4;
const INFO_DESCRIPTOR = 5;

/**
 * What of the machine a program sees, read-only: what the distribution installed. Not `/usr/local` and `/usr/src`, where
 * programs like this one are put with their settings.
 */
const SYSTEM = [
  '/usr/bin',
  '/usr/lib',
  '/usr/lib32',
  '/usr/lib64',
  '/usr/share/zoneinfo',
  '/etc/alternatives',
];
/** Links to those of above, or folders of their own. */
const LINKS = ['/bin', '/lib', '/lib32', '/lib64'];
const DEVICES = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'];
const ENVIRONMENT = {
  HOME: FOLDER,
  TMPDIR: FOLDER,
  PATH: '/usr/bin',
  LANG: 'C.UTF-8',
  // Each of its threads would take a share of the memory.
  OPENBLAS_NUM_THREADS: '1',
};

/** How a program is started behind namespaces of its own. */
export interface Namespaces {
  readonly bubblewrap: string;
  /** What it may ask of the kernel. */
  readonly filter: Buffer;
}

/** What namespaces need here; a text says what is missing. */
export function findNamespaces(): Namespaces | string {
  const bubblewrap = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].find((path) =>
    existsSync(path),
  );
  if (bubblewrap === undefined) return 'bubblewrap is not installed';
  if (!existsSync(UNSHARE)) return `${UNSHARE} is not installed`;
  const filter = seccompFilter(process.arch);
  return filter === null ? `no filter of system calls is known for ${process.arch}` : { bubblewrap, filter };
}

interface View {
  /** What it sees besides the system, read-only, at the places where it is. */
  readonly shown: readonly string[];
  /** The name of the file that has the code, if it's to be a file; it's read from descriptor 3. */
  readonly codeFile: string | null;
}

/**
 * The command that starts a program behind namespaces, up to the program's own. Without a network, `/proc`, `/sys`, terminal, and anything of other
 * processes; nothing that it sees can be changed but its folder.
 */
export function namespaceCommand(
  { bubblewrap }: Namespaces,
  { shown, codeFile }: View,
): [string, ...string[]] {
  const system = [...SYSTEM, ...LINKS].flatMap(showAsItIs);
  return [
    ...([UNSHARE, '-Urm', '/bin/sh', '-c', `${MOUNT} && exec "$@"`, 'sh', bubblewrap] as const),
    ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ...['--clearenv', ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value])],
    ...system,
    ...DEVICES.flatMap((path) => ['--dev-bind', path, path]),
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', MOUNTED_AT, FOLDER, '--chdir', FOLDER],
    ...(codeFile === null ? [] : ['--file', '3', `${FOLDER}/${codeFile}`]),
    // The root is a folder in memory too, whose size nothing limits.
    ...['--remount-ro', '/', '--seccomp', String(FILTER_DESCRIPTOR)],
    ...['--info-fd', String(INFO_DESCRIPTOR), '--'],
  ];
}

function showAsItIs(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}
