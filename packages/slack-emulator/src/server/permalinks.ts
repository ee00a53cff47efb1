/** Where the addresses of messages begin, as Slack's do. */
export const PERMALINKS = '/archives/';

const PATH = /^\/archives\/(?<channel>[CDG][0-9A-Z]+)(?:\/p(?<digits>\d{7,}))?$/;

/**
 * The thread that the address of a message leads to: its own, or the one that it says it is in; that of a channel leads to
 * none in it. Null for other addresses.
 */
export function threadOfPermalink({
  pathname,
  searchParams,
}: URL): { readonly channel: string; readonly threadTs: string | null } | null {
  const { channel, digits } = PATH.exec(pathname)?.groups ?? {};
  if (channel === undefined) return null;
  if (digits === undefined) return { channel, threadTs: null };
  const own = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return { channel, threadTs: searchParams.get('thread_ts') ?? own };
}
