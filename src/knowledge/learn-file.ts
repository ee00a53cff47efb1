import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../lib/clock.ts';
import type { DocumentIndex, DocumentRecord } from '../storage/documents/index.ts';
import { type FolderFile, readFile, readVersion } from './folder.ts';
import { toPassages } from './passages.ts';
import type { ParsedDocument, ParseFile, ParseResult } from './ports.ts';
import { learned, notLearned } from './texts.ts';

/** The largest file that is read, in bytes. */
const MOST_BYTES = 50 * 1024 * 1024;

export interface LearnPorts {
  readonly index: DocumentIndex;
  readonly parse: ParseFile;
  readonly clock: Clock;
  readonly log: {
    info(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

/** A file of a folder, as it is known and named. */
interface LearnedFile {
  readonly id: string;
  readonly folder: string;
  readonly file: FolderFile;
  /** By which it's asked for. */
  readonly name: string;
}

const NOTHING: ParsedDocument = { title: null, pages: null, blocks: [] };

/** Learns single files: one that hasn't changed since it was learned isn't read, and one whose content hasn't isn't parsed. */
export function createLearnFile({ index, parse, clock, log }: LearnPorts) {
  return async (
    { id, folder, file, name }: LearnedFile,
    known: DocumentRecord | null,
    signal: AbortSignal,
  ) => {
    const path = join(folder, file.name);
    const stat = await readVersion(path);
    const version = stat === null ? '' : `${stat.size}:${stat.changed}`;
    if (stat === null || (known?.version === version && known.name === name)) return;
    const isLarge = stat.size > MOST_BYTES;
    const content = isLarge ? Buffer.alloc(0) : await readFile(path);
    // It went meanwhile; the next look finds it so.
    if (content === null) return;
    const hash = createHash('sha256').update(content).digest('hex');
    if (known?.hash === hash && !isLarge) {
      await index.put({ ...known, name, version }, await index.read(known.id, 1, known.passages));
      return;
    }
    const result: ParseResult | null = isLarge
      ? { ok: false, problem: 'too_large' }
      : await parse(content, file.kind, { signal }).catch((error: unknown) => {
          if (signal.aborted) return null;
          throw error;
        });
    if (result === null || signal.aborted) return;
    const { title, pages, blocks } = result.ok ? result.document : NOTHING;
    const passages = toPassages({ blocks });
    const problem = result.ok ? null : result.problem;
    const about = { id, origin: folder, name, kind: file.kind, hash, version, title, pages, problem };
    await index.put({ ...about, passages: passages.length, learnedAt: clock() }, passages);
    if (problem === null) log.info({ folder }, learned({ name, pages, passages: passages.length }));
    else log.warn({ folder }, notLearned(name, problem));
  };
}
