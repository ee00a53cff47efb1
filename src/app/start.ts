import { appendFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Env, SlackSettings } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import { readVersion } from '../config/package-files.ts';
import { conversationRetention } from '../config/retention.ts';
import { createAuditLog, createSealer } from '../gate/index.ts';
import { createApiKeys, createHttpSurface, createThreadFeed, Metrics } from '../http/index.ts';
import { type Clock, randomId, randomSecret } from '../lib/clock.ts';
import { createListeners } from '../lib/listeners.ts';
import { OwnAddress } from '../lib/net/own-address.ts';
import type { Periodic } from '../lib/periodic.ts';
import { createArgumentValidator, promptTools, samplingTools } from '../mcp/index.ts';
import type { ServerStatus } from '../mcp/ports.ts';
import { CallWaits, createProgramSessions } from '../programs/index.ts';
import type { Surface } from '../runs/index.ts';
import {
  createDecisionPages,
  createViews,
  type Slack,
  SlackConnection,
  SlackSurface,
} from '../slack/index.ts';
import { localHolder } from '../storage/lease/holder.ts';
import { createRetention } from '../storage/retention.ts';
import type { Store } from '../storage/store.ts';
import { createTelemetry } from '../telemetry/index.ts';
import { type Core, createCore } from './compose-core.ts';
import { createGateSide } from './compose-gate.ts';
import { createHttpSide } from './compose-http.ts';
import { createModelSide } from './compose-models.ts';
import { createProgramAccess } from './compose-programs.ts';
import { createSlackSide } from './compose-slack.ts';
import { openStorage } from './compose-storage.ts';
import { createToolSide, type ToolSide } from './compose-tools.ts';
import {
  canDecideOnWeb,
  createPersonalPrograms,
  createWebDecisions,
  warnOfForwardedLinks,
  warnOfMissingSignIn,
  warnOfUnreachablePrograms,
  webSignInClient,
} from './compose-web-decisions.ts';
import { createBundledServers } from './demo-servers/in-process.ts';
import { createFindNews } from './inbox/compose-inbox.ts';
import { reserveEnvFile, takeOverData } from './isolation.ts';
import { loadAuditKeys } from './keys/audit-key.ts';
import { failAt } from './listen-errors.ts';
import { composeRecordRemoval, recordRetention } from './record-retention.ts';
import { retentionRules } from './retention.ts';
import { followServers, tellWorkspace } from './server-lines.ts';
import { slackOrEmulator } from './slack-or-emulator.ts';
import { warnOfIdleEntries, warnOfUnknownPeople, warnOfVainSettings } from './startup-warnings.ts';
import { plainSecrets } from './texts/start.ts';

/** How long the start waits for tools, in milliseconds, so that the first message finds them. */
const TOOLS_WAIT_MS = 3_000;
/** How long calls in flight may take to finish at a stop, in milliseconds; after that they are in doubt. */
export const CALLS_END_WITHIN_MS = 15_000;
/** How long runs may take to reach a durable point at a stop, in milliseconds; other processes take over the rest. */
const DRAIN_WITHIN_MS = 20_000;

interface AppOptions {
  readonly env: Env;
  readonly file: FileConfig;
  readonly log: Logger;
  readonly clock?: Clock;
}

export interface CountersignApp {
  /** The address of our HTTP port. */
  readonly url: string;
  /** The local workspace's page; null when a real Slack is connected. */
  readonly workspaceUrl: string | null;
  /** What the person who started it should know, such as that a key was made; each as a sentence or two. */
  readonly notes: readonly string[];
  /** Resolves when each server has been tried, or has had its time. */
  readonly serversTried: Promise<void>;
  /** Calls `tell` for each server once it's up or has failed, and when that changes. */
  followServers(tell: (status: ServerStatus) => void): void;
  /** Runs the sweeps now that otherwise run every few seconds: what is due or was missed. */
  sweep(): Promise<void>;
  /** How many calls have been sent and are not back: what a stop waits for. */
  inflightCalls(): number;
  /** Stops the app: accepts nothing new, brings runs to a durable point, and releases everything. */
  stop(): Promise<void>;
}

/** Composes and starts everything: the only place that knows which adapters there are. */
export async function startApp(options: AppOptions): Promise<CountersignApp> {
  const parts = await construct(options);
  const { env, log } = options;
  const { gate, runs, slack, web, workspace, address, toolSide, background, served } = parts;
  const upgraded = { calls: await gate.migrate(), messages: await runs.migrate() };
  if (upgraded.calls + upgraded.messages > 0) log.info(upgraded, 'records of an earlier version migrated');
  // Runs wait for their tools themselves, so whoever starts the program needn't.
  const serversTried = connectTools(options, toolSide);
  const listening = await parts.http.listen(env.server).catch(failAt({ ...env.server, variable: 'PORT' }));
  const url = `http://${env.server.host}:${listening.port}`;
  address.listensAt(url);
  if (web.signIn.slack) workspace?.setRedirectUrls([web.signIn.slack.redirectUrl()]);
  if (workspace) tellWorkspace(workspace, toolSide.hub, { isDemo: env.model === null });
  await slack.start();
  if (env.plainSecrets.length > 0) log.warn(plainSecrets(env.plainSecrets));
  void warnOfUnknownPeople(options.file, slack.approverProblem, log);
  // Also where only the web is served: programs' calls count there.
  for (const work of [...served, parts.usageFlush]) void work.start();
  if (env.role !== 'web') {
    runs.start();
    for (const work of background) void work.start();
  }
  return {
    url,
    workspaceUrl: workspace?.url ?? null,
    notes: parts.notes,
    serversTried,
    followServers: (tell) => void followServers(toolSide.hub, tell),
    async sweep() {
      await runs.sweep();
      for (const work of background) await work.runNow();
    },
    inflightCalls: () => runs.inflightCalls(),
    stop: () => stopAll(parts, () => listening.close()),
  };
}

type Parts = Awaited<ReturnType<typeof construct>>;

async function construct({ env, file, log, clock = Date.now }: AppOptions) {
  const keepForMs = conversationRetention(file);
  await takeOverData(env);
  reserveEnvFile(file);
  const storage = await openStorage(env, keepForMs, log);
  const { store } = storage;
  const notes: string[] = [];
  const auditKeys = loadAuditKeys(env, (line) => notes.push(line));
  const address = new OwnAddress(env.publicUrl, `http://${env.server.host}:${env.server.port}`);
  const boot = randomId();
  const telemetry = await createTelemetry(env, { version: readVersion(), instance: boot, log });
  const base = { env, file, store, clock, log, auditKeys, address, telemetry, tracing: telemetry.tracing };
  const holder = localHolder(hostname(), process.pid, boot);
  const stopping = new AbortController();
  const outOfTime = new AbortController();
  const validateArguments = createArgumentValidator();
  const modelSide = await createModelSide(env, clock);

  const { settings, workspace, mail } = await slackOrEmulator({ env, file, clock, log }, notes);
  const connection = connectSlack(settings, base);
  const surface = new SlackSurface(clock, holder.owner, { isAlone: env.redis === null });
  const feed = createThreadFeed({ store, clock, ids: randomId });
  const surfaces: readonly Surface[] = [surface, createHttpSurface(feed, keepForMs)];

  const { wakeUps, nudges } = storage;
  const { people, directory, bot } = connection;
  const audit = createAuditLog({ store, clock, auditKeys });
  const keys = createApiKeys({ store, clock, audit, secrets: randomSecret, environmentKey: env.apiKey });
  const access = createProgramAccess({ ...base, keys });
  const rules = { validateArguments, keepForMs, people, access, findNews: createFindNews(store) };
  const heard = { waits: new CallWaits(nudges), metrics: new Metrics(clock), pages: createListeners() };
  const { documents, ...bundled } = await createBundledServers({ ...base, connection, modelSide, mail });
  const told = { ...heard, homes: surface.homes, surfaces, wakeUps };
  const gate = createGateSide({ ...base, ...rules, ...told, ...bundled });
  const toolSide = createToolSide({ ...base, ...bundled, gate });
  const signals = { stopping: stopping.signal, outOfTime: outOfTime.signal };
  const core = createCore({
    ...base,
    ...{ ...signals, connection },
    storage,
    ids: randomId,
    holder,
    surfaces,
    gate,
    toolSide,
    modelSide,
    ...heard,
  });

  const openId = webSignInClient(env, settings, { isEmulated: workspace !== null });
  const views = createViews({ gate, directory, inbox: core.inbox, canSignIn: canDecideOnWeb(env, openId) });
  const pages = createDecisionPages({ views, directory, bot });
  const { apiUrl } = settings;
  const web = createWebDecisions({ ...base, people, keys, openId, apiUrl, pages, onChange: heard.pages.add });
  const authorization = openId && createPersonalPrograms({ ...base, people, pages });
  warnOfMissingSignIn(file.policy, env, log);
  warnOfUnreachablePrograms(file, env, log);
  const sides = { ...base, ...core, toolSide, modelSide, validateArguments, web, authorization, documents };
  const slack = createSlackSide({ ...sides, connection, surface, views, holder, nudges });
  const stopFollowing = followTools(toolSide, slack, core.limits);
  authorization?.programs.onChange(slack.notifyPrograms);
  const { hub, connections } = toolSide;
  const shown = { ...heard, access, keys, connection, views, feed, signIns: connections.oauth.pages };
  const { http, background: served } = createHttpSide({ ...sides, ...shown, hub, slack, ids: randomId });
  // Not the workers' own: it would take the thread that one of them has for a leftover.
  const remover = localHolder(hostname(), process.pid, boot, 'removal');
  const removal = composeRecordRemoval({ storage, clock, holder: remover, ...toolSide });
  const records = recordRetention(store, removal, file.records.keep_for ?? null);
  const sessions = { web, authorization, programs: createProgramSessions(store) };
  const kept = { store, records, keepForMs, surfaces, documents, ...toolSide, ...core, ...sessions };
  const background: readonly Periodic[] = [
    createRetention(retentionRules(kept), clock, log),
    connections.oauth.sweep,
    createSealer({ ...base, appendHead: headsFile(env.auditHeadsFile) }),
    documents,
    ...core.watching,
  ];
  const open = { ...core, storage, toolSide, slack, workspace, mail, web, address, http, background, served };
  return { ...open, telemetry, modelSide, notes, stopping, outOfTime, stopFollowing };
}

function connectSlack(
  settings: SlackSettings,
  {
    env,
    store,
    clock,
    log,
  }: Pick<AppOptions, 'env' | 'log'> & { readonly store: Store; readonly clock: Clock },
): SlackConnection {
  return new SlackConnection({
    ...settings,
    // A worker shows things, and receives nothing.
    mode: env.role === 'worker' ? { kind: 'none' } : settings.mode,
    // On SQLite there's one process.
    store: env.redis === null ? null : store,
    clock,
    log,
    timeZone: env.timeZone,
    postsPerSecond: env.slackPostsPerSecond,
  });
}

/** Appends the audit's heads to a file; null without one. */
function headsFile(path: string | null): ((line: string) => Promise<void>) | null {
  return path === null ? null : (line) => appendFile(path, line, { mode: 0o600 });
}

/**
 * Updates people's views when servers, their tools or people's connections to them change; returns how to
 * stop that.
 */
function followTools(
  { hub, refresh, reviews, connections, shares }: ToolSide,
  slack: Slack,
  limits: Core['limits'],
): () => void {
  limits.onReached(slack.limitListener);
  reviews.onHeld(slack.notifyToolReview);
  connections.oauth.onChange(slack.notifyConnections);
  const stops = [
    hub.onChange(slack.notifyServers),
    hub.onChange(refresh),
    shares.onWithheld((share) => void slack.notifyWithheld(share)),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Connects the servers without letting one that hangs hold up the start: it shows as connecting meanwhile.
 */
async function connectTools(
  { env, file, log }: AppOptions,
  { hub, knownTools, connect }: ToolSide,
): Promise<void> {
  const tried = connect().then(async () => {
    warnOfForwardedLinks(hub.status(), env, log);
    const others = [...samplingTools(file.servers), ...promptTools(file.servers)];
    const known = async () => ({ tools: [...(await knownTools()), ...others], servers: hub.status() });
    warnOfVainSettings(file, env, log);
    await warnOfIdleEntries(file, known, log);
  });
  await Promise.race([tried, delay(TOOLS_WAIT_MS, undefined, { ref: false })]);
}

/** Stops everything in order: what receives, then what works, then what that depends on. */
async function stopAll(parts: Parts, stopListening: () => Promise<void>): Promise<void> {
  const { storage, runs, slack, toolSide, stopping, outOfTime } = parts;
  parts.http.drain();
  await slack.stopListening();
  stopping.abort();
  await storage.wakeUps.deafen();
  const callsEnd = setTimeout(() => outOfTime.abort(), CALLS_END_WITHIN_MS);
  await runs.stop(DRAIN_WITHIN_MS);
  clearTimeout(callsEnd);
  await slack.stop();
  // At once: a sign-in sweep that waits for somebody's server must not hold up the last audit seal.
  await Promise.all(parts.background.map((work) => work.stop()));
  await Promise.all([...parts.served, parts.usageFlush].map((work) => work.stop()));
  await parts.usageFlush.runNow();
  await stopListening();
  parts.stopFollowing();
  await toolSide.hub.stop();
  await parts.workspace?.stop();
  await Promise.all([parts.mail.stop(), parts.telemetry.stop(), parts.modelSide.langSmith?.stop()]);
  await storage.close();
}
