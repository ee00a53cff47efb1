import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
  type InputResponses,
  isInputRequiredResult,
} from '@modelcontextprotocol/client';
import type { CallInput } from '../../gate/types.ts';
import type { CallOptions, SendResult } from '../../tools/ports.ts';
import { failed } from '../protocol/call-errors.ts';
import { toNeed, toResult } from '../protocol/elicitation.ts';
import { toOutcome } from '../protocol/results.ts';
import { samplingNeed, toSampling, toSamplingResult } from '../protocol/sampling.ts';
import {
  INPUT_NOT_SUPPORTED,
  SAMPLING_DENIED,
  STATE_TOO_LARGE,
  samplingFailed,
  samplingNotAllowed,
  TOO_LARGE_TO_SHOW,
  tooManyInputs,
  tooManyRounds,
  unsupportedInput,
} from '../texts/calls.ts';

export type CallParams = CallToolRequest['params'] & {
  inputResponses?: InputResponses | undefined;
  requestState?: string | undefined;
};

export interface InputContext {
  readonly server: string;
  readonly name: string;
  /** Ids for the questions put to people. */
  readonly ids: () => string;
  /** The folders that the server may know of; null if it may not ask. */
  readonly roots: readonly { readonly uri: string }[] | null;
  /** How its requests to the model are decided and answered; null if it may not ask. */
  readonly sampling: CallOptions['sampling'] | null;
  /** Aborted when the call is stopped. */
  readonly signal: AbortSignal;
}

/** Most rounds of input in one call: the SDK's own limit. */
const MOST_ROUNDS = 10;

/** Most requests in one round. Each is one more form for a person or one more answer of the model. */
const MOST_AT_ONCE = 10;

/** Longest key of a request, in characters. */
const LONGEST_KEY = 200;
/** Largest `requestState` that a server may leave here until people have answered, in characters. */
const LONGEST_STATE = 64_000;
/** Largest round of requests, as JSON, in characters. */
const LONGEST_ROUND = 1_000_000;

/**
 * Sends a call together with the input collected so far.
 *
 * Since revision 2026-07-28 a server may answer that it did nothing yet and needs input first. Input that
 * needs no person is sent back at once. Input that only a person can give blocks the call; the result holds
 * everything needed to continue later, from any process. See docs/decisions/0025.
 */
export async function sendWithInput(
  params: CallParams,
  before: CallInput | undefined,
  request: (params: CallParams) => Promise<CallToolResult | InputRequiredResult>,
  context: InputContext,
): Promise<SendResult> {
  let input: CallInput = before ?? { requestState: null, asked: [], answers: {}, rounds: 0 };
  for (;;) {
    const consent = consentNow(input, context);
    if (consent === 'refused') {
      return failed(samplingNotAllowed(context.server));
    }
    if (consent !== 'given') return consent;
    const collected = await collectedInput(input, context).catch(() => null);
    if (collected === null) return failed(samplingFailed(context.server));
    const result = await request({ ...params, ...collected });
    if (!isInputRequiredResult(result)) return { kind: 'ended', outcome: toOutcome(result, context) };
    if (input.rounds >= MOST_ROUNDS) {
      return failed(unsupportedInput(context.server, tooManyRounds(MOST_ROUNDS)));
    }
    const round = toRound(result, context);
    if (typeof round === 'string') return failed(unsupportedInput(context.server, round));
    input = { ...round, requestState: result.requestState ?? null, rounds: input.rounds + 1 };
    const [first] = round.asked;
    if (first) return { kind: 'blocked', need: first.need, input };
  }
}

interface Round extends Pick<CallInput, 'asked' | 'answers'> {
  readonly samples: NonNullable<CallInput['samples']>;
  readonly roots: string[];
}

/** The server's requests, grouped by who can answer them; or a failure if one of them isn't supported. */
function toRound(
  { inputRequests, requestState }: InputRequiredResult,
  context: InputContext,
): Round | string {
  const round: Round = { asked: [], answers: {}, samples: {}, roots: [] };
  const wanted = Object.entries(inputRequests ?? {});
  if (wanted.length > MOST_AT_ONCE) return tooManyInputs(wanted.length);
  if (wanted.some(([key]) => key.length > LONGEST_KEY)) return TOO_LARGE_TO_SHOW;
  if ((requestState?.length ?? 0) > LONGEST_STATE) return STATE_TOO_LARGE;
  for (const [key, input] of wanted) {
    const problem = addRequest(round, key, input, context);
    if (problem !== null) return problem;
  }
  return JSON.stringify(round).length > LONGEST_ROUND ? TOO_LARGE_TO_SHOW : round;
}

/** Adds one request to the round. Returns why not if it isn't supported. */
function addRequest(round: Round, key: string, input: InputRequest, context: InputContext): string | null {
  switch (input.method) {
    case 'elicitation/create': {
      const need = toNeed(input.params, context.ids());
      if (need === 'too_much') return TOO_LARGE_TO_SHOW;
      // Unsafe pages are declined without asking.
      if (need === 'unsafe') round.answers[key] = { action: 'decline', content: null };
      else round.asked.push({ key, need });
      return null;
    }
    case 'roots/list':
      round.roots.push(key);
      return context.roots === null ? INPUT_NOT_SUPPORTED : null;
    case 'sampling/createMessage': {
      const request = toSampling(input.params);
      const verdict = request ? context.sampling?.verdict(request) : undefined;
      if (request === null || verdict === undefined) return INPUT_NOT_SUPPORTED;
      if (verdict === 'deny') return SAMPLING_DENIED;
      round.samples[key] = request;
      if (verdict === 'allow') round.answers[key] = { action: 'accept', content: null };
      else round.asked.push({ key, need: samplingNeed(request, context.ids()) });
      return null;
    }
  }
}

/**
 * Re-checks the policy on requests to the model, because it may have changed since they were accepted.
 * Returns `given`, `refused`, or the result that asks a person whose consent is now needed and missing.
 */
function consentNow(input: CallInput, context: InputContext): 'given' | 'refused' | SendResult {
  const answers = { ...input.answers };
  const asked: CallInput['asked'] = [];
  for (const [key, sample] of Object.entries(input.samples ?? {})) {
    const verdict = context.sampling?.verdict(sample) ?? 'deny';
    const answer = Object.hasOwn(answers, key) ? answers[key] : undefined;
    if (answer?.action !== 'accept' || verdict === 'deny') return 'refused';
    if (verdict === 'allow' || answer.elicitationId !== undefined) continue;
    delete answers[key];
    asked.push({ key, need: samplingNeed(sample, context.ids()) });
  }
  const [first] = asked;
  return first ? { kind: 'blocked', need: first.need, input: { ...input, asked, answers } } : 'given';
}

/** The input collected so far, as the server gets it. */
async function collectedInput(
  { answers, samples = {}, roots = [], requestState }: CallInput,
  context: InputContext,
): Promise<Partial<CallParams>> {
  const inputResponses: InputResponses = {};
  for (const [key, answer] of Object.entries(answers)) {
    // The server chooses its keys: `constructor` must not match an inherited property.
    const sample = Object.hasOwn(samples, key) ? samples[key] : undefined;
    if (sample === undefined) inputResponses[key] = toResult(answer);
    else if (context.sampling) {
      inputResponses[key] = toSamplingResult(await context.sampling.answer(sample, context.signal));
    }
  }
  for (const key of roots) inputResponses[key] = { roots: [...(context.roots ?? [])] };
  return {
    inputResponses: Object.keys(inputResponses).length > 0 ? inputResponses : undefined,
    requestState: requestState ?? undefined,
  };
}
