import { z } from 'zod';
import type { Gate } from '../gate/index.ts';
import type { ApproverRef, GateEvent } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import type { ReviewTools, ServerStatus } from '../mcp/ports.ts';
import type { PersonalConnections } from '../oauth/ports.ts';
import type { ExamplesFor } from '../presentation/example-prompts.ts';
import type { Runs, ThreadRecord } from '../runs/index.ts';
import type { RunEvent } from '../runs/ports.ts';
import type { LeaseHolder } from '../storage/lease/lease.ts';
import type { Store } from '../storage/store.ts';
import type { ToolDefinition } from '../tools/ports.ts';
import { type BoltOptions, createBolt, startError } from './client/bolt.ts';
import type { AnswerUnknown } from './client/receiver.ts';
import { registerCalls } from './handlers/calls.ts';
import { registerCommand } from './handlers/commands/command.ts';
import { registerConnections } from './handlers/connections.ts';
import { registerElicitations } from './handlers/elicitations.ts';
import { registerGrantsAndDelegation } from './handlers/grants-and-delegation.ts';
import { registerHeldMessages } from './handlers/held-messages.ts';
import { registerHome } from './handlers/home.ts';
import { registerLifecycle } from './handlers/lifecycle.ts';
import { registerMessages } from './handlers/messages.ts';
import type { HandlerPorts } from './handlers/ports.ts';
import { registerRequests } from './handlers/requests.ts';
import { registerToolReviews } from './handlers/tool-reviews.ts';
import { answerUnknownAction } from './handlers/unknown-action.ts';
import { registerWebDecision } from './handlers/web-decision.ts';
import { createAdminCheck, createReviewList, notifyToolReview } from './home/admins.ts';
import { createApprovalMetrics } from './home/approval-metrics.ts';
import { createHomes } from './home/publisher.ts';
import { parseSlackThreadId, readSlackUser } from './ids.ts';
import { createPresenter } from './live/presenter.ts';
import { hasCard } from './outbox/enqueue.ts';
import { createFiles, type FilePorts } from './outbox/files.ts';
import { createApproverNotifier } from './outbox/notify-approvers.ts';
import { createOutbox } from './outbox/outbox.ts';
import { createPostedMessages } from './outbox/posted-messages.ts';
import type { RateLimit } from './outbox/rate-limit.ts';
import { isStillRelevant, render, renderRefused } from './outbox/render.ts';
import { approverProblem } from './people/approver-problem.ts';
import { createDirectory } from './people/directory.ts';
import { createPeople } from './people/standing.ts';
import { createReturnLink, threadUrl } from './permalinks.ts';
import { createViews } from './views/call-views.ts';
import { createDecisionPages } from './views/decision-sheet.ts';
import { createPermissions } from './views/permission-views.ts';

export interface SlackOptions extends BoltOptions {
  /** The rate limit of messages in one channel. */
  readonly rateLimit: RateLimit;
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly holder: LeaseHolder;
  readonly timeZone: string;
  /** Slack users who see the approval metrics, in addition to the workspace's admins. */
  readonly admins: readonly string[];
  readonly reviews: ReviewTools;
  /** Describes the policy's rules; given a call, also which rule applies to it and why. */
  readonly policy: HandlerPorts['policy'];
  readonly policyPeople: HandlerPorts['policyPeople'];
  readonly decideUrl: HandlerPorts['decideUrl'];
  readonly servers: () => readonly ServerStatus[];
  /** Retries the servers that are down at once, without waiting for their backoff. */
  readonly reconnect: () => Promise<void>;
  /** People's own connections to servers. */
  readonly connections: PersonalConnections;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  /** Example prompts for help and Home. */
  readonly examples: ExamplesFor;
  /** The full bytes of tool output that is kept beside its record. */
  readonly keptBytes: FilePorts['bytes'];
}

const identitySchema = z.object({
  user_id: z.string(),
  team_id: z.string(),
  user: z.string(),
  /** The workspace's address, with a slash at the end. */
  url: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .catch(null),
});

/** The Slack side: receives events and clicks, and keeps what it shows true to the record. */
export function createSlack(options: SlackOptions) {
  const { log, store, clock, gate, runs } = options;
  const unclaimed: AnswerUnknown = (body, ack) => answerUnknownAction(ports)(body, ack);
  const { client, app, socket, http } = createBolt(options, unclaimed);

  let bot = { userId: '', teamId: '', name: 'countersign' };
  let workspaceUrl: string | null = null;
  const urlOfThread = (threadId: string) => threadUrl(workspaceUrl, threadId);
  const directory = createDirectory(client, clock, options.timeZone);
  const views = createViews({ gate, directory, canSignIn: options.decideUrl !== null });
  const presenter = createPresenter({ client, log, isClear: (channel) => outbox.isClear(channel) });
  const people = createPeople(client, clock, directory);
  const wakeChannel = (channel: string) => outbox.wake(channel);
  const summon = createApproverNotifier({ store, clock, gate, directory, people, wake: wakeChannel });
  const showing = { gate, views, item: runs.item, summon };
  const outbox = createOutbox({
    store,
    clock,
    holder: options.holder,
    posts: createPostedMessages({ store, client }),
    files: createFiles({ store, client, call: gate.calls.get, bytes: options.keptBytes, log }),
    rateLimit: options.rateLimit,
    render: (row) => render(showing, row.show, row.threadId),
    renderRefused: (row) => renderRefused(showing, row.show),
    finishStream: (row) =>
      row.show.kind === 'answer' ? presenter.finish(row.show.itemId) : Promise.resolve(null),
    log,
  });
  const permissions = createPermissions({ gate, directory, clock });
  const isAdmin = createAdminCheck(options.admins, directory.isAdmin);
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
    examples: options.examples,
    botName: () => bot.name,
    nameOf: async (actorId) => directory.nameOf(readSlackUser(actorId) ?? actorId),
    reviews: createReviewList({ reviews: options.reviews, isAdmin }),
    health: createApprovalMetrics({ gate, clock, isAdmin }),
    threadUrl: urlOfThread,
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
    reconnect: options.reconnect,
    connections: options.connections,
    tools: options.tools,
    examples: options.examples,
    bot: () => bot,
    async refresh(callKey) {
      const call = await gate.calls.get(callKey);
      if (!call) return;
      await outbox.show(call.threadId, [
        // A call without a card (such as a read that waits for a sign-in) doesn't get one from a click.
        ...(hasCard(call) ? [{ kind: 'call', callKey } as const] : []),
        { kind: 'need', callKey },
      ]);
    },
    messageDeleted: (channel, ts) => outbox.deleted(channel, ts, (show) => isStillRelevant(gate, show)),
    log,
  };
  registerMessages(app, ports);
  registerCalls(app, ports);
  registerRequests(app, ports);
  registerElicitations(app, ports);
  registerWebDecision(app, ports);
  registerHeldMessages(app, ports);
  registerGrantsAndDelegation(app, ports);
  registerCommand(app, ports);
  registerLifecycle(app, ports);
  registerHome(app, ports);
  registerToolReviews(app, ports);
  registerConnections(app, ports);

  function wake(threadId: string): void {
    const thread = parseSlackThreadId(threadId);
    if (thread) outbox.wake(thread.channel);
  }

  return {
    /** Checks the token and starts listening. Throws ConfigError when Slack rejects a token. */
    async start(): Promise<void> {
      try {
        const identity = identitySchema.parse(await client.auth.test());
        bot = { userId: identity.user_id, teamId: identity.team_id, name: identity.user };
        workspaceUrl = identity.url;
        await app.init();
        await app.start();
      } catch (error) {
        throw startError(error);
      }
      homes.start();
      await outbox.start();
    },
    /**
     * Stops receiving events, clicks and commands. Slack delivers unacknowledged ones elsewhere, or again.
     */
    stopListening: async (): Promise<void> => void (await app.stop()),
    async stop(): Promise<void> {
      await outbox.stop();
      presenter.stop();
      await homes.stop();
    },
    /** Answers `POST /slack/events`; null in Socket Mode. */
    handle: http ? (request: Request) => http.handle(request) : null,
    connected: (): boolean => socket?.connected() ?? true,
    returnLink: createReturnLink({ gate }, () => workspaceUrl),
    /** The web decision pages: what they show of a call, and to whom. */
    web: createDecisionPages({ views, directory, bot: () => bot }),
    /** The people directory, asked anew each time. */
    people,
    /** The problem with an approver whom the policy names, in a sentence; null where none is known. */
    approverProblem: (ref: ApproverRef) => approverProblem(client, ref),

    observe: presenter.observe,
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
    },
    /** The Homes: what people asked for and what they can decide. */
    homes,
    /** Updates somebody's Home after they connected or disconnected a server. */
    notifyConnections: (actorId: string) => homes.changed([actorId]),
    /** Notifies admins that tools of a server wait for a review. */
    notifyToolReview: (server: string): Promise<void> =>
      notifyToolReview({ ...options, client, homes }, server),
    /** Updates all Homes after a server came up, went down or changed its tools. */
    notifyServers: homes.refreshServers,
    notifyRun(thread: ThreadRecord, event: RunEvent): void {
      wake(thread.threadId);
      if (event.type !== 'started' && event.type !== 'held') presenter.rest(thread);
    },
  };
}
export type Slack = ReturnType<typeof createSlack>;
export { createHomeListener } from './home/enqueue.ts';
export { isSlackActor } from './ids.ts';
export { toRateLimit } from './outbox/rate-limit.ts';
export { slackIdentity } from './people/identity.ts';
export { createSlackSurface } from './surface.ts';
