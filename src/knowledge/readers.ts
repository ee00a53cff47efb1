import {
  channelReader,
  EVERYBODY,
  type FindReaders,
  type Membership,
  personReader,
  type Reading,
  type Whereabouts,
} from './ports.ts';
import {
  NO_READER,
  NOT_IN_CHANNEL,
  OUTSIDERS_READ,
  SEARCHED,
  SOME_CHANNELS,
  uncheckedReaders,
} from './texts.ts';

interface ReaderPorts {
  readonly whereabouts: Whereabouts;
  readonly log: { warn(details: object, message: string): void };
}

/**
 * Decides with each question which documents may stand in its answer: in a channel what everybody there may read, and
 * elsewhere what the asker may. See docs/decisions/0103.
 */
export function createFindReaders({ whereabouts, log }: ReaderPorts): FindReaders {
  /** Null where it can't be known now. */
  async function ask<T>(asking: Promise<T>): Promise<T | null> {
    try {
      return await asking;
    } catch (err) {
      log.warn({ err }, 'who may read documents can’t be checked now');
      return null;
    }
  }

  return async (asker) => {
    const place = whereabouts.findPlace(asker);
    const { personId } = asker;
    // Whoever has no account is a program that the operator let in.
    if (personId === null) return { place, readers: place.kind === 'program' ? [EVERYBODY] : [], notes: [] };
    const [membership, channels, hasOutsiders] = await Promise.all([
      ask(whereabouts.findMembership(personId)),
      place.kind === 'program' ? null : ask(whereabouts.listChannels(personId)),
      place.kind === 'channel' ? ask(whereabouts.hasOutsiders(place.id)) : null,
    ]);
    if (membership === 'none') return { place, readers: [], notes: [NO_READER] };
    // It may be closed.
    if (membership === null) return { place, readers: [], notes: [uncheckedReaders([])] };
    const known: Known = { membership, channels, hasOutsiders };
    if (place.kind === 'channel') return { place, ...inChannel(place.id, known) };
    return { place, ...(place.kind === 'alone' ? alone(personId, known) : byProgram(personId, known)) };
  };
}

/** What is known of the asker and of where they ask; null for what isn't known now. */
interface Known {
  readonly membership: Exclude<Membership, 'none'>;
  readonly channels: Awaited<ReturnType<Whereabouts['listChannels']>> | null;
  readonly hasOutsiders: boolean | null;
}
type Readable = Omit<Reading, 'place'>;

function inChannel(channelId: string, { membership, channels, hasOutsiders }: Known): Readable {
  const isIn = channels?.ids.includes(channelId) || (channels?.isCut === false ? false : null);
  if (isIn === false) return { readers: [], notes: [NOT_IN_CHANNEL] };
  const isMixed = membership === 'outside' || hasOutsiders === true;
  const isForAll = membership === 'inside' && hasOutsiders === false;
  const isUnknown = isIn === null || !(isMixed || isForAll);
  const searched = [...(isIn ? [SEARCHED.channel] : []), ...(isForAll ? [SEARCHED.everybody] : [])];
  return {
    readers: [...(isIn ? [channelReader(channelId)] : []), ...(isForAll ? [EVERYBODY] : [])],
    notes: [...(isMixed ? [OUTSIDERS_READ] : []), ...(isUnknown ? [uncheckedReaders(searched)] : [])],
  };
}

function alone(personId: string, { membership, channels }: Known): Readable {
  const isInside = membership === 'inside';
  const searched = [
    SEARCHED.own,
    ...(channels === null ? [] : [SEARCHED.channels]),
    ...(isInside ? [SEARCHED.everybody] : []),
  ];
  return {
    readers: [
      personReader(personId),
      ...(channels?.ids ?? []).map(channelReader),
      ...(isInside ? [EVERYBODY] : []),
    ],
    notes: [
      ...(membership === 'outside' ? [OUTSIDERS_READ] : []),
      ...(channels === null ? [uncheckedReaders(searched)] : []),
      ...(channels?.isCut ? [SOME_CHANNELS] : []),
    ],
  };
}

function byProgram(personId: string, { membership }: Known): Readable {
  const own = personReader(personId);
  if (membership === 'inside') return { readers: [own, EVERYBODY], notes: [] };
  return { readers: [own], notes: [OUTSIDERS_READ] };
}
