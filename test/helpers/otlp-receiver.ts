import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { listen } from '../fixtures/mcp/harness.ts';

/**
 * OpenTelemetry's definitions of the protocol, compiled by protobufjs, as an older package of theirs has them: what sends
 * today has an encoder of its own.
 */
const DEFINITIONS = '@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js';

interface Decoder {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): unknown;
}
/** A class. */
const decoderSchema = z.custom<Decoder>(
  (it) => typeof it === 'function' && 'decode' in it && 'toObject' in it,
);
const servicesSchema = z.object({
  trace: z.object({ v1: z.object({ ExportTraceServiceRequest: decoderSchema }) }),
  metrics: z.object({ v1: z.object({ ExportMetricsServiceRequest: decoderSchema }) }),
});
const rootSchema = z.object({
  opentelemetry: z.object({ proto: z.object({ collector: servicesSchema }) }),
});

const valueSchema = z
  .object({
    stringValue: z.string().optional(),
    boolValue: z.boolean().optional(),
    intValue: z.coerce.number().optional(),
    doubleValue: z.number().optional(),
  })
  .transform(
    ({ stringValue, boolValue, intValue, doubleValue }) =>
      stringValue ?? boolValue ?? intValue ?? doubleValue,
  );
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));

const nanosSchema = z
  .union([z.string(), z.number()])
  .transform((nanos) => Number(BigInt(nanos) / 1_000_000n));
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  name: z.string(),
  startTimeUnixNano: nanosSchema,
  endTimeUnixNano: nanosSchema,
  attributes: attributesSchema,
  status: z.object({ code: z.union([z.string(), z.number()]).optional() }).optional(),
});
export type ReceivedSpan = z.infer<typeof spanSchema> & { readonly resource: Record<string, unknown> };

const tracesSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

const pointSchema = z.looseObject({
  attributes: attributesSchema,
  asDouble: z.number().optional(),
  count: z.coerce.number().optional(),
  sum: z.number().optional(),
  bucketCounts: z.array(z.coerce.number()).optional(),
  explicitBounds: z.array(z.number()).optional(),
});
const dataSchema = z.object({ dataPoints: z.array(pointSchema) }).optional();
const metricsSchema = z.object({
  resourceMetrics: z.array(
    z.object({
      scopeMetrics: z
        .array(
          z.object({
            metrics: z.array(
              z.object({ name: z.string(), gauge: dataSchema, sum: dataSchema, histogram: dataSchema }),
            ),
          }),
        )
        .default([]),
    }),
  ),
});

/** What a receiver of OTLP over HTTP got, in protobuf or JSON, until the test ends. `text`: all of it, as it came. */
export async function startOtlpReceiver() {
  const { trace, metrics } = rootSchema.parse(createRequire(import.meta.url)(DEFINITIONS)).opentelemetry.proto
    .collector;
  const spans: ReceivedSpan[] = [];
  const told = new Map<string, { kind: string; points: z.infer<typeof pointSchema>[] }>();
  const requests: { path: string; type: string; headers: Record<string, unknown> }[] = [];
  let text = '';

  const readTraces = (body: unknown) => {
    for (const { resource, scopeSpans } of tracesSchema.parse(body).resourceSpans) {
      for (const span of scopeSpans.flatMap((scope) => scope.spans))
        spans.push({ ...span, resource: resource.attributes });
    }
  };
  const readMetrics = (body: unknown) => {
    const list = metricsSchema.parse(body).resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
    for (const { name, gauge, sum, histogram } of list.flatMap((scope) => scope.metrics)) {
      const kind = gauge ? 'gauge' : sum ? 'sum' : 'histogram';
      told.set(name, { kind, points: (gauge ?? sum ?? histogram)?.dataPoints ?? [] });
    }
  };

  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const type = request.headers['content-type'] ?? '';
    const path = request.url ?? '';
    requests.push({ path, type, headers: request.headers });
    text += body.toString('utf8');
    const isTraces = path === '/v1/traces';
    const decoder = isTraces ? trace.v1.ExportTraceServiceRequest : metrics.v1.ExportMetricsServiceRequest;
    const read = type.includes('json')
      ? JSON.parse(body.toString())
      : // Ids as JSON has them: hex, which protobuf's own JSON would have in base64.
        hexIds(decoder.toObject(decoder.decode(body), { longs: String, enums: String, defaults: false }));
    if (isTraces) readTraces(read);
    else readMetrics(read);
    response.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    spans: (): readonly ReceivedSpan[] => spans,
    named: (name: string): readonly ReceivedSpan[] => spans.filter((span) => span.name === name),
    metric: (name: string) => told.get(name) ?? null,
    requests: () => requests,
    text: () => text,
  };
}

/** Bytes anywhere in it as hexadecimal digits. */
function hexIds(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(hexIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hexIds(member)]));
}
