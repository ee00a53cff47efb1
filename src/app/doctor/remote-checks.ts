import { readFileSync } from 'node:fs';
import { WebClient } from '@slack/web-api';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadOpenAi } from '../../agents/index.ts';
import type { Env, SlackSettings } from '../../config/env.ts';
import type { FileConfig } from '../../config/file.ts';
import { findPackageFile } from '../../config/package-files.ts';
import { loadConnectors } from '../../connectors/index.ts';
import { createGuardedFetch } from '../../lib/net/guarded-fetch.ts';
import { createToolHub, networkReach } from '../../mcp/index.ts';
import type { Connectors } from '../../mcp/ports.ts';
import { readPlatformError, tokenProblem } from '../../slack/index.ts';
import { createInProcessServers, NO_DOCUMENTS } from '../demo-servers/in-process.ts';
import { createIsolation } from '../isolation.ts';
import { CHECKS, CLOCK, MODEL, PUBLIC_ADDRESS, SERVERS, SLACK } from '../texts/doctor.ts';
import { describeError, failed, ok, skipped, warning } from './finding.ts';

/** How long Slack, a page or a connection may take, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000;
/** Slack refuses, and we refuse, requests that are signed further apart than five minutes; sign-ins break before. */
const CLOCK_OFF_MS = 60_000;
const SLACK_API = 'https://slack.com/api/';
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const manifestSchema = z.object({
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
});
const authSchema = z.object({
  user: z.string(),
  team: z.string(),
  response_metadata: z.object({ scopes: z.array(z.string()).optional() }).optional(),
});

/** Whether Slack takes the tokens, and the bot has the manifest's scopes. Posts nothing. */
export async function checkSlack(slack: SlackSettings | null) {
  if (slack === null) return skipped(SLACK.none);
  const bot = await askSlack('SLACK_BOT_TOKEN', async () =>
    authSchema.parse(await slackClient(slack, slack.botToken).auth.test()),
  );
  if (!bot.ok) return bot.finding;
  const granted = bot.answer.response_metadata?.scopes;
  const missing = granted && neededScopes().filter((scope) => !granted.includes(scope));
  if (missing && missing.length > 0) {
    return failed(SLACK.lacksScopes(missing), SLACK.mendScopes);
  }
  const { user, team } = bot.answer;
  if (slack.mode.kind === 'http') return ok(SLACK.byHttp(user, team));
  const { appToken } = slack.mode;
  const socket = await askSlack('SLACK_APP_TOKEN', () =>
    slackClient(slack, appToken).apps.connections.open(),
  );
  return socket.ok ? ok(SLACK.bySocket(user, team)) : socket.finding;
}

/** Slack's answer to a call with this token, or what is wrong with the token. */
async function askSlack<T>(variable: Parameters<typeof tokenProblem>[1], call: () => Promise<T>) {
  try {
    return { ok: true, answer: await call() } as const;
  } catch (error) {
    const refusal = readPlatformError(error);
    if (refusal === null) {
      return {
        ok: false,
        finding: failed(SLACK.notReached(describeError(error)), SLACK.mendNotReached),
      } as const;
    }
    const { what, mend } = tokenProblem(refusal, variable);
    return { ok: false, finding: failed(what, mend) } as const;
  }
}

function slackClient({ apiUrl }: SlackSettings, token: string): WebClient {
  return new WebClient(token, {
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: ANSWER_WITHIN_MS,
    ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }),
  });
}

/** The bot scopes of `manifest.yml`; none where the file isn't installed. */
function neededScopes(): readonly string[] {
  const path = findPackageFile('manifest.yml');
  if (path === null) return [];
  return manifestSchema.parse(parse(readFileSync(path, 'utf8'))).oauth_config.scopes.bot;
}

/** Whether this machine's clock is right, by the `Date` of Slack or of the model's provider. */
export async function checkClock({ slack, model }: Pick<Env, 'slack' | 'model'>) {
  const url = slack === null ? (model?.baseUrl ?? null) : `${slack.apiUrl ?? SLACK_API}api.test`;
  if (url === null) return skipped(CLOCK.nobody);
  const begun = Date.now();
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const theirs = Date.parse(response.headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return skipped(CLOCK.noTime(new URL(url).host));
  const offMs = Math.abs((begun + Date.now()) / 2 - theirs);
  const seconds = Math.round(offMs / 1_000);
  if (offMs < CLOCK_OFF_MS) return ok(CLOCK.agrees(new URL(url).host));
  return failed(CLOCK.isOff(seconds, new URL(url).host), CLOCK.mend);
}

/** Whether the model answers. */
export async function checkModel({ model }: Pick<Env, 'model'>) {
  if (model === null) return skipped(MODEL.demo);
  try {
    const { createModel } = await loadOpenAi();
    await createModel(model).invoke('Answer with the one word: yes', {
      signal: AbortSignal.timeout(Math.min(model.timeoutMs, 30_000)),
    });
    return ok(MODEL.answers(model.model));
  } catch (error) {
    return failed(MODEL.noAnswer(model.model, describeError(error)), MODEL.mend);
  }
}

/** Whether each server starts and lists its tools. */
export async function checkServers({ servers, mcpFile }: FileConfig, env: Env) {
  const inProcess = createInProcessServers(env, Date.now, { documents: NO_DOCUMENTS, log: SILENT });
  const isolation = createIsolation({ ...env, mcpFile }, SILENT);
  const connectors = await loadConnectors(servers);
  const hub = createToolHub({ servers, logger: SILENT, inProcess, connectors, isolation });
  try {
    await hub.start();
    const status = hub.status();
    const findings = status.map(({ name, state, error, toolCount }) => {
      if (state === 'setup_required') {
        const mend = SERVERS.mendSetup(SERVERS.entry(name));
        return { check: CHECKS.server(name), ...warning(SERVERS.setupRequired(error ?? ''), mend) };
      }
      const isThere = state === 'up' || state === 'idle';
      const result = isThere
        ? ok(SERVERS.tools(toolCount))
        : 'auth' in (servers[name] ?? {}) || state === 'sign_in_required'
          ? ok(SERVERS.signedInTo)
          : failed(error ?? state, adviseServer(name, servers[name]));
      return { check: CHECKS.server(name), ...result };
    });
    const services = await checkServices(servers, connectors);
    return { findings: [...findings, ...services], known: { tools: await hub.tools(), servers: status } };
  } finally {
    await hub.stop();
  }
}

/** What is wrong with the entries of connectors: an address that isn't reached, and keys that nothing reads. */
async function checkServices(servers: FileConfig['servers'], connectors: Connectors) {
  const found = Object.entries(servers).map(async ([name, server]) => {
    if (!('connector' in server) || server.disabled) return [];
    const connector = connectors.get(server.connector);
    const signsIn = connector && 'signIn' in connector ? connector.signIn !== null : null;
    const stray = signsIn === null ? undefined : signsIn ? server.key && 'key' : server.oauth && 'oauth';
    const entry = SERVERS.entry(name);
    const check = CHECKS.service(name);
    const problem = server.api_url === undefined ? null : await tryService(server.api_url, server);
    return [
      ...(stray ? [{ check, ...warning(SERVERS.stray(stray), SERVERS.mendStray(stray, entry)) }] : []),
      ...(problem === null ? [] : [{ check, ...failed(problem, SERVERS.mendApi(entry)) }]),
    ];
  });
  return (await Promise.all(found)).flat();
}

/** Why a service isn't reached, within what the configuration allows; null if it answers, whatever it says. */
async function tryService(
  url: string,
  { allow_private_network }: { readonly allow_private_network: boolean },
): Promise<string | null> {
  const fetch = createGuardedFetch({ reach: networkReach({ url, allow_private_network }) });
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    await response.body?.cancel();
    return null;
  } catch (error) {
    return SERVERS.notReached(url, describeError(error));
  }
}

/** Where the cause of a failure is to be looked for, by how the server is reached. */
function adviseServer(name: string, server: FileConfig['servers'][string] | undefined): string {
  const entry = SERVERS.entry(name);
  if (server && 'url' in server) {
    return SERVERS.mendUrl(entry);
  }
  if (server && 'command' in server) {
    return SERVERS.mendCommand(entry);
  }
  return SERVERS.mend(entry);
}

/** Whether the address that people's browsers and Slack use leads to a running process. */
export async function checkPublicUrl({ publicUrl }: Pick<Env, 'publicUrl'>) {
  if (publicUrl === null) return skipped(PUBLIC_ADDRESS.none);
  try {
    const response = await fetch(`${publicUrl}/livez`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    if (response.ok) return ok(PUBLIC_ADDRESS.isReached(publicUrl));
    return warning(PUBLIC_ADDRESS.answers(publicUrl, response.status), PUBLIC_ADDRESS.mend);
  } catch (error) {
    return warning(PUBLIC_ADDRESS.notReached(publicUrl, describeError(error)), PUBLIC_ADDRESS.mend);
  }
}
