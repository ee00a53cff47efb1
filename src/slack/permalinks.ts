import type { Gate } from '../gate/index.ts';
import { parseSlackThreadId, readSlackUser } from './ids.ts';

/** The address that opens a thread in Slack; null for one that is not there, or while Slack's address is not known. */
export type ThreadUrl = (threadId: string) => string | null;

/**
 * What `chat.getPermalink` answers for a message of the thread, without asking: it would be a call for each.
 * @param workspaceUrl as `auth.test` gives it, with a slash at the end.
 */
export function threadUrl(workspaceUrl: string | null, threadId: string): string | null {
  const thread = parseSlackThreadId(threadId);
  if (workspaceUrl === null || thread === null) return null;
  const { channel, threadTs } = thread;
  const query = new URLSearchParams({ thread_ts: threadTs, cid: channel });
  return `${workspaceUrl}archives/${channel}/p${threadTs.replace('.', '')}?${query}`;
}

/** The way back to Slack for somebody who was sent from there to a page of ours; null for who was not. */
export type ReturnLink = (from: {
  /** What they were asked about; null where it was no call. */
  readonly callKey: string | null;
  readonly personId: string;
}) => Promise<string | null>;

/** To the thread of the call, else to the workspace. */
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
