import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import {
  type CallRecord,
  finalState,
  type GateEvent,
  type GateListener,
  toApprovalSample,
} from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MetricFamily } from '../../lib/telemetry/metric-family.ts';
import type { LimitUse, TokensSpent } from '../../runs/index.ts';
import type { Queues } from '../ports.ts';
import { METRICS } from '../texts.ts';

/** What is true of this process at the moment. */
export interface Vitals {
  /** Calls that were sent and are not back. */
  readonly callsInFlight: number;
  /** Calls of programs that an answer of this process waits for. */
  readonly callsWaitedFor: number;
  /** Threads that this process works on. */
  readonly threads: number;
  /** The servers with their states. */
  readonly servers: readonly { readonly name: string; readonly state: string }[];
  readonly isSlackConnected: boolean;
  /** Null while the store can't be read. */
  readonly queues: Queues | null;
  /** What everybody has used of their limits today; null while the store can't be read. */
  readonly limits: readonly LimitUse[] | null;
}

/** Bounds of how long people take, in seconds: from unread to a day. */
const DECISION_BOUNDS = [3, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400];
/** Costs are counted in millionths of a dollar. */
const MICROS = 1_000_000;
/** Bounds of how long a call takes, in seconds. */
const CALL_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/**
 * What this process has done, for Prometheus. It's counted from the first time that somebody asks, and costs nothing
 * where nobody does: the client library is loaded then, and whoever reads a counter goes by how it rises. Each process
 * counts what it has committed itself, so that sums over all processes count each thing once.
 */
export class Metrics {
  #counted: Promise<Counted> | null = null;
  #now: Counted | null = null;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Hears of what this process commits. */
  readonly listener: GateListener = { notify: (event) => this.#now?.count(event) };

  /** Counts tokens of a model, and what they cost. */
  readonly countTokens = (spent: TokensSpent): void => this.#now?.countTokens(spent);

  /** The metrics in Prometheus' text format, with its media type. */
  async read(vitals: Vitals): Promise<{ readonly type: string; readonly text: string }> {
    const registry = await this.#update(vitals);
    return { type: registry.contentType, text: await registry.metrics() };
  }

  /** The same metrics, taken apart. */
  async list(vitals: Vitals): Promise<readonly MetricFamily[]> {
    const listed = await (await this.#update(vitals)).getMetricsAsJSON();
    return toFamilies(listedSchema.parse(listed));
  }

  async #update(vitals: Vitals): Promise<Registry> {
    this.#counted ??= Counted.create(this.#clock);
    this.#now = await this.#counted;
    return this.#now.update(vitals);
  }
}

class Counted {
  readonly #clock: Clock;
  readonly #registry: Registry;
  readonly #requests: Counter;
  readonly #decisions: Counter<'decision'>;
  readonly #waits: Histogram<'rule'>;
  readonly #ended: Counter<'server' | 'state'>;
  readonly #took: Histogram<'server'>;
  readonly #tokens: Counter<'model' | 'kind'>;
  readonly #cost: Counter<'model'>;
  readonly #inFlight: Gauge;
  readonly #waitedFor: Gauge;
  readonly #threads: Gauge;
  readonly #servers: Gauge<'server' | 'state'>;
  readonly #slack: Gauge;
  readonly #queued: Gauge<'queue'>;
  readonly #queuedFor: Gauge<'queue'>;
  readonly #limits: Readonly<Record<'used' | 'allowed' | 'usedUp', Gauge<'kind' | 'measure'>>>;

  static async create(clock: Clock): Promise<Counted> {
    // As the default, which is what both Node and the bundle give of a CommonJS package.
    const { default: client } = await import('prom-client');
    const registry = new client.Registry();
    client.collectDefaultMetrics({ register: registry });
    return new Counted(client, registry, clock);
  }

  private constructor(
    { Counter, Gauge, Histogram }: typeof import('prom-client'),
    registry: Registry,
    clock: Clock,
  ) {
    const registers = [registry];
    this.#clock = clock;
    this.#registry = registry;
    this.#requests = new Counter({
      name: 'countersign_requests_opened_total',
      help: METRICS.requests,
      registers,
    });
    this.#decisions = new Counter({
      name: 'countersign_decisions_total',
      help: METRICS.decisions,
      labelNames: ['decision'],
      registers,
    });
    this.#waits = new Histogram({
      name: 'countersign_decision_wait_seconds',
      help: METRICS.waits,
      labelNames: ['rule'],
      buckets: DECISION_BOUNDS,
      registers,
    });
    this.#ended = new Counter({
      name: 'countersign_calls_ended_total',
      help: METRICS.ended,
      labelNames: ['server', 'state'],
      registers,
    });
    this.#took = new Histogram({
      name: 'countersign_call_duration_seconds',
      help: METRICS.took,
      labelNames: ['server'],
      buckets: CALL_BOUNDS,
      registers,
    });
    this.#tokens = new Counter({
      name: 'countersign_model_tokens_total',
      help: METRICS.tokens,
      labelNames: ['model', 'kind'],
      registers,
    });
    this.#cost = new Counter({
      name: 'countersign_model_cost_dollars_total',
      help: METRICS.cost,
      labelNames: ['model'],
      registers,
    });
    const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge<L>({ name, help, labelNames, registers });
    this.#inFlight = gauge('countersign_calls_in_flight', METRICS.inFlight);
    this.#waitedFor = gauge('countersign_program_calls_waiting', METRICS.waitedFor);
    this.#threads = gauge('countersign_threads', METRICS.threads);
    this.#servers = gauge('countersign_server_state', METRICS.servers, ['server', 'state']);
    this.#slack = gauge('countersign_slack_connected', METRICS.slack);
    this.#queued = gauge('countersign_queue_size', METRICS.queued, ['queue']);
    this.#queuedFor = gauge('countersign_queue_oldest_seconds', METRICS.queuedFor, ['queue']);
    const byLimit = ['kind', 'measure'] as const;
    this.#limits = {
      used: gauge('countersign_limit_used', METRICS.limitUsed, byLimit),
      allowed: gauge('countersign_limit_allowed', METRICS.limitAllowed, byLimit),
      usedUp: gauge('countersign_limits_used_up', METRICS.limitsUsedUp, byLimit),
    };
  }

  count(event: GateEvent): void {
    if (event.type === 'opened') this.#requests.inc();
    if (event.type === 'ended') this.#countEnd(event.call);
    const isDecision = event.type === 'decided' ? !event.isReasonOnly : event.type === 'asked';
    if (isDecision && 'calls' in event) for (const call of event.calls) this.#countDecision(call);
  }

  #countDecision(call: CallRecord): void {
    const { decision, state, verdict, doubt } = call;
    // A vote of several that are needed decides nothing yet.
    if (state === 'pending') return;
    const sample = toApprovalSample(call);
    // Whoever says what became of a call in doubt has decided on it before, and what was withdrawn nobody decided on.
    if (sample && doubt === undefined) {
      this.#decisions.inc({ decision: sample.isExpired ? 'expired' : (decision?.type ?? state) });
      if (sample.waitMs !== null) this.#waits.observe({ rule: verdict.rule }, sample.waitMs / 1_000);
    }
    if (finalState(call) !== null) this.#countEnd(call);
  }

  #countEnd({ tool: { server }, state, intentAt, endedAt, doubt }: CallRecord): void {
    this.#ended.inc({ server, state });
    // What was in doubt ended when somebody said so.
    if (intentAt !== null && endedAt !== null && doubt === undefined)
      this.#took.observe({ server }, (endedAt - intentAt) / 1_000);
  }

  countTokens({ model, tokens, cost }: TokensSpent): void {
    for (const kind of ['input', 'cached', 'output'] as const)
      this.#tokens.inc({ model, kind }, tokens[kind]);
    if (cost > 0) this.#cost.inc({ model }, cost / MICROS);
  }

  /** The registry, with what is true now. */
  update({
    callsInFlight,
    callsWaitedFor,
    threads,
    servers,
    isSlackConnected,
    queues,
    limits,
  }: Vitals): Registry {
    this.#inFlight.set(callsInFlight);
    this.#waitedFor.set(callsWaitedFor);
    this.#threads.set(threads);
    this.#servers.reset();
    for (const { name, state } of servers) this.#servers.set({ server: name, state }, 1);
    this.#slack.set(isSlackConnected ? 1 : 0);
    this.#queued.reset();
    this.#queuedFor.reset();
    for (const [queue, { count, oldestAt }] of Object.entries(queues ?? {})) {
      this.#queued.set({ queue }, count);
      this.#queuedFor.set({ queue }, oldestAt === null ? 0 : Math.max(0, this.#clock() - oldestAt) / 1_000);
    }
    this.#showLimits(limits ?? []);
    return this.#registry;
  }

  /** Sums over everybody, so that no one person, key or channel is named. */
  #showLimits(uses: readonly LimitUse[]): void {
    for (const gauge of Object.values(this.#limits)) gauge.reset();
    for (const { kind, measure, used, limit } of uses) {
      const unit = measure === 'cost' ? MICROS : 1;
      this.#limits.used.inc({ kind, measure }, used / unit);
      this.#limits.allowed.inc({ kind, measure }, limit / unit);
      this.#limits.usedUp.inc({ kind, measure }, used >= limit ? 1 : 0);
    }
  }
}

const KINDS = ['counter', 'gauge', 'histogram'] as const;
const PARTS = ['bucket', 'sum', 'count'] as const;

/** What prom-client lists: its types don't have all of it. */
const listedSchema = z.array(
  z.object({
    name: z.string(),
    help: z.string(),
    type: z.enum(KINDS),
    values: z.array(
      z.object({
        metricName: z.string().optional(),
        labels: z.record(z.string(), z.union([z.string(), z.number()])),
        value: z.number(),
      }),
    ),
  }),
);

function toFamilies(listed: z.infer<typeof listedSchema>): readonly MetricFamily[] {
  return listed.map(({ values, ...family }) => ({
    ...family,
    samples: values.map(({ metricName, labels, value }) => ({
      part: PARTS.find((part) => metricName === `${family.name}_${part}`) ?? null,
      labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
      value,
    })),
  }));
}
