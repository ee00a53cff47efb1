import { latest } from '../lib/duration.ts';

const DAY_MS = 86_400_000;
/** How long a conversation is kept unless the file says otherwise, in milliseconds. */
const DEFAULT_RETENTION_MS = 90 * DAY_MS;
/** Time for a call that was approved at the last moment, and for its run, in milliseconds. */
const GRACE_MS = DAY_MS;

/** Milliseconds; null: never ends. */
type Duration = number | null;

/**
 * How long a conversation is kept after its last message: as set, else 90 days, or for
 * ever if people may decide for that long.
 */
export function threadRetention(set: Duration | undefined, longest: Duration): Duration {
  if (set !== undefined) return set;
  return outlivesDeadline(DEFAULT_RETENTION_MS, longest) ? DEFAULT_RETENTION_MS : null;
}

/**
 * How long the agent remembers a conversation after its last message: as {@link threadRetention} says, but never
 * longer than the records of it are kept.
 */
export function conversationRetention(
  file: Deadlines & {
    readonly threads: { readonly keep_for?: Duration | undefined };
    readonly records: { readonly keep_for?: Duration | undefined };
  },
): Duration {
  const threadMs = threadRetention(file.threads.keep_for, maxDeadline(file));
  const recordMs = file.records.keep_for ?? null;
  if (threadMs === null || recordMs === null) return threadMs ?? recordMs;
  return Math.min(threadMs, recordMs);
}

interface Deadlines {
  readonly requests: { readonly open_for: Duration };
  readonly policy: { readonly rules: readonly { readonly deadline?: Duration | undefined }[] };
}

/** The longest deadline in the file, counting all hours and no extensions. */
export function maxDeadline({ requests, policy }: Deadlines): Duration {
  return latest([
    requests.open_for,
    ...policy.rules.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline])),
  ]);
}

/**
 * The longest that anything may wait for people, whatever moves its deadline: working hours, or
 * extensions. Its conversation is kept longer.
 */
export function maxWait(keepFor: Duration): Duration {
  return keepFor === null ? null : keepFor - GRACE_MS;
}

/** Whether a thread is kept until after the deadline, although nothing is written in it meanwhile. */
export function outlivesDeadline(keepFor: Duration, longest: Duration): boolean {
  if (keepFor === null) return true;
  return longest !== null && keepFor >= longest + GRACE_MS;
}
