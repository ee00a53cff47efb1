import type { Gate, IssueReceipts } from '../gate/index.ts';
import {
  approverInstructions,
  type CallRecord,
  FUNCTION_OF_PROGRAM,
  type Outcome,
  recordKey,
  type ToolSnapshot,
} from '../gate/types.ts';
import { canonicalJson, sha256Hex } from '../lib/canonical-json.ts';
import type { Clock, Ids } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type Tracing, UNTRACED } from '../lib/telemetry/tracing.ts';
import type { Runs } from '../runs/index.ts';
import type { Store } from '../storage/store.ts';
import { type ProgramLimits, proposeCounted } from './budget.ts';
import { type CallWaits, tooManyWait } from './call-waits.ts';
import { FunctionTrace } from './function-trace.ts';
import { NO_GRAPH } from './no-agent.ts';
import { whyNotRun } from './not-run.ts';
import type { Caller, CallPlace, FindPlace } from './ports.ts';
import { openSession } from './program-sessions.ts';
import {
  cutMark,
  describeFunction,
  NOT_RUN,
  nobodyDecided,
  SLACK_NOT_CONNECTED,
  UNKNOWN_CALL,
} from './texts.ts';

interface AgentCallPorts {
  readonly gate: Gate;
  readonly runs: Pick<Runs, 'openThread'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly findPlace: FindPlace;
  readonly waits: CallWaits;
  readonly limits: ProgramLimits;
  readonly receipts: IssueReceipts;
  /** Moves large parts of an outcome out of the record. */
  readonly keep: (call: CallRecord, outcome: Outcome) => Promise<Outcome>;
  /**
   * Where their calls are traced.
   * @default nowhere
   */
  readonly tracing?: Tracing;
}

/** What a program says of its conversation. */
interface SessionInput {
  /** Null: a new one. */
  readonly session: string | null;
  readonly agentName: string | null;
  readonly agentType: string | null;
}

/** A function that a program wants to call. */
export interface BeginInput extends SessionInput {
  readonly name: string;
  /** The arguments, as a text for people; null if it has none. */
  readonly summary: string | null;
  /** How long the program waits, in milliseconds. It is answered before. */
  readonly timeoutMs: number;
  /** W3C's `traceparent` of its own work; null if it sent none. */
  readonly traceparent: string | null;
}

/** A call that was proposed. */
interface Asked {
  readonly key: string;
  readonly requestId: string | null;
  /** How long its program waits, in milliseconds since the epoch. */
  readonly until: number;
  /** Null while it waits. */
  readonly decided: CallRecord | null;
}

interface Begun {
  readonly session: string;
  /** Null where nothing is on record: a limit is used up. */
  readonly callKey: string | null;
  /** Why it may not run; null if it may. */
  readonly refusal: string | null;
  /** The proof that people approved it; null where nobody did. */
  readonly receipt: string | null;
  /** What people want besides, in the order in which they approved. */
  readonly notes: readonly { readonly by: string; readonly text: string }[];
}

/** What a program reports of a function that it has run. */
interface EndInput {
  readonly session: string;
  readonly callKey: string;
  readonly isError: boolean;
  readonly summary: string | null;
  readonly durationMs: number | null;
}

/** Longest text of arguments or a result that is kept, in characters (the origin's limit). */
const MOST_TEXT = 1_000_000;

/** How long before the program's own limit it is answered: this share of it, within these bounds in milliseconds. */
const EARLY = { share: 0.1, least: 100, most: 2_000 };

/**
 * The calls that programs run themselves: they ask before, and report after
 * (`/agent/session`, `/agent/begin`, `/agent/end`).
 */
export class AgentCalls {
  readonly #ports: AgentCallPorts;
  readonly #trace: FunctionTrace;

  constructor(ports: AgentCallPorts) {
    this.#ports = ports;
    this.#trace = new FunctionTrace({ tracing: UNTRACED, ...ports });
  }

  /** Records a session unless it is known. Returns its name. */
  async open(caller: Caller, input: SessionInput): Promise<string> {
    const session = input.session ?? this.#ports.ids();
    await openSession(this.#ports, { ...input, program: caller.program.id, session });
    return session;
  }

  /**
   * Asks whether a function may run, and waits for people if they have to decide. A decision that comes after the
   * program was answered, or has gone, lets nothing run.
   * @throws AppError `slack_not_connected` when nobody can be asked, `too_many_wait`; nothing was recorded then.
   */
  async begin(caller: Caller, input: BeginInput, gone: AbortSignal): Promise<Begun> {
    const { gate, waits } = this.#ports;
    waits.admit(caller.program.id);
    const place = await this.#ports.findPlace(caller.settings);
    if (place === null) {
      throw new AppError({ code: 'slack_not_connected', userMessage: SLACK_NOT_CONNECTED, retryable: true });
    }
    const session = await this.open(caller, input);
    const asked = await this.#ask(caller, { ...input, session }, place).catch(limitReached);
    const unasked = { session, callKey: null, receipt: null, notes: [] };
    if (asked instanceof AppError) return { ...unasked, refusal: asked.userMessage };
    const call = asked.decided ?? (await this.#decided(asked, caller, gone));
    const callKey = recordKey(call);
    if (call.state !== 'pending') this.#trace.decided(call);
    const unless = { session, callKey, receipt: null, notes: [] };
    if (call.state !== 'approved' && call.state !== 'allowed') {
      return { ...unless, refusal: whyItMayNotRun(call) };
    }
    if (!(await caller.isStillIn())) return { ...unless, refusal: NOT_RUN.keyRevoked };
    if (!(await gate.calls.isProven(call))) return { ...unless, refusal: NOT_RUN.notProven };
    const receipt = this.#receipt(call);
    return { session, callKey, refusal: null, receipt, notes: approverInstructions(call) };
  }

  /** Proposes the call. While it waits, thousands of others may, so that no more of it's kept than its name. */
  async #ask(
    caller: Caller,
    input: BeginInput & { readonly session: string },
    place: CallPlace,
  ): Promise<Asked> {
    const { gate, runs, clock, ids, limits } = this.#ports;
    const { program } = caller;
    const callId = ids();
    const threadId = place.threadId(callId);
    const tool = toTool(input.name, caller.program.name);
    const until = clock() + input.timeoutMs - early(input.timeoutMs);
    const call = await proposeCounted(limits, { program, place, threadId }, () =>
      gate.requests.propose({
        threadId,
        runId: `session:${input.session}`,
        requester: place.requester,
        program: {
          ...program,
          session: input.session,
          waitsUntil: until,
          ...(input.traceparent !== null && { traceparent: input.traceparent }),
        },
        call: {
          callId,
          kind: 'tool',
          tool,
          modelName: tool.modelName,
          arguments: input.summary === null ? {} : { summary: cut(input.summary) },
        },
        runBy: 'program',
        also: async () => ({
          put: [runs.openThread({ threadId, surface: place.surface, graph: NO_GRAPH })],
        }),
      }),
    );
    const { requestId } = call;
    return { key: recordKey(call), requestId, until, decided: isDecided(call) ? call : null };
  }

  /**
   * Records how a function ended. The first report stands: the same again changes nothing.
   * @throws AppError `unknown_call`; RefusalError when it may not have run, or was reported differently.
   */
  async end(caller: Caller, { session, callKey, isError, summary, durationMs }: EndInput): Promise<void> {
    const { gate } = this.#ports;
    const call = await gate.calls.get(callKey);
    const isOwn = call?.program?.id === caller.program.id && call.program.session === session;
    // A tool's call whose program went away is external too, and is run by us once it's back.
    const isFunction = call?.tool.server === FUNCTION_OF_PROGRAM.server && call.program?.leftAt === undefined;
    if (!call || !isOwn || !isFunction || call.executor !== 'external') {
      throw new AppError({ code: 'unknown_call', userMessage: UNKNOWN_CALL });
    }
    const text = cut(summary ?? '');
    const content = text === '' ? [] : [{ type: 'text' as const, text }];
    const took = durationMs === null ? {} : { tookMs: durationMs };
    const outcome: Outcome = isError
      ? { status: 'failed', message: text, content: [], ...took }
      : { status: 'succeeded', content, structured: null, ...took };
    this.#trace.ran(call, { isError, durationMs });
    const receipt = (await gate.calls.isProven(call)) ? this.#receipt(call) : null;
    const kept = await this.#ports.keep(call, receipt === null ? outcome : { ...outcome, receipt });
    await gate.journal.report(callKey, { id: caller.program.id, name: caller.program.name }, kept);
  }

  /** The receipt of an approved call: the same when it begins and when it has ended, as its record holds none meanwhile. */
  #receipt(call: CallRecord): string | null {
    const at = call.decision?.at ?? call.proposedAt;
    return this.#ports.receipts(call, { at })?.() ?? null;
  }

  /** The call once it's decided, or has ended because the program waits no longer. */
  async #decided(
    { key, requestId, until }: Asked,
    { program: { id, name } }: Caller,
    signal: AbortSignal,
  ): Promise<CallRecord> {
    const { gate, clock, waits } = this.#ports;
    if (waits.isFull(id)) {
      if (requestId !== null) await gate.requests.cancel(requestId, { id, name }, { as: 'cancelled' });
      throw tooManyWait();
    }
    const waited = { key, program: id, isDone: isDecided };
    const decided = await waits.wait(waited, { until, signal }, clock());
    if (decided) return decided;
    // One of the two comes first: the decision, or the end of the wait.
    if (requestId !== null && signal.aborted) {
      await gate.requests.cancel(requestId, { id, name }, { as: 'cancelled' });
    } else if (requestId !== null) await gate.requests.expireOne(requestId);
    const call = await gate.calls.get(key);
    if (call) return call;
    throw new AppError({ code: 'unknown_call', userMessage: UNKNOWN_CALL });
  }
}

function limitReached(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'limit_reached') return error;
  throw error;
}

function isDecided({ state }: CallRecord): boolean {
  return state !== 'pending';
}

function whyItMayNotRun(call: CallRecord): string {
  const why = whyNotRun(call);
  if (why !== null) return why;
  // Still pending by another process's clock: whoever decides it now is told that it's too late.
  if (call.state === 'pending') {
    return nobodyDecided(
      Math.round(((call.program?.waitsUntil ?? call.proposedAt) - call.proposedAt) / 1000),
    );
  }
  return call.outcome?.status === 'failed' ? call.outcome.message : NOT_RUN.ended;
}

function toTool(name: string, program: string): ToolSnapshot {
  const { server, prefix } = FUNCTION_OF_PROGRAM;
  const full = name.startsWith(prefix) ? name : `${prefix}${name}`;
  const inputSchema = {
    type: 'object',
    properties: { summary: { type: 'string' } },
    additionalProperties: false,
  };
  return {
    server,
    name: full,
    modelName: full,
    ...describeFunction(full.slice(prefix.length), program),
    inputSchema,
    definitionHash: sha256Hex(canonicalJson({ server, name: full, inputSchema })),
    destructive: false,
  };
}

function early(timeoutMs: number): number {
  return Math.min(timeoutMs, Math.max(EARLY.least, Math.min(EARLY.most, timeoutMs * EARLY.share)));
}

function cut(text: string): string {
  return text.length <= MOST_TEXT
    ? text
    : `${text.slice(0, MOST_TEXT).toWellFormed()}${cutMark(text.length - MOST_TEXT)}`;
}
