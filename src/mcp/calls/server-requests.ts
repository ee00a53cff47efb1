import type {
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
} from '@modelcontextprotocol/client';
import type { ElicitationAnswer } from '../../gate/types.ts';
import type { CallOptions } from '../../tools/ports.ts';
import { createEffects } from '../connection/service-fetch.ts';
import type { RunningCall } from '../connection/types.ts';
import { asOwn, elicit, type FormNeed } from '../protocol/elicitation.ts';
import { samplingNeed, samplingRefused, toSampling, toSamplingResult } from '../protocol/sampling.ts';
import type { Deadline } from './deadline.ts';

interface RunningOptions {
  readonly isApproved: boolean;
  /** Whether it's over somebody's own sign-in. */
  readonly isPersonal: boolean;
  readonly options: CallOptions;
  readonly ids: () => string;
  /** Paused while somebody is asked. */
  readonly deadline: Deadline;
  /** Aborted when the call has ended or was stopped. */
  readonly over: AbortSignal;
  /** Called when the stream for the answer ended without it, with the reason if known. */
  readonly cutOff: (why?: string) => void;
}

/** Most questions to people, and most to the model, during one call. */
const MOST_QUESTIONS = 10;

const CANCELLED = { action: 'cancel', content: null } as const;

/**
 * Handles the requests that a server of an older revision makes while it works on one call. See
 * docs/decisions/0028.
 */
export function createRunningCall({
  isApproved,
  isPersonal,
  options,
  ids,
  deadline,
  over,
  cutOff,
}: RunningOptions): RunningCall {
  let forms = 0;
  let samples = 0;
  /** Settles when the person has answered the previous question. */
  let turn: Promise<unknown> = Promise.resolve();

  async function paused<T>(ask: () => Promise<T>): Promise<T> {
    deadline.pause();
    try {
      return await ask();
    } finally {
      deadline.resume();
    }
  }

  /** Asks one question at a time. A card displays one, and whoever accepts has seen no other. */
  function ask(need: FormNeed, gone: AbortSignal): Promise<ElicitationAnswer> {
    const asked = isPersonal ? asOwn(need) : need;
    const answered = turn.then(() => (gone.aborted ? CANCELLED : options.onElicit(asked, gone)));
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
    // The server mustn't learn why the model didn't answer.
    const answer = await sampling.answer(request, gone).catch(() => null);
    if (answer === null) throw samplingRefused();
    return toSamplingResult(answer);
  }

  return {
    isApproved,
    cutOff,
    over,
    effects: createEffects(),
    elicit: (params, notWaitedFor) => paused(() => asked(params, AbortSignal.any([notWaitedFor, over]))),
    sample: (params, notWaitedFor): Promise<CreateMessageResult> =>
      paused(() => sampled(params, AbortSignal.any([notWaitedFor, over]))),
  };
}

/**
 * Resolves as cancelled when the signal is aborted, because nobody waits for a person once the call is over.
 */
function cancelled(signal: AbortSignal): Promise<ElicitationAnswer> {
  return new Promise((resolve) => {
    const cancel = () => resolve(CANCELLED);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });
}
