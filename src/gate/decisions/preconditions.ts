import { isPastDeadline } from '../approval/deadline.ts';
import type { Actor } from '../call/actor.ts';
import type { DecisionInput } from '../call/decision.ts';
import { placeDigest } from '../call/order.ts';
import type { CallRecord } from '../call/record.ts';
import { NewsError, RefusalError, RepeatedDecisionError } from '../call/refusal.ts';
import { type Authority, mayWithdraw, resolveAuthority } from '../delegation/on-behalf-of.ts';
import type { GatePorts } from '../ports.ts';
import { CHANGED_SINCE_SHOWN, DEADLINE_PASSED, nothingChanged } from '../texts/refusals.ts';
import { alreadyDecidedMessage, isRepeated } from './messages.ts';

/**
 * The actor's authority over the call; `isWithdrawal` if they withdraw it and may.
 * @throws RefusalError when they have neither.
 */
export async function requireAuthority(
  ports: GatePorts,
  call: CallRecord,
  input: DecisionInput,
  actor: Actor,
): Promise<{ readonly authority: Authority; readonly isWithdrawal: boolean }> {
  const { type } = input;
  const authority = await resolveAuthority(ports, call, actor, { approves: type === 'approve' });
  const isWithdrawal = type === 'withdraw' && (await mayWithdraw(ports, call, actor));
  if (authority.may || isWithdrawal) return { authority, isWithdrawal };
  const hasVoted = call.votes?.some((vote) => ports.people.samePerson(vote.actor, actor)) === true;
  const isDecided = call.state !== 'pending' && call.decision !== null;
  const undecided = hasVoted ? authority.why : nothingChanged(authority.why);
  const why = isDecided ? alreadyDecidedMessage(ports.people, call, actor) : undecided;
  const isOver = isDecided && call.verdict.approval !== undefined;
  if (hasVoted || isOver) throw decidedBefore(ports, call, input, actor, why);
  throw new RefusalError('not_allowed', why, call);
}

/**
 * Refuses a call that is decided, past its deadline, or not what was displayed.
 * @throws RefusalError
 */
export function requireUndecided(
  ports: GatePorts,
  call: CallRecord,
  input: DecisionInput,
  { actor, now }: { readonly actor: Actor; readonly now: number },
): void {
  if (call.state !== 'pending') {
    throw decidedBefore(ports, call, input, actor, alreadyDecidedMessage(ports.people, call, actor));
  }
  // By when they clicked: how long it took to look them up must not make them late.
  if (isPastDeadline(call, now)) throw new RefusalError('expired', DEADLINE_PASSED, call);
  const isElsewhere = input.place !== undefined && input.place !== placeDigest(call);
  if (isElsewhere || (input.digest !== null && input.digest !== call.digest)) {
    throw new RefusalError('changed', CHANGED_SINCE_SHOWN, call);
  }
}

/**
 * Refuses to approve a call to who wasn't shown what came since it was proposed.
 * @throws NewsError
 */
export async function requireNewsShown(
  { findNews }: Pick<GatePorts, 'findNews'>,
  call: CallRecord,
  { type, news }: DecisionInput,
): Promise<void> {
  if (type !== 'approve' && type !== 'edit') return;
  const latest = await findNews(call);
  if (latest !== null && latest.id !== news) throw new NewsError('changed', latest.refusal, call);
}

function decidedBefore(
  { people }: GatePorts,
  call: CallRecord,
  input: DecisionInput,
  actor: Actor,
  why: string,
): RefusalError {
  const Refusal = isRepeated(people, call, input, actor) ? RepeatedDecisionError : RefusalError;
  return new Refusal('already_decided', why, call);
}
