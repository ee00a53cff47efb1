import type { Message, Workspace } from './types.ts';

type NewMessage = Pick<Message, 'channel' | 'user' | 'text'> & Partial<Omit<Message, 'ts'>>;

/** Puts a message into its channel, marks it unread for the others, and clears the thread's status. */
export function addMessage(workspace: Workspace, draft: NewMessage): Message {
  const message: Message = {
    threadTs: null,
    blocks: [],
    byApp: false,
    clientMsgId: null,
    metadata: null,
    edited: null,
    files: [],
    reactions: [],
    ephemeralFor: null,
    stream: null,
    subtype: null,
    ...draft,
    ts: workspace.nextTs(),
  };
  const list = workspace.messages.get(message.channel) ?? [];
  list.push(message);
  workspace.messages.set(message.channel, list);
  if (message.threadTs !== null && message.ephemeralFor === null) markAsThread(list, message.threadTs);
  workspace.emit({ type: 'posted', message });
  countUnread(workspace, message);
  if (message.byApp && message.threadTs !== null)
    endTypedStatus(workspace, message.channel, message.threadTs);
  return message;
}

/** Replaces a message by what `change` gives; tells the listeners. */
export function changeMessage(workspace: Workspace, previous: Message, change: Partial<Message>): Message {
  const message: Message = { ...previous, ...change };
  const list = workspace.messages.get(previous.channel) ?? [];
  list.splice(list.indexOf(previous), 1, message);
  workspace.emit({ type: 'changed', message, previous });
  return message;
}

export function removeMessage(workspace: Workspace, message: Message): void {
  const list = workspace.messages.get(message.channel) ?? [];
  list.splice(list.indexOf(message), 1);
  workspace.emit({ type: 'deleted', message });
}

/** The message with this ts; undefined when it does not exist (any more). */
export function findMessage(workspace: Workspace, channel: string, ts: string): Message | undefined {
  return workspace.messages.get(channel)?.find((message) => message.ts === ts);
}

/** The replies of a thread in order, without its first message and without what only one person sees. */
export function findReplies(workspace: Workspace, channel: string, threadTs: string): Message[] {
  const list = workspace.messages.get(channel) ?? [];
  return list.filter((it) => it.threadTs === threadTs && it.ts !== threadTs && it.ephemeralFor === null);
}

/** Shows "is doing something" under a thread; an empty status takes it away. */
export function setStatus(workspace: Workspace, channel: string, threadTs: string, status: string): void {
  const current = workspace.statuses.findLast((it) => it.channel === channel && it.threadTs === threadTs);
  if ((current?.status ?? '') === status) return;
  const record = { channel, threadTs, status, at: workspace.clock.now() };
  workspace.statuses.push(record);
  workspace.emit({ type: 'status', record });
}

/** An answer ends a status of `assistant.threads.setStatus`, but not a session's `processing`. */
function endTypedStatus(workspace: Workspace, channel: string, threadTs: string): void {
  const session = workspace.sessions.get(`${channel}:${threadTs}`);
  if (session?.status !== 'processing') setStatus(workspace, channel, threadTs, '');
}

/** Sets a person's unread count of a channel. */
export function setUnread(workspace: Workspace, user: string, channel: string, count: number): void {
  const counts = workspace.unread.get(user) ?? new Map<string, number>();
  counts.set(channel, count);
  workspace.unread.set(user, counts);
  workspace.emit({ type: 'unread', user, channel });
}

function markAsThread(list: Message[], threadTs: string): void {
  const index = list.findIndex((it) => it.ts === threadTs);
  const parent = list[index];
  if (parent !== undefined && parent.threadTs === null) list[index] = { ...parent, threadTs };
}

function countUnread(workspace: Workspace, message: Message): void {
  for (const member of workspace.channels.get(message.channel)?.members ?? []) {
    const sees = message.ephemeralFor === null || message.ephemeralFor === member;
    if (member === message.user || member === workspace.app.botUserId || !sees) continue;
    const count = workspace.unread.get(member)?.get(message.channel) ?? 0;
    setUnread(workspace, member, message.channel, count + 1);
  }
}
