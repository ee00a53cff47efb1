import { isDeepStrictEqual } from 'node:util';
import { FencedError } from '../../lib/errors.ts';
import type { Fence } from '../../storage/lease/types.ts';
import { recordKey } from '../call/digest.ts';
import type { Progress } from '../call/progress.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { type CallChange, changeCall, keep, write } from '../store/change-call.ts';

/** The call with its next attempt begun. `isUnclear`: the outcome of the attempt before is unknown. */
export function nextAttempt(
  call: CallRecord,
  { fence, now, isUnclear }: { readonly fence: Fence; readonly now: number; readonly isUnclear: boolean },
): CallRecord {
  const { job, progress, ...rest } = call;
  const isUnderWay = call.state === 'executing';
  // What people have asked for again is another job than the one whose end nobody knows.
  const going = isUnderWay ? job : undefined;
  return {
    ...rest,
    ...(going && { job: going, ...(progress && { progress }) }),
    state: 'executing',
    attempt: call.attempt + 1,
    // Whoever follows its job sends nothing.
    tries: isUnderWay ? countTries(call) + (going ? 0 : 1) : 1,
    fence: fence.token,
    intentAt: now,
    need: null,
    ...(isUnclear ? { doubt: { attempt: call.attempt, said: null } } : {}),
  };
}

function countTries({ tries, attempt }: CallRecord): number {
  return tries ?? attempt;
}

/** The most attempts at a call of a tool that may be sent again, including the first. */
const MAX_ATTEMPTS = 3;

/**
 * Whether the call may be sent again without a person's decision: a hint, which `begin` and `retryAttempt`
 * check.
 */
export function mayRetry(ports: GatePorts, call: CallRecord): boolean {
  return countTries(call) < MAX_ATTEMPTS && ports.isIdempotent(call.tool);
}

type Job = NonNullable<CallRecord['job']>;

/**
 * Records the job that the server does for a call, whose intent is recorded: the call goes on with it. From then on, whoever
 * begins the call after a restart follows that job, and sends nothing. Returns the call as it is recorded, which may have
 * ended. `atMostMs`: how long the job is followed.
 */
export function noteJob(
  ports: GatePorts,
  attempt: CallRecord,
  { atMostMs, ...named }: Pick<Job, 'id' | 'isNumber' | 'isTask'> & { readonly atMostMs: number },
): Promise<CallRecord> {
  return changeCall(ports, recordKey(attempt), async (call) => {
    if (call?.attempt !== attempt.attempt) throw new FencedError();
    if (call.state !== 'executing') return keep(call);
    const since = ports.clock();
    const retries = ports.isIdempotent(call.tool) ? MAX_ATTEMPTS - 1 : 0;
    const job = { ...named, since, until: since + atMostMs, tries: countTries(call), retries };
    const going = { ...call, job };
    return write({ call: going, event: { type: 'job_started', call: going }, notes: [] });
  });
}

/** The longest message of a server about its progress that is kept, in characters. */
const MESSAGE_LENGTH = 300;

/**
 * Records how far a call is, as its server says. Changes nothing unless it runs. For whoever holds the `fence` of its thread;
 * throws FencedError otherwise.
 */
export function noteProgress(
  ports: GatePorts,
  key: string,
  { progress, total, message }: Progress,
  fence: Fence,
): Promise<void> {
  const said = { progress, total, message: message === null ? null : message.slice(0, MESSAGE_LENGTH) };
  const note = async (stored: CallRecord | null): Promise<CallChange<void>> => {
    if (stored?.state !== 'executing' || isDeepStrictEqual(stored.progress, said)) return keep(undefined);
    const call = { ...stored, progress: said };
    return { result: undefined, update: { call, event: { type: 'progressed', call }, notes: [] } };
  };
  return changeCall(ports, key, note, fence);
}
