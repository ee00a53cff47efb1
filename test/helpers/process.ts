import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freshBundle } from '../../bin/bundle.js';
import { AUDIT_SIGNING_KEY } from './audit-keys.ts';

/** How long a process may take to say what a test waits for, in milliseconds. */
const PATIENCE_MS = 60_000;

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Settings of whoever runs the tests, from their shell or `.env`, must not reach the process. */
const UNSET = Object.fromEntries(
  [
    'COUNTERSIGN_CONFIG',
    'COUNTERSIGN_API_KEY',
    'REDIS_URL',
    'ROLE',
    'CHECKPOINTER',
    'DURABILITY',
    'SLACK_BOT_TOKEN',
    'SLACK_APP_TOKEN',
    'SLACK_SIGNING_SECRET',
    'SLACK_API_URL',
    'SLACK_CLIENT_ID',
    'SLACK_CLIENT_SECRET',
    'PUBLIC_URL',
    'SLACK_POSTS_PER_SECOND',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'MODEL',
    'ROUTER_MODEL',
    'MODEL_TIMEOUT_MS',
    'LOG_LEVEL',
    'LOG_FORMAT',
    'AUDIT_HEADS_FILE',
    'AUDIT_SIGNING_KEY_FILE',
    'AUDIT_FORMER_KEYS',
  ].map((name) => [name, '']),
);

interface ProcessOptions {
  readonly dataDir: string;
  /** Undefined takes a variable away that this process has. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: this Node on what the script `start` runs. */
  readonly command?: readonly string[];
  /** Default: the repository. */
  readonly cwd?: string;
  /** Whether it runs at a terminal of its own, where a test can type. @default false: it reads nothing */
  readonly hasTerminal?: boolean;
}

/** Runs a command at a pseudo-terminal that has this process's pipes at its other side. */
const AT_TERMINAL = [
  'python3',
  '-c',
  'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))',
  // Without a size, nothing fits a line.
  ...['sh', '-c', 'stty cols 200 rows 50 && exec "$0" "$@"'],
];

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One real Countersign process. */
export interface CountersignProcess {
  readonly pid: number;
  /** Everything that it has written so far, both streams. */
  output(): string;
  /** Resolves with the first match; rejects with the output when the process ends before there is one. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Types at its terminal. */
  type(keys: string): void;
  /** Its greeting: it is up. */
  ready(): Promise<{ readonly workspaceUrl: string | null; readonly apiUrl: string }>;
  /** Waits for its end after the signal; `SIGKILL` goes to its children too, as when a machine fails. */
  end(signal: NodeJS.Signals): Promise<Exit>;
  readonly exited: Promise<Exit>;
}

/** This Node on the sources, of which each is a module of its own. */
export const ON_SOURCES: readonly string[] = [
  process.execPath,
  '--conditions=countersign-source',
  'src/index.ts',
];

let toStart: readonly string[] | null = null;
/** The bundle of the sources as they are now, which starts in a fraction of their time; else the sources. */
function commandToStart(): readonly string[] {
  if (toStart !== null) return toStart;
  const bundle = freshBundle(ROOT, process.execPath);
  toStart = bundle === null ? ON_SOURCES : [process.execPath, bundle];
  return toStart;
}

/** Starts Countersign as its own process; it is killed with the test if it is still there. */
export function startProcess(options: ProcessOptions): CountersignProcess {
  const started = spawnProcess(options);
  onTestFinished(async () => {
    await started.end('SIGKILL');
  });
  return started;
}

/** As {@link startProcess}, for whoever ends it by themselves. */
export function spawnProcess({
  dataDir,
  env = {},
  command = commandToStart(),
  cwd = ROOT,
  hasTerminal = false,
}: ProcessOptions): CountersignProcess {
  const [program = process.execPath, ...args] = hasTerminal ? [...AT_TERMINAL, ...command] : command;
  const child = spawn(program, args, {
    cwd,
    env: {
      ...process.env,
      ...UNSET,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      WORKSPACE_PORT: '0',
      WORKSPACE_SMTP_PORT: '0',
      TZ_DEFAULT: 'Europe/Berlin',
      AUDIT_SIGNING_KEY,
      ...env,
    },
    stdio: 'pipe',
    // A group of its own, so that a kill takes its MCP servers too.
    detached: true,
  });
  if (!hasTerminal) child.stdin.end();
  let output = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const look of watchers) look();
    });
  }
  const exited = exitOf(child);
  const kill = (signal: NodeJS.Signals): void => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
  };

  const waitFor = async (pattern: RegExp): Promise<RegExpExecArray> => {
    const found = Promise.withResolvers<RegExpExecArray>();
    const look = (): void => {
      const match = pattern.exec(output);
      if (match) found.resolve(match);
    };
    const fail = (why: string) => found.reject(new Error(`${why}; no ${pattern} in its output:\n${output}`));
    const timer = setTimeout(() => fail('it took too long'), PATIENCE_MS);
    watchers.add(look);
    look();
    void exited.then(({ code, signal }) => fail(`it ended (${code ?? signal})`));
    try {
      return await found.promise;
    } finally {
      clearTimeout(timer);
      watchers.delete(look);
    }
  };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    waitFor,
    type: (keys) => void child.stdin.write(keys),
    async ready() {
      const [, apiUrl = ''] = await waitFor(/^(?:HTTP API|Health): (\S*)$/m);
      return { workspaceUrl: /open (http:\S+)/.exec(output)?.[1] ?? null, apiUrl };
    },
    async end(signal) {
      kill(signal);
      return exited;
    },
    exited,
  };
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  // `close` comes when its output has been read to the end.
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode };
}

/** A folder for one test, removed with it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
