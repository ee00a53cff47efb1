import { givenId } from '../../knowledge/ports.ts';
import type { Brought } from './collections.ts';

/** Where documents are from that were brought in Slack. */
export const ORIGIN = 'slack';

type Identified = Pick<Brought, 'reader' | 'requester' | 'source'>;

/**
 * What it is among documents. Slack gives each upload an id of its own, so a new version is a file of the same name, that the
 * same person brings for the same readers; of a page on the web, it's one from the same address.
 */
export function identify({ reader, requester, source }: Identified, name: string) {
  const what = source.kind === 'file' ? [name] : ['web', source.url];
  const key = JSON.stringify([reader, requester.id, ...what]);
  return { name, key, documentId: givenId(ORIGIN, key) };
}

/** A record of what somebody brings now. */
export function toBrought(
  about: Identified & Pick<Brought, 'dropId' | 'place' | 'threadId' | 'at' | 'dueAt' | 'name' | 'problem'>,
): Brought {
  return {
    ...about,
    ...identify(about, about.name),
    hash: null,
    attempts: 0,
    state: about.problem === null ? 'waiting' : 'unread',
    isNewVersion: false,
    pages: null,
    passages: 0,
    emptyPages: 0,
    progress: null,
  };
}
