import type { Gate } from '../gate/index.ts';
import type {
  CallRecord,
  ElicitationAnswer,
  Need,
  Outcome,
  PolicyAction,
  SamplingRequest,
} from '../gate/types.ts';
import { callKey } from '../gate/types.ts';
import { type RetryHint, retryDelay, type Wait, waitFor } from '../lib/backoff.ts';
import {
  type CallTool,
  type GatedCall,
  SAMPLING,
  type Sample,
  type SendCall,
  type SendEnded,
} from './ports.ts';

/**
 * Longest time that a form of a running call stays open, in milliseconds. Servers give up much sooner; this
 * covers one that neither gives up nor ends.
 */
const FORM_LIFETIME_MS = 60 * 60_000;

/**
 * Waits for a change of a call's record. Resolves when the record may have changed, when the signal is
 * aborted, and now and then by itself, because another process may have changed it. Never rejects.
 */
export type WaitForChange = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * The caller that runs tool calls through the gate. Nothing else in the program sends a tool call.
 *
 * A call that the policy allows or a person approved is sent once: its intent is recorded before, its outcome
 * after. Called again, it returns the recorded outcome. The returned record has ended or waits for a person.
 *
 * Only read-only tools, and tools that the operator declares safe to repeat, are retried, and only when the
 * server couldn't be reached or its answer was lost. Each attempt is recorded before it's made.
 *
 * See docs/decisions/0008 (arguments are checked before people are asked) and 0010 (calls in doubt).
 *
 * @example
 * const callTool = createGatedCaller({ gate, send: source.send, waitForChange: changes.wait });
 * const record = await callTool({ threadId, runId, requester, call, fence, signal, onProgress });
 */
export function createGatedCaller(ports: {
  readonly gate: Gate;
  readonly send: SendCall;
  readonly waitForChange: WaitForChange;
  /** Moves large parts of an outcome out of the record and stores them beside it. */
  readonly keep?: (call: CallRecord, outcome: Outcome) => Promise<Outcome>;
  /** Aborted when the process is about to end. Open forms are cancelled, so that their calls can end. */
  readonly stopping?: AbortSignal;
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
}): CallTool {
  const { wait = waitFor, random = Math.random } = ports;

  return async function callTool(input) {
    const begun = await ports.gate.journal.begin(input);
    if (begun.kind !== 'ready') return begun.call;
    if (!ports.outOfTime) return attempt(begun.call, input);
    return attempt(begun.call, { ...input, signal: AbortSignal.any([input.signal, ports.outOfTime]) });
  };

  async function attempt(call: CallRecord, input: GatedCall, waitedMs = 0): Promise<CallRecord> {
    const result = await ports.send(
      {
        server: call.tool.server,
        name: call.tool.name,
        arguments: call.arguments,
        definitionHash: call.tool.definitionHash,
        person: call.requester,
        callKey: callKey(call.threadId, call.callId),
        ...(call.input ? { input: call.input } : {}),
      },
      {
        signal: input.signal,
        onProgress: input.onProgress,
        onElicit: (need, gone) => elicit(call, need, { gone, stopped: input.signal }),
        ...(ports.sample
          ? { sampling: { verdict: verdictOn(call), answer: askModel(call, ports.sample) } }
          : {}),
      },
    );
    if (result.kind === 'blocked') return ports.gate.elicitation.block(call, result.need, result.input);
    if (result.kind === 'redefined') return ports.gate.journal.reapprove(call, result.tool);
    // The outcome of this attempt must be recorded even if preparing the next one fails.
    const { again, afterMs, isSpent } = await next(call, input, result, waitedMs).catch(() => NO_MORE);
    if (again) return attempt(again, input, waitedMs + afterMs);
    const outcome = await keptOf(call, result.outcome);
    return ports.gate.journal.finish(call, saidOften(call, outcome, isSpent));
  }

  /**
   * The outcome with its large parts stored beside the record. If storing them fails, the outcome is still
   * recorded, without the answer.
   */
  async function keptOf(call: CallRecord, outcome: Outcome): Promise<Outcome> {
    try {
      return (await ports.keep?.(call, outcome)) ?? outcome;
    } catch {
      return withoutAnswer(outcome);
    }
  }

  /**
   * The next attempt if there may be one, with how long it waited; or the fact that the request has no
   * retries left.
   */
  async function next(call: CallRecord, input: GatedCall, result: SendEnded, waitedMs: number) {
    const hint = hintOf(result);
    const isPossible = hint !== null && !input.signal.aborted && ports.gate.journal.mayRetry(call);
    const afterMs = isPossible ? retryDelay(call.tries ?? call.attempt, hint, { waitedMs, random }) : null;
    if (afterMs === null) return NO_MORE;
    if ((await input.mayRetry?.()) === false) return { ...NO_MORE, isSpent: true };
    input.onProgress({ progress: 0, total: null, message: `${call.tool.server} is asked again in a moment` });
    const waiting = AbortSignal.any([input.signal, ...(ports.stopping ? [ports.stopping] : [])]);
    await wait(afterMs, waiting);
    if (waiting.aborted) return NO_MORE;
    const isUnclear = result.outcome.status === 'in_doubt';
    const again = await ports.gate.journal.retry(call, { fence: input.fence, isUnclear });
    return { ...NO_MORE, again, afterMs };
  }

  /**
   * The policy's verdict on a server's request to the model, evaluated as a call of `server.sampling`. The
   * verdict on the tool call doesn't cover it, because the request is only known now. In the middle of a call
   * only the requester can be asked, with one click, so rules that want more than that count as `deny`.
   */
  function verdictOn({ tool }: CallRecord): (request: SamplingRequest) => PolicyAction {
    return (request) => {
      const { action, approval, confirmByTyping, decideOn } = ports.gate.policy.evaluate(
        asSampled(tool, request),
      );
      const wantsMore = approval !== undefined || confirmByTyping !== undefined || decideOn !== undefined;
      return action === 'ask' && wantsMore ? 'deny' : action;
    };
  }

  /** Records the request before the model is asked. */
  function askModel(call: CallRecord, sample: Sample): Sample {
    return async (request, signal) => {
      const asked = asSampled(call.tool, request);
      // The audit names the rule that allowed asking the model.
      await ports.gate.journal.recordSampling(call, ports.gate.policy.evaluate(asked).rule, asked.arguments);
      return sample(request, signal);
    };
  }

  async function elicit(
    call: CallRecord,
    need: Need,
    { gone, stopped }: { readonly gone: AbortSignal; readonly stopped: AbortSignal },
  ): Promise<ElicitationAnswer> {
    const { stopping } = ports;
    const time = AbortSignal.timeout(FORM_LIFETIME_MS);
    const over = AbortSignal.any([gone, stopped, time, ...(stopping ? [stopping] : [])]);
    await ports.gate.elicitation.requestForm(call, need);
    const key = callKey(call.threadId, call.callId);
    while (!over.aborted) {
      // Listen before reading, so that an answer in between isn't missed.
      const changed = ports.waitForChange(key, over);
      const record = await ports.gate.calls.get(key);
      const answer = record?.elicitationAnswer;
      // Earlier versions stored answers without an id. Only one question is open at a time, so it's this
      // one's.
      if (answer && (answer.elicitationId ?? need.elicitationId) === need.elicitationId) return answer;
      if (record?.state !== 'executing') break;
      await changed;
    }
    const isStopped = stopped.aborted || stopping?.aborted === true;
    await ports.gate.elicitation.close(
      call,
      need.elicitationId,
      isStopped ? 'stopped' : time.aborted ? 'time' : 'server',
    );
    return { action: 'cancel', content: null };
  }
}

/** The arguments of `server.sampling` that rules can match. */
function samplingArguments({ messages, systemPrompt, maxTokens }: SamplingRequest) {
  const texts = messages.map(({ role, text }) => ({ role, text }));
  return { messages: texts, system_prompt: systemPrompt, max_tokens: maxTokens };
}

/** The call that rules evaluate when a server asks the model. */
function asSampled({ server }: CallRecord['tool'], request: SamplingRequest) {
  return { server, tool: SAMPLING, arguments: samplingArguments(request) };
}

/** How to retry. A lost answer is worth another attempt unless the sender says otherwise. */
function hintOf({ outcome, retry }: SendEnded): RetryHint | null {
  if (retry !== undefined) return retry;
  return outcome.status === 'in_doubt' ? { afterMs: null, withinMs: LOST_WITHIN_MS } : null;
}

const LOST_WITHIN_MS = 60_000;

const NO_MORE = { again: null, afterMs: 0, isSpent: false };

/** Longest error message kept where the answer couldn't be stored, in characters. */
const LONGEST_MESSAGE = 2_000;

function withoutAnswer(outcome: Outcome): Outcome {
  switch (outcome.status) {
    case 'succeeded': {
      const text = '[It succeeded. What the tool answered could not be kept.]';
      return { ...outcome, content: [{ type: 'text', text }], structured: null };
    }
    case 'failed':
      return { ...outcome, message: outcome.message.slice(0, LONGEST_MESSAGE), content: [] };
    case 'in_doubt':
      return outcome;
  }
}

/**
 * Adds to an error how often the call was tried, and that no retries are left if the tool has used them up.
 */
function saidOften({ tries = 1 }: CallRecord, outcome: Outcome, isSpent: boolean): Outcome {
  if (outcome.status === 'succeeded') return outcome;
  const said = [outcome.message];
  if (tries > 1) said.push(`It was tried ${tries} times.`);
  if (isSpent) said.push('It is not tried again: this tool was, as often as it may be in one request.');
  return { ...outcome, message: said.join(' ') };
}
