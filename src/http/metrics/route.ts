import type { Hono } from 'hono';
import { type KeyPorts, requireKey } from '../api/auth.ts';
import type { HttpEnv } from '../context.ts';
import type { Metrics, Vitals } from './metrics.ts';

export interface MetricsPorts {
  readonly metrics: Metrics;
  readonly vitals: () => Promise<Vitals>;
}

/** `/metrics`: what this process does, for Prometheus, which comes with a key that may read. */
export function metricsRoute(
  app: Hono<HttpEnv>,
  { metrics, vitals, ...keys }: KeyPorts & MetricsPorts,
): void {
  app.get('/metrics', requireKey(keys, 'read'), async (c) => {
    const { type, text } = await metrics.read(await vitals());
    return c.text(text, 200, { 'Content-Type': type });
  });
}
