import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GateUnavailableError, PermissionError } from './errors.ts';
import { type Address, send, unexpected } from './http.ts';
import { Reports } from './reports.ts';
import { summarize } from './summary.ts';
import { GATE, TOOL } from './texts.ts';
import { type ToolSet, wrapTools } from './tools.ts';
import { type Approval, type CallContext, isRecord, type TrackedCall } from './types.ts';

export interface GateOptions {
  /** Where Countersign answers: `https://gate.example.com`. */
  readonly url: string;
  /** An API key of it with the scope `agent`. */
  readonly key: string;
  /**
   * How long a call waits for people, in milliseconds; more than the most counts as that.
   * @default 5 minutes
   * @maximum 7 days
   */
  readonly timeoutMs?: number;
  /** The session of calls that {@link Gate.run} gives no other. @default a new one */
  readonly session?: string;
  /** What the agent calls itself. */
  readonly agentName?: string;
  /** Its kind, such as `langgraph`. */
  readonly agentType?: string;
  /** Asks at once whether the gate is there and knows the key; the answer no goes to `onProblem`. @default false */
  readonly checkAtStart?: boolean;
  /** Hears of what no call can throw: a failed check at the start, a report that was lost. @default console.warn */
  readonly onProblem?: (problem: Error) => void;
}

/** The same function, asynchronous: it resolves once people have approved and it has run. */
export type Tracked<This, Args extends unknown[], Result> = (
  this: This,
  ...args: Args
) => Promise<Awaited<Result>>;

/** How long a call waits for people unless it's told, and at most (the gate's own limit), in milliseconds. */
const WAIT_MS = { usual: 5 * 60_000, most: 7 * 86_400_000 };

/** How long a check waits for an answer, in milliseconds. */
const CHECK_MS = 5_000;

/** How long `flush` waits unless it's told, in milliseconds. */
const FLUSH_MS = 5_000;

/**
 * Functions ask here before they run, and report after. Each call is a card in Slack, unless the policy of the gate
 * allows or forbids it.
 *
 * @example
 * const gate = new Gate({ url: 'http://127.0.0.1:3000', key });
 * const deploy = gate.track(async (service: string) => release(service), { name: 'deploy' });
 * await deploy('web'); // runs once somebody has clicked Approve
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #address: Address;
  readonly #session: string;
  readonly #context = new AsyncLocalStorage<CallContext & { readonly approval?: Approval | undefined }>();
  readonly #reports: Reports;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#session = options.session ?? randomUUID();
    this.#address = { url: new URL(options.url.replace(/\/*$/, '/')), key: options.key };
    this.#reports = new Reports({ address: this.#address, onProblem: this.#tell });
    if (options.checkAtStart) void this.check().then((problem) => problem && this.#tell(problem));
  }

  /** The session of a call that is made here. */
  get session(): string {
    return this.#context.getStore()?.session ?? this.#session;
  }

  /** The approval of the call that runs here: within a tracked function or a wrapped tool, else null. */
  get approval(): Approval | null {
    return this.#context.getStore()?.approval ?? null;
  }

  /**
   * A function that asks before each call and reports after. It keeps its name, length and parameters, and becomes
   * asynchronous. A call that may not run rejects with {@link PermissionError}; one that could not be asked about,
   * with {@link GateUnavailableError}.
   * @param options.name as rules and cards name it. @default the function's own name
   */
  track<This, Args extends unknown[], Result>(
    fn: (this: This, ...args: Args) => Result,
    { name = fn.name }: { readonly name?: string } = {},
  ): Tracked<This, Args, Result> {
    if (name === '') throw new TypeError(TOOL.functionWithoutName);
    const gate = this;
    function tracked(this: This, ...values: Args) {
      const args = values.length > 1 ? values : values[0];
      return gate.call({ name, args, run: () => fn.apply(this, values) });
    }
    Object.defineProperty(tracked, 'name', { value: fn.name || name, configurable: true });
    Object.defineProperty(tracked, 'length', { value: fn.length, configurable: true });
    return tracked;
  }

  /**
   * The same tools, whose calls ask first: of LangChain and LangGraph, of the Vercel AI SDK (a record of them), and of
   * the OpenAI Agents SDK. A tool without a function of its own is left as it is.
   */
  wrapTools<Tools extends ToolSet>(tools: Tools): Tools {
    return wrapTools(tools, (call) => this.call(call));
  }

  /** Runs `fn` with this for every call in it, also after `await`. What is left out stays as it is outside. */
  run<Result>(context: CallContext, fn: () => Result): Result {
    const outer = this.#context.getStore();
    const inner = {
      session: context.session ?? outer?.session,
      timeoutMs: context.timeoutMs ?? outer?.timeoutMs,
      signal: context.signal ?? outer?.signal,
      approval: outer?.approval,
    };
    return this.#context.run(inner, fn);
  }

  /** Asks about one call, runs it once it is approved, and reports how it ended. */
  async call<Result>({ name, args, run, ...own }: TrackedCall<Result>): Promise<Awaited<Result>> {
    const { session } = this;
    const summary = summarize(args);
    const signals = [own.signal, this.#context.getStore()?.signal].filter((it) => it !== undefined);
    const signal = AbortSignal.any(signals);
    const approval = await this.#ask({ name, session, summary, signal });
    const { callId } = approval;
    const startedAt = performance.now();
    const report = (status: 'ok' | 'error', value: unknown): void => {
      this.#reports.add({
        session_id: session,
        call_id: callId,
        status,
        duration_ms: performance.now() - startedAt,
        result_summary: summarize(value),
      });
    };
    try {
      signal.throwIfAborted();
      // People have approved what they read.
      if (summarize(args) !== summary) {
        throw new PermissionError({ tool: name, reason: GATE.argumentsChanged, callId });
      }
      const result = await this.#context.run({ ...this.#context.getStore(), approval }, run);
      report('ok', result);
      return result;
    } catch (error) {
      report('error', error);
      throw error;
    }
  }

  /**
   * Waits until the gate has all reports, `withinMs` at most: call it before `process.exit()`.
   * @returns how many it has not
   */
  async flush({ withinMs = FLUSH_MS }: { readonly withinMs?: number } = {}): Promise<number> {
    return this.#reports.flush(withinMs);
  }

  /** Whether the gate is there and knows the key: resolves with what is wrong, or null. */
  async check(): Promise<GateUnavailableError | null> {
    for (const path of ['health', 'mcp/status']) {
      try {
        const answer = await send(this.#address, { path, body: null, withinMs: CHECK_MS });
        if (answer.status !== 200) return unexpected(this.#address, answer);
      } catch (error) {
        return error instanceof GateUnavailableError ? error : new GateUnavailableError(String(error));
      }
    }
    return null;
  }

  /** Resolves once the call is approved. */
  async #ask({
    name,
    session,
    summary,
    signal,
  }: {
    readonly name: string;
    readonly session: string;
    readonly summary: string;
    readonly signal: AbortSignal;
  }): Promise<Approval> {
    const timeoutMs = this.#context.getStore()?.timeoutMs ?? this.#options.timeoutMs ?? WAIT_MS.usual;
    const until = performance.now() + Math.min(timeoutMs, WAIT_MS.most);
    const { agentName, agentType } = this.#options;
    for (;;) {
      // The gate answers before this is over.
      const withinMs = Math.max(0, until - performance.now());
      const answer = await send(this.#address, {
        path: 'agent/begin',
        body: {
          session_id: session,
          name,
          args_summary: summary === '' ? null : summary,
          timeout_s: withinMs / 1_000,
          agent_name: agentName,
          agent_type: agentType,
        },
        withinMs,
        signal,
      });
      const { status, body, retryAfterMs } = answer;
      const isBusy = status === 429 || status === 503;
      if (isBusy && retryAfterMs !== null && performance.now() + retryAfterMs < until) {
        // It has no card, or the gate has withdrawn it: asking again makes no second one.
        await sleep(retryAfterMs, null, { signal }).catch(() => signal.throwIfAborted());
        continue;
      }
      if (status !== 200 || body.ok !== true) throw unexpected(this.#address, answer);
      const callId = typeof body.call_id === 'string' ? body.call_id : null;
      // Nothing but `true` is an approval.
      if (body.approved !== true) {
        const reason = typeof body.error === 'string' ? body.error : GATE.notApproved;
        throw new PermissionError({ tool: name, reason, callId });
      }
      if (callId === null) throw unexpected(this.#address, answer);
      return {
        callId,
        receipt: typeof body.receipt === 'string' ? body.receipt : null,
        notes: toNotes(body.notes),
      };
    }
  }

  readonly #tell = (problem: Error): void => {
    const { onProblem = (it: Error) => console.warn(`countersign-client: ${it.message}`) } = this.#options;
    try {
      onProblem(problem);
    } catch {
      // A listener that fails ends no call.
    }
  };
}

/** A gate of an earlier version has none. */
function toNotes(notes: unknown): Approval['notes'] {
  if (!Array.isArray(notes)) return [];
  return notes.filter(isRecord).map(({ by, text }) => ({ by: String(by), text: String(text) }));
}
