import type { WebClient } from '@slack/web-api';
import type { Gate } from '../../gate/index.ts';
import type { Actor, ApproverRef, Evaluate, PeopleDirectory } from '../../gate/types.ts';
import type { PersonInbox } from '../../inbox/ports.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ReviewTools, ServerPrompts, ServerStatus } from '../../mcp/ports.ts';
import type { Memory } from '../../memory/index.ts';
import type { Notebooks } from '../../notebook/ports.ts';
import type { PersonalConnections } from '../../oauth/ports.ts';
import type { ExamplesFor } from '../../presentation/example-prompts.ts';
import type { ConnectedPrograms } from '../../programs/ports.ts';
import type { Limits, Runs } from '../../runs/index.ts';
import type { Schedules } from '../../schedules/index.ts';
import type { SchedulePlaces } from '../../schedules/ports.ts';
import type { ResultShares, ToolDefinition } from '../../tools/ports.ts';
import type { ApiAccess } from '../client/api-access.ts';
import type { DocumentLists } from '../documents/document-lists.ts';
import type { Intake } from '../documents/intake.ts';
import type { ReadInbox } from '../home/inbox.ts';
import type { ReadMemory } from '../home/memory.ts';
import type { Homes } from '../home/publisher.ts';
import type { ReadSchedules } from '../home/schedules.ts';
import type { ReadMail } from '../inbox/whole-mail.ts';
import type { OutboxItem } from '../outbox/collections.ts';
import type { AgentChoice } from '../people/agent-choice.ts';
import type { Directory } from '../people/directory.ts';
import type { BotIdentity } from '../people/types.ts';
import type { ThreadUrl } from '../permalinks.ts';
import type { Views } from '../views/call-views.ts';
import type { PermissionsView } from '../views/types.ts';
import type { ReadUse } from '../views/use-views.ts';

type PolicyCall = Parameters<Evaluate>[0];

/** Links that sign one person in to the page of what waits for them, once. */
export interface DashboardLinks {
  /** The address of a new one, for this Slack user. */
  readonly offer: (user: string) => Promise<string>;
  /** Whether they work only on the machine that this program runs on. */
  readonly isLocal: boolean;
}

export interface HandlerPorts {
  readonly client: WebClient;
  readonly access: Pick<ApiAccess, 'refused'>;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly views: Views;
  readonly homes: Homes;
  readonly directory: Directory;
  readonly people: Pick<PeopleDirectory, 'standing'>;
  readonly clock: Clock;
  /** Somebody's grants and delegations. */
  readonly permissions: (actorId: string) => Promise<PermissionsView>;
  /** What somebody has used of the day's limits. */
  readonly use: ReadUse;
  readonly limits: Pick<Limits, 'extend' | 'takeBack' | 'leave'>;
  readonly reviews: ReviewTools;
  /** The prompts of servers. */
  readonly prompts: ServerPrompts;
  /** Whether somebody is an admin: named by the operator, or an admin of the workspace. */
  readonly isAdmin: (actorId: string) => Promise<boolean>;
  /** Describes the policy's rules; given a call, also which rule applies to it and why. */
  readonly policy: (call: PolicyCall | null, nameOf: (ref: ApproverRef) => string) => readonly string[];
  /** All approvers whom the policy names. */
  readonly policyPeople: readonly ApproverRef[];
  readonly servers: (personId?: string) => readonly ServerStatus[];
  /** Retries the servers that are down at once, without waiting for their backoff. */
  readonly reconnect: () => Promise<void>;
  /** People's own connections to servers. */
  readonly connections: PersonalConnections;
  /** The programs that people have let in; null where nobody can. */
  readonly programs: Pick<ConnectedPrograms, 'end'> | null;
  /** Who shares their own results in a thread. */
  readonly shares: Pick<ResultShares, 'share' | 'stopSharing' | 'list'>;
  /** Conversations as pages of a lab notebook. */
  readonly notebooks: Notebooks;
  /** The link to a thread; null where the workspace's address isn't known. */
  readonly threadUrl: ThreadUrl;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  /** How many tools the model is offered at once. */
  readonly maxTools: number;
  readonly examples: ExamplesFor;
  /** The address of the page where one person decides a call; null where web sign-in isn't set up. */
  readonly decideUrl: ((callKey: string) => string) | null;
  readonly dashboardLinks: DashboardLinks;
  /** Which agent answers new conversations where. */
  readonly agents: AgentChoice;
  readonly bot: BotIdentity;
  /** Which of these scopes the app was installed without; none where Slack doesn't say. */
  readonly missingScopes: (needed: readonly string[]) => readonly string[];
  /** Enqueues messages of somebody to a thread, to be shown as they are on record. */
  readonly show: (
    place: { readonly threadId: string; readonly requester: Actor },
    shows: readonly OutboxItem[],
  ) => Promise<void>;
  /** Takes the files that people bring to be learned, and forgets them. */
  readonly intake: Pick<
    Intake,
    'take' | 'learn' | 'forget' | 'fileChanged' | 'fileDeleted' | 'messageDeleted'
  >;
  /** The documents that somebody can ask for. */
  readonly documents: Pick<DocumentLists, 'list'>;
  /** What is remembered of people, and it as they are shown it. */
  readonly memory: Pick<Memory, 'read' | 'change' | 'forget' | 'forgetAll' | 'turn'>;
  readonly memoryView: ReadMemory;
  /** What people have run at times, it as they are shown it, and where it can run. */
  readonly schedules: Pick<Schedules, 'create' | 'stop' | 'pause' | 'offered'>;
  readonly schedulesView: ReadSchedules;
  readonly schedulePlaces: SchedulePlaces;
  /** The mailboxes that are watched, they as their people are shown them, and how a mail is read. */
  readonly inbox: PersonInbox;
  readonly inboxView: ReadInbox;
  readonly readMail: ReadMail;
  /** Remembers that a user is told in a thread how to address the app; false if they have been told before. */
  readonly rememberHint: (threadId: string, user: string) => Promise<boolean>;
  /** Updates the call's card, and everything that shows the call, from the record. */
  readonly refresh: (callKey: string) => Promise<void>;
  /** Shows that nothing runs in a thread: people are waited for (`suspended`), or not. */
  readonly rest: (threadId: string, state: 'suspended' | 'active') => void;
  /** Handles a deleted message: if it was ours and people still need it, it is posted again. */
  readonly messageDeleted: (channel: string, ts: string) => Promise<void>;
  readonly log: {
    error(details: object, message: string): void;
    warn(details: object, message: string): void;
    info(details: object, message: string): void;
  };
}
