import { ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type HistogramMetricData,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricFamily } from '../lib/telemetry/metric-family.ts';

type Time = [seconds: number, nanoseconds: number];

/** The metrics that `/metrics` tells, as OpenTelemetry has them: counted once, and told in two ways. */
export function createProducer(
  read: () => Promise<readonly MetricFamily[]>,
  {
    resource,
    scope,
    startedAt,
  }: {
    readonly resource: Resource;
    readonly scope: { readonly name: string; readonly version: string };
    /** Since when it's counted, in milliseconds since the epoch. */
    readonly startedAt: number;
  },
): MetricProducer {
  return {
    async collect() {
      const families = await read();
      const times = { startTime: toTime(startedAt), endTime: toTime(Date.now()) };
      // A metric without any value has no points, and says nothing.
      const metrics = families
        .filter(({ samples }) => samples.length > 0)
        .map((family) => toMetric(family, times));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

function toMetric(
  { name, help, type, samples }: MetricFamily,
  times: { readonly startTime: Time; readonly endTime: Time },
): MetricData {
  const descriptor = { name, description: help, unit: toUnit(name), valueType: ValueType.DOUBLE };
  const base = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
  if (type === 'histogram') {
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(samples, times) };
  }
  const dataPoints: DataPoint<number>[] = samples.map(({ labels, value }) => ({
    ...times,
    attributes: labels,
    value,
  }));
  return type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus counts in each bucket what is in all lower ones, too; OpenTelemetry doesn't. */
function toHistograms(
  samples: MetricFamily['samples'],
  times: { readonly startTime: Time; readonly endTime: Time },
): HistogramMetricData['dataPoints'] {
  const series = Map.groupBy(samples, ({ labels: { le: _bound, ...labels } }) =>
    JSON.stringify(Object.entries(labels).toSorted()),
  );
  return [...series.values()].map((members) => {
    const buckets = members
      .flatMap(({ labels: { le }, value, part }) =>
        part === 'bucket' && le !== undefined ? [{ le: Number(le === '+Inf' ? Infinity : le), value }] : [],
      )
      .toSorted((one, other) => one.le - other.le);
    const { le: _bound, ...attributes } = members[0]?.labels ?? {};
    const find = (part: string) => members.find((member) => member.part === part)?.value ?? 0;
    return {
      ...times,
      attributes,
      value: {
        buckets: {
          boundaries: buckets.flatMap(({ le }) => (Number.isFinite(le) ? [le] : [])),
          counts: buckets.map(({ value }, place) => value - (buckets[place - 1]?.value ?? 0)),
        },
        sum: find('sum'),
        count: find('count'),
      },
    };
  });
}

function toUnit(name: string): string {
  if (/_seconds(?:_total)?$/.test(name)) return 's';
  return /_bytes(?:_total)?$/.test(name) ? 'By' : '';
}

function toTime(ms: number): Time {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1e6)];
}
