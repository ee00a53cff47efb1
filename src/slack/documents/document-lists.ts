import type { DocumentRecord } from '../../knowledge/index.ts';
import { EVERYBODY, personReader } from '../../knowledge/ports.ts';
import { withTimeout } from '../../lib/timeout.ts';
import type { Directory } from '../people/directory.ts';
import type { ReaderName } from '../texts/documents.ts';
import type { BroughtFiles } from './brought-files.ts';
import type { DocumentSide } from './intake.ts';
import { nameReader } from './readers.ts';

/** How long a Home waits for its documents, in milliseconds. */
const HOME_MS = 500;

/** A document, as it's listed to somebody. */
export interface ListedDocument
  extends Pick<DocumentRecord, 'id' | 'name' | 'pages' | 'passages' | 'problem' | 'link'> {
  readonly reader: ReaderName;
  /** Whether it's the viewer's own, who may forget it. */
  readonly isOwn: boolean;
}

interface ListPorts {
  readonly files: Pick<BroughtFiles, 'placesOf'>;
  readonly documents: Pick<DocumentSide, 'open'>;
  readonly directory: Pick<Directory, 'channelName'>;
}

export function createDocumentLists({ files, documents, directory }: ListPorts) {
  /** Somebody's own, wherever they are, those of everybody, and those of `readers`; their own first. */
  async function find(actorId: string, readers: readonly string[]): Promise<readonly DocumentRecord[]> {
    const shown = new Set([personReader(actorId), EVERYBODY, ...readers]);
    const [knowledge, places] = await Promise.all([documents.open(), files.placesOf(actorId)]);
    const all = await knowledge.listFor([...new Set([...shown, ...places])]);
    const own = all.filter(({ owner }) => owner === actorId);
    const others = all.filter(
      ({ owner, readers: its }) => owner !== actorId && its.some((it) => shown.has(it)),
    );
    return [...own, ...others];
  }

  async function list(
    actorId: string,
    { readers = [], most }: { readonly readers?: readonly string[]; readonly most: number },
  ): Promise<{ readonly documents: readonly ListedDocument[]; readonly more: number }> {
    const found = await find(actorId, readers);
    const listed = found.slice(0, most).map(async (document) => ({
      ...document,
      reader: await nameReader(document.readers[0] ?? EVERYBODY, directory),
      isOwn: document.owner === actorId,
    }));
    return { documents: await Promise.all(listed), more: Math.max(0, found.length - most) };
  }

  return {
    find,
    list,
    /** As {@link list}, for a Home; nothing where that takes long, or can't be read. */
    forHome: (actorId: string, most: number) =>
      withTimeout(
        HOME_MS,
        list(actorId, { most }).catch(() => null),
        null,
      ),
  };
}
export type DocumentLists = ReturnType<typeof createDocumentLists>;
