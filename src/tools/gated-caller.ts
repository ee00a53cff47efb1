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
 * How long a form that a running call asks for stays open at most, in milliseconds. Servers give up much sooner; this
 * is for one that neither does nor ends.
 */
const FORM_LIFETIME_MS = 60 * 60_000;

/**
 * Resolves when the call's record may have changed, when the signal is aborted, and by itself now and
 * then, for what another process changed; never rejects.
 */
export type WaitForChange = (key: string, signal: AbortSignal) => Promise<void>;

/**
 * Runs one call through the gate: what the policy allows or a person approved is sent, once, with its
 * intent recorded before and its outcome after; asked again, the recorded end is returned. Only what the
 * operator vouches for, or what only reads, is sent again by itself, when its server was not to be reached for the
 * moment or its answer was lost; each attempt is on record before it is made. This is the only place that sends tool calls. The record that comes back has ended, or waits for a person.
 */
export function createGatedCaller(ports: {
  readonly gate: Gate;
  readonly send: SendCall;
  readonly waitForChange: WaitForChange;
  /** Takes what is large out of an outcome and keeps it beside the record. */
  readonly keep?: (call: CallRecord, outcome: Outcome) => Promise<Outcome>;
  /** Aborted when the process is about to end: a form that is open then is cancelled, so that the call has an end. */
  readonly stopping?: AbortSignal;
  /** Aborted when calls that are being sent then have had their time: they are in doubt. */
  readonly outOfTime?: AbortSignal;
  /** Answers what servers put to the model; without it, none may. */
  readonly sample?: Sample;
  /** Between two attempts; default: a timer. */
  readonly wait?: Wait;
  /** From 0 to 1. */
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
    // The end of the attempt that was made is to be on record, also where no other can be begun.
    const { again, afterMs, isSpent } = await next(call, input, result, waitedMs).catch(() => NO_MORE);
    if (again) return attempt(again, input, waitedMs + afterMs);
    const outcome = await keptOf(call, result.outcome);
    return ports.gate.journal.finish(call, saidOften(call, outcome, isSpent));
  }

  /** What happened is to be on record, whatever becomes of the answer. */
  async function keptOf(call: CallRecord, outcome: Outcome): Promise<Outcome> {
    try {
      return (await ports.keep?.(call, outcome)) ?? outcome;
    } catch {
      return withoutAnswer(outcome);
    }
  }

  /** Another attempt, when there may be one, and what it waited for; or that the request has none left. */
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
   * What a server may put to the model, as the policy says of a call of `server.sampling`: that request is known only
   * now, and the verdict on the call says nothing of it. In the middle of a call only
   * the person whose call it is can be asked, by a click, so that rules which want more than that refuse it.
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

  /** On record before the model is asked. */
  function askModel(call: CallRecord, sample: Sample): Sample {
    return async (request, signal) => {
      const asked = asSampled(call.tool, request);
      // For the audit: the rule that lets the model be asked.
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
      // Listening begins before reading, so that an answer in between is not missed.
      const changed = ports.waitForChange(key, over);
      const record = await ports.gate.calls.get(key);
      const answer = record?.elicitationAnswer;
      // Of an earlier version, which says of no answer what it is to: the question that stands open, and that is this.
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

/** The arguments that rules look at, as of a call of `server.sampling`. */
function samplingArguments({ messages, systemPrompt, maxTokens }: SamplingRequest) {
  const texts = messages.map(({ role, text }) => ({ role, text }));
  return { messages: texts, system_prompt: systemPrompt, max_tokens: maxTokens };
}

/** The call that rules decide on when a server asks the model. */
function asSampled({ server }: CallRecord['tool'], request: SamplingRequest) {
  return { server, tool: SAMPLING, arguments: samplingArguments(request) };
}

/** A lost answer is worth another attempt, unless the sender knows better. */
function hintOf({ outcome, retry }: SendEnded): RetryHint | null {
  if (retry !== undefined) return retry;
  return outcome.status === 'in_doubt' ? { afterMs: null, withinMs: LOST_WITHIN_MS } : null;
}

const LOST_WITHIN_MS = 60_000;

const NO_MORE = { again: null, afterMs: 0, isSpent: false };

/** In characters. */
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

/** What went wrong says how often it was tried, and why no more where its tool was tried too often. */
function saidOften({ tries = 1 }: CallRecord, outcome: Outcome, isSpent: boolean): Outcome {
  if (outcome.status === 'succeeded') return outcome;
  const said = [outcome.message];
  if (tries > 1) said.push(`It was tried ${tries} times.`);
  if (isSpent) said.push('It is not tried again: this tool was, as often as it may be in one request.');
  return { ...outcome, message: said.join(' ') };
}
