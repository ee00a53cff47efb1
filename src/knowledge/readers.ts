import {
  type Asker,
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

  async function inChannel(channelId: string, personId: string): Promise<Omit<Reading, 'place'>> {
    const [membership, channels, hasOutsiders] = await Promise.all([
      findMembership(personId),
      ask(whereabouts.listChannels(personId)),
      ask(whereabouts.hasOutsiders(channelId)),
    ]);
    const isIn = channels?.ids.includes(channelId) || (channels?.isCut === false ? false : null);
    if (membership === 'none') return NOTHING;
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

  async function alone(personId: string): Promise<Omit<Reading, 'place'>> {
    const [membership, channels] = await Promise.all([
      findMembership(personId),
      ask(whereabouts.listChannels(personId)),
    ]);
    if (membership === 'none') return NOTHING;
    const searched = [
      SEARCHED.own,
      ...(channels === null ? [] : [SEARCHED.channels]),
      ...(membership === 'inside' ? [SEARCHED.everybody] : []),
    ];
    return {
      readers: [
        personReader(personId),
        ...(channels?.ids ?? []).map(channelReader),
        ...(membership === 'inside' ? [EVERYBODY] : []),
      ],
      notes: [
        ...(membership === 'outside' ? [OUTSIDERS_READ] : []),
        ...(membership === null || channels === null ? [uncheckedReaders(searched)] : []),
        ...(channels?.isCut ? [SOME_CHANNELS] : []),
      ],
    };
  }

  async function byProgram(personId: string | null): Promise<Omit<Reading, 'place'>> {
    const membership = await findMembership(personId);
    if (membership === 'none') return NOTHING;
    const own = personId === null ? [] : [personReader(personId)];
    if (membership === 'inside') return { readers: [...own, EVERYBODY], notes: [] };
    return {
      readers: own,
      notes: [membership === null ? uncheckedReaders([SEARCHED.own]) : OUTSIDERS_READ],
    };
  }

  /** Whoever has no account is a program that the operator let in. */
  async function findMembership(personId: string | null): Promise<Membership | null> {
    return personId === null ? 'inside' : ask(whereabouts.findMembership(personId));
  }

  function findReading({ place, personId }: Pick<Reading, 'place'> & Pick<Asker, 'personId'>) {
    if (personId === null || place.kind === 'program') return byProgram(personId);
    return place.kind === 'channel' ? inChannel(place.id, personId) : alone(personId);
  }

  return async (asker) => {
    const place = whereabouts.findPlace(asker);
    return { place, ...(await findReading({ place, personId: asker.personId })) };
  };
}

const NOTHING: Omit<Reading, 'place'> = { readers: [], notes: [NO_READER] };
