import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { Logger } from 'pino';
import { createCalendarServer } from '../examples/calendar/server.ts';
import { createAssistant } from './agents/assistant/index.ts';
import { DemoChatModel } from './agents/shared/demo-model.ts';
import { createModel } from './agents/shared/model.ts';
import type { Env, SlackSettings } from './config/env.ts';
import type { FileConfig } from './config/file.ts';
import { callKey, createGate } from './gate/index.ts';
import { createPolicy } from './gate/policy.ts';
import type { Clock, GateEvent, Ids } from './gate/ports.ts';
import { createLocalWorkspace, type LocalWorkspace } from './local-workspace/index.ts';
import { pageHandler } from './local-workspace/page-assets.ts';
import { createGatedCaller } from './mcp/gated-caller.ts';
import { createToolHub } from './mcp/hub.ts';
import { createSend } from './mcp/send.ts';
import { createArgumentValidator } from './mcp/validate.ts';
import { createRuns, inProcessWakeUps } from './runs/index.ts';
import { localHolder } from './runs/holder.ts';
import { markWork } from './runs/mailbox.ts';
import type { RunEvent } from './runs/ports.ts';
import type { ThreadRecord } from './runs/records.ts';
import { createSignal } from './runs/signal.ts';
import { announceGateInSlack, announceRunInSlack } from './slack/announce.ts';
import { createSlack } from './slack/index.ts';
import { SqliteSaver } from './storage/checkpointer-sqlite.ts';
import { openSqliteStore } from './storage/sqlite.ts';

/** Checkpoints of a thread that stay after a run: one would do to go on, a few help to see what happened. */
const KEPT_CHECKPOINTS = 8;

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
  stop(): Promise<void>;
}

/** Builds the house and opens it: the only place that knows which adapters there are. */
export async function startApp({ env, file, log, clock = Date.now }: AppOptions): Promise<CountersignApp> {
  mkdirSync(env.dataDir, { recursive: true });
  const database = join(env.dataDir, 'countersign.db');
  const store = openSqliteStore({ path: database });
  const checkpointer = new SqliteSaver(database);
  const ids: Ids = () => randomBytes(16).toString('base64url');

  const hub = createToolHub({
    servers: file.servers,
    logger: log,
    inProcess: new Map([
      [
        'calendar',
        () =>
          createCalendarServer({
            file: join(env.dataDir, 'calendar.json'),
            now: clock,
            timeZone: env.timeZone,
          }),
      ],
    ]),
  });
  const changed = createSignal();
  const heardGate: ((event: GateEvent) => void)[] = [];
  const heardRuns: ((thread: ThreadRecord, event: RunEvent) => void)[] = [];

  const gate = createGate({
    store,
    clock,
    evaluate: createPolicy(file.policy),
    validateArguments: createArgumentValidator(),
    announce: (event) => [
      ...threadsOf(event).map((threadId) => markWork(threadId, clock)),
      ...announceGateInSlack(event, clock),
    ],
    notify: (event) => {
      for (const hear of heardGate) hear(event);
    },
    requestLifetimeMs: file.requests.open_for,
  });
  const callTool = createGatedCaller({
    gate,
    send: createSend(hub.connections),
    waitForChange: (key, signal) => changed.wait(key, signal),
  });
  const agent = createAssistant({
    ...models(env, clock),
    checkpointer,
    prune: (threadId) => checkpointer.prune(threadId, KEPT_CHECKPOINTS),
    tools: () => hub.tools(),
    evaluate: gate.evaluate,
    callsOf: gate.callsOf,
    callTool,
    clock,
    timeZone: env.timeZone,
    maxSteps: file.agent.max_steps,
    instructions: file.agent.instructions,
  });
  const runs = createRuns({
    store,
    clock,
    ids,
    gate,
    agent,
    holder: localHolder(hostname(), process.pid, ids()),
    wakeUps: inProcessWakeUps(),
    announce: (thread, event) => announceRunInSlack(thread, event, clock),
    notify: (thread, event) => {
      for (const hear of heardRuns) hear(thread, event);
    },
    observe: (thread, item, event) => slack.observe(thread, item, event),
    async dispatch(call, context) {
      await callTool({
        ...context,
        call: { callId: call.callId, kind: call.kind, tool: call.tool, modelName: call.tool.modelName, arguments: call.arguments },
        onProgress: (progress) => context.emit({ type: 'tool_progress', callId: call.callId, progress }),
      });
    },
    log,
  });

  const { settings, workspace } = await slackOrStandIn(env);
  const slack = createSlack({
    ...settings,
    store,
    clock,
    gate,
    runs,
    timeZone: env.timeZone,
    servers: () => hub.status(),
    tools: () => hub.tools(),
    log,
  });
  heardGate.push(slack.notifyGate, (event) => {
    for (const threadId of threadsOf(event)) runs.wake(threadId);
    if ('call' in event) changed.notify(callKey(event.call.threadId, event.call.callId));
  });
  heardRuns.push(slack.notifyRun);

  await hub.start();
  await slack.start();
  runs.start();
  return {
    url: '',
    workspaceUrl: workspace?.url ?? null,
    async stop() {
      await slack.stop();
      await runs.stop();
      await hub.stop();
      await workspace?.stop();
      await store.close();
      checkpointer.close();
    },
  };
}

function threadsOf(event: GateEvent): readonly string[] {
  if ('request' in event) return [event.request.threadId];
  const calls = 'calls' in event ? event.calls : [event.call];
  return [...new Set(calls.map((call) => call.threadId))];
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
      { command: '/countersign', description: 'What waits, what runs, how to use it', usage: 'help | status | cancel' },
    ],
  };
  const workspace = await createLocalWorkspace({ ...options, port: env.workspacePort }).catch((error: unknown) => {
    // Somebody has the port: any other will do, since the printed address is the one that is true.
    if (isPortTaken(error)) return createLocalWorkspace(options);
    throw error;
  });
  const settings: SlackSettings = {
    botToken: workspace.botToken,
    mode: { kind: 'socket', appToken: workspace.appToken },
    apiUrl: workspace.apiUrl,
  };
  return { settings, workspace };
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}
