import type { PeopleDirectory } from '../../gate/types.ts';
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

type Opened = Awaited<NonNullable<ReturnType<DocumentSide['opened']>>>;

interface ListPorts {
  readonly files: Pick<BroughtFiles, 'placesOf'>;
  readonly documents: Pick<DocumentSide, 'open' | 'opened'>;
  readonly directory: Pick<Directory, 'channelName'>;
  readonly people: Pick<PeopleDirectory, 'standing'>;
}

export function createDocumentLists({ files, documents, directory, people }: ListPorts) {
  /** Whether somebody is of the workspace; not where Slack can't say. */
  async function isInside(id: string): Promise<boolean> {
    const standing = await people.standing({ id, name: id }, '', { fresh: false }).catch(() => null);
    return standing === 'member' || standing === 'guest';
  }

  /** Somebody's own, wherever they are, those of everybody, and those of `readers`, each with who can ask for it; their own first. */
  async function find(knowledge: Opened, actorId: string, readers: readonly string[]) {
    const places = await files.placesOf(actorId);
    const theirs = new Set([personReader(actorId), ...readers]);
    const all = await knowledge.listFor([...new Set([...theirs, ...places])]);
    const own = all.filter(({ owner }) => owner === actorId);
    const known = new Set(own.map(({ id }) => id));
    const here = (await knowledge.listFor([...theirs])).filter(({ id }) => !known.has(id));
    for (const { id } of here) known.add(id);
    const everybodys = (await knowledge.listFor([EVERYBODY])).filter(({ id }) => !known.has(id));
    const isShown = everybodys.length > 0 && (await isInside(actorId));
    return [
      ...own.map((document) => ({ document, reader: document.readers[0] ?? personReader(actorId) })),
      // One that is shared here has other readers, whom it's nobody's business to know.
      ...here.map((document) => ({
        document,
        reader: document.readers.find((reader) => theirs.has(reader)) ?? readers[0] ?? personReader(actorId),
      })),
      ...(isShown ? everybodys.map((document) => ({ document, reader: EVERYBODY })) : []),
    ];
  }

  async function list(
    actorId: string,
    { readers = [], most }: { readonly readers?: readonly string[]; readonly most: number },
    opened: Promise<Opened> | null = documents.open(),
  ): Promise<{ readonly documents: readonly ListedDocument[]; readonly more: number }> {
    const knowledge = await opened;
    const found = knowledge === null ? [] : await find(knowledge, actorId, readers);
    const listed = found.slice(0, most).map(async ({ document, reader }) => ({
      ...document,
      reader: await nameReader(reader, directory),
      isOwn: document.owner === actorId,
    }));
    return { documents: await Promise.all(listed), more: Math.max(0, found.length - most) };
  }

  return {
    list,
    /** As {@link list}, for a Home, which begins no learning; nothing where that takes long, or can't be read. */
    forHome: (actorId: string, most: number) =>
      withTimeout(
        HOME_MS,
        list(actorId, { most }, documents.opened()).catch(() => null),
        null,
      ),
  };
}
export type DocumentLists = ReturnType<typeof createDocumentLists>;
