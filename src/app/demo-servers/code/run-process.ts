import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

/** How long a program may run, in milliseconds. */
export const RUNS_FOR_MS = 10_000;
/** The most that a program may write to its standard output, and as much again to its standard error, in bytes. */
export const OUTPUT_BYTES = 64 * 1024;

/** The descriptor after standard input, output and error. */
const FIRST_INPUT = 3;

/** A process to be started, with its environment empty. */
export interface Confined {
  readonly command: string;
  readonly args: readonly string[];
  /** What it reads from its standard input. */
  readonly stdin: string;
  /** What it reads from the descriptors 3, 4 and so on. */
  readonly inputs: readonly (string | Buffer)[];
  /**
   * Whether it says on the descriptor after those which process is to be killed in its place: bubblewrap's own end doesn't
   * end what it has only just begun.
   */
  readonly namesProcess: boolean;
}

/** What bubblewrap says of itself. */
const infoSchema = z.object({ 'child-pid': z.int().positive() });

/** What became of a program. `exit_code`: null where it was ended from outside: by its limits, or by whoever asked for it. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  readonly timed_out: boolean;
  readonly truncated: boolean;
}

/**
 * Runs a process to its end, which comes at the latest after {@link RUNS_FOR_MS}, with the output that goes beyond
 * {@link OUTPUT_BYTES}, or when the signal is aborted. Rejects if it can't be started.
 */
export function runProcess(confined: Confined, signal?: AbortSignal): Promise<Ended> {
  const { command, args, stdin, inputs, namesProcess } = confined;
  const more = [...inputs, ...(namesProcess ? [''] : [])].map(() => 'pipe' as const);
  const child = spawn(command, args, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'pipe', ...more] });
  let isKilled = false;
  let isLate = false;
  const named = namesProcess
    ? readName(child.stdio[FIRST_INPUT + inputs.length])
    : Promise.resolve(child.pid);
  const kill = () => {
    isKilled = true;
    void named.then((pid) => {
      if (pid !== undefined && child.exitCode === null && child.signalCode === null) killIfThere(pid);
    });
  };
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, RUNS_FOR_MS);
  const outputs = [child.stdout, child.stderr].map((stream) => collect(stream, kill));
  feed(child.stdin, stdin);
  for (const [index, input] of inputs.entries()) feed(child.stdio[FIRST_INPUT + index], input);
  signal?.addEventListener('abort', kill);
  if (signal?.aborted) kill();
  return new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const [stdout, stderr] = outputs.map((output) => output());
      const truncated = stdout?.isCut === true || stderr?.isCut === true;
      resolve({
        stdout: stdout?.text ?? '',
        stderr: stderr?.text ?? '',
        exit_code: isKilled ? null : code,
        timed_out: isLate,
        truncated,
      });
    });
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  });
}

/** The process that a text names; none if it ended before it said so. */
async function readName(stream: Readable | Writable | null | undefined): Promise<number | undefined> {
  if (!stream || !('setEncoding' in stream)) return undefined;
  const said = await text(stream).catch(() => '');
  return said === '' ? undefined : infoSchema.parse(JSON.parse(said))['child-pid'];
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** Reads as much as is kept, and calls `onMore` when there is more; returns what was read. */
function collect(stream: Readable | null, onMore: () => void) {
  const parts: Buffer[] = [];
  let size = 0;
  stream?.on('data', (part: Buffer) => {
    if (size <= OUTPUT_BYTES) parts.push(part);
    size += part.length;
    if (size > OUTPUT_BYTES) onMore();
  });
  return () => ({
    text: Buffer.concat(parts).subarray(0, OUTPUT_BYTES).toString('utf8'),
    isCut: size > OUTPUT_BYTES,
  });
}

function feed(stream: Writable | Readable | null | undefined, input: string | Buffer): void {
  if (!stream || !('end' in stream)) return;
  // A program need not read what it is given.
  stream.on('error', () => {});
  stream.end(input);
}
