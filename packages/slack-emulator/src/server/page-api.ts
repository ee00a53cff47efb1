import type { PageTexts } from '../workspace/types.ts';

/**
 * What the local workspace's web page and its server say to each other. The page acts as one of the
 * workspace's people; every route takes `user` (a Slack user id) in the query or the body, and `client`, an
 * id of the tab: a modal opens in the tab that asked for it.
 *
 * GET  /workspace/state?user=U            → WorkspaceState
 * GET  /workspace/history?user=U&channel=C → { messages: PageMessage[] }   whole channel, threads included, by ts
 * GET  /workspace/events?user=U           → server-sent events, `data:` is a PageEvent
 * POST /workspace/upload?user=U&name=N  the file's bytes                → { id }   to be named by a post
 * POST /workspace/post     { user, channel, text, client_msg_id?, thread_ts?, files? } → { ts }
 * POST /workspace/delete   { user, channel, message_ts }                → {} (a message of one's own)
 * POST /workspace/delete-file  { user, file }                           → {} (a file of one's own, fires file_deleted)
 * POST /workspace/click    { user, channel, message_ts, block_id, action_id, value? | selected_option? | selected_date? … , state? } (an element of a message)
 * POST /workspace/view-action  { user, view_id, block_id, action_id, action fields…, state? } (an element of a modal or the Home)
 * POST /workspace/submit   { user, view_id, state: { values } }         → { errors?: Record<block_id, string> } or {}
 * POST /workspace/close    { user, view_id }                            → {}
 * POST /workspace/command  { user, channel, command, text }             → {}
 * POST /workspace/home     { user }                                     → {} (fires app_home_opened)
 * POST /workspace/stop     { user, channel, thread_ts }                 → {} (fires agent_session_stopped)
 * POST /workspace/read     { user, channel }                            → {} (clears unread)
 * GET  /workspace/files/:id                                             → the file's bytes
 * A refused call answers 4xx with { error: string } for people.
 */
export interface WorkspaceState {
  readonly team: { readonly id: string; readonly name: string };
  readonly me: PageUser;
  readonly users: readonly PageUser[];
  readonly bot: PageUser;
  /** How many direct messages of the app each person has not read, by id; nobody without any. */
  readonly directUnread: Readonly<Record<string, number>>;
  readonly channels: readonly PageChannel[];
  readonly usergroups: readonly { readonly id: string; readonly handle: string }[];
  /** The Home view published for `me`, or null. */
  readonly home: PageView | null;
  /** The modals open in this tab, the top one last. */
  readonly modals: readonly PageView[];
  /** Whether an app is connected over Socket Mode right now. */
  readonly appConnected: boolean;
  readonly commands: readonly {
    readonly command: string;
    readonly description: string;
    readonly usage: string;
  }[];
  readonly texts: PageTexts;
  /** What the page says above everything, each as a sentence or two. */
  readonly notices: readonly string[];
}

export interface PageUser {
  readonly id: string;
  readonly name: string;
  readonly realName: string;
  readonly isBot: boolean;
}

export interface PageChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'channel' | 'im' | 'mpim';
  readonly unread: number;
}

export interface PageMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs: string | null;
  readonly user: string;
  readonly text: string;
  /** Block Kit JSON as the app sent it; also `markdown` blocks. */
  readonly blocks: readonly unknown[];
  readonly edited: boolean;
  /** Only `me` sees it. */
  readonly ephemeral: boolean;
  /** While the app streams into it. */
  readonly streaming: boolean;
  readonly reactions: readonly { readonly name: string; readonly users: readonly string[] }[];
  readonly files: readonly {
    readonly id: string;
    readonly name: string;
    readonly title: string;
    readonly mimetype: string;
    readonly size: number;
    /** Whether somebody has deleted it. */
    readonly isDeleted: boolean;
    /** Who uploaded it, and may delete it. */
    readonly user: string;
  }[];
}

/** A modal or Home, Block Kit JSON as the app sent it, with ids filled in. */
export interface PageView {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly title: unknown;
  readonly submit: unknown;
  readonly close: unknown;
  readonly blocks: readonly unknown[];
  /** Changes at each update of the view. */
  readonly hash: string;
}

export type PageEvent =
  | { readonly type: 'message'; readonly message: PageMessage }
  | { readonly type: 'message_deleted'; readonly channel: string; readonly ts: string }
  | { readonly type: 'status'; readonly channel: string; readonly threadTs: string; readonly status: string }
  | { readonly type: 'modals'; readonly modals: readonly PageView[] }
  | { readonly type: 'home'; readonly home: PageView }
  | { readonly type: 'unread'; readonly channel: string; readonly unread: number }
  | { readonly type: 'direct_unread'; readonly user: string; readonly unread: number }
  | { readonly type: 'app'; readonly connected: boolean }
  | { readonly type: 'notices'; readonly notices: readonly string[] };
