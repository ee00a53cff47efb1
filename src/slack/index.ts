import type { Actor, ApproverRef } from '../gate/types.ts';
import type { InboxPlaces, PersonInbox } from '../inbox/ports.ts';
import type { Memory } from '../memory/index.ts';
import type { AgentName } from '../runs/ports.ts';
import type { Schedules } from '../schedules/index.ts';
import type { ResultShare } from '../tools/ports.ts';
import { createDisplay, type DisplayPorts } from './display.ts';
import { createDocuments } from './documents/compose.ts';
import type { DocumentSide } from './documents/intake.ts';
import { createLimitListener, registerLimits } from './handlers/admin/limits.ts';
import { registerToolReviews } from './handlers/admin/tool-reviews.ts';
import { registerCallForms } from './handlers/call-forms.ts';
import { registerCalls } from './handlers/calls.ts';
import { registerCommand } from './handlers/commands/command.ts';
import { registerNotebooks } from './handlers/commands/notebook.ts';
import { registerPromptForm } from './handlers/commands/prompt.ts';
import { registerDocuments } from './handlers/documents.ts';
import { registerElicitations } from './handlers/elicitations.ts';
import { registerGrantsAndDelegation } from './handlers/grants-and-delegation.ts';
import { registerHome } from './handlers/home.ts';
import { registerInbox } from './handlers/inbox/register.ts';
import { registerLifecycle } from './handlers/lifecycle.ts';
import { Listeners } from './handlers/listeners.ts';
import { registerMemory } from './handlers/memory/register.ts';
import { createTellFirst } from './handlers/memory/tell-first.ts';
import { registerMessages } from './handlers/messages.ts';
import type { HandlerPorts } from './handlers/ports.ts';
import { registerRequests } from './handlers/requests.ts';
import { registerSchedules } from './handlers/schedules/register.ts';
import { notifyWithheld, registerShares } from './handlers/shares.ts';
import { answerUnknownAction } from './handlers/unknown-action.ts';
import { registerWebDecision } from './handlers/web-decision.ts';
import { createAdminCheck, notifyToolReview } from './home/admins.ts';
import { createInboxViews } from './home/inbox.ts';
import { createMemoryViews } from './home/memory.ts';
import { createScheduleViews } from './home/schedules.ts';
import { createInboxPlaces } from './inbox/places.ts';
import type { ReadMail } from './inbox/whole-mail.ts';
import { hasCard } from './outbox/enqueue.ts';
import { isStillRelevant } from './outbox/relevance.ts';
import { toActorId } from './people/actor.ts';
import { AgentChoice } from './people/agent-choice.ts';
import { approverProblem } from './people/approver-problem.ts';
import { rememberHint } from './people/hints.ts';
import { createReturnLink, threadUrl } from './permalinks.ts';
import { createSchedulePlaces } from './schedules/places.ts';
import type { SlackSurface } from './surface.ts';
import { createPermissions } from './views/permission-views.ts';
import { createUseViews } from './views/use-views.ts';

interface SlackOptions
  extends Omit<
    DisplayPorts,
    'isAdmin' | 'permissions' | 'use' | 'drop' | 'documents' | 'memory' | 'schedules' | 'inbox' | 'callEnded'
  > {
  /** The documents that are learned. */
  readonly documents: DocumentSide;
  /** What is remembered of people. */
  readonly memory: Memory;
  /** What people have run at times. */
  readonly schedules: Schedules;
  /** The mailboxes that are watched. */
  readonly inbox: PersonInbox & { runIn(places: InboxPlaces): void };
  readonly readMail: ReadMail;
  readonly limits: DisplayPorts['limits'] &
    Parameters<typeof createUseViews>[0]['limits'] &
    HandlerPorts['limits'];
  readonly surface: SlackSurface;
  /** Slack users who are admins here, in addition to the workspace's admins. */
  readonly admins: readonly string[];
  /** Describes the policy's rules; given a call, also which rule applies to it and why. */
  readonly policy: HandlerPorts['policy'];
  readonly policyPeople: HandlerPorts['policyPeople'];
  readonly decideUrl: HandlerPorts['decideUrl'];
  readonly dashboardLinks: HandlerPorts['dashboardLinks'];
  /** The prompts of servers. */
  readonly prompts: HandlerPorts['prompts'];
  readonly shares: HandlerPorts['shares'];
  readonly notebooks: HandlerPorts['notebooks'];
  readonly maxTools: HandlerPorts['maxTools'];
  /** The operator's agents, by a channel's id or name, or `dm`. */
  readonly routes: Readonly<Record<string, AgentName>>;
  /** Retries the servers that are down at once, without waiting for their backoff. */
  readonly reconnect: () => Promise<void>;
}

/** The Slack side: receives events and clicks, and keeps what it shows true to the record. */
export function createSlack(options: SlackOptions) {
  const { connection, surface, log, clock, gate, admins } = options;
  const { directory, people, audience, bot } = connection;
  const { client, access, app, socket, http, download } = connection.bolt;
  const isAdmin = createAdminCheck(admins, directory.isAdmin);
  const permissions = createPermissions({ gate, directory, clock });
  const use = createUseViews({ limits: options.limits, directory, isAdmin });
  const { missingScopes } = connection;
  const { intake, lists, drop, ...documents } = createDocuments({
    ...options,
    ...{ client, download, directory, people, audience, missingScopes, isAdmin },
    room: connection.limits.room,
    wake: (channel) => display.outbox.wake(channel),
  });
  const own = createOwnViews(options);
  const inHome = { documents: lists.forHome, ...own.inHome };
  const { callEnded } = options.inbox;
  const display = createDisplay({ ...options, isAdmin, permissions, use, drop, callEnded, ...inHome });
  const { outbox, homes } = display;
  surface.displayOn(display, connection.limits);
  const agents = new AgentChoice({ store: options.store, clock, directory, routes: options.routes });
  const schedulePlaces = createSchedulePlaces({ ...options, client, people, directory, agents, bot });
  const ports: HandlerPorts = {
    ...options,
    client,
    access,
    homes,
    permissions,
    use,
    directory,
    people,
    agents,
    isAdmin,
    threadUrl: (threadId) => threadUrl(connection.workspaceUrl(), threadId),
    bot,
    missingScopes,
    show: outbox.show,
    intake,
    documents: lists,
    ...own.views,
    schedulePlaces,
    rememberHint: (threadId, user) => rememberHint(options.store, threadId, user),
    refresh: (callKey) => refresh({ gate, outbox }, callKey),
    rest: display.rest,
    messageDeleted: (channel, ts) => outbox.deleted(channel, ts, (show) => isStillRelevant(gate, show)),
  };
  const listeners = new Listeners(app);
  for (const register of HANDLERS) register(listeners, ports);
  connection.answerUnknownBy(answerUnknownAction(ports));
  followPeople(options, ports);

  return {
    /** Checks the token and starts listening. Throws ConfigError when Slack rejects a token. */
    async start(): Promise<void> {
      await connection.start();
      await display.start();
      documents.start();
    },
    /**
     * Stops receiving events, clicks and commands. Slack delivers unacknowledged ones elsewhere, or again.
     */
    stopListening: async (): Promise<void> => void (await app.stop()),
    async stop(): Promise<void> {
      await connection.stop();
      await documents.stop();
      await display.stop();
    },
    /** Answers `POST /slack/events`; null in Socket Mode. */
    handle: http ? (request: Request) => http.handle(request) : null,
    /** Why Slack can't be used, in sentences for operators; null where nothing is wrong. */
    connectionProblem: (): string | null => access.problem() ?? socket?.problem() ?? null,
    returnLink: createReturnLink({ gate }, connection.workspaceUrl),
    /** The problem with an approver whom the policy names, in a sentence; null where none is known. */
    approverProblem: (ref: ApproverRef) => approverProblem(client, ref),
    /** Shows people the questions about limits that are used up, and the answers. */
    limitListener: createLimitListener({ admins, clock, homes, wake: outbox.wake }),
    ...createNotices({ admins, client, directory, homes, log, bot }),
  };
}
export type Slack = ReturnType<typeof createSlack>;

/** What people keep and have done here, as they are shown it. */
function createOwnViews({
  memory,
  schedules,
  inbox,
  connection: { directory },
}: Pick<SlackOptions, 'memory' | 'schedules' | 'inbox' | 'connection'>) {
  const memoryView = createMemoryViews({ memory, directory });
  const schedulesView = createScheduleViews({ schedules, directory });
  const inboxView = createInboxViews({ inbox, directory });
  return {
    views: { memoryView, schedulesView, inboxView },
    inHome: { memory: memoryView, schedules: schedulesView, inbox: inboxView },
  };
}

/** Tells people what is learned of them, has run what they schedule, looks at their mailboxes, and shows all that in their Homes. */
function followPeople(
  options: Pick<SlackOptions, 'memory' | 'schedules' | 'inbox' | 'connection' | 'admins'>,
  ports: HandlerPorts,
): void {
  const { memory, schedules, inbox, connection, admins } = options;
  const { homes } = ports;
  memory.tellFirstBy(createTellFirst(ports));
  schedules.runIn(ports.schedulePlaces);
  inbox.runIn(createInboxPlaces({ ...ports, people: connection.people, admins }));
  for (const follow of [memory.onLearned, schedules.onChange, inbox.onChange]) {
    follow((personId) => void homes.changed([personId]));
  }
}

/** Shows a call as it is on record. */
async function refresh(
  { gate, outbox }: Pick<HandlerPorts, 'gate'> & Pick<ReturnType<typeof createDisplay>, 'outbox'>,
  callKey: string,
): Promise<void> {
  const call = await gate.calls.get(callKey);
  if (!call) return;
  await outbox.show(call, [
    // A call without a card (such as a read that waits for a sign-in) doesn't get one from a click.
    ...(hasCard(call) ? [{ kind: 'call', callKey } as const] : []),
    { kind: 'need', callKey },
  ]);
}

/** Tells people what has changed that they should know of. */
function createNotices(
  ports: Pick<HandlerPorts, 'client' | 'directory' | 'homes' | 'log' | 'bot'> & Pick<SlackOptions, 'admins'>,
) {
  return {
    /** Updates somebody's Home after they connected or disconnected a server. */
    notifyConnections: (_server: string, { id }: Pick<Actor, 'id'>): void => void ports.homes.changed([id]),
    /** Updates somebody's Home after they let a program in, or took one away. */
    notifyPrograms: (user: string): void => void ports.homes.changed([toActorId(ports, user)]),
    /** Notifies admins that tools of a server wait for a review. */
    notifyToolReview: (server: string): Promise<void> => notifyToolReview(ports, server),
    /** Tells an owner that their results were withheld from somebody in a thread. */
    notifyWithheld: (share: ResultShare): Promise<void> => notifyWithheld(ports, share),
    /** Updates all Homes after a server came up, went down or changed its tools. */
    notifyServers: (): void => ports.homes.refreshServers(),
  };
}

const HANDLERS = [
  registerMessages,
  registerDocuments,
  registerMemory,
  registerSchedules,
  registerInbox,
  registerCalls,
  registerCallForms,
  registerRequests,
  registerElicitations,
  registerWebDecision,
  registerGrantsAndDelegation,
  registerCommand,
  registerPromptForm,
  registerNotebooks,
  registerLifecycle,
  registerHome,
  registerToolReviews,
  registerLimits,
  registerShares,
];

export { readPlatformError } from './client/api-errors.ts';
export { SlackConnection } from './connection.ts';
export { broughtRetention, findDrops, forgetDrop } from './documents/removal.ts';
export type { DashboardLinks } from './handlers/ports.ts';
export { createAdminCheck } from './home/admins.ts';
export { isSlackActor, parseSlackThreadId, readSlackUser } from './ids.ts';
export { callRun } from './inbox/call-run.ts';
export { readOutboxDepth } from './outbox/outbox.ts';
export { readPrompts } from './outbox/prompts.ts';
export { toRateLimit } from './outbox/rate-limit.ts';
export { forgetPrompts, forgetRequests, forgetThread } from './outbox/removal.ts';
export { isInChannel } from './people/approvers.ts';
export { slackIdentity } from './people/identity.ts';
export { createProgramPlaces, createWhereabouts } from './program-places.ts';
export { SlackSurface } from './surface.ts';
export { tokenProblem } from './texts/client.ts';
export { findNews } from './views/answer-pairs.ts';
export { createViews, type Views } from './views/call-views.ts';
export { createDecisionPages, type DecisionPages } from './views/decision-sheet.ts';
export { findLimitOwner } from './views/use-views.ts';
