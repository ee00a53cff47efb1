import { App } from '@slack/bolt';
import { WebClient, type WebClientOptions } from '@slack/web-api';
import { onTestFinished } from 'vitest';
import { createAuditLog } from '../../src/gate/index.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/lib/json.ts';
import { createToolReviews } from '../../src/mcp/tools/reviews.ts';
import { examplesFor } from '../../src/presentation/example-prompts.ts';
import type { SlackClientOptions } from '../../src/slack/client/slack-client.ts';
import { registerLimits } from '../../src/slack/handlers/admin/limits.ts';
import { registerToolReviews } from '../../src/slack/handlers/admin/tool-reviews.ts';
import { registerCallForms } from '../../src/slack/handlers/call-forms.ts';
import { registerCalls } from '../../src/slack/handlers/calls.ts';
import { registerCommand } from '../../src/slack/handlers/commands/command.ts';
import { registerElicitations } from '../../src/slack/handlers/elicitations.ts';
import { registerGrantsAndDelegation } from '../../src/slack/handlers/grants-and-delegation.ts';
import { registerHome } from '../../src/slack/handlers/home.ts';
import { registerInbox } from '../../src/slack/handlers/inbox/register.ts';
import { registerLifecycle } from '../../src/slack/handlers/lifecycle.ts';
import { Listeners } from '../../src/slack/handlers/listeners.ts';
import { registerMemory } from '../../src/slack/handlers/memory/register.ts';
import { registerMessages } from '../../src/slack/handlers/messages.ts';
import type { HandlerPorts } from '../../src/slack/handlers/ports.ts';
import { registerRequests } from '../../src/slack/handlers/requests.ts';
import { registerSchedules } from '../../src/slack/handlers/schedules/register.ts';
import { registerWebDecision } from '../../src/slack/handlers/web-decision.ts';
import { createAdminCheck, createReviewList } from '../../src/slack/home/admins.ts';
import { createApprovalMetrics } from '../../src/slack/home/approval-metrics.ts';
import { createInboxViews } from '../../src/slack/home/inbox.ts';
import { createMemoryViews } from '../../src/slack/home/memory.ts';
import { Homes } from '../../src/slack/home/publisher.ts';
import { createScheduleViews } from '../../src/slack/home/schedules.ts';
import { AgentChoice } from '../../src/slack/people/agent-choice.ts';
import { createDirectory } from '../../src/slack/people/directory.ts';
import { rememberHint } from '../../src/slack/people/hints.ts';
import { threadUrl } from '../../src/slack/permalinks.ts';
import { createViews } from '../../src/slack/views/call-views.ts';
import { createPermissions } from '../../src/slack/views/permission-views.ts';
import { createUseViews } from '../../src/slack/views/use-views.ts';
import { createResultShares } from '../../src/tools/result-shares.ts';
import { auditKeys } from './audit-keys.ts';
import { createTestMemory } from './memory.ts';
import { type NetworkOptions, startNetwork } from './network.ts';
import { createTestSchedules, TestPlaces } from './schedules.ts';
import { createTestInbox } from './slack-inbox.ts';
import { quiet } from './workspace.ts';

export const BOT = 'U0BOT';
export const TEAM = 'T1';
export const CHANNEL = 'C1';

const NAMES: Readonly<Record<string, string>> = { U1: 'Ana', U2: 'Bob', U3: 'Carol' };

/** One call to Slack's Web API. */
interface ApiCall {
  readonly method: string;
  readonly args: JsonObject;
}

type Answer = (args: JsonObject) => JsonObject | Promise<JsonObject>;

/** A Web API in memory that takes everything, unless `answers` says otherwise of a method. */
export function createFakeApi() {
  const calls: ApiCall[] = [];
  const trace: string[] = [];
  const answers = new Map<string, Answer>([
    ['users.info', ({ user }) => userInfo(String(user))],
    ['chat.postMessage', () => ({ ok: true, ts: `9.${calls.length}` })],
  ]);
  const options: WebClientOptions = {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quiet,
    fetch: async (url, init) =>
      Response.json(await answerTo(String(url), argumentsOf(String(init?.body ?? '')))),
  };
  async function answerTo(address: string, args: JsonObject): Promise<JsonObject> {
    const method = address.split('/api/').at(-1) ?? '';
    calls.push({ method, args });
    if (method !== 'users.info') trace.push(method);
    return (await answers.get(method)?.(args)) ?? { ok: true };
  }
  const ownOptions: SlackClientOptions = {
    apiUrl: null,
    timeoutMs: 10_000,
    log: quiet,
    post: async ({ path, form }) => {
      const args = argumentsOf(new URLSearchParams(form).toString());
      return { status: 200, headers: {}, text: JSON.stringify(await answerTo(path, args)) };
    },
  };
  return {
    options,
    /** The same for a client of ours. */
    ownOptions,
    client: new WebClient('xoxb-test', options),
    calls,
    trace,
    answers,
    /** The arguments of a method's calls so far. */
    of: (method: string) => calls.filter((call) => call.method === method).map(({ args }) => args),
  };
}

function userInfo(id: string): JsonObject {
  const name = NAMES[id];
  if (name === undefined) return { ok: false, error: 'user_not_found' };
  return {
    ok: true,
    user: { name: name.toLowerCase(), tz: 'Europe/Berlin', profile: { display_name: name } },
  };
}

/** Slack's clients send a form in which what is not text is JSON; an answer by `response_url` is JSON. */
function argumentsOf(body: string): JsonObject {
  if (body.startsWith('{')) return JSON.parse(body);
  const fields = [...new URLSearchParams(body)].map(([name, value]): [string, Json] => {
    const parsed: Json = /^[[{]/.test(value) ? JSON.parse(value) : value;
    return [name, parsed];
  });
  return Object.fromEntries(fields);
}

/** Bolt with our handlers over a real network, fed by the test in place of a receiver; ended with the test. */
export async function openSlackApp(options: NetworkOptions = {}) {
  const network = startNetwork({ findNews: (call) => mailboxes.findNews(call), ...options });
  const api = createFakeApi();
  const app = new App({
    receiver: { init: () => {}, start: async () => {}, stop: async () => {} },
    authorize: async () => ({ botToken: 'xoxb-test', botUserId: BOT, botId: 'B1', teamId: TEAM }),
    clientOptions: api.options,
    logger: quiet,
  });
  const directory = createDirectory(api.client, Date.now, 'Europe/Berlin');
  const refreshed: string[] = [];
  const deleted: string[] = [];
  const rested: string[] = [];
  let events = 0;
  const logged: string[] = [];
  const log = (details: object, message: string) => {
    logged.push('err' in details ? `${message}: ${String(details.err)}` : message);
  };
  const mailboxes = createTestInbox(network.store);
  const views = createViews({ gate: network.gate, directory, inbox: mailboxes.inbox, canSignIn: true });
  const servers: HandlerPorts['servers'] = () => [
    {
      name: 'calendar',
      transport: 'stdio',
      protection: null,
      state: 'up',
      error: null,
      toolCount: 2,
      omitted: [],
    },
  ];
  const connections: HandlerPorts['connections'] = {
    list: async () => [],
    link: async ({ server }) => `https://countersign.test/oauth/start?link=${server}`,
    disconnect: async () => {},
    linkLifetimeMs: 600_000,
  };
  const permissions = createPermissions({ gate: network.gate, directory, clock: Date.now });
  const isAdmin = createAdminCheck(['U3'], directory.isAdmin);
  const use = createUseViews({ limits: network.limits, directory, isAdmin });
  const reviews = createToolReviews({
    store: network.store,
    clock: Date.now,
    servers: {},
    audit: createAuditLog({ store: network.store, auditKeys, clock: Date.now }),
    mode: 'first_use',
    logger: quiet,
  });
  const free = { room: 1 };
  const memory = createTestMemory(network.store);
  const memoryView = createMemoryViews({ memory, directory });
  const place = new TestPlaces(network.store, Date.now);
  const schedules = createTestSchedules(network.store, Date.now);
  const schedulesView = createScheduleViews({ schedules, directory });
  const inboxView = createInboxViews({ inbox: mailboxes.inbox, directory });
  const homes = new Homes({
    permissions,
    use,
    store: network.store,
    clock: Date.now,
    client: api.client,
    room: () => free.room,
    gate: network.gate,
    views,
    servers: () => ports.servers(),
    connections,
    programs: null,
    tools: () => ports.tools(),
    examples: examplesFor,
    botName: () => 'countersign',
    nameOf: async (actorId) => actorId,
    reviews: createReviewList({ reviews, isAdmin }),
    health: createApprovalMetrics({ gate: network.gate, clock: Date.now, isAdmin }),
    threadUrl: (threadId) => threadUrl('https://test.slack.com/', threadId),
    documents: async () => null,
    memory: memoryView,
    schedules: schedulesView,
    inbox: inboxView,
    log: { debug: (details) => void logged.push('error' in details ? String(details.error) : '') },
  });
  onTestFinished(() => homes.stop());
  const ports: HandlerPorts = {
    client: api.client,
    access: { refused: (error) => void logged.push(`Slack refuses the app: ${error}`) },
    gate: network.gate,
    runs: network.runs,
    views,
    homes,
    permissions,
    use,
    directory,
    people: { standing: async () => 'member' },
    clock: Date.now,
    agents: new AgentChoice({ store: network.store, clock: Date.now, directory, routes: {} }),
    isAdmin,
    documents: { list: async () => ({ documents: [], more: 0, here: 0, isPart: false }) },
    memory,
    memoryView,
    schedules,
    schedulesView,
    schedulePlaces: place.places,
    inbox: mailboxes.inbox,
    inboxView,
    readMail: mailboxes.readMail,
    intake: {
      take: async () => [],
      learn: async () => undefined,
      forget: async () => true,
      fileChanged: async () => undefined,
      fileDeleted: async () => undefined,
      messageDeleted: async () => undefined,
    },
    limits: network.limits,
    rememberHint: (threadId, user) => rememberHint(network.store, threadId, user),
    prompts: {
      list: async () => [],
      find: async () => Promise.reject(new Error('there are no prompts')),
      text: async () => Promise.reject(new Error('there are no prompts')),
    },
    reviews,
    policy: () => [],
    policyPeople: [],
    dashboardLinks: {
      offer: async (user) => `https://countersign.test/sign-in/link?link=for-${user}`,
      isLocal: false,
    },
    decideUrl: (key) => `https://countersign.test/decide/${key}`,
    servers,
    reconnect: async () => {},
    connections,
    programs: null,
    tools: network.hub.tools,
    shares: createResultShares({
      store: network.store,
      clock: Date.now,
      audit: createAuditLog({ auditKeys, store: network.store, clock: Date.now }),
    }),
    notebooks: {
      write: async () => null,
      file: async () => null,
      tookPart: async () => false,
      isOwn: async () => false,
    },
    threadUrl: () => null,
    maxTools: 128,
    examples: examplesFor,
    bot: () => ({ userId: BOT, teamId: TEAM, name: 'countersign' }),
    missingScopes: () => [],
    show: async () => {},
    refresh: async (key) => void refreshed.push(key),
    rest: (threadId) => void rested.push(threadId),
    messageDeleted: async (channel, ts) => void deleted.push(`${channel} ${ts}`),
    log: { error: log, warn: log, info: log },
  };
  const listeners = new Listeners(app);
  registerMessages(listeners, ports);
  registerCalls(listeners, ports);
  registerCallForms(listeners, ports);
  registerRequests(listeners, ports);
  registerElicitations(listeners, ports);
  registerWebDecision(listeners, ports);
  registerGrantsAndDelegation(listeners, ports);
  registerCommand(listeners, ports);
  registerLifecycle(listeners, ports);
  registerHome(listeners, ports);
  registerToolReviews(listeners, ports);
  registerLimits(listeners, ports);
  registerMemory(listeners, ports);
  registerSchedules(listeners, ports);
  registerInbox(listeners, ports);

  /** Hands one body to Bolt; what was acknowledged, when all listeners are done. */
  async function send(body: JsonObject): Promise<unknown[]> {
    const acks: unknown[] = [];
    await app.processEvent({
      body,
      ack: async (response) => {
        api.trace.push('ack');
        acks.push(response ?? null);
      },
    });
    return acks;
  }

  return {
    network,
    memory,
    place,
    mailboxes,
    app,
    ports,
    homes,
    api,
    trace: api.trace,
    refreshed,
    deleted,
    /** The threads that were shown to rest. */
    rested,
    /** The free share of the rate limits. */
    free,
    logged,
    send,
    /** An event of its own; with `event_id` in the envelope it is one that comes again. */
    event: (event: JsonObject, envelope: JsonObject = {}) => {
      events += 1;
      return send({ type: 'event_callback', team_id: TEAM, event_id: `Ev${events}`, ...envelope, event });
    },
    /** A click on a card in the thread, or with `view` in a modal or the Home. */
    click: (actionId: string, value: string, more: JsonObject = {}) => send(clickBody(actionId, value, more)),
    submit: (callbackId: string, metadata: JsonObject, values: JsonObject, more: JsonObject = {}) =>
      send({
        type: 'view_submission',
        team: { id: TEAM },
        user: { id: 'U1', team_id: TEAM },
        view: viewBody(callbackId, metadata, values),
        ...more,
      }),
    command: (text: string, more: JsonObject = {}) =>
      send({
        command: '/countersign',
        text,
        user_id: 'U1',
        team_id: TEAM,
        channel_id: CHANNEL,
        response_url: 'https://slack.test/response',
        ...more,
      }),
  };
}
export type SlackApp = Awaited<ReturnType<typeof openSlackApp>>;

export function clickBody(actionId: string, value: string, more: JsonObject = {}): JsonObject {
  const isMenu = actionId === 'call.more';
  return {
    type: 'block_actions',
    team: { id: TEAM },
    user: { id: 'U1', team_id: TEAM },
    trigger_id: 'trigger',
    actions: [
      {
        type: isMenu ? 'overflow' : 'button',
        action_id: actionId,
        block_id: 'block',
        ...(isMenu ? { selected_option: { value } } : { value }),
      },
    ],
    ...('view' in more
      ? {}
      : {
          channel: { id: CHANNEL },
          message: { ts: '2.0', thread_ts: '1.0' },
          container: { type: 'message' },
        }),
    ...more,
  };
}

export function viewBody(callbackId: string, metadata: JsonObject, values: JsonObject = {}): JsonObject {
  return {
    id: 'V1',
    type: 'modal',
    callback_id: callbackId,
    private_metadata: JSON.stringify(metadata),
    state: { values },
  };
}

/** All plain words in blocks or a view, for assertions. */
export function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).filter(Boolean).join(' ');
  if (!isJsonObject(value)) return '';
  const own = typeof value.text === 'string' ? value.text : '';
  const inner = Object.entries(value)
    .filter(([name]) => ['text', 'blocks', 'elements', 'title', 'label', 'fields'].includes(name))
    .map(([, part]) => wordsIn(part));
  return [own, ...inner].filter(Boolean).join(' ');
}
