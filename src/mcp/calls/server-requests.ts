import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from '@modelcontextprotocol/client';
import type { ElicitationAnswer } from '../../gate/types.ts';
import type { CallOptions } from '../../tools/ports.ts';
import type { RunningCall } from '../connection/types.ts';
import { elicit, type FormNeed } from '../protocol/elicitation.ts';
import { samplingNeed, samplingRefused, toSampling, toSamplingResult } from '../protocol/sampling.ts';
import type { Deadline } from './deadline.ts';

interface RunningOptions {
  readonly options: CallOptions;
  readonly ids: () => string;
  /** Stands still while somebody is asked. */
  readonly deadline: Deadline;
  /** The call has ended, or is stopped. */
  readonly over: AbortSignal;
  /** The stream on which its answer was to come has ended without it, and why, where that is known. */
  readonly cutOff: (why?: string) => void;
}

/** So often a server may ask a person, and so often the model, during one call. */
const MOST_QUESTIONS = 10;

const CANCELLED = { action: 'cancel', content: null } as const;

/** What a server of the older revisions may ask while it works on one call. */
export function createRunningCall({ options, ids, deadline, over, cutOff }: RunningOptions): RunningCall {
  let forms = 0;
  let samples = 0;
  /** Settles when the person has done with what they were asked last. */
  let turn: Promise<unknown> = Promise.resolve();

  async function paused<T>(ask: () => Promise<T>): Promise<T> {
    deadline.pause();
    try {
      return await ask();
    } finally {
      deadline.resume();
    }
  }

  /** One question at a time: a call shows one, and whoever says yes has seen no other. */
  function ask(need: FormNeed, gone: AbortSignal): Promise<ElicitationAnswer> {
    const answered = turn.then(() => (gone.aborted ? CANCELLED : options.onElicit(need, gone)));
    turn = answered.catch(() => undefined);
    return Promise.race([answered, cancelled(gone)]);
  }

  async function asked(params: ElicitRequestParams, gone: AbortSignal): Promise<ElicitResult> {
    forms += 1;
    if (forms > MOST_QUESTIONS) return { action: 'decline' };
    return elicit(params, ids(), (need) => ask(need, gone));
  }

  async function sampled(params: CreateMessageRequest['params'], gone: AbortSignal) {
    samples += 1;
    const request = toSampling(params);
    const { sampling } = options;
    if (request === null || sampling === undefined || samples > MOST_QUESTIONS) throw samplingRefused();
    const verdict = sampling.verdict(request);
    if (verdict === 'ask') {
      const { action } = await ask(samplingNeed(request, ids()), gone);
      // People take their time, and the policy may have become stricter meanwhile.
      if (action !== 'accept' || sampling.verdict(request) === 'deny') throw samplingRefused();
    } else if (verdict !== 'allow') {
      throw samplingRefused();
    }
    // Why the model did not answer is not for a server to know.
    const answer = await sampling.answer(request, gone).catch(() => null);
    if (answer === null) throw samplingRefused();
    return toSamplingResult(answer);
  }

  return {
    cutOff,
    elicit: (params, notWaitedFor) => paused(() => asked(params, AbortSignal.any([notWaitedFor, over]))),
    sample: (params, notWaitedFor): Promise<CreateMessageResult> =>
      paused(() => sampled(params, AbortSignal.any([notWaitedFor, over]))),
  };
}

/** Nobody waits for a person any more once the call is over. */
function cancelled(signal: AbortSignal): Promise<ElicitationAnswer> {
  return new Promise((resolve) => {
    const cancel = () => resolve(CANCELLED);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}
