import { describe, expect, it } from 'vitest';
import { readEnv } from '../../../src/config/env.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/base/' };
const read = (variables: Readonly<Record<string, string>>) => readEnv(variables).telemetry;

describe('what is told to OpenTelemetry', () => {
  it('is nothing unless an endpoint or an exporter is set', () => {
    expect(read({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toBeNull();
    expect(read({ ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' })).toBeNull();
    expect(read({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' })).toBeNull();
  });

  it('goes to the paths of the protocol below the endpoint', () => {
    const settings = read(ENDPOINT);
    expect(settings?.traces?.url).toBe('http://collector:4318/base/v1/traces');
    expect(settings?.metrics?.url).toBe('http://collector:4318/base/v1/metrics');
    expect(settings).toMatchObject({
      hasContent: false,
      sampler: { name: 'parentbased_always_on', ratio: 1 },
    });
  });

  it('goes to a signal’s own endpoint as it is, with its own headers and protocol', () => {
    const settings = read({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.test/in',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b, x-key = all',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-key=own',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    });
    expect(settings?.metrics).toBeNull();
    expect(settings?.traces).toMatchObject({
      url: 'https://traces.test/in',
      headers: { 'x-team': 'a b', 'x-key': 'own' },
      protocol: 'http/json',
    });
  });

  it('goes to this machine if an exporter is set alone', () => {
    const settings = read({ OTEL_METRICS_EXPORTER: 'otlp' });
    expect(settings?.metrics?.url).toBe('http://localhost:4318/v1/metrics');
    expect(settings?.traces).toBeNull();
  });

  it('is of the service that is named, before the attributes', () => {
    const attributes = { OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=test' };
    expect(read({ ...ENDPOINT, ...attributes })?.attributes['service.name']).toBe('other');
    expect(read({ ...ENDPOINT, ...attributes, OTEL_SERVICE_NAME: 'bot' })?.attributes).toEqual({
      'service.name': 'bot',
      'deployment.environment.name': 'test',
    });
    expect(read(ENDPOINT)?.attributes).toEqual({ 'service.name': 'countersign' });
  });

  it('has headers whose values are secrets', () => {
    const value = 'aVeryLongKeyOfTheReceiver1234';
    const { secrets } = readEnv({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${value}`,
    });
    expect(secrets).toContainEqual({ name: 'OTEL_EXPORTER_OTLP_HEADERS', value });
  });
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a-key-without-a-name'],
  ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ['OTEL_METRICS_EXPORTER', 'prometheus'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ['OTEL_SDK_DISABLED', 'maybe'],
  ['OTEL_METRIC_EXPORT_INTERVAL', '1s'],
  ['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', 'some'],
])('%s stops the start where it is %j, and is named, without its value', (name, value) => {
  const start = () => readEnv({ [name]: value });
  expect(start).toThrow(name);
  expect(start).not.toThrow(value);
});
