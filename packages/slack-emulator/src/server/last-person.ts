import type { IncomingMessage } from 'node:http';

const COOKIE = /(?:^|; )workspace-person=(\w+)/;

/** Who the workspace was last used as, in this browser: in its page, or where people sign in. */
export function lastPerson({ headers }: IncomingMessage): string | undefined {
  return COOKIE.exec(headers.cookie ?? '')?.[1];
}

/** The cookie that says so, to the pages that others lead to. */
export function personCookie(user: string): string {
  return `workspace-person=${user}; path=/; samesite=lax`;
}
