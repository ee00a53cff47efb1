import { FencedError } from '../../lib/errors.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { startDeadline } from '../approval/deadline.ts';
import type { CallProof } from '../audit/proofs.ts';
import { denyCall } from '../call/deny.ts';
import { callKey, recordKey } from '../call/digest.ts';
import type { SingleCallEvent } from '../call/events.ts';
import { markInDoubt } from '../call/in-doubt.ts';
import { finalState } from '../call/lifecycle.ts';
import { placeInOrder } from '../call/order.ts';
import type { Outcome } from '../call/outcome.ts';
import { createCall, type Proposer } from '../call/propose.ts';
import type { CallRecord, ProposedCall } from '../call/record.ts';
import { closeForm } from '../call/server-input.ts';
import { askAnew } from '../decisions/ask-anew.ts';
import { grantAgain, grantNow } from '../grants/apply.ts';
import type { Verdict } from '../policy/verdict.ts';
import type { GatePorts } from '../ports.ts';
import { withRiskShown } from '../store/asked-risk.ts';
import { askEvent, endEvent } from '../store/call-events.ts';
import { type CallChange, changeCall, eventUpdate, keep, withClosing, write } from '../store/change-call.ts';
import { closeWithCalls } from '../store/close-request.ts';
import { requests } from '../store/collections.ts';
import { getCalls, succeededUnder } from '../store/commit.ts';
import { readSession, sessionWrites, withCall } from '../store/session-risk.ts';
import { earlierAttemptUnclear, LAST_ATTEMPT_FAILED, STOPPED } from '../texts/notices.ts';
import { mayRetry, nextAttempt } from './attempts.ts';
import { turnBackUnclear } from './instruction.ts';
import { argumentRuleViolation, digestMismatch } from './preflight.ts';
import { evaluateToSend, needsReapproval, revalidate } from './revalidate.ts';

/**
 * The result of {@link begin}. `ready`: the intent is durable; send the call now, once. `ended`: it has
 * ended, with this record. `waiting`: it may not be sent, as a person must act first.
 */
type BeginResult =
  | { readonly kind: 'ready'; readonly call: CallRecord }
  | { readonly kind: 'ended'; readonly call: CallRecord }
  | { readonly kind: 'waiting'; readonly call: CallRecord };

/** An attempt to begin a call, by the worker that holds its thread. */
export interface BeginInput extends Omit<Proposer, 'program'> {
  readonly call: ProposedCall;
  readonly fence: Fence;
}

/**
 * Claims the next attempt at a call: the first half of the write-ahead journal, before {@link finish}. A call
 * that nobody was asked about is recorded here under the policy's verdict; only `allow` makes it ready. A
 * call that has ended returns its recorded end, across restarts too. Throws FencedError when another worker
 * holds the thread.
 *
 * @example
 * ```ts
 * const begun = await begin(ports, input); // the intent is durable
 * if (begun.kind !== 'ready') return begun.call; // ended, or waits for a person
 * const outcome = await send(begun.call);
 * return finish(ports, begun.call, outcome);
 * ```
 */
export async function begin(ports: GatePorts, input: BeginInput): Promise<BeginResult> {
  const key = callKey(input.threadId, input.call.callId);
  const succeeded = succeededUnder(ports, key, input.fence);
  if (succeeded) return { kind: 'ended', call: succeeded };
  return changeCall(ports, key, (stored, prove) => beginChange(ports, input, stored, prove), input.fence);
}

async function beginChange(
  ports: GatePorts,
  input: BeginInput,
  stored: CallRecord | null,
  prove: () => Promise<CallProof>,
): Promise<CallChange<BeginResult>> {
  if (stored && finalState(stored) !== null) return keep({ kind: 'ended', call: stored });
  // Only its own program runs an external call.
  if (stored?.executor === 'external') return keep({ kind: 'waiting', call: stored });
  if (stored?.after && !(await isDue(ports, stored, stored.after)))
    return keep({ kind: 'waiting', call: stored });
  const session = await readSession(ports, stored ?? input);
  const asked = stored ?? createCall(ports, input, input.call, session);
  // A stored call was evaluated when it was proposed, and the policy may have changed since. A new one just was.
  const today = stored ? await evaluateToSend(ports, asked, session) : asked.verdict;
  const { use, lapsed } = await (stored ? grantAgain(ports, stored, today) : grantNow(ports, asked));
  const call = use?.call ?? asked;
  const isSendable = call.state === 'approved' || call.state === 'allowed';
  const proof = stored && isSendable ? await prove() : 'proven';
  // The record that replaces this one says why.
  if (proof === 'contradicted') return keep({ kind: 'waiting', call });
  const pending =
    proof === 'unsigned' && !isAllowedByPolicyAlone(call, today)
      ? await askAnew(ports, call)
      : (lapsed ?? (stored && (await revalidate(ports, call, today))));
  if (pending) {
    const anew = startDeadline(ports, await withRiskShown(ports, session, pending));
    const update = eventUpdate(anew, await askEvent(ports, anew));
    return {
      result: { kind: 'waiting', call: anew },
      update: { ...update, isAskedAnew: proof === 'unsigned' },
    };
  }
  const wanted = turnBackUnclear(call, ports.clock());
  const isLeft = call.state === 'executing' && call.fence !== input.fence.token;
  const mayRepeat = isLeft && mayRetry(ports, call) && (await maySendAgain(ports, call, today));
  const isChecked = stored === null;
  const { result, isNew } = nextBegin(ports, wanted, { fence: input.fence, mayRepeat, today, isChecked });
  const isChanged = isNew || wanted !== call;
  if (!isChanged && (stored || result.kind === 'waiting')) return keep(result);
  const event: SingleCallEvent =
    result.kind === 'ready' ? { type: 'started', call: result.call } : await endEvent(ports, result.call);
  const update = eventUpdate(result.call, event);
  const isSent = session !== null && result.kind === 'ready';
  const read = sessionWrites(isSent ? withCall(session, result.call, ports.clock()) : null);
  return {
    result,
    update: {
      ...update,
      expect: [...(use?.expect ?? []), ...read.expect],
      put: [...(use?.put ?? []), ...read.put],
      notes: [...update.notes, ...(use?.notes ?? [])],
    },
  };
}

/** Whether all calls that this one comes after have succeeded. */
async function isDue(ports: GatePorts, call: CallRecord, after: readonly string[]): Promise<boolean> {
  const before = await getCalls(ports, call.threadId, after);
  return (
    placeInOrder(
      call,
      before.flatMap((stored) => stored?.value ?? []),
    ) === 'due'
  );
}

/**
 * What this worker may do with the call now; `isNew` if that changes its record. `mayRepeat`: an attempt that
 * another worker left behind may be sent again. `today`: the policy's verdict now. `isChecked`: its arguments were
 * just checked.
 */
function nextBegin(
  ports: GatePorts,
  call: CallRecord,
  {
    fence,
    mayRepeat,
    today,
    isChecked,
  }: {
    readonly fence: Fence;
    readonly mayRepeat: boolean;
    readonly today: Verdict;
    readonly isChecked: boolean;
  },
): { result: BeginResult; isNew: boolean } {
  if (finalState(call) !== null) return { result: { kind: 'ended', call }, isNew: false };
  const now = ports.clock();
  // Its server has it, whatever the policy says by now: nothing is sent but the question how far the job is.
  if (call.state === 'executing' && call.job !== undefined) {
    return {
      result: { kind: 'ready', call: nextAttempt(call, { fence, now, isUnclear: false }) },
      isNew: true,
    };
  }
  // If today's policy denies the call, it ends, whoever approved it under an earlier one.
  const isDenied = today.action === 'deny';
  const isLeftBehind = call.state === 'executing' && call.fence !== fence.token;
  if (isLeftBehind && (isDenied || !mayRepeat)) {
    const unclear = markInDoubt(call, STOPPED, now);
    return {
      result: { kind: finalState(unclear) === null ? 'waiting' : 'ended', call: unclear },
      isNew: true,
    };
  }
  if (!isLeftBehind && call.state !== 'approved' && call.state !== 'allowed') {
    return { result: { kind: 'waiting', call }, isNew: false };
  }
  if (isDenied) {
    // The policy became stricter after the call was allowed and before it was sent.
    return { result: { kind: 'ended', call: denyCall(call, today, now) }, isNew: true };
  }
  const other = isChecked ? null : (digestMismatch(call, now) ?? argumentRuleViolation(ports, call, now));
  if (other) return { result: { kind: 'ended', call: other }, isNew: true };
  return {
    result: { kind: 'ready', call: nextAttempt(call, { fence, now, isUnclear: isLeftBehind }) },
    isNew: true,
  };
}

/** Whether a call that was sent is still permitted, by the audit and by today's policy. */
export async function maySendAgain(ports: GatePorts, call: CallRecord, today: Verdict): Promise<boolean> {
  if (await needsReapproval(ports, call, today)) return false;
  const proof = await ports.proofs.proveCall(call);
  return proof === 'proven' || (proof === 'unsigned' && isAllowedByPolicyAlone(call, today));
}

/** Whether a call may be sent without a proof, as nobody was to be asked, and the policy was just asked. */
function isAllowedByPolicyAlone({ decision, grant }: CallRecord, today: Verdict): boolean {
  return decision === null && grant === undefined && today.action === 'allow';
}

/**
 * Records the outcome of an attempt. A late outcome of an attempt given up as in doubt is still the truth and
 * replaces the doubt, also while people are asked whether to send it again. A second outcome of an ended
 * attempt changes nothing.
 */
export async function finish(ports: GatePorts, attempt: CallRecord, outcome: Outcome): Promise<CallRecord> {
  return amendAttempt(ports, attempt, (call) =>
    outcome.status === 'in_doubt' && call.state !== 'executing' ? null : endAttempt(ports, call, outcome),
  );
}

/** The call after its attempt ended. */
export function endAttempt(ports: GatePorts, call: CallRecord, outcome: Outcome): CallEvent {
  const now = ports.clock();
  if (outcome.status === 'in_doubt') {
    return { type: 'ended', call: { ...markInDoubt(call, outcome.message, now), outcome } };
  }
  // This attempt's failure says nothing about an earlier one.
  if (outcome.status === 'failed' && call.doubt !== undefined && call.doubt.attempt < call.attempt) {
    // What is in doubt is shown to all who read the call.
    const isTheirs = outcome.ownAccount === true && !outcome.isPassing;
    const message = earlierAttemptUnclear(isTheirs ? LAST_ATTEMPT_FAILED : outcome.message);
    return { type: 'ended', call: markInDoubt(call, message, now) };
  }
  const over = { need: null, elicitationAnswer: closeForm(call, 'server'), endedAt: now };
  return { type: 'ended', call: { ...call, state: outcome.status, outcome, ...over } };
}

type CallEvent = Extract<SingleCallEvent, { readonly call: CallRecord }>;

/** Changes the record of an attempt whose outcome is unknown; leaves any other as it is. */
export function amendAttempt(
  ports: GatePorts,
  attempt: CallRecord,
  change: (call: CallRecord) => CallEvent | null,
): Promise<CallRecord> {
  return changeCall(ports, recordKey(attempt), async (call) => {
    if (call?.attempt !== attempt.attempt) throw new FencedError();
    const changed = isUnclear(call) ? change(call) : null;
    if (!changed) return keep(call);
    const event = changed.type === 'ended' ? await endEvent(ports, changed.call) : changed;
    const update = eventUpdate(changed.call, event);
    const { isAlone, requestId } = changed.call;
    if (!isAlone || requestId === null) return write(update);
    // Once closed, a request stays so; and what closes it expects its version.
    const request = ports.recent.get(requests, requestId) ?? (await ports.store.get(requests, requestId));
    if (!request) return write(update);
    const closing = closeWithCalls(ports, request, [changed.call]);
    return write(withClosing(update, closing));
  });
}

/** Whether the latest attempt is in flight, or was given up without an outcome. */
function isUnclear(call: CallRecord): boolean {
  if (call.state === 'executing') return true;
  return call.doubt?.attempt === call.attempt && (finalState(call) === null || call.state === 'in_doubt');
}
