import type { Gate } from '../../gate/index.ts';
import { type CallRecord, callKey, type RequestRecord } from '../../gate/types.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  messageContent,
  type Span,
  type SpanAttributes,
  type TracedWork,
  type Tracing,
  UNTRACED,
} from '../../lib/telemetry/tracing.ts';
import type { MailboxItem, ThreadRecord } from '../collections.ts';

/** The names of a graph's parts, by what it goes on with. */
export const GRAPH_PART = {
  message: 'run graph',
  resume: 'resume graph',
  continue: 'continue graph',
} as const;

const OVER: readonly MailboxItem['state'][] = ['answered', 'failed', 'cancelled'];

/** The work that a message is: its run's id is random, so that nobody can guess the trace's from it. */
export function tracedMessage({ itemId, runId, traceparent }: MailboxItem): TracedWork {
  return { id: runId ?? itemId, traceparent: traceparent ?? null };
}

interface RunTracePorts {
  readonly tracing: Tracing;
  readonly gate: { readonly calls: Pick<Gate['calls'], 'inThread'> };
  readonly clock: Clock;
}

/** What a thread's worker tells of its runs: each message is the work of one trace, from when it came to its answer. */
export class RunTrace {
  readonly #ports: RunTracePorts;
  readonly #tracing: Tracing;
  readonly #clock: Clock;
  readonly #thread: ThreadRecord;

  constructor(ports: RunTracePorts, thread: ThreadRecord) {
    this.#ports = ports;
    this.#tracing = ports.tracing;
    this.#clock = ports.clock;
    this.#thread = thread;
  }

  of(item: MailboxItem): Span {
    return this.#tracing.of(tracedMessage(item));
  }

  /** A call that a message has led to: a step of a plan is seen below the plan. */
  ofSent(call: CallRecord, item: MailboxItem): Span {
    if (call.after === undefined || call.requestId === null) return this.of(item);
    return this.#planOf(call.requestId, item).span.later(stepId(call)).span;
  }

  #planOf(requestId: string, item: MailboxItem): ReturnType<Span['later']> {
    return this.of(item).later(`plan:${requestId}`);
  }

  /** A call that no message asked for, but a program. */
  ofCall(call: CallRecord): Span {
    return this.#tracing.of(tracedCall(call));
  }

  /** A message has begun that waited for a worker until now. */
  began(item: MailboxItem): void {
    this.of(item).record({ name: 'wait for worker' }, { from: item.receivedAt, to: this.#clock() });
  }

  /** Calls were asked for, which takes as long as people take: recorded when it's over, as is a plan that they are. */
  async decided(request: RequestRecord, item: MailboxItem): Promise<void> {
    const calls = await this.#read(request.callIds);
    for (const call of calls) this.#recordWait(call, this.ofSent(call, item));
    const { plan, requestId, createdAt } = request;
    if (plan === undefined || calls.length === 0) return;
    const whole = this.#planOf(requestId, item);
    for (const [index, call] of calls.entries()) {
      whole.span.later(stepId(call)).record(
        {
          name: 'step',
          attributes: { ...describeCall(call), 'countersign.step': index + 1 },
          content: () => ({ 'countersign.said': call.said ?? null }),
        },
        { from: call.proposedAt, to: call.endedAt ?? this.#clock(), error: findError(call) },
      );
    }
    const succeeded = calls.filter(({ state }) => state === 'succeeded').length;
    const attributes = {
      'countersign.request.id': requestId,
      'countersign.steps': calls.length,
      'countersign.steps.succeeded': succeeded,
    };
    const error = calls.map(findError).find((kind) => kind !== null) ?? null;
    const content = () => ({ 'countersign.plan.title': plan.title });
    whole.record({ name: 'plan', attributes, content }, { from: createdAt, to: this.#clock(), error });
  }

  /** The same promise; once it's settled, the whole of a program's call is recorded, if it has ended. */
  whole(call: CallRecord, sent: Promise<void>): Promise<void> {
    return sent.finally(async () => {
      for (const ended of await this.#read([call.callId])) {
        if (ended.endedAt === null) continue;
        this.#recordWait(ended, this.ofCall(ended));
        const name = 'call';
        const times = { from: ended.proposedAt, to: ended.endedAt, error: findError(ended) };
        this.#tracing.end(tracedCall(ended), { name, attributes: describeCall(ended) }, times);
      }
    });
  }

  /** None where nothing is traced, or they can't be read now. */
  async #read(callIds: readonly string[]): Promise<readonly CallRecord[]> {
    if (this.#tracing === UNTRACED) return [];
    const found = await this.#ports.gate.calls.inThread(this.#thread.threadId, callIds).catch(() => []);
    return found.flatMap((call) => call ?? []);
  }

  /** Of a call that people were asked about. */
  #recordWait(call: CallRecord, span: Span): void {
    if (call.timing === undefined) return;
    const part = {
      name: 'wait for decision',
      attributes: { ...describeCall(call), 'countersign.decision': call.decision?.type ?? call.state },
      content: () => ({ 'countersign.decided_by': call.decision?.actor.name ?? null }),
    };
    span.record(part, { from: call.proposedAt, to: call.decision?.at ?? call.endedAt ?? this.#clock() });
  }

  /** Records the whole of a message that has been answered, or whose run failed or was stopped. */
  changed(item: MailboxItem): void {
    if (item.runId === null || !OVER.includes(item.state)) return;
    const { graph, threadId } = this.#thread;
    this.#tracing.end(
      tracedMessage(item),
      {
        name: `invoke_agent ${graph}`,
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': graph,
          'gen_ai.conversation.id': threadId,
          'countersign.run.id': item.runId,
          'countersign.state': item.state,
        },
        content: () => ({
          'gen_ai.input.messages': messageContent('user', item.text),
          'gen_ai.output.messages': messageContent('assistant', item.response ?? ''),
          'countersign.requester': item.actor.name,
        }),
      },
      { from: item.receivedAt, to: this.#clock(), error: item.state === 'failed' ? 'run_failed' : null },
    );
  }
}

function stepId({ threadId, callId }: CallRecord): string {
  return `step:${callKey(threadId, callId)}`;
}

/** By what a call went wrong, if it did. */
function findError({ state }: CallRecord): string | null {
  return state === 'failed' || state === 'in_doubt' ? state : null;
}

function tracedCall({ threadId, callId, program }: CallRecord): TracedWork {
  return { id: callKey(threadId, callId), traceparent: program?.traceparent ?? null };
}

function describeCall({ tool, callId, requestId, state, verdict }: CallRecord): SpanAttributes {
  return {
    'gen_ai.tool.name': tool.name,
    'gen_ai.tool.call.id': callId,
    'countersign.server': tool.server,
    'countersign.rule': verdict.rule,
    'countersign.request.id': requestId,
    'countersign.state': state,
  };
}
