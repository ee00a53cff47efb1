import type { Gate } from '../gate/index.ts';
import { isDirectChannel, parseSlackPlace, parseSlackThreadId, readSlackUser } from './ids.ts';

/** The link to a thread in Slack, or to a message in it; null for one elsewhere, or while the workspace's address isn't known. */
export type ThreadUrl = (threadId: string, message?: MessagePlace) => string | null;

/** A message in a thread, as the note of its post has it. */
export interface MessagePlace {
  readonly channel: string;
  readonly ts: string;
}

/**
 * The link that `chat.getPermalink` would give for a thread, or for a message in it, without a call for each.
 * @param workspaceUrl as `auth.test` gives it, with a slash at the end.
 */
export function threadUrl(
  workspaceUrl: string | null,
  threadId: string,
  message?: MessagePlace,
): string | null {
  const place = parseSlackPlace(threadId);
  if (workspaceUrl === null || place === null) return null;
  const thread = parseSlackThreadId(threadId);
  const archive = (channel: string, ts: string) =>
    `${workspaceUrl}archives/${channel}/p${ts.replace('.', '')}`;
  if (thread === null) {
    if (message !== undefined) return archive(message.channel, message.ts);
    // Only the note of the post says where a program's card is; its channel is near enough, and a person's id no address.
    return isDirectChannel(place.channel) ? null : `${workspaceUrl}archives/${place.channel}`;
  }
  const { channel, threadTs } = thread;
  const query = new URLSearchParams({ thread_ts: threadTs, cid: channel });
  return `${archive(channel, message?.ts ?? threadTs)}?${query}`;
}

/** The link back to Slack for somebody sent from there to one of our pages; null for others. */
type ReturnLink = (from: {
  /** The call they were asked about; null where it was no call. */
  readonly callKey: string | null;
  readonly personId: string;
}) => Promise<string | null>;

/** Links back to the call's thread, else to the workspace. */
export function createReturnLink(
  { gate }: { readonly gate: { readonly calls: Pick<Gate['calls'], 'get'> } },
  workspaceUrl: () => string | null,
): ReturnLink {
  return async ({ callKey, personId }) => {
    if (readSlackUser(personId) === null) return null;
    const call = callKey === null ? null : await gate.calls.get(callKey);
    return (call && threadUrl(workspaceUrl(), call.threadId)) ?? workspaceUrl();
  };
}
