/** What a span says of its work; null is left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | null>>;

/** A part of some work: its name, of which there are few, and what is known of it. */
export interface SpanPart {
  readonly name: string;
  /**
   * Whether another program does it.
   * @default false
   */
  readonly isRemote?: boolean;
  readonly attributes?: SpanAttributes;
  /** Messages, arguments, results and names of people: asked for only where the operator wants them in traces. */
  readonly content?: () => SpanAttributes;
}

/** When a part began and ended, in milliseconds since the epoch. `error`: by what it failed, a word and no message. */
export interface SpanTimes {
  readonly from: number;
  readonly to: number;
  readonly error?: string | null;
}

/** Some work in a trace. What it's divided into is seen as its parts. */
export interface Span {
  /** Does a part of it. What that throws is noted by its kind, and thrown on. */
  during<T>(part: SpanPart, work: (span: Span) => Promise<T>): Promise<T>;
  /** Records a part that is over. */
  record(part: SpanPart, times: SpanTimes): void;
  /** A part whose own parts are done before it is recorded, by whichever processes. Its place follows from its id. */
  later(id: string): LaterPart;
  /** Adds to what it says of its work, until that ends. */
  note(part: Pick<SpanPart, 'attributes' | 'content'> & { readonly error?: string }): void;
  /** W3C's `traceparent`, for another program that does a part of it; null where nothing is traced. */
  readonly traceparent: string | null;
}

/** A part of some work that is recorded once it's over. */
interface LaterPart {
  /** The part as what is below it sees it. */
  readonly span: Span;
  record(part: SpanPart, times: SpanTimes): void;
}

/** Work that has a trace of its own, whichever processes do it and whenever: a message's, or a call of a program. */
export interface TracedWork {
  /** Its id; work of the same id is the same work. */
  readonly id: string;
  /** The `traceparent` of whoever asked for it; null: its trace begins here. */
  readonly traceparent: string | null;
}

/** Where work is told of while it's done. Nothing here fails, or waits for anybody. */
export interface Tracing {
  /** The work as parts of it see it. Its own span is only recorded when it {@link end}s. */
  of(work: TracedWork): Span;
  /** Records the work as a whole, by the process that ends it. */
  end(work: TracedWork, part: SpanPart, times: SpanTimes): void;
}

const UNTRACED_SPAN: Span = {
  during: (_part, work) => work(UNTRACED_SPAN),
  record: () => undefined,
  later: () => UNTRACED_PART,
  note: () => undefined,
  traceparent: null,
};

const UNTRACED_PART: LaterPart = { span: UNTRACED_SPAN, record: () => undefined };

/** Traces nothing, at no cost. */
export const UNTRACED: Tracing = { of: () => UNTRACED_SPAN, end: () => undefined };

/** A message as OpenTelemetry's conventions for generative AI have it in a span. */
export function messageContent(role: 'user' | 'assistant' | 'system' | 'tool', content: string): string {
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})/;

/** A `traceparent` taken apart (https://www.w3.org/TR/trace-context/#traceparent-header). */
interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Null for a header that isn't there or is none: whoever asks is served all the same, as the standard says. */
export function parseTraceparent(header: string | null | undefined): TraceParent | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function writeTraceparent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}
