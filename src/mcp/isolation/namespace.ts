import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import type { SandboxFolder } from '../config/sandbox.ts';
import type { StdioServerConfig } from '../config/schema.ts';

/** What of this program servers are kept from. */
export interface OwnPaths {
  /** Not to be seen. */
  readonly hidden: readonly string[];
  /** Not to be changed: what this program runs and is configured by. */
  readonly readOnly: readonly string[];
}

/** The file system and the rest of the machine, as a server's process sees it. */
interface View {
  readonly isRoot: boolean;
  readonly hasNetwork: boolean;
  /** Null: all that is on the machine. */
  readonly folders: readonly SandboxFolder[] | null;
  /** Folders that are empty, and what is in them nevertheless. */
  readonly emptied: readonly string[];
  readonly kept: readonly string[];
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[];
  readonly readOnly: readonly string[];
}

/**
 * Sockets in /run lead out of the sandbox: those of Docker, of the system's and the user's services. What
 * leads no further stays: names to look up, databases, and programs (NixOS).
 */
const RUN = '/run';
const KEPT_OF_RUN = ['postgresql', 'mysqld', 'redis', 'valkey', 'current-system', 'opengl-driver'].map(
  (name) => join(RUN, name),
);
/** Programs that only start a container, and need their service's socket for it. */
const CONTAINER_CLIENTS = /(?:^|\/)(?:docker|podman|nerdctl)$/;
const EMPTIED_BESIDE_RUN = ['/home', '/root', '/tmp', '/var/tmp'];

/**
 * What root keeps: other users' files. Not what undoes a mount, opens files past it, or reaches devices.
 * @see https://man7.org/linux/man-pages/man7/capabilities.7.html
 */
const ROOT_KEEPS = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETGID', 'CAP_SETUID'];

/** The arguments of bubblewrap, up to the program's own. Later ones cover earlier ones. */
export function bubblewrapArguments(view: View): string[] {
  const ours = [...view.hidden.map(({ path }) => path), ...view.readOnly];
  const [inside, outside] = partition(view.folders ?? [], ({ path }) =>
    ours.some((own) => path !== own && isWithin(path, own)),
  );
  return [
    // Its own session: a terminal of ours takes no input from it.
    ...['--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session'],
    ...(view.hasNetwork ? [] : ['--unshare-net']),
    ...(view.isRoot ? ['--cap-drop', 'ALL', ...ROOT_KEEPS.flatMap((name) => ['--cap-add', name])] : []),
    ...[view.folders === null ? '--bind' : '--ro-bind', '/', '/'],
    ...view.emptied.flatMap((path) => ['--tmpfs', path]),
    ...view.kept.flatMap(readOnlyIfThere),
    ...outside.flatMap(bindFolder),
    ...view.readOnly.flatMap(readOnlyIfThere),
    ...readOnlyIfThere('/sys'),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...view.hidden.flatMap(({ path, isFolder }) =>
      isFolder ? ['--tmpfs', path] : ['--dev-bind', '/dev/null', path],
    ),
    ...inside.flatMap(bindFolder),
    '--',
  ];
}

/**
 * What a server's process is shown. Relative paths are of the folder that this process runs in.
 * @param program the path of the server's program, which it can see in any case
 */
export async function describeView(
  { command, cwd, sandbox }: Pick<StdioServerConfig, 'command' | 'cwd' | 'sandbox'>,
  program: string,
  own: OwnPaths,
): Promise<View> {
  const folders = sandbox.folders?.map(({ path, write }) => ({ path: absolutePath(path), write })) ?? null;
  const all = folders === null ? [] : [...EMPTIED_BESIDE_RUN, homedir()];
  const emptied = CONTAINER_CLIENTS.test(command) && folders === null ? all : [...all, RUN];
  const names = await realpath('/etc/resolv.conf').catch(() => null);
  const parts = folders === null ? [] : await programParts(program);
  return {
    isRoot: process.geteuid?.() === 0,
    hasNetwork: sandbox.network,
    folders,
    emptied: (await existing(emptied)).flatMap(({ path, isFolder }) => (isFolder ? [path] : [])),
    kept: [
      ...KEPT_OF_RUN,
      ...(names !== null && isWithin(names, RUN) ? [dirname(names)] : []),
      ...parts,
      ...(folders === null || cwd === undefined ? [] : [resolve(cwd)]),
    ],
    hidden: await existing(own.hidden),
    readOnly: (await existing(own.readOnly)).map(({ path }) => path),
  };
}

/** The first folder that a server is to see and that doesn't exist; null if all do. */
export async function findMissingFolder({ folders }: Pick<View, 'folders'>): Promise<string | null> {
  for (const { path } of folders ?? []) {
    const found = await stat(path).catch(() => null);
    if (found === null) return path;
  }
  return null;
}

/** Where a program and what it loads are: Node's version managers keep npm in `../lib` of its `bin`. */
async function programParts(program: string): Promise<string[]> {
  const folder = dirname(program);
  return [folder, join(dirname(folder), 'lib'), dirname(await realpath(program))];
}

/** The paths that exist, without symbolic links, each once. `/` can't be replaced. */
async function existing(paths: readonly string[]): Promise<{ path: string; isFolder: boolean }[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  const found = [...new Set(real)].filter((path) => path !== null && path !== '/');
  return Promise.all(
    found.map(async (path) => ({ path: path ?? '/', isFolder: (await stat(path ?? '/')).isDirectory() })),
  );
}

function absolutePath(path: string): string {
  return path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : resolve(path);
}

function bindFolder({ path, write }: SandboxFolder): string[] {
  return [write ? '--bind' : '--ro-bind', path, path];
}

function readOnlyIfThere(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../');
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
