import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { TelemetrySettings } from '../config/telemetry.ts';
import type { Logger } from '../lib/logger.ts';
import { createMask, type Secret } from '../lib/secret-mask.ts';
import type { MetricFamily } from '../lib/telemetry/metric-family.ts';
import { type Tracing, UNTRACED } from '../lib/telemetry/tracing.ts';
import { createMetricExporter, createSpanExporter } from './exporters.ts';
import { createProducer } from './metrics.ts';
import { createSampler } from './sampler.ts';
import { createTracing, WorkIds } from './tracing.ts';

/** How long the end of the process waits for a receiver, in milliseconds. */
const STOP_WITHIN_MS = 5_000;
/** The most spans that wait to be sent: further ones are dropped, so that a dead receiver costs no more memory. */
const MOST_WAITING = 2_048;

export interface TelemetryPorts {
  readonly settings: TelemetrySettings;
  readonly version: string;
  /** Which process this is. */
  readonly instance: string;
  /** What no content may have. */
  readonly secrets: readonly Secret[];
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

export interface Telemetry {
  readonly tracing: Tracing;
  /** Begins to send these metrics, where metrics are sent. */
  readonly sendMetrics: (read: () => Promise<readonly MetricFamily[]>) => void;
  /** Sends what is left, within 5 seconds, and stops. Never rejects. */
  readonly stop: () => Promise<void>;
}

/** Begins to send traces and metrics, as the settings say. */
export async function startTelemetry({ settings, log, ...ports }: TelemetryPorts): Promise<Telemetry> {
  const scope = { name: 'countersign', version: ports.version };
  const resource = resourceFromAttributes({
    'service.version': ports.version,
    'service.instance.id': ports.instance,
    ...settings.attributes,
  });
  const stops: (() => Promise<void>)[] = [];
  let tracing = UNTRACED;
  if (settings.traces) {
    const exporter = await createSpanExporter(settings.traces, log);
    const sampler = createSampler(settings.sampler);
    const ids = new WorkIds();
    const { everyMs } = settings.traces;
    const spans = new BatchSpanProcessor({
      exporter,
      scheduledDelayMillis: everyMs,
      maxQueueSize: MOST_WAITING,
    });
    const provider = new TracerProvider({ resource, sampler, idGenerator: ids, spanProcessors: [spans] });
    const tracer = provider.getTracer(scope.name, scope.version);
    const mask = createMask(ports.secrets);
    tracing = createTracing({ tracer, ids, sampler, mask, hasContent: settings.hasContent });
    stops.push(() => provider.shutdown());
  }
  const metrics = settings.metrics && (await createMetricExporter(settings.metrics, log));
  return {
    tracing,
    sendMetrics(read) {
      if (!metrics || !settings.metrics) return;
      const reader = new PeriodicExportingMetricReader({
        exporter: metrics,
        exportIntervalMillis: settings.metrics.everyMs,
        exportTimeoutMillis: Math.min(settings.metrics.everyMs, STOP_WITHIN_MS),
        metricProducers: [createProducer(read, { resource, scope, startedAt: Date.now() })],
      });
      const provider = new MeterProvider({ resource, readers: [reader] });
      stops.push(() => provider.shutdown());
    },
    async stop() {
      const over = Promise.withResolvers<void>();
      const late = setTimeout(over.resolve, STOP_WITHIN_MS);
      await Promise.race([Promise.allSettled(stops.map((stop) => stop())), over.promise]);
      clearTimeout(late);
    },
  };
}
