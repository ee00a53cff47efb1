import type { Logger } from '../lib/logger.ts';
import { createPeriodic } from '../lib/periodic.ts';
import type { SignInPages } from '../oauth/ports.ts';
import { type AgentPorts, agentRoutes } from './agent/routes.ts';
import { requireKey } from './api/auth.ts';
import { decisionsRoute } from './api/decisions.ts';
import { eventsRoute } from './api/events.ts';
import { jobsRoute } from './api/jobs.ts';
import { limitBody } from './api/limit-body.ts';
import { limitRoutes } from './api/limits.ts';
import { createOpenStreams, type OpenStreams } from './api/open-streams.ts';
import { openApiDocument } from './api/openapi.ts';
import type { ApiPorts } from './api/ports.ts';
import { resumeRoute } from './api/resume.ts';
import { runRoute } from './api/run.ts';
import { createWrongKeys } from './api/wrong-keys.ts';
import type { Authorization } from './authorization/authorization.ts';
import { consentPath } from './authorization/paths.ts';
import { authorizationRoutes, challenge } from './authorization/routes.ts';
import { createBase, type Http } from './base.ts';
import { type DocumentPorts, documentRoutes } from './documents/routes.ts';
import { draining } from './errors.ts';
import { type McpPorts, mcpRoutes } from './mcp/routes.ts';
import { type MetricsPorts, metricsRoute } from './metrics/route.ts';
import type { LimitPorts } from './ports.ts';
import { type RecordPorts, recordRoutes } from './records/routes.ts';
import { queryRoutes } from './team/query.ts';
import { respondRoute } from './team/respond.ts';
import { createFindOutcome } from './threads/outcome.ts';
import type { EventStreamPorts } from './threads/sse.ts';
import type { WaitPorts } from './threads/wait-for-outcome.ts';
import type { AdminPorts } from './web/admin/ports.ts';
import { adminRoutes } from './web/admin/routes.ts';
import { callRoutes } from './web/calls/routes.ts';
import { dashboardRoutes } from './web/dashboard.ts';
import { decideRoute } from './web/decide.ts';
import { linkSignInRoutes } from './web/link-sign-in.ts';
import { createFollow } from './web/live.ts';
import { lostRoute } from './web/lost.ts';
import { oauthRoutes } from './web/oauth.ts';
import type { WayBack, WebPorts } from './web/ports.ts';
import { signInRoute } from './web/sign-in.ts';

/** How often it's looked whether a key that has streams open was revoked, in milliseconds. */
const LOOK_FOR_REVOKED_MS = 2_000;

/** A route of another module, which authenticates its own requests. */
interface Mount {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** What it is for, in a line for the API's description. */
  readonly summary: string;
  readonly handle: (request: Request) => Promise<Response>;
}

export interface HttpPorts
  extends Omit<ApiPorts, 'wrongKeys'>,
    AgentPorts,
    RecordPorts,
    LimitPorts,
    DocumentPorts,
    McpPorts,
    MetricsPorts {
  readonly mounts: readonly Mount[];
  /** How people sign in to servers. */
  readonly signIns: SignInPages;
  /** Null where people cannot sign in. */
  readonly web: WebPorts | null;
  /** What admins see; null where nobody is told who they are. */
  readonly admin: AdminPorts | null;
  readonly wayBack: WayBack;
  /** How people let programs of their own in; null where they cannot. */
  readonly authorization: Authorization | null;
}

export interface HttpOptions {
  /** How long `/run` and `/resume` wait for an outcome, in milliseconds. */
  readonly waitMs?: number;
  /** How often the store is asked what other processes did, in milliseconds. */
  readonly pollMs?: number;
  /** How often an idle stream of events gets a comment, in milliseconds. */
  readonly heartbeatMs?: number;
  /** The largest body, in bytes. */
  readonly maxBodyBytes?: number;
  /**
   * The most streams of events that one key may have open in this process.
   * @default 20
   */
  readonly maxStreams?: number;
}

/** The HTTP server: the API and the web pages, on one port. */
export function createHttp(given: HttpPorts, options: HttpOptions = {}): Http {
  const {
    // Node's own fetch gives up on an answer that has not begun after 300 s.
    waitMs = 240_000,
    pollMs = 500,
    heartbeatMs = 15_000,
    maxBodyBytes = 1024 * 1024,
    maxStreams = 20,
  } = options;
  const { app, http, stopping, answerLater } = createBase(given);
  const ports = { ...given, wrongKeys: createWrongKeys({ ...given, stopping }) };
  const { store, gate, clock, feed, log, authorization, web } = ports;
  const findOutcome = createFindOutcome({ store, gate });
  const waiting: WaitPorts = { findOutcome, clock, feed, waitMs, pollMs, stopping };
  const streaming: EventStreamPorts = { feed, log, pollMs, heartbeatMs };
  const streams = createOpenStreams(maxStreams, stopping);
  lookForRevoked(streams, log, stopping);

  app.get('/health-check', (c) => c.json({ status: 'ok' }));
  app.use(async (_, next) => {
    if (stopping.aborted) throw draining();
    return next();
  });
  // Before the limit of all other bodies: they have one of their own.
  agentRoutes(app, ports, { stopping, answerLater });
  const personal = authorization &&
    web && { find: authorization.programs.find, challenge: challenge(web.publicUrl) };
  const publicUrl = web?.publicUrl ?? null;
  mcpRoutes(app, { ...ports, personal, publicUrl }, { stopping, streams, heartbeatMs });
  if (authorization && web) authorizationRoutes(app, { ...ports, authorization }, web);
  documentRoutes(app, ports);
  app.use(limitBody(maxBodyBytes));
  for (const { method, path, handle } of ports.mounts) app.on(method, path, (c) => handle(c.req.raw));
  const described = { mounts: ports.mounts, hasWeb: web !== null, hasAuthorization: authorization !== null };
  const openApi = openApiDocument(described);
  app.get('/openapi.json', requireKey(ports), (c) => c.json(openApi));
  recordRoutes(app, ports);
  limitRoutes(app, ports);
  metricsRoute(app, ports);
  runRoute(app, ports, waiting);
  resumeRoute(app, ports, waiting);
  decisionsRoute(app, ports);
  queryRoutes(app, ports, waiting, { ...streaming, streams });
  respondRoute(app, ports);
  eventsRoute(app, ports, { ...streaming, streams });
  jobsRoute(app, ports, { ...streaming, streams });
  // Links of people are theirs alone where they can show who they are, and a program is let in by nobody else.
  const slackSignIn = web?.signIn.slack ?? null;
  oauthRoutes(app, { ...ports, web: slackSignIn && web });
  if (web) {
    const follow = createFollow({ web, streams, heartbeatMs, log });
    decideRoute(app, ports, web, follow);
    dashboardRoutes(app, ports, web, follow);
    callRoutes(app, ports, web);
    if (ports.admin) adminRoutes(app, { ...ports.admin, store }, web);
    linkSignInRoutes(app, ports, web);
    if (slackSignIn)
      signInRoute(app, { ...ports, consentPage: findConsentPage(authorization) }, web, slackSignIn);
    lostRoute(app, web);
  }
  return http;
}

function lookForRevoked({ endRevoked }: OpenStreams, log: Logger, stopping: AbortSignal): void {
  const everyMs = LOOK_FOR_REVOKED_MS;
  const look = createPeriodic({ name: 'revoked streams', everyMs, run: endRevoked, log });
  void look.start();
  stopping.addEventListener('abort', () => void look.stop());
}

function findConsentPage(authorization: Authorization | null) {
  return async (uid: string): Promise<string | null> =>
    (await authorization?.records.find('Interaction', uid)) ? consentPath(uid) : null;
}
