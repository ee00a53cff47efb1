import { z } from 'zod';
import { isTooPlain, type Secret } from '../lib/secret-mask.ts';

export const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const protocol = z.enum(['http/protobuf', 'http/json'], 'must be http/protobuf or http/json');
const exporters = z.enum(['otlp', 'none'], 'must be otlp or none');
export const flag = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['true', 'false'], 'must be true or false'))
  .transform((text) => text === 'true');
const milliseconds = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, 'must be milliseconds, at least 1')
  .transform(Number);

export const share = z
  .string()
  .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a share from 0 to 1')
  .transform(Number);

/** `key=value` with commas between, percent-encoded, as W3C's baggage has it. */
const pairs = z.string().transform((list, context): Readonly<Record<string, string>> => {
  const read: Record<string, string> = {};
  for (const pair of list.split(',').filter((text) => text.trim() !== '')) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (key === undefined || value === undefined) {
      context.addIssue({ code: 'custom', message: 'must be key=value, with commas between several' });
      return z.NEVER;
    }
    read[key] = decoded(value);
  }
  return read;
});

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const samplers = z.enum(SAMPLERS, `must be ${SAMPLERS.join(', ')}`);

/**
 * OpenTelemetry's own variables, as far as we read them ourselves
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). The exporters read others, such
 * as those of timeouts, compression and certificates.
 */
export const TELEMETRY_VARIABLES = {
  OTEL_SDK_DISABLED: flag.default(false),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: pairs.default({}),
  OTEL_TRACES_EXPORTER: exporters.optional(),
  OTEL_METRICS_EXPORTER: exporters.optional(),
  OTEL_TRACES_SAMPLER: samplers.default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.optional(),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.default(5_000),
  OTEL_METRIC_EXPORT_INTERVAL: milliseconds.default(60_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.default({}),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: pairs.default({}),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: pairs.default({}),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.default('http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: protocol.optional(),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: flag.default(false),
};

/** Where traces or metrics are sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'http/protobuf' | 'http/json';
  /** How often, in milliseconds. */
  readonly everyMs: number;
}

/** What is told to OpenTelemetry, and where. */
export interface TelemetrySettings {
  /** Null: no traces. */
  readonly traces: OtlpTarget | null;
  /** Null: no metrics, but at `/metrics`. */
  readonly metrics: OtlpTarget | null;
  readonly sampler: { readonly name: (typeof SAMPLERS)[number]; readonly ratio: number };
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether traces have messages, arguments, results and names of people. */
  readonly hasContent: boolean;
}

/** Where the protocol's receivers listen, unless something else is said. */
const DEFAULT_ENDPOINT = 'http://localhost:4318';

type Variables = z.infer<z.ZodObject<typeof TELEMETRY_VARIABLES>>;

/** The settings, null where nothing is told; and the secrets in them. */
export function readTelemetry(env: Variables) {
  const telemetry = toSettings(env);
  return { telemetry, headerSecrets: listHeaderSecrets(telemetry) };
}

/** Null unless an exporter or an endpoint is set: without either, OpenTelemetry would send to this machine. */
function toSettings(env: Variables): TelemetrySettings | null {
  if (env.OTEL_SDK_DISABLED) return null;
  const traces = target(env, 'TRACES');
  const metrics = target(env, 'METRICS');
  if (traces === null && metrics === null) return null;
  return {
    traces,
    metrics,
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG ?? 1 },
    attributes: {
      'service.name': env.OTEL_SERVICE_NAME ?? 'countersign',
      ...env.OTEL_RESOURCE_ATTRIBUTES,
      ...(env.OTEL_SERVICE_NAME !== undefined && { 'service.name': env.OTEL_SERVICE_NAME }),
    },
    hasContent: env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
  };
}

function target(env: Variables, signal: 'TRACES' | 'METRICS'): OtlpTarget | null {
  const exporter = env[`OTEL_${signal}_EXPORTER`];
  const own = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const isWanted = exporter === 'otlp' || own !== undefined || endpoint !== undefined;
  if (exporter === 'none' || !isWanted) return null;
  const path = signal === 'TRACES' ? 'v1/traces' : 'v1/metrics';
  return {
    url: own ?? `${(endpoint ?? DEFAULT_ENDPOINT).replace(/\/+$/, '')}/${path}`,
    headers: { ...env.OTEL_EXPORTER_OTLP_HEADERS, ...env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`] },
    protocol: env[`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`] ?? env.OTEL_EXPORTER_OTLP_PROTOCOL,
    everyMs: signal === 'TRACES' ? env.OTEL_BSP_SCHEDULE_DELAY : env.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

/** The values of the headers, which are keys as a rule, without the word that says of what kind. */
function listHeaderSecrets(settings: TelemetrySettings | null): readonly Secret[] {
  const headers = [settings?.traces, settings?.metrics].flatMap((to) => Object.values(to?.headers ?? {}));
  const values = new Set(headers.map((value) => value.replace(/^\S+\s+/, '')));
  return [...values]
    .filter((value) => !isTooPlain(value))
    .map((value) => ({ name: 'OTEL_EXPORTER_OTLP_HEADERS', value }));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
