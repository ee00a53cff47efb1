import { randomBytes } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  createAgents,
  createAssistant,
  createInstructionClassifier,
  createSampler,
} from '../agents/index.ts';
import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { maxDeadline, threadRetention } from '../config/retention.ts';
import {
  compileSchemaMismatches,
  createSealer,
  describeRules,
  explainVerdict,
  findPolicyApprovers,
} from '../gate/index.ts';
import { createHttpSurface, createThreadFeed } from '../http/index.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { createArgumentValidator, samplingTools } from '../mcp/index.ts';
import {
  createDispatch,
  createRuns,
  createSurfaceListener,
  createWakeListener,
  type Surface,
} from '../runs/index.ts';
import { createHomeListener, createSlack, createSlackSurface, toRateLimit } from '../slack/index.ts';
import { localHolder } from '../storage/lease/holder.ts';
import { createRetention } from '../storage/retention.ts';
import { createCallChanges, createGatedCaller } from '../tools/index.ts';
import { createGateSide } from './compose-gate.ts';
import { createHttpSide } from './compose-http.ts';
import { models } from './compose-models.ts';
import { openStorage } from './compose-storage.ts';
import { createToolSide } from './compose-tools.ts';
import { createWebDecisions, warnOfForwardedLinks, warnOfMissingSignIn } from './compose-web-decisions.ts';
import { createCalendarServer } from './demo-servers/calendar/server.ts';
import { failAt } from './listen-errors.ts';
import { retentionRules } from './retention.ts';
import { slackOrEmulator } from './slack-or-emulator.ts';
import { warnOfIdleRules, warnOfUnknownPeople } from './startup-warnings.ts';

/** How long the start waits for tools, in milliseconds, so that the first message finds them. */
const TOOLS_WAIT_MS = 3_000;
/** How long running calls may take to end once the process is asked to stop, in milliseconds; then they are in doubt. */
const CALLS_END_WITHIN_MS = 15_000;
/** How long it may take to find out what somebody meant, in milliseconds; then their words are wanted besides. */
const CLASSIFY_WITHIN_MS = 10_000;
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
  const keepForMs = threadRetention(file.threads.keep_for, maxDeadline(file));
  const storage = await openStorage(env, keepForMs, log);
  const { store } = storage;
  const base = { store, clock, log };
  const ids: Ids = () => randomBytes(16).toString('base64url');
  const feed = createThreadFeed({ store, clock, ids });
  const callChanges = createCallChanges();
  const holder = localHolder(hostname(), process.pid, ids());
  const surfaces: readonly Surface[] = [
    createSlackSurface({ clock, owner: holder.owner, live: () => slack }),
    createHttpSurface(feed, keepForMs),
  ];
  const stopping = new AbortController();
  const outOfTime = new AbortController();
  const validateArguments = createArgumentValidator();

  const calendar = { file: join(env.dataDir, 'calendar.json'), now: clock, timeZone: env.timeZone };
  const { connections, hub, reviews, tools, keptResults, send, ...servers } = createToolSide({
    env,
    file,
    ...base,
    inProcess: new Map([['calendar', () => createCalendarServer(calendar)]]),
    gate: () => gate,
    onConnection: (personId) => void slack.notifyConnections(personId),
    onHeld: (server) => void slack.notifyToolReview(server),
  });
  const chosen = models(env, clock);
  const gate = createGateSide({
    file,
    ...base,
    validateArguments,
    classifyInstruction: createInstructionClassifier(
      chosen.models.router ?? chosen.models.main,
      CLASSIFY_WITHIN_MS,
    ),
    keepForMs,
    slack: () => slack,
    listeners: [
      createSurfaceListener(surfaces),
      createHomeListener(clock, () => slack.homes),
      createWakeListener({ clock, wakeUps: storage.wakeUps }),
      callChanges,
      connections.resumer.listener,
    ],
  });
  const throughGate = createGatedCaller({
    gate,
    keep: keptResults.keep,
    send,
    waitForChange: callChanges.wait,
    stopping: stopping.signal,
    sample: createSampler(chosen.models.main, env.model?.model ?? 'demo'),
  });
  const callTool: typeof throughGate = (input) =>
    throughGate({ ...input, signal: AbortSignal.any([input.signal, outOfTime.signal]) });
  const assistant = createAssistant({
    models: chosen.models,
    tools: {
      list: servers.toolsOnceTried,
      down: () => hub.status().flatMap(({ name, state }) => (state === 'down' ? [name] : [])),
      call: callTool,
      readKept: keptResults.text,
    },
    gate: {
      needsApproval: gate.policy.needsApproval,
      callsOf: gate.calls.inThread,
    },
    checkpoints: storage.checkpoints,
    prompt: { clock, timeZone: env.timeZone, instructions: file.agent.instructions },
    limits: { maxSteps: file.agent.max_steps },
  });
  const runs = createRuns({
    ...base,
    ids,
    gate,
    agents: createAgents({ assistant }),
    holder,
    wakeUps: storage.wakeUps,
    surfaces,
    dispatch: createDispatch({ gate, callTool }),
  });

  const unfitFor = compileSchemaMismatches(file.policy, validateArguments);
  const { settings, workspace } = await slackOrEmulator(env);
  const web = createWebDecisions({
    env,
    openId: settings.openId,
    apiUrl: settings.apiUrl,
    isStandIn: workspace !== null,
    store,
    clock,
    slack: () => slack.web,
  });
  warnOfMissingSignIn(file.policy, env, log);
  const slack = createSlack({
    ...settings,
    rateLimit: toRateLimit(env.slackPostsPerSecond),
    ...(env.role === 'worker' ? { mode: { kind: 'none' } } : {}),
    ...base,
    gate,
    runs,
    holder,
    timeZone: env.timeZone,
    admins: file.admins,
    reviews,
    policy: (call, nameOf) =>
      call === null
        ? describeRules(file.policy, nameOf)
        : explainVerdict(file.policy, call, nameOf, unfitFor(call)),
    policyPeople: findPolicyApprovers(file.policy),
    decideUrl: web?.decideUrl ?? null,
    servers: hub.status,
    reconnect: () => hub.reconnect(),
    keptBytes: keptResults.bytes,
    connections: connections.oauth.personal,
    tools,
    examples: chosen.examples,
  });
  const deafen = hub.onChange(() => {
    slack.notifyServers();
    // Looked at now, so that admins hear of what waits for them before somebody needs it.
    tools().catch((err: unknown) => log.warn({ err }, 'tools could not be looked at'));
  });
  const http = createHttpSide({
    env,
    hub,
    slack,
    ...base,
    ids,
    gate,
    runs,
    feed,
    validateArguments,
    signIns: connections.oauth.pages,
    web,
  });
  const retention = createRetention(
    retentionRules({ keepForMs, surfaces, keptResults, runs, connections, web }),
    clock,
    log,
  );
  const { auditHeadsFile } = env;
  const appendHead = auditHeadsFile === null ? null : (line: string) => appendFile(auditHeadsFile, line);
  const sealer = createSealer({ ...base, appendHead });

  const upgraded = await gate.migrate();
  if (upgraded > 0) log.info({ calls: upgraded }, 'calls of an earlier version were written anew');

  // A server that hangs must not hold up the rest: it is shown as connecting, and comes when it comes.
  const allTried = servers.connect().then(async () => {
    warnOfForwardedLinks(hub.status(), env, log);
    warnOfIdleRules(
      file.policy,
      { tools: [...(await tools()), ...samplingTools(file.servers)], servers: hub.status() },
      log,
    );
  });
  await Promise.race([allTried, delay(TOOLS_WAIT_MS, undefined, { ref: false })]);
  const listening = await http.listen(env.server).catch(failAt({ ...env.server, variable: 'PORT' }));
  const url = `http://${env.server.host}:${listening.port}`;
  connections.listensAt(url);
  web?.listensAt(url);
  if (web) workspace?.setRedirectUrls([web.redirectUrl()]);
  await slack.start();
  void warnOfUnknownPeople(file.policy, slack.approverProblem, log);
  if (env.role !== 'web') {
    runs.start();
    retention.start();
    connections.resumer.sweep.start();
    sealer.start();
  }
  return {
    url,
    workspaceUrl: workspace?.url ?? null,
    async sweep() {
      await runs.sweep();
      await retention.runNow();
      await connections.resumer.sweep.runNow();
      await sealer.runNow();
    },
    async stop() {
      http.drain();
      await slack.stopListening();
      stopping.abort();
      await storage.wakeUps.deafen();
      const callsEnd = setTimeout(() => outOfTime.abort(), CALLS_END_WITHIN_MS);
      await runs.stop(DRAIN_WITHIN_MS);
      clearTimeout(callsEnd);
      await slack.stop();
      await connections.resumer.sweep.stop();
      await retention.stop();
      await sealer.stop();
      await listening.close();
      deafen();
      await hub.stop();
      await workspace?.stop();
      await storage.close();
    },
  };
}
