import type { JsonObject } from '../json.ts';
import type { WorkspaceClock } from './clock.ts';

export interface Person {
  readonly id: string;
  readonly teamId: string;
  readonly name: string;
  readonly realName: string;
  readonly isBot: boolean;
  readonly tz: string;
  readonly deleted: boolean;
  readonly isAdmin: boolean;
  readonly isRestricted: boolean;
  readonly isUltraRestricted: boolean;
  /** The workspaces of the Grid organisation that the account is in; null: that of `teamId` alone. */
  readonly workspaces: readonly string[] | null;
}

/** How the app is installed, and what the payloads that it gets say of teams. */
export interface Installation {
  /** The Grid organisation of the workspace; null where it has none. */
  readonly enterpriseId: string | null;
  /** Whether it is installed in the whole organisation, and not in the workspace alone. */
  readonly isOrgWide: boolean;
  /**
   * The fields at the top of every event that name a team. In a channel that organisations share, `team_id` can be the
   * other one's (slackapi/bolt-js#687).
   */
  readonly eventTeam: { readonly team_id?: string | null };
}

export interface Channel {
  readonly id: string;
  readonly name: string;
  /** `mpim`: direct messages of several people, a group DM. */
  readonly kind: 'channel' | 'im' | 'mpim';
  readonly members: readonly string[];
  readonly isArchived: boolean;
}

interface Reaction {
  readonly name: string;
  readonly users: readonly string[];
}

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly mimetype: string;
  readonly user: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The file's bytes, base64. */
  readonly content: string;
  readonly size: number;
  /** Where it has been shared; empty until the upload is completed. */
  readonly channels: readonly string[];
  /** Whether somebody has deleted it: messages still say that there was one. */
  readonly isDeleted: boolean;
  /** Whether it's a snippet, whose content people can change. */
  readonly isSnippet: boolean;
}

/** What the app has streamed into a message so far. */
export interface StreamContent {
  readonly markdown: string;
  readonly planTitle: string | null;
  readonly tasks: readonly JsonObject[];
  readonly blocks: readonly JsonObject[];
  readonly asPlan: boolean;
}

export interface Message {
  readonly channel: string;
  readonly ts: string;
  /** The ts of the thread's first message, also on that message itself once it has replies. */
  readonly threadTs: string | null;
  readonly user: string;
  /** Escaped as Slack does: `&amp;`, `&lt;`, `&gt;`, `<@U…>`. */
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  readonly byApp: boolean;
  readonly clientMsgId: string | null;
  readonly metadata: JsonObject | null;
  readonly edited: { readonly user: string; readonly ts: string } | null;
  readonly files: readonly string[];
  readonly reactions: readonly Reaction[];
  /** The only person who sees it, or null when everybody in the channel does. */
  readonly ephemeralFor: string | null;
  /** While the app streams into it. */
  readonly stream: StreamContent | null;
  /** `thread_broadcast`, `file_share`, `channel_join`, … */
  readonly subtype: string | null;
}

export type StateValues = Record<string, Record<string, JsonObject>>;

/** Somebody who does something, and where. */
export interface Actor {
  readonly user: string;
  /** The tab of the page in which they do it; null in a script. What then opens, opens there, as in Slack. */
  readonly client: string | null;
}

export interface View extends Actor {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly title: JsonObject | null;
  readonly submit: JsonObject | null;
  readonly close: JsonObject | null;
  readonly blocks: readonly JsonObject[];
  readonly callbackId: string;
  readonly externalId: string;
  readonly privateMetadata: string;
  readonly hash: string;
  readonly clearOnClose: boolean;
  readonly notifyOnClose: boolean;
  readonly rootId: string;
  readonly previousId: string | null;
  /** What the person has entered or chosen, by block id and action id. */
  readonly values: StateValues;
}

export interface StatusRecord {
  readonly channel: string;
  readonly threadTs: string;
  /** Empty: the status was cleared. */
  readonly status: string;
  readonly at: number;
}

/** https://docs.slack.dev/reference/methods/agents.sessions.setStatus#arg_status */
export const AGENT_SESSION_STATUSES = ['active', 'processing', 'suspended', 'closed'] as const;

interface AgentSession {
  readonly status: (typeof AGENT_SESSION_STATUSES)[number];
  readonly title: string;
}

export interface Usergroup {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly users: readonly string[];
}

export type Change =
  | { readonly type: 'posted'; readonly message: Message }
  | { readonly type: 'changed'; readonly message: Message; readonly previous: Message }
  | { readonly type: 'deleted'; readonly message: Message }
  | { readonly type: 'file_deleted' | 'file_changed'; readonly file: StoredFile }
  | { readonly type: 'status'; readonly record: StatusRecord }
  | { readonly type: 'modals'; readonly user: string }
  | { readonly type: 'home'; readonly user: string }
  | { readonly type: 'unread'; readonly user: string; readonly channel: string }
  | { readonly type: 'app'; readonly connected: boolean }
  | { readonly type: 'notices' }
  | { readonly type: 'called'; readonly method: string }
  | { readonly type: 'delivered' };

export interface Command {
  readonly command: string;
  readonly description: string;
  readonly usage: string;
}

/** What the page says of the app. */
export interface PageTexts {
  /** The app's name, in the title of the browser's window. @default `botName` */
  readonly title: string;
  /** What people read in an empty conversation with the app. @default that they write to it as in Slack */
  readonly welcome: string;
  /** What people could write; a click puts it in the composer. @default none */
  readonly examples: readonly string[];
  /** The same for single channels, by their names, where something else is of use. @default none */
  readonly examplesIn: Readonly<Record<string, readonly string[]>>;
  /** Further pages of the same server, such as one that the page handler shows besides. @default none */
  readonly links: readonly { readonly label: string; readonly href: string }[];
  /** Why the app is connected to this workspace and not to Slack. @default that it is being tried out */
  readonly about: string;
}

/** Who the app is in this workspace. */
export interface AppIdentity {
  readonly appId: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly botToken: string;
  readonly appToken: string;
  /** Of whoever looks after the app: docs.slack.dev/authentication/tokens. */
  readonly configurationToken: string;
  readonly signingSecret: string;
  /** For people who sign in with Slack. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The legacy token that Slack still puts in every payload. */
  readonly verificationToken: string;
  readonly scopes: readonly string[];
  readonly subscriptions: readonly string[];
  /** Whether a mention in a group DM is also sent as `app_mention`. */
  readonly groupMentions: boolean;
  readonly commands: readonly Command[];
  readonly pageTexts: PageTexts;
}

/** Everything the workspace knows; the collections are changed only by the functions of `core/`. */
export interface Workspace {
  readonly team: { readonly id: string; readonly name: string; readonly domain: string };
  readonly app: AppIdentity;
  installation: Installation;
  readonly clock: WorkspaceClock;
  readonly people: Map<string, Person>;
  readonly channels: Map<string, Channel>;
  /** By channel, in the order of `ts`. */
  readonly messages: Map<string, Message[]>;
  readonly files: Map<string, StoredFile>;
  readonly usergroups: Map<string, Usergroup>;
  readonly homes: Map<string, View>;
  /** By person, the top one last. */
  readonly modals: Map<string, readonly View[]>;
  /** What people have chosen in a message's elements, by `channel:ts`. */
  readonly messageValues: Map<string, StateValues>;
  /** Unread messages, by person, then channel. */
  readonly unread: Map<string, Map<string, number>>;
  readonly statuses: StatusRecord[];
  /** By `channel:threadTs`. */
  readonly threadTitles: Map<string, string>;
  /** By `channel:threadTs`. */
  readonly sessions: Map<string, AgentSession>;
  /** Events that the app has not acknowledged, as Slack sends them; they outlast a restart. */
  readonly undelivered: Set<JsonObject>;
  /** What the page says above everything, each as a sentence or two. */
  notices: readonly string[];
  /** Whether the app is installed; without that its tokens are refused. */
  isInstalled: boolean;
  /** Where this server answers, without a slash at the end. */
  baseUrl(): string;
  nextTs(): string;
  newId(prefix: string): string;
  emit(change: Change): void;
  /** Calls `listener` at every change; what it returns ends that. */
  subscribe(listener: (change: Change) => void): () => void;
}
