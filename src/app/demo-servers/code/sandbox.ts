import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { findPackageFile } from '../../../config/package-files.ts';
import { AppError } from '../../../lib/errors.ts';
import { findNamespaces, type Namespaces, namespaceCommand } from './namespaces.ts';
import { type Confined, type Ended, RUNS_FOR_MS, runProcess } from './run-process.ts';

export type Language = 'python' | 'javascript';

/** A program that somebody wants to be run. */
interface Program {
  readonly language: Language;
  readonly code: string;
  /** What it reads from its standard input. */
  readonly stdin: string;
}

/** Runs programs where they reach nothing of this machine. */
export interface CodeSandbox {
  /** Those that hold here, as was tried. */
  readonly languages: readonly Language[];
  /** Why programs of the other languages aren't run, in a sentence each. */
  readonly problems: readonly string[];
  /** Runs a program to its end, or to one of its limits. Rejects if it can't be started; it's never run elsewhere then. */
  run(program: Program, signal?: AbortSignal): Promise<Ended>;
}

interface SandboxOptions {
  /** Files and folders of ours, of which no program may see anything. */
  readonly hidden: readonly string[];
  /** What namespaces need here, or what is missing. @default as found on this machine */
  readonly namespaces?: Namespaces | string;
}

type Launch = (program: Program) => Confined;

const PYTHON = '/usr/bin/python3';
const CPU_SECONDS = RUNS_FOR_MS / 1_000 + 1;
/** Of a process's memory, in kB: all that it reserves. Node, which reserves much more than it uses, wouldn't start with it. */
const MEMORY_KB = 256 * 1024;
/** Shells count the size of files in 512 bytes. */
const FILE_BLOCKS = 64 * 1024;
const COMMON_LIMITS = `ulimit -c 0 && ulimit -n 64 && ulimit -t ${CPU_SECONDS} && ulimit -f ${FILE_BLOCKS}`;

/**
 * Opens the sandbox of this machine: tries what it promises with a program that tries to break out, and offers only the
 * languages whose programs can't.
 * - Python in namespaces of its own, by bubblewrap.
 * - JavaScript by QuickJS, which knows nothing but the language, in a process of its own; behind namespaces too, where
 *   they hold.
 *
 * @throws AppError `no_sandbox`, retryable, if no language holds.
 */
export async function openSandbox({
  hidden,
  namespaces = findNamespaces(),
}: SandboxOptions): Promise<CodeSandbox> {
  const paths = [...hidden, homedir(), '/etc/passwd', '/proc/1', '/tmp'];
  const [python, javascript] = await Promise.all([openPython(namespaces, paths), openJavaScript(namespaces)]);
  const launches = new Map<Language, Launch>();
  const problems: string[] = [];
  for (const [language, launch] of [
    ['python', python],
    ['javascript', javascript],
  ] as const) {
    if (typeof launch === 'string') problems.push(launch);
    else launches.set(language, launch);
  }
  if (launches.size === 0) {
    throw new AppError({
      code: 'no_sandbox',
      userMessage: `No program can be run safely here. ${problems.join(' ')}`,
      retryable: true,
    });
  }
  return {
    languages: [...launches.keys()],
    problems,
    async run(program, signal) {
      const launch = launches.get(program.language);
      if (launch === undefined) throw new TypeError(`no sandbox for ${program.language}`);
      return runProcess(launch(program), signal);
    },
  };
}

async function openPython(
  namespaces: Namespaces | string,
  hidden: readonly string[],
): Promise<Launch | string> {
  if (typeof namespaces === 'string') return `Python isn't offered: ${namespaces}.`;
  if (!existsSync(PYTHON)) return `Python isn't offered: ${PYTHON} is not installed.`;
  const [command, ...args] = namespaceCommand(namespaces, { shown: [], codeFile: 'main.py' });
  const launch: Launch = ({ code, stdin }) => ({
    command,
    args: [
      ...args,
      ...limited(`${COMMON_LIMITS} && ulimit -v ${MEMORY_KB}`),
      // Isolated from settings and folders; unbuffered, so that what it wrote before it was ended is there.
      ...[PYTHON, '-I', '-B', '-u', '-X', 'utf8', 'main.py'],
    ],
    stdin,
    inputs: [code, namespaces.filter],
    namesProcess: true,
  });
  const problem = await probe(launch, {
    language: 'python',
    code: PYTHON_PROBE,
    stdin: JSON.stringify(hidden),
  });
  return problem === null ? launch : `Python isn't offered: ${problem}.`;
}

async function openJavaScript(namespaces: Namespaces | string): Promise<Launch | string> {
  const script = join(import.meta.dirname, `javascript${extname(import.meta.filename)}`);
  const shown = [
    dirname(script),
    ...['package.json', 'node_modules/quickjs-emscripten-core', 'node_modules/@jitl'].flatMap(
      (name) => findPackageFile(name) ?? [],
    ),
  ];
  const node = [
    process.execPath,
    '--permission',
    ...shown.map((path) => `--allow-fs-read=${path}`),
    // Its heap is what Node needs; the program's is in WebAssembly.
    ...['--disable-sigusr1', '--no-warnings', '--max-old-space-size=64', '--stack-size=3900', script],
  ];
  const bare: Launch = ({ code, stdin }) => {
    const [command = '', ...args] = [...limited(COMMON_LIMITS), ...node];
    return { command, args, stdin, inputs: [code], namesProcess: false };
  };
  const launches = [bare];
  if (typeof namespaces !== 'string') {
    const view = { shown: [process.execPath, ...shown], codeFile: null };
    const [command, ...args] = namespaceCommand(namespaces, view);
    launches.unshift(({ code, stdin }) => ({
      command,
      args: [...args, ...limited(COMMON_LIMITS), ...node],
      stdin,
      inputs: [code, namespaces.filter],
      namesProcess: true,
    }));
  }
  let problem: string | null = null;
  for (const launch of launches) {
    problem = await probe(launch, { language: 'javascript', code: JAVASCRIPT_PROBE, stdin: '' });
    if (problem === null) return launch;
  }
  return `JavaScript isn't offered: ${problem}.`;
}

/** A shell that sets limits for itself, takes a back seat, and becomes the program after it. */
function limited(limits: string): string[] {
  return ['/bin/sh', '-c', `${limits} && exec nice -n 10 "$@"`, 'sh'];
}

/** Tries to get at what no program may have; it says `done` if it got nothing. Runs in Python, on the paths of its input. */
const PYTHON_PROBE = `
import json, os, socket, sys
found = [path for path in json.load(sys.stdin) if os.path.lexists(path)]
found += sorted(set(os.environ) - {'HOME', 'TMPDIR', 'PATH', 'LANG', 'OPENBLAS_NUM_THREADS', 'PWD', 'LC_CTYPE'})
def attempt(name, act):
    try:
        act()
        found.append(name)
    except (OSError, MemoryError):
        pass
attempt('the network', lambda: socket.socket())
attempt('more processes', lambda: os.fork() or os._exit(0))
attempt('files of the system', lambda: open('/usr/bin/probe', 'w'))
attempt('the root folder', lambda: open('/probe', 'w'))
attempt('more memory', lambda: bytearray(300_000_000))
open('probe', 'w').write('its own')
print(', '.join(found) or 'done')
`;

const JAVASCRIPT_PROBE = `
const beyond = ['process', 'require', 'fetch', 'WebAssembly', 'Deno', 'os', 'std'].filter((name) => name in globalThis);
console.log(beyond.join(', ') || 'done');
`;

/** What a program could get at; null if nothing, and it could be run. */
async function probe(launch: Launch, program: Program): Promise<string | null> {
  try {
    const { stdout, stderr, exit_code, timed_out } = await runProcess(launch(program));
    if (timed_out) return 'trying it took too long';
    const found = stdout.trim();
    if (exit_code === 0) return found === 'done' ? null : `a program could reach ${found}`;
    return stderr.trim().split('\n').at(-1) || `it ended with exit code ${exit_code}`;
  } catch (error) {
    return error instanceof Error ? error.message : 'it could not be started';
  }
}
