import type { PeopleDirectory } from '../../gate/types.ts';
import type { DocumentRecord } from '../../knowledge/index.ts';
import { channelReader, EVERYBODY, personReader } from '../../knowledge/ports.ts';
import { withTimeout } from '../../lib/timeout.ts';
import type { Audience } from '../people/audience.ts';
import type { Directory } from '../people/directory.ts';
import type { ReaderName } from '../texts/documents.ts';
import type { BroughtFiles } from './brought-files.ts';
import type { DocumentSide } from './intake.ts';
import { nameReader } from './readers.ts';

/** How long a Home waits for its documents, in milliseconds, and of that for Slack to say which channels somebody is in. */
const HOME_MS = 1_500;
const CHANNELS_MS = 1_000;
/** The share of the limit of asking for channels that is left to questions, which find nothing of channels without it. */
const RESERVE = 0.5;

/** A document, as it's listed to somebody. */
export interface ListedDocument
  extends Pick<DocumentRecord, 'id' | 'name' | 'pages' | 'passages' | 'problem' | 'link'> {
  readonly reader: ReaderName;
  /** Whether it's the viewer's own, who may forget it. */
  readonly isOwn: boolean;
  /** Whether it's anybody's own, so that an admin may forget it: what is in a folder is for whoever keeps that. */
  readonly isGiven: boolean;
  /** Whether it can be asked for where it's listed: in a channel, answers use nothing that some of its people may not read. */
  readonly isHere: boolean;
}

/** The documents that somebody can ask for. */
export interface DocumentList {
  readonly documents: readonly ListedDocument[];
  /** How many more there are. */
  readonly more: number;
  /** How many of all can be asked for where they are listed: these come first. */
  readonly here: number;
  /** Whether those of some of their channels aren't among them, as Slack doesn't say now which these are. */
  readonly isPart: boolean;
}

/** Channels, as readers; `isPart`: there may be more. */
interface Channels {
  readonly readers: readonly string[];
  readonly isPart: boolean;
}
const UNKNOWN: Channels = { readers: [], isPart: true };

type Opened = Awaited<NonNullable<ReturnType<DocumentSide['opened']>>>;

interface Listed {
  /** As a reader: only its documents besides one's own. @default those of all channels that one is in now */
  readonly channel?: string;
  readonly most: number;
}

interface ListPorts {
  readonly files: Pick<BroughtFiles, 'placesOf'>;
  readonly documents: Pick<DocumentSide, 'open' | 'opened'>;
  readonly directory: Pick<Directory, 'channelName'>;
  readonly people: Pick<PeopleDirectory, 'standing'>;
  readonly audience: Pick<Audience, 'listChannels'>;
  /** The free share of a method's rate limit, from 0 to 1. */
  readonly room: (method: string) => number;
}

/** Whether somebody is of the workspace; not where Slack can't say. */
async function isInside(people: ListPorts['people'], id: string): Promise<boolean> {
  const standing = await people.standing({ id, name: id }, '', { fresh: false }).catch(() => null);
  return standing === 'member' || standing === 'guest';
}

/** Documents, those that can be asked for where they're listed first. */
async function sortByPlace<T extends { readonly document: DocumentRecord }>(
  all: readonly T[],
  knowledge: Opened,
  channel: string | undefined,
) {
  const usable = channel === undefined ? null : await knowledge.listFor([channel, EVERYBODY]);
  const ids = usable && new Set(usable.map(({ id }) => id));
  const marked = all.map((one) => ({ ...one, isHere: ids === null || ids.has(one.document.id) }));
  return marked.toSorted((one, other) => Number(other.isHere) - Number(one.isHere));
}

export function createDocumentLists({ files, documents, directory, people, audience, room }: ListPorts) {
  /** The channels that somebody is in now. */
  async function findChannels(actorId: string): Promise<Channels> {
    const channels = await audience.listChannels(actorId).catch(() => null);
    if (channels === null) return UNKNOWN;
    return { readers: channels.ids.map(channelReader), isPart: channels.isCut };
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
    const isShown = everybodys.length > 0 && (await isInside(people, actorId));
    // Whom else one may be shared with is nobody's business to know.
    const [onlyReader = null] = readers.length > 1 ? [] : readers;
    return [
      ...own.map((document) => ({ document, reader: document.readers[0] ?? personReader(actorId) })),
      ...here.map((document) => ({
        document,
        reader: document.readers.find((reader) => theirs.has(reader)) ?? onlyReader,
      })),
      ...(isShown ? everybodys.map((document) => ({ document, reader: EVERYBODY })) : []),
    ];
  }

  async function listAmong(
    knowledge: Opened,
    actorId: string,
    { readers, isPart }: Channels,
    { channel, most }: Listed,
  ): Promise<DocumentList> {
    const all = await find(knowledge, actorId, readers);
    const found = await sortByPlace(all, knowledge, channel);
    const here = found.filter(({ isHere }) => isHere).length;
    const listed = found.slice(0, most).map(async ({ document, reader, isHere }) => ({
      ...document,
      reader: await nameReader(reader, directory),
      isOwn: document.owner === actorId,
      isGiven: document.owner !== null,
      isHere,
    }));
    return { documents: await Promise.all(listed), more: Math.max(0, found.length - most), here, isPart };
  }

  /** Begins no learning for it, and leaves room to ask Slack for questions. */
  async function listForHome(actorId: string, most: number): Promise<DocumentList> {
    const opened = documents.opened();
    if (opened === null) return { documents: [], more: 0, here: 0, isPart: false };
    const hasRoom = room('users.conversations') > RESERVE;
    const channels = hasRoom ? withTimeout(CHANNELS_MS, findChannels(actorId), UNKNOWN) : UNKNOWN;
    return listAmong(await opened, actorId, await channels, { most });
  }

  return {
    async list(actorId: string, options: Listed): Promise<DocumentList> {
      const { channel } = options;
      const readers = channel === undefined ? findChannels(actorId) : { readers: [channel], isPart: false };
      const [knowledge, channels] = await Promise.all([documents.open(), readers]);
      return listAmong(knowledge, actorId, channels, options);
    },
    /** As `list`, for a Home; null where that takes long, or can't be read. */
    forHome: (actorId: string, most: number) =>
      withTimeout(
        HOME_MS,
        listForHome(actorId, most).catch(() => null),
        null,
      ),
  };
}
export type DocumentLists = ReturnType<typeof createDocumentLists>;
