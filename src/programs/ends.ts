import { type CallRecord, finalState } from '../gate/types.ts';

/** How long an end that its program has not heard is given to the same call, in milliseconds: a day, as tasks are. */
export const UNHEARD_MS = 86_400_000;

/** The same for an end that could be made anew without harm: as long as a program takes to connect anew. */
const HARMLESS_MS = 60_000;

/** How long the same call is told that it's unclear whether it happened, however often it is made, in milliseconds. */
const UNCLEAR_MS = 15 * 60_000;

/** Whether a program can be told how its call ended, or that nobody knows. */
export function hasEnded(call: CallRecord): boolean {
  return finalState(call) !== null || call.state === 'in_doubt';
}

/** Whether the same call gets the end of this one, which its program is not known to have heard; or else is a new call. */
export function isGivenAgain(call: CallRecord, now: number): boolean {
  // Somebody is asked what happened, and until then it's the same one.
  if (call.endedAt === null) return true;
  return now - call.endedAt < (isHarmless(call) ? HARMLESS_MS : UNHEARD_MS);
}

/** Whether there is nothing more to learn of the call, so that its program hears the end of it once. */
export function isOver({ state, endedAt }: CallRecord, now: number): boolean {
  if (endedAt === null) return false;
  return state !== 'in_doubt' || now - endedAt >= UNCLEAR_MS;
}

/** Whether the call could be made anew without a second card, and without changing something twice. */
function isHarmless({ state, decision, intentAt, tool }: CallRecord): boolean {
  if (state === 'denied') return true;
  const isAnswered = decision === null && (state === 'succeeded' || state === 'failed');
  return isAnswered && (intentAt === null || tool.readOnly === true);
}
