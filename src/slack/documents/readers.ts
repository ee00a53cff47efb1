import type { Actor } from '../../gate/types.ts';
import { channelReader, EVERYBODY, personReader } from '../../knowledge/ports.ts';
import { isDirectChannel, slackChannelId } from '../ids.ts';
import type { Directory } from '../people/directory.ts';
import { isolated } from '../text/isolate.ts';
import { type ReaderName, WHO } from '../texts/documents.ts';

const CHANNEL = /^channel:slack:[^:]+:(.+)$/;

/** A reader, as people are shown it; null: one of their channels. */
export async function nameReader(
  reader: string | null,
  directory: Pick<Directory, 'channelName'>,
): Promise<ReaderName> {
  if (reader === null) return { kind: 'channel', name: WHO.oneOfYours };
  if (reader === EVERYBODY) return { kind: 'everybody' };
  const [, channel] = CHANNEL.exec(reader) ?? [];
  if (channel === undefined) return { kind: 'person' };
  return { kind: 'channel', name: isolated((await directory.channelName(channel)) ?? WHO.noName) };
}

/** Who may find what is brought here: in direct messages whoever brings it, elsewhere everybody in the channel. */
export function readerHere(
  { id }: Actor,
  place: { readonly team: string; readonly channel: string },
): string {
  return isDirectChannel(place.channel) ? personReader(id) : channelReader(slackChannelId(place));
}
