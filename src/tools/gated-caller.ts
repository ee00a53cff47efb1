import type { Gate, IssueReceipts } from '../gate/index.ts';
import { type CallRecord, type Outcome, recordKey } from '../gate/types.ts';
import { type RetryHint, retryDelay, type Wait, waitFor } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import { FencedError } from '../lib/errors.ts';
import { createSlots, type Slot } from '../lib/slots/slots.ts';
import type { Span } from '../lib/telemetry/tracing.ts';
import { accountFor, admit, joinSlots, withheld } from './admission.ts';
import { type AskPersonPorts, askPerson } from './ask-person.ts';
import { inCallSpan, inJobSpan } from './call-span.ts';
import { type AskServer, createJobs } from './jobs.ts';
import type {
  Account,
  CallLimits,
  CallOptions,
  CallTool,
  FindJobRules,
  GatedCall,
  Sample,
  SendCall,
  SendEnded,
} from './ports.ts';
import { markPassing, storeLargeParts, withReceipt, withTries } from './recorded-outcome.ts';
import { answerSampling, samplingVerdict } from './sampling.ts';
import { JOB, NEEDS_PERSON, retryingSoon } from './texts.ts';

interface GatedCallerPorts extends AskPersonPorts {
  readonly gate: Gate;
  readonly send: SendCall;
  /** The most calls of one thread that are being sent at a time. Those that wait for a person don't count. */
  readonly maxConcurrentCalls: number;
  /**
   * Bounds what is in flight, and what each person and key may use in a day.
   * @default no bound
   */
  readonly limits?: CallLimits;
  /** Called when a call starts to wait for its person, as for a sign-in. Must not throw. */
  readonly onBlocked?: (call: CallRecord) => void;
  /**
   * Issues receipts for the calls that people approved.
   * @default none
   */
  readonly receipts?: IssueReceipts;
  /** Moves large parts of an outcome out of the record and stores them beside it. */
  readonly keep?: (call: CallRecord, outcome: Outcome) => Promise<Outcome>;
  /**
   * Finds how the jobs are followed that tools start.
   * @default every result is all there is
   */
  readonly jobs?: FindJobRules;
  /** @default the system's */
  readonly clock?: Clock;
  /** Aborted when the calls still being sent have run out of time. They're then in doubt. */
  readonly outOfTime?: AbortSignal;
  /** Answers servers' requests to the model (MCP sampling). Without it, every request is refused. */
  readonly sample?: Sample;
  /**
   * Waits between two attempts.
   * @default a timer
   */
  readonly wait?: Wait;
  /** A random number from 0 to 1, for the backoff's jitter. */
  readonly random?: () => number;
}

/** A call that holds one of its thread's slots, and its owner's and channel's. */
interface StartedCall extends GatedCall {
  readonly trace: Span;
  readonly slot: Slot;
}

/**
 * The caller that runs tool calls through the gate. Nothing else in the program sends a tool call, but
 * for the reads of unrecorded-read.ts.
 *
 * A call that the policy allows or a person approved is sent once: its intent is recorded before, its outcome
 * after. Called again, it returns the recorded outcome. The returned record has ended or waits for a person.
 *
 * Only read-only tools, and tools that the operator declares safe to repeat, are retried, and only when the
 * server couldn't be reached or its answer was lost. Each attempt is recorded before it's made.
 *
 * So many of a thread are sent at a time as `maxConcurrentCalls` allows. The others wait before their intent is
 * recorded, so that none of them is in doubt if the process ends.
 *
 * See docs/decisions/0008 (arguments are validated before approval), 0010 (calls in doubt) and 0050 (many calls at
 * once).
 *
 * @example
 * const callTool = createGatedCaller({ gate, send: source.send, maxConcurrentCalls: 8 });
 * const record = await callTool({ threadId, runId, requester, call, fence, signal, onProgress });
 */
export function createGatedCaller(ports: GatedCallerPorts): CallTool {
  const { gate, outOfTime } = ports;
  const attempt = createAttempts(ports);
  const inSlot = createSlots(ports.maxConcurrentCalls);

  return async function callTool(input) {
    const signal = outOfTime ? AbortSignal.any([input.signal, outOfTime]) : input.signal;
    const waiting = input.isUnderWay ? (outOfTime ?? NEVER) : signal;
    const called = inSlot(input.threadId, waiting, async (slot) => {
      const admission = await admit(ports.limits, input, waiting);
      let isSent = false;
      try {
        const begun = await gate.journal.begin(withheld(input, admission.refusal));
        if (begun.kind !== 'ready') return begun.call;
        isSent = true;
        const started = { ...input, signal, slot: joinSlots(slot, admission) };
        return await inCallSpan(input.trace, begun.call, (trace) =>
          attempt(begun.call, { ...started, trace }),
        );
      } finally {
        admission.end({ isSent });
      }
    });
    return called.catch((error: unknown) => {
      // It wasn't begun, so whoever works on the thread next begins it.
      throw outOfTime?.aborted && error === outOfTime.reason ? new FencedError() : error;
    });
  };
}

/** Sends a call whose intent is on record, again where it may be, and records the outcome. */
function createAttempts(ports: GatedCallerPorts) {
  const { gate, wait = waitFor, random = Math.random, clock = Date.now } = ports;
  const jobs = createJobs({
    jobs: ports.jobs,
    ask: askServer(ports.send),
    wait,
    noteJob: gate.journal.noteJob,
    elicitation: gate.elicitation,
    clock,
    stopping: ports.stopping ?? new AbortController().signal,
  });
  return attempt;

  async function attempt(call: CallRecord, input: StartedCall, waitedMs = 0): Promise<CallRecord> {
    const issue = ports.receipts?.(call) ?? null;
    const { traceparent } = input.trace;
    let receipt: string | null = null;
    // Its server has it since an earlier attempt, which a restart ended.
    if (call.job) return followJob(call, input, null);
    const result = await ports.send(
      {
        ...toSend(call),
        ...(traceparent !== null && { traceparent }),
        ...(issue && {
          receipt(withinMs?: number) {
            receipt = issue(withinMs);
            return receipt;
          },
        }),
      },
      toOptions(ports, call, input),
    );
    if (input.isUnattended && result.kind !== 'ended' && result.kind !== 'task') {
      return gate.journal.finish(call, { status: 'failed', message: NEEDS_PERSON, content: [] });
    }
    if (result.kind === 'blocked') {
      const blocked = await gate.elicitation.block(call, result.need, result.input);
      ports.onBlocked?.(blocked);
      return blocked;
    }
    if (result.kind === 'redefined') return gate.journal.reapprove(call, result.tool);
    const going = await jobs.note(call, result);
    if (going) return followJob(going, input, receipt);
    // It was given up as unclear meanwhile.
    if (result.kind === 'task')
      return gate.journal.finish(call, { status: 'in_doubt', message: JOB.noAnswer });
    // The outcome of this attempt must be recorded even if preparing the next one fails.
    const { again, afterMs, isSpent } = await next(call, input, result, waitedMs).catch(() => NO_MORE);
    if (again) return attempt(again, input, waitedMs + afterMs);
    return end(ports, call, result, { isSpent, receipt });
  }

  async function followJob(call: CallRecord, input: StartedCall, receipt: string | null) {
    const { onElicit } = toOptions(ports, call, input);
    const follow = () => jobs.follow(call, { ...input, onElicit });
    const outcome = await inJobSpan(input.trace, call, { follow, clock });
    return end(ports, call, { kind: 'ended', outcome }, { isSpent: false, receipt });
  }

  /**
   * The next attempt if there may be one, with how long it waited; or the fact that the request has no
   * retries left.
   */
  async function next(call: CallRecord, input: StartedCall, result: SendEnded, waitedMs: number) {
    const hint = retryHint(result);
    const isPossible = hint !== null && !input.signal.aborted && gate.journal.mayRetry(call);
    const afterMs = isPossible ? retryDelay(call.tries ?? call.attempt, hint, { waitedMs, random }) : null;
    if (afterMs === null) return NO_MORE;
    if ((await input.mayRetry?.()) === false) return { ...NO_MORE, isSpent: true };
    input.onProgress({ progress: 0, total: null, message: retryingSoon(call.tool.server), isOurs: true });
    const waiting = AbortSignal.any([input.signal, ...(ports.stopping ? [ports.stopping] : [])]);
    await input.slot.outside(() => wait(afterMs, waiting));
    if (waiting.aborted) return NO_MORE;
    const isUnclear = result.outcome.status === 'in_doubt';
    const again = await gate.journal.retry(call, { fence: input.fence, isUnclear });
    return { ...NO_MORE, again, afterMs };
  }
}

/** Records the outcome of an attempt. */
async function end(
  { gate, keep }: Pick<GatedCallerPorts, 'gate' | 'keep'>,
  call: CallRecord,
  result: SendEnded,
  { isSpent, receipt }: Pick<typeof NO_MORE, 'isSpent'> & { readonly receipt: string | null },
): Promise<CallRecord> {
  const outcome = await storeLargeParts(keep, call, result.outcome);
  const tried = withTries(call, markPassing(outcome, result), { isSpent });
  return gate.journal.finish(call, withReceipt(tried, receipt));
}

/** What is sent of a call. */
function toSend(call: CallRecord): Parameters<SendCall>[0] {
  return {
    server: call.tool.server,
    name: call.tool.name,
    arguments: call.arguments,
    definitionHash: call.tool.definitionHash,
    account: call.tool.account,
    person: call.requester,
    threadId: call.threadId,
    callKey: recordKey(call),
    isApproved: call.decision !== null || call.grant !== undefined,
    takesTask: true,
    ...(call.input ? { input: call.input } : {}),
  };
}

/** How it is sent. Nobody is there to answer what the server asks of an unattended one. */
function toOptions(ports: GatedCallerPorts, call: CallRecord, input: StartedCall): CallOptions {
  const { sample } = ports;
  return {
    ...(input.confirmLease && { confirm: input.confirmLease }),
    signal: input.signal,
    onProgress: input.onProgress,
    onElicit: async (need, gone) =>
      input.isUnattended
        ? { action: 'cancel', content: null }
        : input.slot.outside(() => askPerson(ports, call, need, { gone, stopped: input.signal }), {
            keepsPlace: call.job !== undefined,
          }),
    ...(sample && !input.isUnattended && { sampling: answersFor(ports, sample, call, accountFor(input)) }),
  };
}

/** Asks about the job of a call, by another tool of its server or as a task. */
function askServer(send: SendCall): AskServer {
  return (call, about, { signal, confirm, onElicit = cancelled }) => {
    const { tool, requester: person } = call;
    const { server } = tool;
    const asked =
      'task' in about
        ? { name: tool.name, arguments: {}, task: about.task }
        : { name: about.tool, arguments: about.arguments };
    const options = { ...(confirm && { confirm }), signal, onProgress: () => undefined, onElicit };
    return send({ server, person, callKey: recordKey(call), ...asked }, options);
  };
}

async function cancelled(): ReturnType<CallOptions['onElicit']> {
  return { action: 'cancel', content: null };
}

/** How servers' requests to the model are decided and answered while `call` runs. */
function answersFor(
  { gate, limits }: Pick<GatedCallerPorts, 'gate' | 'limits'>,
  sample: Sample,
  call: CallRecord,
  account: Account,
): NonNullable<CallOptions['sampling']> {
  return {
    verdict: (request) => samplingVerdict(gate, call, request),
    async answer(request, stopped) {
      const sampled = await answerSampling({ gate, sample }, call, request, stopped);
      if (sampled.tokens) limits?.spend(account, sampled.tokens);
      return sampled;
    },
  };
}

/** How to retry. A lost answer is worth another attempt unless the sender says otherwise. */
function retryHint({ outcome, retry }: SendEnded): RetryHint | null {
  if (retry !== undefined) return retry;
  return outcome.status === 'in_doubt' ? { afterMs: null, withinMs: LOST_WITHIN_MS } : null;
}

const NEVER = new AbortController().signal;

const LOST_WITHIN_MS = 60_000;

const NO_MORE = { again: null, afterMs: 0, isSpent: false };
