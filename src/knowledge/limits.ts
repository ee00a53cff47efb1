import type { DocumentIndex, KeptContent } from '../storage/documents/index.ts';
import type { Room } from './ports.ts';

/** How many documents, and how many bytes their files have together, at most. */
interface Amount {
  readonly documents: number;
  readonly bytes: number;
}

/** How much may be given. */
export interface DocumentLimits {
  /** By one owner. */
  readonly findOwn: (owner: string) => Amount;
  /** By all together. */
  readonly all: Amount;
}

const ENDLESS: Amount = { documents: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
export const NO_LIMITS: DocumentLimits = { findOwn: () => ENDLESS, all: ENDLESS };

/**
 * What an owner may still give as a document with this id. It's looked up and not held: what several give at the same moment may go
 * over a limit by as much.
 */
export async function findRoom(
  { index, limits }: { readonly index: Pick<DocumentIndex, 'kept'>; readonly limits: DocumentLimits },
  { owner, id }: Pick<KeptContent, 'owner' | 'id'>,
): Promise<Room> {
  const others = (await index.kept()).filter((content) => content.id !== id);
  const own = others.filter((content) => content.owner === owner);
  const limit = owner === null ? ENDLESS : limits.findOwn(owner);
  const rooms: readonly Room[] = [
    { bytes: roomForOne(own, limit), limit: 'own_documents' },
    { bytes: limit.bytes - sumBytes(own), limit: 'own_bytes' },
    { bytes: roomForOne(others, limits.all), limit: 'all_documents' },
    { bytes: limits.all.bytes - sumBytes(others), limit: 'all_bytes' },
  ];
  return rooms.reduce((least, room) => (room.bytes < least.bytes ? room : least));
}

/** One more may be of any size. What can't be read takes no place of what can, and has as many of its own. */
function roomForOne(contents: readonly KeptContent[], { documents }: Amount): number {
  const unread = contents.filter(({ isUnread }) => isUnread).length;
  const isFull = unread >= documents || contents.length - unread >= documents;
  return isFull ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function sumBytes(contents: readonly KeptContent[]): number {
  return contents.reduce((sum, { bytes }) => sum + bytes, 0);
}
