/** An outcome as it is recorded: without what can't be stored, and with what is known besides. */

import type { CallRecord, Outcome } from '../gate/types.ts';
import type { SendEnded } from './ports.ts';
import { ANSWER_NOT_STORED, NO_RETRIES_LEFT, triedTimes } from './texts.ts';

/**
 * The outcome with its large parts stored beside the record. If storing them fails, the outcome is still
 * recorded, without the answer.
 */
export async function storeLargeParts(
  keep: ((call: CallRecord, outcome: Outcome) => Promise<Outcome>) | undefined,
  call: CallRecord,
  outcome: Outcome,
): Promise<Outcome> {
  try {
    return (await keep?.(call, outcome)) ?? outcome;
  } catch {
    return withoutAnswer(outcome);
  }
}

/** Longest error message kept where the answer couldn't be stored, in characters. */
const LONGEST_MESSAGE = 2_000;

function withoutAnswer(outcome: Outcome): Outcome {
  switch (outcome.status) {
    case 'succeeded': {
      return { ...outcome, content: [{ type: 'text', text: ANSWER_NOT_STORED }], structured: null };
    }
    case 'failed':
      return { ...outcome, message: outcome.message.slice(0, LONGEST_MESSAGE), content: [] };
    case 'in_doubt':
      return outcome;
  }
}

/** Notes on a failure that it passes, so that people can try again. */
export function markPassing(outcome: Outcome, { retry }: SendEnded): Outcome {
  return outcome.status === 'failed' && retry ? { ...outcome, isPassing: true } : outcome;
}

/** The outcome with the receipt that went with its call, if one did. */
export function withReceipt(outcome: Outcome, receipt: string | null): Outcome {
  return receipt === null || outcome.status === 'in_doubt' ? outcome : { ...outcome, receipt };
}

/**
 * Adds to an error how often the call was tried, and that no retries are left if the tool has used them up.
 */
export function withTries(
  { tries = 1 }: CallRecord,
  outcome: Outcome,
  { isSpent }: { readonly isSpent: boolean },
): Outcome {
  if (outcome.status === 'succeeded') return outcome;
  const sentences = [outcome.message];
  if (tries > 1) sentences.push(triedTimes(tries));
  if (isSpent) sentences.push(NO_RETRIES_LEFT);
  return { ...outcome, message: sentences.join(' ') };
}
