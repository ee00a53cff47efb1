/** What the page knows, and how each event changes it. Pure: the hook around it does the fetching. */

import type { PageEvent, PageMessage, PageView, WorkspaceState } from '../../server/page-api.ts';
import { CONVERSATION } from '../texts.ts';

export interface PageState {
  /** Null until the first answer. */
  readonly workspace: WorkspaceState | null;
  /** Channel id → its messages by ts; a channel that was never opened is absent. */
  readonly messages: Readonly<Record<string, readonly PageMessage[]>>;
  /** `statusKey(channel, threadTs)` → what the app says that it is doing. */
  readonly statuses: Readonly<Record<string, string>>;
  readonly connection: 'connecting' | 'live' | 'lost';
}

export type PageAction =
  | { readonly type: 'workspace'; readonly workspace: WorkspaceState }
  | { readonly type: 'history'; readonly channel: string; readonly messages: readonly PageMessage[] }
  | { readonly type: 'connection'; readonly connection: PageState['connection'] }
  | { readonly type: 'event'; readonly event: PageEvent };

export const EMPTY_STATE: PageState = {
  workspace: null,
  messages: {},
  statuses: {},
  connection: 'connecting',
};

/** The next state. */
export function reducePage(state: PageState, action: PageAction): PageState {
  switch (action.type) {
    case 'workspace':
      return { ...state, workspace: action.workspace };
    case 'history':
      return { ...state, messages: { ...state.messages, [action.channel]: byTs(action.messages) } };
    case 'connection':
      // The end of a status may be among what is missed, and no refetch would tell of it.
      return action.connection === 'lost'
        ? { ...state, connection: 'lost', statuses: {} }
        : { ...state, connection: action.connection };
    case 'event':
      return reduceEvent(state, action.event);
  }
}

function reduceEvent(state: PageState, event: PageEvent): PageState {
  switch (event.type) {
    case 'message':
      return withMessage(state, event.message);
    case 'message_deleted': {
      const kept = (state.messages[event.channel] ?? []).filter(({ ts }) => ts !== event.ts);
      return { ...state, messages: { ...state.messages, [event.channel]: kept } };
    }
    case 'status': {
      const key = statusKey(event.channel, event.threadTs);
      const { [key]: _previous, ...others } = state.statuses;
      return { ...state, statuses: event.status === '' ? others : { ...others, [key]: event.status } };
    }
    case 'modals':
      return withWorkspace(state, { modals: event.modals });
    case 'home':
      return withWorkspace(state, { home: event.home });
    case 'app':
      return withWorkspace(state, { appConnected: event.connected });
    case 'notices':
      return withWorkspace(state, { notices: event.notices });
    case 'direct_unread': {
      const before = state.workspace?.directUnread ?? {};
      return withWorkspace(state, { directUnread: { ...before, [event.user]: event.unread } });
    }
    case 'unread': {
      const channels = state.workspace?.channels ?? [];
      return withWorkspace(state, {
        channels: channels.map((channel) =>
          channel.id === event.channel ? { ...channel, unread: event.unread } : channel,
        ),
      });
    }
  }
}

function withWorkspace(state: PageState, change: Partial<WorkspaceState>): PageState {
  return state.workspace === null ? state : { ...state, workspace: { ...state.workspace, ...change } };
}

function withMessage(state: PageState, message: PageMessage): PageState {
  const others = (state.messages[message.channel] ?? []).filter(({ ts }) => ts !== message.ts);
  return { ...state, messages: { ...state.messages, [message.channel]: byTs([...others, message]) } };
}

function byTs(messages: readonly PageMessage[]): PageMessage[] {
  return messages.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
}

export function statusKey(channel: string, threadTs: string): string {
  return `${channel}:${threadTs}`;
}

/** A reply stands in the thread panel; the first message of a thread may carry its own ts as thread. */
export function isReply(message: PageMessage): boolean {
  return message.threadTs !== null && message.threadTs !== message.ts;
}

/** What the channel shows: everything but replies. */
export function rootMessages(messages: readonly PageMessage[]): PageMessage[] {
  return messages.filter((message) => !isReply(message));
}

/** The replies of a thread, without the message that it hangs on. */
export function repliesTo(messages: readonly PageMessage[], threadTs: string): PageMessage[] {
  return messages.filter((message) => isReply(message) && message.threadTs === threadTs);
}

/**
 * How many replies there are, in words. What only one person sees is none: Slack keeps it nowhere, so its
 * `reply_count` leaves it out (docs.slack.dev/reference/methods/chat.postEphemeral).
 */
export function replyCount(replies: readonly PageMessage[]): string {
  const { length } = replies.filter(({ ephemeral }) => !ephemeral);
  return length === 0 ? CONVERSATION.onlyYou : CONVERSATION.replies(length);
}

/** The modal in front, if any. */
export function topModal(workspace: WorkspaceState): PageView | null {
  return workspace.modals.at(-1) ?? null;
}
