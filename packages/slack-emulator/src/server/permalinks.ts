/** Where the addresses of messages begin, as Slack's do. */
export const PERMALINKS = '/archives/';

const PATH = /^\/archives\/(?<channel>\w+)\/p(?<digits>\d{7,})$/;

/** The thread that the address of a message leads to: its own, or the one that it says it is in; null for other addresses. */
export function threadOfPermalink({
  pathname,
  searchParams,
}: URL): { readonly channel: string; readonly threadTs: string } | null {
  const { channel, digits } = PATH.exec(pathname)?.groups ?? {};
  if (channel === undefined || digits === undefined) return null;
  const own = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return { channel, threadTs: searchParams.get('thread_ts') ?? own };
}
