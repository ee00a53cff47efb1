import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { OtlpTarget } from '../config/telemetry.ts';
import type { Logger } from '../lib/logger.ts';
import { EXPORT_AGAIN, EXPORT_FAILED } from './texts.ts';

type Log = Pick<Logger, 'warn' | 'info'>;
type Done = (result: ExportResult) => void;

/** Sends spans to a receiver. A failure is logged once, until it works again. */
export async function createSpanExporter(target: OtlpTarget, log: Log): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    target.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const exporter: SpanExporter = new OTLPTraceExporter(settings(target));
  return withLog(exporter, 'traces', log);
}

/** Sends metrics to a receiver; see {@link createSpanExporter}. */
export async function createMetricExporter(target: OtlpTarget, log: Log): Promise<PushMetricExporter> {
  const { OTLPMetricExporter } =
    target.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  const exporter: PushMetricExporter = new OTLPMetricExporter(settings(target));
  return withLog(exporter, 'metrics', log);
}

function settings({ url, headers }: OtlpTarget) {
  return { url, headers: { ...headers } };
}

/** The same exporter, which tells operators when it fails: its own words may have parts of the receiver's answer. */
function withLog<Items, Exporter extends { export(items: Items, done: Done): void }>(
  exporter: Exporter,
  signal: 'traces' | 'metrics',
  log: Log,
): Exporter {
  let isFailing = false;
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      const hasFailed = result.code !== ExportResultCode.SUCCESS;
      if (hasFailed !== isFailing) {
        if (hasFailed) log.warn({ signal, error: result.error?.name }, EXPORT_FAILED);
        else log.info({ signal }, EXPORT_AGAIN);
      }
      isFailing = hasFailed;
      done(result);
    });
  return exporter;
}
