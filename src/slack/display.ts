import type { Gate } from '../gate/index.ts';
import type { GateEvent } from '../gate/types.ts';
import type { PersonInbox } from '../inbox/ports.ts';
import type { Clock } from '../lib/clock.ts';
import { type Tracing, UNTRACED } from '../lib/telemetry/tracing.ts';
import type { ReviewTools, ServerStatus } from '../mcp/ports.ts';
import type { PersonalConnections } from '../oauth/ports.ts';
import type { ExamplesFor } from '../presentation/example-prompts.ts';
import type { ConnectedPrograms } from '../programs/ports.ts';
import { type Runs, type ThreadRecord, tracedMessage } from '../runs/index.ts';
import type { RunEvent } from '../runs/ports.ts';
import type { LeaseHolder } from '../storage/lease/lease.ts';
import type { Nudges } from '../storage/lease/nudges.ts';
import type { Store } from '../storage/store.ts';
import type { ToolDefinition } from '../tools/ports.ts';
import type { SlackLog } from './client/sdk-logger.ts';
import type { SlackConnection } from './connection.ts';
import { createReviewList } from './home/admins.ts';
import { createApprovalMetrics } from './home/approval-metrics.ts';
import type { HomeContentPorts } from './home/content.ts';
import { createLimitMessages } from './home/limit-messages.ts';
import { Homes } from './home/publisher.ts';
import { parseSlackPlace, readSlackUser } from './ids.ts';
import { endedCalls } from './inbox/call-run.ts';
import { createPresenter } from './live/presenter.ts';
import type { OutboxRow } from './outbox/collections.ts';
import { createClosedPlaces, createDirectCopies } from './outbox/direct-copies.ts';
import { timeUntilShown } from './outbox/enqueue.ts';
import { createFiles, type FilePorts } from './outbox/files.ts';
import { createApproverNotifier } from './outbox/notify-approvers.ts';
import { createOutbox } from './outbox/outbox.ts';
import { PostedMessages } from './outbox/posted-messages.ts';
import { createListRaiser } from './outbox/raise-list.ts';
import type { RateLimit } from './outbox/rate-limit.ts';
import { type RenderPorts, render, renderRefused } from './outbox/render.ts';
import { threadUrl } from './permalinks.ts';
import type { Views } from './views/call-views.ts';
import type { PermissionsView } from './views/types.ts';
import type { ReadUse } from './views/use-views.ts';

export interface DisplayPorts {
  readonly connection: SlackConnection;
  readonly views: Views;
  readonly store: Store;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly runs: Runs;
  readonly holder: LeaseHolder;
  readonly nudges: Nudges;
  /** The rate limit of messages in one channel. */
  readonly rateLimit: RateLimit;
  readonly reviews: ReviewTools;
  /** Whether somebody is an admin: named by the operator, or an admin of the workspace. */
  readonly isAdmin: (actorId: string) => Promise<boolean>;
  /** Somebody's grants and delegations. */
  readonly permissions: (actorId: string) => Promise<PermissionsView>;
  readonly limits: Parameters<typeof createLimitMessages>[0]['limits'];
  /** What somebody has used of the day's limits. */
  readonly use: ReadUse;
  readonly servers: (personId?: string) => readonly ServerStatus[];
  /** People's own connections to servers. */
  readonly connections: PersonalConnections;
  /** The programs that people have let in; null where nobody can. */
  readonly programs: ConnectedPrograms | null;
  readonly tools: () => Promise<readonly ToolDefinition[]>;
  /** Example prompts for help and Home. */
  readonly examples: ExamplesFor;
  /** The full bytes of tool output that is kept beside its record. */
  readonly keptBytes: FilePorts['bytes'];
  /**
   * Where answers are traced that have been posted.
   * @default nowhere
   */
  readonly tracing?: Tracing;
  /** What the message of a drop says. */
  readonly drop: RenderPorts['drop'];
  readonly documents: HomeContentPorts['documents'];
  readonly memory: HomeContentPorts['memory'];
  readonly schedules: HomeContentPorts['schedules'];
  readonly inbox: HomeContentPorts['inbox'];
  readonly callEnded: PersonInbox['callEnded'];
  readonly log: SlackLog;
}

/** Everything that shows: messages through the outbox, streamed answers with a status line, and Homes. */
export function createDisplay(ports: DisplayPorts) {
  const { connection, store, clock, gate, runs, log } = ports;
  const { directory, people } = connection;
  const { client } = connection.bolt;
  const presenter = createPresenter({
    client,
    log,
    teamOf: directory.teamOf,
    room: connection.limits.room,
    isClear: (channel) => outbox.isClear(channel),
  });
  const wakeChannel = (channel: string) => outbox.wake(channel);
  const summon = createApproverNotifier({ store, clock, gate, directory, people, wake: wakeChannel });
  const direct = createDirectCopies({ store, clock, gate, item: runs.item, summon, wake: wakeChannel, log });
  const places = createClosedPlaces({ store, directory, gate });
  const limits = createLimitMessages({ limits: ports.limits, directory });
  const showing = { ...ports, summon, limits, ...places };
  const outbox = createOutbox({
    store,
    clock,
    holder: ports.holder,
    nudges: ports.nudges,
    posts: new PostedMessages({ store, client, onPost: presenter.posted }),
    files: createFiles({ store, client, call: gate.calls.get, bytes: ports.keptBytes, log }),
    rateLimit: ports.rateLimit,
    timeUntilCall: connection.limits.timeUntilCall,
    render: (row) => render(showing, row.show, row.threadId),
    renderRefused: (row) => renderRefused(showing, row.show),
    direct,
    raiseList: createListRaiser({ store, clock, openIn: gate.requests.openIn }),
    finishStream: (row) =>
      row.show.kind === 'answer' ? presenter.finish(row.show.itemId) : Promise.resolve(null),
    onShown: (row) => void traceAnswer(ports, row),
    log,
  });
  const homes = createHomes(ports);

  function wake(threadId: string, dueInMs = 0): void {
    const thread = parseSlackPlace(threadId);
    if (thread) outbox.wake(thread.channel, { dueInMs });
  }

  return {
    outbox,
    homes,
    async start(): Promise<void> {
      homes.start();
      await outbox.start();
    },
    async stop(): Promise<void> {
      await outbox.stop();
      presenter.stop();
      await homes.stop();
    },
    observe: presenter.observe,
    /** Shows that nothing runs in a thread: people are waited for (`suspended`), or not. */
    rest: presenter.rest,
    refreshHome: (actorId: string) => homes.refresh(actorId),
    notifyGate(event: GateEvent, threadIds: readonly string[]): void {
      for (const threadId of threadIds) wake(threadId, timeUntilShown(event, clock));
      followCalls(ports, event);
      if (event.type !== 'opened' && event.type !== 'asked') return;
      presenter.rest(event.request.threadId, 'suspended');
      presenter.takeBack(event.request.threadId);
    },
    notifyRun(thread: ThreadRecord, event: RunEvent): void {
      // A message that begins at once is only shown by the status.
      if (event.type !== 'started' || event.item.wasHeld) wake(thread.threadId);
      if (event.type !== 'started' && event.type !== 'held') presenter.rest(thread.threadId, 'active');
    },
  };
}

/** The Homes of all people. */
function createHomes(ports: DisplayPorts): Homes {
  const { connection, gate, clock, isAdmin, reviews } = ports;
  return new Homes({
    ...ports,
    client: connection.bolt.client,
    room: connection.limits.room,
    botName: () => connection.bot().name,
    nameOf: async (actorId) => connection.directory.nameOf(readSlackUser(actorId) ?? actorId),
    reviews: createReviewList({ reviews, isAdmin }),
    health: createApprovalMetrics({ gate, clock, isAdmin }),
    threadUrl: (threadId, message) => threadUrl(connection.workspaceUrl(), threadId, message),
  });
}

/** What was tried again after its run has ended, or marks a mail as read: without this, it's found some minutes later. */
function followCalls({ callEnded, log }: Pick<DisplayPorts, 'callEnded' | 'log'>, event: GateEvent): void {
  for (const run of endedCalls(event)) {
    callEnded(run).catch((err: unknown) => log.warn({ err }, 'failed to follow a call'));
  }
}

/** An answer that people see now is the end of its trace. What can't be told of it is left out. */
async function traceAnswer(
  { tracing = UNTRACED, runs, clock }: Pick<DisplayPorts, 'tracing' | 'runs' | 'clock'>,
  { show, at }: OutboxRow,
): Promise<void> {
  if (tracing === UNTRACED || show.kind !== 'answer') return;
  const item = await runs.item(show.itemId).catch(() => null);
  if (item)
    tracing
      .of(tracedMessage(item))
      .record({ name: 'post answer', isRemote: true }, { from: at, to: clock() });
}
