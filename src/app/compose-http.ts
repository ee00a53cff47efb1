import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import type { AuditKeys } from '../gate/index.ts';
import type { Check } from '../http/index.ts';
import {
  createHealthHttp,
  createHttp,
  type Http,
  type HttpPorts,
  type Queues,
  type Vitals,
} from '../http/index.ts';
import type { OwnAddress } from '../lib/net/own-address.ts';
import type { Periodic } from '../lib/periodic.ts';
import type { ServerStatus, ToolHub } from '../mcp/ports.ts';
import type { LimitUse } from '../runs/index.ts';
import { readOutboxDepth, type Slack } from '../slack/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Core } from './compose-core.ts';
import { createProgramSide, type ProgramSide, type ProgramSidePorts } from './compose-programs.ts';
import type { ToolSide } from './compose-tools.ts';
import { createAdminSide } from './dashboard/compose-admin.ts';
import { createPushMounts } from './inbox/push.ts';

interface HttpSidePorts
  extends Omit<
      HttpPorts,
      | 'checks'
      | 'trustedProxies'
      | 'mounts'
      | 'wayBack'
      | 'vitals'
      | 'admin'
      | 'limits'
      | keyof ProgramSide['http']
    >,
    Omit<ProgramSidePorts, keyof HttpPorts | 'file' | 'toolSide'>,
    Pick<Core, 'limits' | 'inbox'> {
  readonly env: Env;
  readonly file: Pick<FileConfig, 'admins' | 'limits' | 'programs' | 'policy' | 'servers'>;
  readonly hub: Pick<ToolHub, 'status'>;
  readonly slack: Slack;
  /** Where browsers and services reach this program. */
  readonly address: OwnAddress;
  readonly auditKeys: AuditKeys;
  readonly telemetry: Pick<Telemetry, 'sendMetrics'>;
  readonly toolSide: ToolSide;
}

/** Composes the HTTP server: everything, or for a worker only its health. `background`: what else it has to do. */
export function createHttpSide({ env, file, hub, slack, auditKeys, telemetry, ...ports }: HttpSidePorts): {
  readonly http: Http;
  readonly background: readonly Periodic[];
} {
  const checks = { slack: slackCheck(slack), tools: toolsCheck(hub) };
  const { trustedProxies } = env;
  const queues = async () => {
    const [waiting, outbox] = await Promise.all([ports.runs.queues(), readOutboxDepth(ports.store)]);
    return { ...waiting, outbox };
  };
  const limitUses = ports.limits.usesToday;
  const vitals = () => readVitals({ ...ports, hub, slack, queues, limitUses });
  telemetry.sendMetrics(async () => ports.metrics.list(await vitals()));
  if (env.role === 'worker') {
    return { http: createHealthHttp({ ...ports, checks, trustedProxies, vitals }), background: [] };
  }
  const { handle } = slack;
  const programs = createProgramSide({ ...ports, file });
  const pushed = {
    ...{ servers: file.servers, connectors: ports.toolSide.connectors },
    ...{ url: ports.address.url, isAtWork: env.role !== 'web' },
  };
  const served = {
    ...ports,
    ...programs.http,
    checks,
    wayBack: slack.returnLink,
    admin: createAdminSide({ ...ports, env, file, auditKeys, queues, checks }),
    trustedProxies,
    vitals,
    mounts: [
      ...publishKeys(auditKeys),
      ...(handle === null ? [] : [{ method: 'POST' as const, ...SLACK_EVENTS, handle }]),
      ...createPushMounts({ ...ports, ...pushed }),
    ],
  } satisfies HttpPorts;
  const http = createHttp(served, { maxStreams: file.limits.key.streams });
  return { http, background: programs.background };
}

async function readVitals({
  runs,
  waits,
  hub,
  slack,
  queues,
  limitUses,
}: Pick<HttpSidePorts, 'runs' | 'waits' | 'hub' | 'slack'> & {
  queues: () => Promise<Queues>;
  limitUses: () => Promise<readonly LimitUse[]>;
}): Promise<Vitals> {
  // All else is told while the store is down.
  const [waiting, limits] = await Promise.all([queues().catch(() => null), limitUses().catch(() => null)]);
  return {
    callsInFlight: runs.inflightCalls(),
    callsWaitedFor: waits.size,
    threads: runs.threads(),
    servers: hub.status(),
    isSlackConnected: slack.connectionProblem() === null,
    queues: waiting,
    limits,
  };
}

/** Slack’s own requests, which verify its signature. */
const SLACK_EVENTS = { path: '/slack/events', summary: 'Events, clicks and commands, from Slack' };

/** Where the public keys are: for whoever verifies a copy of the audit, and for whoever checks receipts. */
const KEY_PATHS = {
  '/.well-known/countersign-audit-keys.json': 'The public keys of the audit',
  '/.well-known/jwks.json': 'The public keys of receipts',
};
/** How long others may go by the keys that they have read, in seconds. */
const KEYS_FOR_S = 300;

function publishKeys({ publicKeys }: Pick<AuditKeys, 'publicKeys'>): HttpPorts['mounts'] {
  const headers = { 'cache-control': `public, max-age=${KEYS_FOR_S}` };
  const handle = async () => Response.json({ keys: publicKeys }, { headers });
  return Object.entries(KEY_PATHS).map(([path, summary]) => ({ method: 'GET', path, summary, handle }));
}

function slackCheck(slack: Pick<Slack, 'connectionProblem'>): Check {
  return () => {
    const problem = slack.connectionProblem();
    return { ok: problem === null, detail: problem ?? 'connected' };
  };
}

/** States that need no repair. */
const IN_ORDER: readonly ServerStatus['state'][] = ['up', 'idle', 'sign_in_required'];

/** The readiness check for servers: one that is down is reported, and the rest stays ready. */
export function toolsCheck(hub: { status(): readonly Pick<ServerStatus, 'name' | 'state'>[] }): Check {
  return () => {
    const servers = hub.status();
    const down = servers.filter(({ state }) => !IN_ORDER.includes(state)).map(({ name }) => name);
    const idle = servers.filter(({ state }) => state === 'idle').map(({ name }) => name);
    const details = [
      ...(down.length === 0 ? [] : [`down: ${down.join(', ')}`]),
      ...(idle.length === 0 ? [] : [`idle – connects when it is used: ${idle.join(', ')}`]),
    ];
    return { ok: true, detail: details.length === 0 ? 'all up' : details.join('; ') };
  };
}
