import type { Env } from '../config/env.ts';
import type { FileConfig } from '../config/file.ts';
import {
  compileSchemaMismatches,
  describeRules,
  explainRisk,
  explainVerdict,
  findPolicyApprovers,
} from '../gate/index.ts';
import type { ValidateArguments } from '../gate/types.ts';
import type { Authorization } from '../http/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Tracing } from '../lib/telemetry/tracing.ts';
import { AGENT_NAMES } from '../runs/ports.ts';
import {
  createSlack,
  type Slack,
  type SlackConnection,
  type SlackSurface,
  toRateLimit,
  type Views,
} from '../slack/index.ts';
import type { LeaseHolder } from '../storage/lease/lease.ts';
import type { Nudges } from '../storage/lease/nudges.ts';
import type { Store } from '../storage/store.ts';
import type { Core } from './compose-core.ts';
import { compileToolRisk } from './compose-gate.ts';
import type { ModelSide } from './compose-models.ts';
import type { ToolSide } from './compose-tools.ts';
import type { WebDecisions } from './compose-web-decisions.ts';
import type { DocumentSide } from './demo-servers/documents/document-side.ts';

interface SlackSidePorts extends Core {
  readonly env: Env;
  readonly file: FileConfig;
  readonly connection: SlackConnection;
  readonly surface: SlackSurface;
  readonly views: Views;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly holder: LeaseHolder;
  readonly nudges: Nudges;
  readonly toolSide: ToolSide;
  readonly modelSide: ModelSide;
  readonly validateArguments: ValidateArguments;
  readonly web: WebDecisions;
  readonly documents: DocumentSide;
  readonly authorization: Pick<Authorization, 'programs'> | null;
}

/** Composes the Slack side from the settings. */
export function createSlackSide(ports: SlackSidePorts): Slack {
  const { env, file, toolSide, store, clock, log, gate, runs, holder } = ports;
  const toolRisk = file.permissions && compileToolRisk(file.permissions);
  const schemaMismatches = compileSchemaMismatches(file.policy, ports.validateArguments);
  return createSlack({
    connection: ports.connection,
    surface: ports.surface,
    views: ports.views,
    rateLimit: toRateLimit(env.slackPostsPerSecond),
    store,
    clock,
    log,
    tracing: ports.tracing,
    gate,
    runs,
    limits: ports.limits,
    holder,
    nudges: ports.nudges,
    admins: file.admins,
    reviews: toolSide.reviews,
    prompts: toolSide.prompts,
    policy: (call, nameOf) =>
      call === null
        ? describeRules(file.policy, nameOf)
        : [
            ...explainVerdict(file.policy, call, nameOf, schemaMismatches(call)),
            ...(toolRisk ? explainRisk(toolRisk({ ...call, name: call.tool }, AGENT_NAMES[0]), null) : []),
          ],
    policyPeople: findPolicyApprovers(file.policy),
    decideUrl: ports.web.decideUrl,
    dashboardLinks: ports.web.dashboardLinks,
    servers: toolSide.hub.status,
    reconnect: toolSide.hub.reconnect,
    keptBytes: toolSide.keptResults.bytes,
    connections: toolSide.connections.oauth.personal,
    programs: ports.authorization?.programs ?? null,
    shares: toolSide.shares,
    notebooks: ports.notebooks,
    documents: ports.documents,
    memory: ports.memory,
    schedules: ports.schedules,
    inbox: ports.inbox,
    readMail: ports.readMail,
    tools: toolSide.tools,
    maxTools: file.agent.max_tools,
    routes: file.routes,
    examples: ports.modelSide.examples,
  });
}
