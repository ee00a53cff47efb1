import type { IncomingMessage } from 'node:http';

/** Set by the page, for those that other pages lead to. */
const COOKIE = /(?:^|; )workspace-person=(\w+)/;

/** Who the page of the workspace was last used as, in this browser. */
export function lastPerson({ headers }: IncomingMessage): string | undefined {
  return COOKIE.exec(headers.cookie ?? '')?.[1];
}
