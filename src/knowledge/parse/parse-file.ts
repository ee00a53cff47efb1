import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Block, DocumentKind, ParseFile, ParseOptions, ParseProblem, ParseResult } from '../ports.ts';
import { lineSchema } from './lines.ts';

/** What a file may cost. */
interface ParseLimits {
  readonly fileBytes: number;
  readonly pages: number;
  /** All that the process which reads it has in memory, watched where `/proc` says it. */
  readonly memoryBytes: number;
  /** Node's own heap in that process, which buffers aren't part of. */
  readonly heapBytes: number;
  readonly milliseconds: number;
  /** What it may say of the file. */
  readonly outputBytes: number;
}

const MB = 1024 * 1024;
export const PARSE_LIMITS: ParseLimits = {
  fileBytes: 50 * MB,
  pages: 5_000,
  memoryBytes: 1024 * MB,
  heapBytes: 512 * MB,
  milliseconds: 120_000,
  outputBytes: 64 * MB,
};
const LOOK_AT_MEMORY_MS = 100;

const isSource = extname(import.meta.filename) === '.ts';
/** Beside this file: in the source, and in the bundle, by the name that scripts/bundle.ts gives it. */
const CHILD = join(import.meta.dirname, isSource ? 'child.ts' : 'parse.mjs');
const ROOT = join(import.meta.dirname, '../../..');
/** All that it may read. */
const SHOWN = isSource
  ? ['package.json', 'node_modules', 'src'].map((name) => join(ROOT, name))
  : [import.meta.dirname];

/**
 * Reads files in processes of their own, which are ended at their limits and may neither write files nor start others.
 * Its promise rejects when the signal is aborted, with its reason, and when no process can be started.
 *
 * @param limits those that differ from {@link PARSE_LIMITS}.
 */
export function createParseFile(limits: Partial<ParseLimits> = {}): ParseFile {
  const all = { ...PARSE_LIMITS, ...limits };
  return async (content, kind, options = {}) => {
    options.signal?.throwIfAborted();
    if (content.length > all.fileBytes) return { ok: false, problem: 'too_large' };
    return await runChild(content, { kind, limits: all, options });
  };
}

interface Work {
  readonly kind: DocumentKind;
  readonly limits: ParseLimits;
  readonly options: ParseOptions;
}

async function runChild(
  content: Buffer,
  { kind, limits, options: { signal, onProgress } }: Work,
): Promise<ParseResult> {
  const child = startChild(kind, limits);
  const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve(killedBy ?? code));
  });
  let problem: ParseProblem | null = null;
  const end = (why: ParseProblem | null) => {
    problem ??= why;
    child.kill('SIGKILL');
  };
  const abort = () => end(null);
  const late = setTimeout(() => end('too_slow'), limits.milliseconds);
  const watch = setInterval(() => {
    if (residentBytes(child) > limits.memoryBytes) end('too_much');
  }, LOOK_AT_MEMORY_MS);
  signal?.addEventListener('abort', abort);
  const collector = new LineCollector((done, all) => onProgress?.(done, all));
  // Without any descriptors left, it has none of these.
  readLines(child.stdio?.[3], {
    most: limits.outputBytes,
    onLine: (line) => {
      if (!collector.add(line)) end('broken');
    },
    onMore: () => end('too_much'),
  });
  feed(child.stdin, content);
  try {
    const ending = await ended;
    signal?.throwIfAborted();
    if (problem !== null) return { ok: false, problem };
    if (collector.result !== null) return collector.result;
    if (!collector.isStarted) throw new Error(`the process that reads documents failed to start: ${ending}`);
    // So Node ends when its heap is full.
    return { ok: false, problem: ending === 'SIGABRT' ? 'too_much' : 'broken' };
  } finally {
    clearTimeout(late);
    clearInterval(watch);
    signal?.removeEventListener('abort', abort);
  }
}

function startChild(kind: DocumentKind, { pages, milliseconds, heapBytes }: ParseLimits): ChildProcess {
  const node = [
    '--permission',
    ...SHOWN.map((path) => `--allow-fs-read=${path}`),
    // Its own clock runs beside, by which it ends when nobody is there to end it.
    '--allow-worker',
    ...['--disable-sigusr1', '--no-warnings', `--max-old-space-size=${Math.ceil(heapBytes / MB)}`],
  ];
  return spawn(process.execPath, [...node, CHILD, kind, String(pages), String(2 * milliseconds)], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  });
}

/** Puts together what the process says, a line at a time. */
class LineCollector {
  isStarted = false;
  result: ParseResult | null = null;
  readonly #blocks: Block[] = [];
  #rows: (readonly string[])[] = [];
  readonly #onProgress: (done: number, all: number) => void;

  constructor(onProgress: (done: number, all: number) => void) {
    this.#onProgress = onProgress;
  }

  /** Whether the line is one of those that the process says. */
  add(text: string): boolean {
    const { data: said } = lineSchema.safeParse(parseJson(text));
    if (said?.line === 'started') this.isStarted = true;
    if (said?.line === 'progress') this.#onProgress(said.done, said.all);
    if (said?.line === 'block') this.#addBlock(said.block);
    if (said?.line === 'rows') this.#rows.push(...said.rows);
    if (said?.line === 'problem') this.result = { ok: false, problem: said.problem };
    if (said?.line === 'end') {
      const { title, pages } = said;
      this.result = { ok: true, document: { title, pages, blocks: this.#blocks } };
    }
    return said !== undefined;
  }

  #addBlock(block: Block): void {
    if (block.kind === 'table') this.#rows = [...block.rows];
    this.#blocks.push(block.kind === 'table' ? { ...block, rows: this.#rows } : block);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls `onLine` with each line that ended, until there is more of them than `most` bytes. */
function readLines(
  stream: Readable | Writable | null | undefined,
  {
    most,
    onLine,
    onMore,
  }: { readonly most: number; readonly onLine: (line: string) => void; readonly onMore: () => void },
): void {
  if (!stream || !('setEncoding' in stream)) return;
  let size = 0;
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    size += Buffer.byteLength(text);
    if (size > most) return onMore();
    const [first = '', ...others] = text.split('\n');
    const lines = [rest + first, ...others];
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

function feed(stream: Writable | null, content: Buffer): void {
  // A process that has ended reads no more.
  stream?.on('error', () => {});
  stream?.end(content);
}

/** What a process has in memory; 0 where it can't be known. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
