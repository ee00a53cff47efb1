import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { Logger } from 'pino';
import { createCalendarServer } from '../examples/calendar/server.ts';
import { createAssistant } from './agents/assistant/index.ts';
import { DemoChatModel } from './agents/shared/demo-model.ts';
import { createModel } from './agents/shared/model.ts';
import { warnOfIdleRules } from './app/idle-rules.ts';
import { isPortTaken, type Place, whyNotListening } from './app/listening.ts';
import { openStorage } from './app/storage.ts';
import type { Env, SlackSettings } from './config/env.ts';
import type { FileConfig } from './config/file.ts';
import { callKey, createGate, threadsOf } from './gate/index.ts';
import { createIdempotence, createPolicy } from './gate/policy.ts';
import type { Clock, Ids } from './gate/ports.ts';
import { type Check, createApiKeys, createHttp, createThreadFeed, type Mount } from './http/index.ts';
import { createLocalWorkspace, type LocalWorkspace } from './local-workspace/index.ts';
import { pageHandler } from './local-workspace/page-assets.ts';
import { createGatedCaller } from './mcp/gated-caller.ts';
import { createToolHub } from './mcp/hub.ts';
import { createSend } from './mcp/send.ts';
import { createArgumentValidator } from './mcp/validate.ts';
import { localHolder } from './runs/holder.ts';
import { createRuns } from './runs/index.ts';
import { markWork } from './runs/mailbox.ts';
import { createSignal } from './runs/signal.ts';
import { announceGateInSlack, announceRunInSlack } from './slack/announce.ts';
import { createSlack } from './slack/index.ts';

/** How long the start waits for tools, in milliseconds, so that the first message finds them. */
const TOOLS_WAIT_MS = 3_000;
/** How long running calls may take to end once the process is asked to stop, in milliseconds; then they are in doubt. */
const CALLS_END_WITHIN_MS = 15_000;
/** How long all that runs may take to come to a durable point then, in milliseconds; the rest is for others to take up. */
const DRAIN_WITHIN_MS = 20_000;

export interface AppOptions {
  readonly env: Env;
  readonly file: FileConfig;
  readonly log: Logger;
  readonly clock?: Clock;
}

export interface CountersignApp {
  /** Where our HTTP port answers. */
  readonly url: string;
  /** The local workspace's page; null when a real Slack is connected. */
  readonly workspaceUrl: string | null;
  /** Looks now for what is due or was missed, as happens by itself every few seconds. */
  sweep(): Promise<void>;
  /** Takes nothing new, brings what runs to a durable point, and lets go of everything. */
  stop(): Promise<void>;
}

/** Builds the house and opens it: the only place that knows which adapters there are. */
export async function startApp({ env, file, log, clock = Date.now }: AppOptions): Promise<CountersignApp> {
  const storage = await openStorage(env, log);
  const { store } = storage;
  const ids: Ids = () => randomBytes(16).toString('base64url');
  const feed = createThreadFeed({ store, clock, ids });
  const changed = createSignal();
  const stopping = new AbortController();
  const outOfTime = new AbortController();
  const validateArguments = createArgumentValidator();

  const calendar = { file: join(env.dataDir, 'calendar.json'), now: clock, timeZone: env.timeZone };
  const hub = createToolHub({
    servers: file.servers,
    logger: log,
    inProcess: new Map([['calendar', () => createCalendarServer(calendar)]]),
  });

  const gate = createGate({
    store,
    clock,
    evaluate: createPolicy(file.policy),
    isIdempotent: createIdempotence(file.policy),
    validateArguments,
    announce: (event) => [
      ...threadsOf(event).map((threadId) => markWork(threadId, clock)),
      ...announceGateInSlack(event, clock),
      ...feed.announceGate(event),
    ],
    notify(event) {
      slack.notifyGate(event);
      feed.notifyGate(event);
      for (const threadId of threadsOf(event)) runs.wake(threadId);
      if ('call' in event) changed.notify(callKey(event.call.threadId, event.call.callId));
    },
    requestLifetimeMs: file.requests.open_for,
  });
  const throughGate = createGatedCaller({
    gate,
    send: createSend(hub.connections),
    waitForChange: changed.wait,
    stopping: stopping.signal,
  });
  const callTool: typeof throughGate = (input) =>
    throughGate({ ...input, signal: AbortSignal.any([input.signal, outOfTime.signal]) });
  const agent = createAssistant({
    ...models(env, clock),
    checkpointer: storage.checkpointer,
    prune: storage.prune,
    claim: storage.claim,
    tools: hub.tools,
    evaluate: gate.evaluate,
    callsOf: gate.callsOf,
    callTool,
    clock,
    timeZone: env.timeZone,
    maxSteps: file.agent.max_steps,
    instructions: file.agent.instructions,
  });
  const holder = localHolder(hostname(), process.pid, ids());
  const runs = createRuns({
    store,
    clock,
    ids,
    gate,
    agent,
    holder,
    wakeUps: storage.wakeUps,
    announce: (thread, event) => [
      ...announceRunInSlack(thread, event, clock, holder.owner),
      ...feed.announceRun(thread, event),
    ],
    notify(thread, event) {
      slack.notifyRun(thread, event);
      feed.notifyRun(thread);
    },
    observe(thread, item, event) {
      slack.observe(thread, item, event);
      feed.observe(thread, item, event);
    },
    async dispatch({ callId, kind, tool, arguments: args }, context) {
      await callTool({
        ...context,
        call: { callId, kind, tool, modelName: tool.modelName, arguments: args },
        onProgress: (progress) => context.emit({ type: 'tool_progress', callId, progress }),
      });
    },
    log,
  });

  const { settings, workspace } = await slackOrStandIn(env);
  const slack = createSlack({
    ...settings,
    ...(env.role === 'worker' ? { mode: { kind: 'none' } } : {}),
    store,
    clock,
    gate,
    runs,
    holder,
    timeZone: env.timeZone,
    servers: hub.status,
    tools: hub.tools,
    log,
  });
  const http = createHttp({
    store,
    gate,
    runs,
    keys: createApiKeys({
      store,
      clock,
      secrets: () => randomBytes(32).toString('base64url'),
      environmentKey: env.apiKey,
    }),
    feed,
    clock,
    ids,
    validateArguments,
    log,
    checks: { slack: slackCheck(slack), tools: toolsCheck(hub) },
    mounts: slack.handle === null ? [] : [slackMount(slack.handle)],
  });

  // A server that hangs must not hold up the rest: it is shown as connecting, and comes when it comes.
  const allTried = hub
    .start()
    .then(async () => warnOfIdleRules(file.policy, { tools: await hub.tools(), servers: hub.status() }, log));
  await Promise.race([allTried, delay(TOOLS_WAIT_MS, undefined, { ref: false })]);
  const listening = await http.listen(env.server).catch(failAt({ ...env.server, variable: 'PORT' }));
  await slack.start();
  if (env.role !== 'web') runs.start();
  return {
    url: `http://${env.server.host}:${listening.port}`,
    workspaceUrl: workspace?.url ?? null,
    sweep: runs.sweep,
    async stop() {
      http.drain();
      await slack.stopListening();
      stopping.abort();
      await storage.wakeUps.deafen();
      const callsEnd = setTimeout(() => outOfTime.abort(), CALLS_END_WITHIN_MS);
      await runs.stop(DRAIN_WITHIN_MS);
      clearTimeout(callsEnd);
      await slack.stop();
      await listening.close();
      await hub.stop();
      await workspace?.stop();
      await storage.close();
    },
  };
}

/** The configured model, or without a key the demo model, which says that it is one. */
function models(env: Env, clock: Clock): { model: BaseChatModel; routerModel: BaseChatModel | null } {
  if (!env.model) return { model: new DemoChatModel({ timeZone: env.timeZone, clock }), routerModel: null };
  const { routerModel, ...main } = env.model;
  const model = createModel(main);
  return { model, routerModel: routerModel === null ? model : createModel({ ...main, model: routerModel }) };
}

/** The Slack that is configured, or the local workspace in its place. */
async function slackOrStandIn(
  env: Env,
): Promise<{ settings: SlackSettings; workspace: LocalWorkspace | null }> {
  if (env.slack) return { settings: env.slack, workspace: null };
  const options = {
    host: env.server.host,
    dataFile: join(env.dataDir, 'workspace.json'),
    page: pageHandler(),
    tz: env.timeZone,
    botName: 'countersign',
    commands: [
      {
        command: '/countersign',
        description: 'What waits, what runs, how to use it',
        usage: 'help | status | cancel',
      },
    ],
  };
  const workspace = await createLocalWorkspace({ ...options, port: env.workspacePort }).catch(
    (error: unknown) => {
      // Somebody has the port: any other will do, since the printed address is the one that is true.
      if (isPortTaken(error)) return createLocalWorkspace(options);
      return failAt({ ...env.server, port: env.workspacePort, variable: 'WORKSPACE_PORT' })(error);
    },
  );
  const settings: SlackSettings = {
    botToken: workspace.botToken,
    mode: { kind: 'socket', appToken: workspace.appToken },
    apiUrl: workspace.apiUrl,
  };
  return { settings, workspace };
}

function slackMount(handle: Mount['handle']): Mount {
  return { method: 'POST', path: '/slack/events', handle };
}

function slackCheck(slack: { connected(): boolean }): Check {
  return () =>
    slack.connected() ? { ok: true, detail: 'connected' } : { ok: false, detail: 'not connected' };
}

/** A server that is down is shown, and leaves the rest ready. */
function toolsCheck(hub: { status(): readonly { name: string; state: string }[] }): Check {
  return () => {
    const down = hub.status().filter(({ state }) => state !== 'up');
    const names = down.map(({ name }) => name).join(', ');
    return { ok: true, detail: down.length === 0 ? 'all up' : `down: ${names}` };
  };
}

function failAt(place: Place): (error: unknown) => never {
  return (error) => {
    throw whyNotListening(error, place);
  };
}
