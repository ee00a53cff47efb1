import { randomBytes } from 'node:crypto';
import type { Env } from '../config/env.ts';
import { createApiKeys, createHealthHttp, createHttp, type Http, type HttpPorts } from '../http/index.ts';
import type { ToolHub } from '../mcp/ports.ts';
import type { Slack } from '../slack/index.ts';
import { slackCheck, toolsCheck } from './readiness.ts';

export interface HttpSidePorts extends Omit<HttpPorts, 'checks' | 'keys' | 'mounts' | 'wayBack'> {
  readonly env: Env;
  readonly hub: Pick<ToolHub, 'status'>;
  readonly slack: Slack;
}

/** Composes the HTTP server: everything, or for a worker only its health. */
export function createHttpSide({ env, hub, slack, ...ports }: HttpSidePorts): Http {
  const { store, clock, ids, log } = ports;
  const checks = { slack: slackCheck(slack), tools: toolsCheck(hub) };
  if (env.role === 'worker') return createHealthHttp({ store, clock, ids, log, checks });
  const secrets = () => randomBytes(32).toString('base64url');
  const { handle } = slack;
  return createHttp({
    ...ports,
    checks,
    wayBack: slack.returnLink,
    keys: createApiKeys({ store, clock, secrets, environmentKey: env.apiKey }),
    mounts: handle === null ? [] : [{ method: 'POST', path: '/slack/events', handle }],
  });
}
