import { join } from 'node:path';
import type { DocumentRecord } from '../storage/documents/index.ts';
import { type FolderFile, readFile, readVersion } from './folder.ts';
import { createLearnContent, type LearnPorts } from './learn-content.ts';
import { hashContent, MOST_BYTES } from './ports.ts';

/** A file of a folder, as it is known and named. */
interface LearnedFile {
  readonly id: string;
  readonly folder: string;
  readonly file: FolderFile;
  /** By which it's asked for. */
  readonly name: string;
  readonly readers: readonly string[];
}

/** Learns single files of folders: one that hasn't changed since it was learned isn't read. */
export function createLearnFile(ports: LearnPorts) {
  const learn = createLearnContent(ports);
  return async (
    { id, folder, file, name, readers }: LearnedFile,
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
    const hash = hashContent(content);
    const { kind } = file;
    const described = {
      id,
      origin: folder,
      name,
      kind,
      hash,
      version,
      changedAt: Math.round(stat.changed),
      owner: null,
      readers: [...readers],
      link: null,
    };
    await learn(described, isLarge ? 'too_large' : content, { signal });
  };
}
