import { App, type Receiver } from '@slack/bolt';
import { ErrorCode, WebClient } from '@slack/web-api';
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import type { ApproverRef } from '../gate/approver-rules.ts';
import type { Gate } from '../gate/index.ts';
import type { Clock, GateEvent } from '../gate/ports.ts';
import type { PersonalConnections, ReviewTools, ServerStatus, ToolDefinition } from '../mcp/types.ts';
import type { Runs } from '../runs/index.ts';
import type { LeaseHolder } from '../runs/lease.ts';
import type { LiveObserver, RunEvent } from '../runs/ports.ts';
import type { ThreadRecord } from '../runs/records.ts';
import type { Store } from '../storage/store.ts';
import { createAdminHealth } from './admin-health.ts';
import { hasCard, peopleIn } from './announce.ts';
import { approverProblem } from './approver-problem.ts';
import { createDirectory } from './directory.ts';
import { createFiles, type FilePorts } from './files.ts';
import { registerCalls } from './handlers/calls.ts';
import { registerCommand } from './handlers/command.ts';
import { registerConnections } from './handlers/connections.ts';
import { registerHome } from './handlers/home.ts';
import { registerLifecycle } from './handlers/lifecycle.ts';
import { registerMessages } from './handlers/messages.ts';
import { registerNeeds } from './handlers/needs.ts';
import { registerPending } from './handlers/pending.ts';
import { registerPermissions } from './handlers/permissions.ts';
import type { HandlerPorts } from './handlers/ports.ts';
import { registerRequests } from './handlers/requests.ts';
import { registerReviews } from './handlers/reviews.ts';
import { answerUnclaimed } from './handlers/unclaimed.ts';
import { registerWeb } from './handlers/web.ts';
import { createHomes } from './homes.ts';
import { createOutbox } from './outbox.ts';
import type { Pace } from './pace.ts';
import { createPeople } from './people.ts';
import { createPermissions } from './permissions.ts';
import { createPosts } from './posts.ts';
import { createPresenter } from './presenter.ts';
import {
  type HttpReceiver,
  httpReceiver,
  type SocketReceiver,
  socketReceiver,
  type Unclaimed,
} from './receiver.ts';
import { render, renderRefused, stillMatters } from './render.ts';
import { type SlackLog, sdkLogger } from './sdk-logger.ts';
import { createSummons } from './summons.ts';
import { parseSlackThreadId, slackUserOf } from './thread-id.ts';
import { adminsOf, reviewsFor, tellOfReview } from './tool-reviews.ts';
import { createViews } from './views.ts';
import { createWebSheets } from './web-sheet.ts';

/** How long one call to Slack may take, in milliseconds. */
const API_TIMEOUT_MS = 10_000;

export interface SlackOptions {
  readonly botToken: string;
  readonly mode:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string }
    /** Shows, and does not listen: another process does. */
    | { readonly kind: 'none' };
  readonly apiUrl: string | null;
  /** How fast messages may follow each other in one channel. */
  readonly pace: Pace;
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly holder: LeaseHolder;
  readonly timeZone: string;
  /** Slack users who see how people decide, besides the workspace's admins. */
  readonly admins: readonly string[];
  readonly reviews: ReviewTools;
  /** The policy's rules in words; with a call, which of them applies to it, and why. */
  readonly policy: HandlerPorts['policy'];
  readonly policyPeople: HandlerPorts['policyPeople'];
  readonly decideUrl: HandlerPorts['decideUrl'];
  readonly servers: () => readonly ServerStatus[];
  /** People's own connections to servers. */
  readonly connections: PersonalConnections;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  /** All of something that a tool answered with and that is kept beside its record. */
  readonly keptBytes: FilePorts['bytes'];
  readonly log: SlackLog;
}

/** Bolt listens by itself unless it is given something to listen with. */
const DEAF: Receiver = {
  init: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};

const identitySchema = z.object({ user_id: z.string(), team_id: z.string(), user: z.string() });

/** The Slack side: listens, shows, and keeps what is shown true to the record. */
export function createSlack(options: SlackOptions) {
  const { log, mode, store, clock, gate, runs } = options;
  const clientOptions = {
    ...(options.apiUrl === null ? {} : { slackApiUrl: options.apiUrl }),
    // Attempts are the outbox's to repeat: by itself the client would post a message three times.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: API_TIMEOUT_MS,
    logger: sdkLogger(log),
  };
  const client = new WebClient(options.botToken, clientOptions);
  let socket: SocketReceiver | null = null;
  let http: HttpReceiver | null = null;
  const unclaimed: Unclaimed = (body, ack) => answerUnclaimed(ports)(body, ack);
  if (mode.kind === 'socket') {
    socket = socketReceiver({ appToken: mode.appToken, apiUrl: options.apiUrl, unclaimed, log });
  } else if (mode.kind === 'http') {
    http = httpReceiver({ signingSecret: mode.signingSecret, unclaimed, log });
  }
  const app = new App({
    token: options.botToken,
    receiver: socket ?? http ?? DEAF,
    clientOptions,
    deferInitialization: true,
    logger: sdkLogger(log),
  });

  let bot = { userId: '', teamId: '', name: 'countersign' };
  const directory = createDirectory(client, clock, options.timeZone);
  const views = createViews({ gate, directory, canSignIn: options.decideUrl !== null });
  const presenter = createPresenter({ client, log, isClear: (channel) => outbox.isClear(channel) });
  const people = createPeople(client, clock, directory);
  const wakeChannel = (channel: string) => outbox.wake(channel);
  const summon = createSummons({ store, clock, gate, directory, people, wake: wakeChannel });
  const showing = { gate, views, item: runs.item, summon };
  const outbox = createOutbox({
    store,
    clock,
    holder: options.holder,
    posts: createPosts({ store, client }),
    files: createFiles({ store, client, call: gate.call, bytes: options.keptBytes, log }),
    pace: options.pace,
    render: (row) => render(showing, row.show, row.threadId),
    renderRefused: (row) => renderRefused(showing, row.show),
    finishStream: (row) =>
      row.show.kind === 'answer' ? presenter.finish(row.show.itemId, row.channel) : Promise.resolve(null),
    log,
  });
  const permissions = createPermissions({ gate, directory, clock });
  const isAdmin = adminsOf(options.admins, directory.isAdmin);
  const homes = createHomes({
    permissions,
    store,
    clock,
    client,
    gate,
    views,
    servers: options.servers,
    connections: options.connections,
    tools: options.tools,
    botName: () => bot.name,
    nameOf: async (actorId) => directory.nameOf(slackUserOf(actorId) ?? actorId),
    reviews: reviewsFor({ reviews: options.reviews, isAdmin }),
    health: createAdminHealth({ gate, clock, isAdmin }),
    log,
  });
  const ports: HandlerPorts = {
    client,
    gate,
    runs,
    views,
    homes,
    permissions,
    directory,
    clock,
    isAdmin,
    reviews: options.reviews,
    policy: options.policy,
    policyPeople: options.policyPeople,
    decideUrl: options.decideUrl,
    servers: options.servers,
    connections: options.connections,
    tools: options.tools,
    bot: () => bot,
    async refresh(callKey) {
      const call = await gate.call(callKey);
      if (!call) return;
      await outbox.show(call.threadId, [
        // What never had a card, such as a read that waits for a sign-in, gets none by being clicked on.
        ...(hasCard(call) ? [{ kind: 'call', callKey } as const] : []),
        { kind: 'need', callKey },
      ]);
    },
    messageDeleted: (channel, ts) => outbox.deleted(channel, ts, (show) => stillMatters(gate, show)),
    log,
  };
  registerMessages(app, ports);
  registerCalls(app, ports);
  registerRequests(app, ports);
  registerNeeds(app, ports);
  registerWeb(app, ports);
  registerPending(app, ports);
  registerPermissions(app, ports);
  registerCommand(app, ports);
  registerLifecycle(app, ports);
  registerHome(app, ports);
  registerReviews(app, ports);
  registerConnections(app, ports);

  function wake(threadId: string): void {
    const thread = parseSlackThreadId(threadId);
    if (thread) outbox.wake(thread.channel);
  }

  return {
    /** Checks the token and begins to listen. Throws ConfigError when Slack does not accept a token. */
    async start(): Promise<void> {
      try {
        const identity = identitySchema.parse(await client.auth.test());
        bot = { userId: identity.user_id, teamId: identity.team_id, name: identity.user };
        await app.init();
        await app.start();
      } catch (error) {
        throw startError(error);
      }
      homes.start();
      await outbox.start();
    },
    /** Takes no more events, clicks or commands; Slack sends what is not acknowledged elsewhere, or again. */
    stopListening: async (): Promise<void> => void (await app.stop()),
    async stop(): Promise<void> {
      await outbox.stop();
      presenter.stop();
      homes.stop();
    },
    /** Answers `POST /slack/events`; null in Socket Mode. */
    handle: http ? (request: Request) => http.handle(request) : null,
    connected: (): boolean => socket?.connected() ?? true,
    /** What the web page shows of a call, and to whom. */
    web: createWebSheets({ views, directory, bot: () => bot }),
    /** What Slack says of people now. */
    people,
    /** What is wrong with somebody whom the policy names, in a sentence; null where nothing is known to be. */
    approverProblem: (ref: ApproverRef) => approverProblem(client, ref),

    observe: ((thread, item, event) => presenter.observe(thread, item, event)) satisfies LiveObserver,
    notifyGate(event: GateEvent): void {
      const calls = 'calls' in event ? event.calls : 'call' in event ? [event.call] : [];
      for (const threadId of new Set(calls.map((call) => call.threadId))) wake(threadId);
      if (event.type === 'closed') wake(event.request.threadId);
      if (event.type === 'opened' || event.type === 'asked') {
        runs.thread(event.request.threadId).then(
          (thread) => thread && presenter.rest(thread),
          (error: unknown) => log.debug({ err: error }, 'a status was not cleared'),
        );
      }
      for (const actorId of peopleIn(event)) void homes.refresh(actorId);
    },
    /** Somebody has connected a server, or disconnected it. */
    notifyConnections: (actorId: string) => homes.changed([actorId]),
    /** Tools of a server wait for a review. */
    notifyToolReview: (server: string): Promise<void> => tellOfReview({ ...options, client, homes }, server),
    /** A server has come or gone, or has other tools. */
    notifyServers: homes.refreshServers,
    notifyRun(thread: ThreadRecord, event: RunEvent): void {
      wake(thread.threadId);
      if (event.type !== 'started' && event.type !== 'held') presenter.rest(thread);
    },
  };
}
export type Slack = ReturnType<typeof createSlack>;

const slackErrorSchema = z.object({
  code: z.string(),
  data: z.object({ error: z.string() }).optional(),
});

/** Why Slack did not let us start, naming the variable to look at. */
function startError(error: unknown): unknown {
  const parsed = slackErrorSchema.safeParse(error);
  if (!parsed.success) return error;
  const refusal = parsed.data.data?.error;
  if (parsed.data.code === ErrorCode.PlatformError && refusal !== undefined) {
    return new ConfigError(
      `Slack did not accept our tokens (${refusal}). Check SLACK_BOT_TOKEN, and SLACK_APP_TOKEN in Socket Mode.`,
      error,
    );
  }
  return new ConfigError(
    'Slack could not be reached. Check the network, and SLACK_API_URL if it is set.',
    error,
  );
}
