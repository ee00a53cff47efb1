import type { Hono } from 'hono';
import { errorMessage } from '../../lib/errors.ts';
import type { HttpEnv } from '../context.ts';
import type { Check, HealthPorts } from '../ports.ts';
import { apiKeys, ENVIRONMENT_KEY_NAME } from './keys.ts';

/** Whether the process lives, and whether it can do its work: no key asked for. */
export function healthRoutes(app: Hono<HttpEnv>, ports: HealthPorts, drain: Check): void {
  app.get('/livez', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', async (c) => {
    const checks = Object.entries({ store: storeCheck(ports), ...ports.checks, drain });
    const results = await Promise.all(
      checks.map(async ([name, check]) => {
        try {
          return [name, await check()] as const;
        } catch (error) {
          ports.log.error({ err: error }, `health check of ${name} failed: ${errorMessage(error)}`);
          return [name, { ok: false, detail: 'could not be checked' }] as const;
        }
      }),
    );
    const ready = results.every(([, { ok }]) => ok);
    return c.json(
      { status: ready ? 'ok' : 'not_ready', checks: Object.fromEntries(results) },
      ready ? 200 : 503,
    );
  });
}

/** Reads a record, which need not exist. */
function storeCheck({ store }: HealthPorts): Check {
  return async () => {
    await store.get(apiKeys, ENVIRONMENT_KEY_NAME);
    return { ok: true, detail: 'answers' };
  };
}
