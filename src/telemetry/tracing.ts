import { createHash } from 'node:crypto';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import {
  type IdGenerator,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
} from '@opentelemetry/sdk-trace';
import { AppError } from '../lib/errors.ts';
import type { Mask } from '../lib/secret-mask.ts';
import {
  parseTraceparent,
  type Span,
  type SpanAttributes,
  type SpanPart,
  type SpanTimes,
  type TracedWork,
  type Tracing,
  writeTraceparent,
} from '../lib/telemetry/tracing.ts';

interface TracingPorts {
  readonly tracer: Tracer;
  readonly ids: WorkIds;
  readonly sampler: Sampler;
  /** Takes secrets out of content. */
  readonly mask: Mask;
  readonly hasContent: boolean;
}

/** Longest piece of content in a trace, in characters. */
const LONGEST_CONTENT = 16_000;

/** Random ids, but those of work that has its own. */
export class WorkIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #next: Pick<SpanContext, 'traceId' | 'spanId'> | null = null;

  generateTraceId = (): string => this.#next?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#next?.spanId ?? this.#random.generateSpanId();

  /** Gives the span that is begun meanwhile these ids. */
  during<T>(ids: Pick<SpanContext, 'traceId' | 'spanId'>, begin: () => T): T {
    this.#next = ids;
    try {
      return begin();
    } finally {
      this.#next = null;
    }
  }
}

/**
 * Traces with ids that follow from those of the work, so that nothing has to be stored, or kept open for hours, to find the
 * trace again: whoever does a part of the work computes the same. See docs/decisions/0087.
 */
export function createTracing(ports: TracingPorts): Tracing {
  const { ids, sampler } = ports;

  function place({ id, traceparent }: TracedWork) {
    const hash = hashId(id);
    const asker = parseTraceparent(traceparent);
    const traceId = asker?.traceId ?? hash.slice(0, 32);
    const parent = asker
      ? trace.setSpanContext(ROOT_CONTEXT, {
          traceId,
          spanId: asker.spanId,
          traceFlags: asker.flags & TraceFlags.SAMPLED,
          isRemote: true,
        })
      : ROOT_CONTEXT;
    return { parent, context: { traceId, spanId: hash.slice(32, 48) } };
  }

  return {
    of(work) {
      const { parent, context } = place(work);
      // As the sampler decides on the work as a whole, so that its parts are all recorded, or none.
      const { decision } = sampler.shouldSample(parent, context.traceId, WORK, SpanKind.INTERNAL, {}, []);
      const traceFlags =
        decision === SamplingDecision.RECORD_AND_SAMPLED ? TraceFlags.SAMPLED : TraceFlags.NONE;
      const whole = { ...context, traceFlags, isRemote: true };
      return createSpan(ports, trace.setSpanContext(ROOT_CONTEXT, whole), whole, () => undefined);
    },
    end(work, part, times) {
      const { parent, context } = place(work);
      ids.during(context, () => recordSpan(ports, parent, part, times));
    },
  };
}

/** The digits that the ids of a span are of, by the id of its work. */
function hashId(id: string): string {
  return createHash('sha256').update(`countersign:${id}`).digest('hex');
}

/** What samplers are told instead of a name. */
const WORK = 'work';

function createSpan(
  ports: TracingPorts,
  context: Context,
  own: SpanContext,
  note: (part: Parameters<Span['note']>[0]) => void,
): Span {
  return {
    async during(part, work) {
      const begun = ports.tracer.startSpan(part.name, startOptions(ports, part), context);
      const inner = trace.setSpan(context, begun);
      const span = createSpan(ports, inner, begun.spanContext(), (more) => {
        begun.setAttributes(readAttributes(ports, more));
        if (more.error !== undefined) fail(begun, more.error);
      });
      try {
        return await work(span);
      } catch (error) {
        fail(begun, errorKind(error));
        throw error;
      } finally {
        begun.end();
      }
    },
    record: (part, times) => recordSpan(ports, context, part, times),
    later(id) {
      const ids = { traceId: own.traceId, spanId: hashId(id).slice(32, 48) };
      const place = { ...own, ...ids, isRemote: true };
      return {
        span: createSpan(ports, trace.setSpanContext(ROOT_CONTEXT, place), place, () => undefined),
        record: (part, times) => ports.ids.during(ids, () => recordSpan(ports, context, part, times)),
      };
    },
    note,
    traceparent: writeTraceparent({ ...own, flags: own.traceFlags }),
  };
}

function recordSpan(
  ports: TracingPorts,
  parent: Context,
  part: SpanPart,
  { from, to, error }: SpanTimes,
): void {
  // As dates: OpenTelemetry takes numbers from before the process began for offsets to that.
  const startTime = new Date(from);
  const span = ports.tracer.startSpan(part.name, { ...startOptions(ports, part), startTime }, parent);
  if (typeof error === 'string') fail(span, error);
  span.end(new Date(Math.max(from, to)));
}

function startOptions(ports: TracingPorts, part: SpanPart) {
  const kind = part.isRemote === true ? SpanKind.CLIENT : SpanKind.INTERNAL;
  return { kind, attributes: readAttributes(ports, part) };
}

function readAttributes(
  { hasContent, mask }: TracingPorts,
  { attributes = {}, content }: Pick<SpanPart, 'attributes' | 'content'>,
): Attributes {
  // Names of tools too may be anybody's words.
  const all = { ...attributes, ...((hasContent && content?.()) || {}) };
  const masked = Object.entries(all).map(([name, value]) => [
    name,
    typeof value === 'string' ? mask(value).slice(0, LONGEST_CONTENT) : value,
  ]);
  return withoutNulls(Object.fromEntries(masked));
}

function withoutNulls(attributes: SpanAttributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

type Begun = ReturnType<Tracer['startSpan']>;

/** No message: what went wrong may be told in somebody's words. */
function fail(span: Begun, kind: string): void {
  span.setAttribute('error.type', kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function errorKind(error: unknown): string {
  if (error instanceof AppError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
