import type { DocumentIndex } from '../storage/documents/index.ts';
import { channelReader, type DocumentAnswer, type Reading } from './ports.ts';
import { SAID } from './texts.ts';

interface Sharing {
  readonly personId: string | null;
  readonly reading: Reading;
  readonly name: string;
  /** Whether its passages may stand in answers in the channel from now on. */
  readonly isShared: boolean;
}

/**
 * Shares a document with the channel that the owner asks in, or ends that. Whoever may not read it there is answered as if
 * there were none: the answer is read by all in the channel.
 */
export async function shareDocument(
  index: DocumentIndex,
  { personId, reading, name, isShared }: Sharing,
): Promise<DocumentAnswer> {
  const { place, readers } = reading;
  if (place.kind !== 'channel') return refused(SAID.onlyInChannel);
  const channel = channelReader(place.id);
  // Who has left since they asked, or can't be looked up, may still end it.
  if (isShared && !readers.includes(channel)) return refused(SAID.onlyFromWithin);
  const own = (await index.list()).filter((one) => one.owner === personId && one.name === name);
  const [document, ...others] = personId === null ? [] : own;
  if (!document) {
    const isHere = (await index.listFor(readers)).some((one) => one.name === name);
    return refused(isHere ? SAID.onlyByOwner(name) : SAID.unknown);
  }
  if (others.length > 0) return refused(SAID.severalOfName(name));
  if (!isShared && document.readers.includes(channel)) return refused(SAID.ofThisChannel(name));
  await (isShared ? index.share(document.id, channel) : index.unshare(document.id, channel));
  return {
    ok: true,
    isOwn: false,
    text: isShared ? SAID.shared(name) : SAID.unshared(name),
    data: { name, shared: isShared },
  };
}

function refused(problem: string): DocumentAnswer {
  return { ok: false, isOwn: false, problem };
}
