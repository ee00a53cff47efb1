import { givenId } from '../../knowledge/ports.ts';
import type { Brought } from './collections.ts';

/** Where documents are from that were brought in Slack. */
export const ORIGIN = 'slack';

/**
 * What a file is among documents. Slack gives each upload an id of its own, so a new version is a file of the same name, that
 * the same person drops into the same place.
 */
export function identify({ reader, requester }: Pick<Brought, 'reader' | 'requester'>, name: string) {
  const key = JSON.stringify([reader, requester.id, name]);
  return { name, key, documentId: givenId(ORIGIN, key) };
}
