import type { Gate } from '../gate/index.ts';
import { type CallRecord, finalState, type Outcome, recordKey } from '../gate/types.ts';
import type { Clock } from '../lib/clock.ts';
import { NOT_BACK_IN_TIME } from './texts.ts';

/** How long an approval holds for a program that went away while its call waited, in milliseconds. */
export const RETURNS_WITHIN_MS = 15 * 60_000;

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

/** Ends a call that was approved longer ago than its program may take to come back. Returns whether it has. */
export async function endIfLate(
  { gate, clock }: { readonly gate: Pick<Gate, 'journal'>; readonly clock: Clock },
  call: CallRecord,
): Promise<boolean> {
  const { program, decision, executor } = call;
  if (program?.leftAt === undefined || executor !== 'external') return false;
  if (call.state !== 'approved' && call.state !== 'allowed') return false;
  const since = Math.max(program.leftAt, decision?.at ?? 0);
  if (clock() - since < RETURNS_WITHIN_MS) return false;
  const outcome: Outcome = { status: 'failed', message: NOT_BACK_IN_TIME, content: [] };
  await gate.journal.report(recordKey(call), { id: program.id, name: program.name }, outcome);
  return true;
}
