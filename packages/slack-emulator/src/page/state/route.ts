import { threadOfPermalink } from '../../server/permalinks.ts';

/** Where in the page one is, as the address after `#`: `#U1/D1/1700000000.000100`; so the back button works. */
export interface Route {
  /** Whom the page acts as; null on a first visit. */
  readonly user: string | null;
  /** A channel id; null shows the list (or, where there is room for both, the conversation with the app). */
  readonly channel: string | null;
  /** The thread that is open beside the channel, or the app's Home. */
  readonly detail: string | null;
}

/** The place that the address of a message leads to, for the person the page acts as; null for addresses of elsewhere. */
export function routeOfPermalink(url: string, current: URL): Route | null {
  const address = new URL(url, current);
  const thread = address.origin === current.origin ? threadOfPermalink(address) : null;
  if (thread === null) return null;
  return { user: parseRoute(current.hash).user, channel: thread.channel, detail: thread.threadTs };
}

/** The `detail` that shows the app's Home in place of the messages. */
export const HOME = 'home';

export function parseRoute(hash: string): Route {
  const [user, channel, detail] = hash.replace(/^#/, '').split('/').map(decodeURIComponent);
  return { user: user || null, channel: channel || null, detail: detail || null };
}

export function formatRoute({ user, channel, detail }: Route): string {
  const parts = [user, channel, channel === null ? null : detail].filter((part) => part !== null);
  return `#${parts.map(encodeURIComponent).join('/')}`;
}
