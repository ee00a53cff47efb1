import { latest } from '../lib/duration.ts';

const DAY_MS = 86_400_000;
/** How long a conversation is kept unless the file says otherwise, in milliseconds. */
const DEFAULT_RETENTION_MS = 90 * DAY_MS;
/** What was approved in the last moment still has to run, and its run to go on, in milliseconds. */
const GRACE_MS = DAY_MS;

/** Milliseconds; null: never ends. */
type Duration = number | null;

/**
 * How long a conversation is kept after what was written in it last: as it is set, else 90 days, or for
 * ever where people may decide for as long as that.
 */
export function threadRetention(set: Duration | undefined, longest: Duration): Duration {
  if (set !== undefined) return set;
  return outlivesDeadline(DEFAULT_RETENTION_MS, longest) ? DEFAULT_RETENTION_MS : null;
}

/** How long people may decide at most, by the file: at all hours, and without being put off. */
export function maxDeadline({
  requests,
  policy,
}: {
  readonly requests: { readonly open_for: Duration };
  readonly policy: { readonly rules: readonly { readonly deadline?: Duration | undefined }[] };
}): Duration {
  return latest([
    requests.open_for,
    ...policy.rules.flatMap(({ deadline }) => (deadline === undefined ? [] : [deadline])),
  ]);
}

/**
 * How long anything may wait for people, whatever puts its deadline off: working hours, and those who extend
 * it. Its conversation is kept for longer than that.
 */
export function maxWait(keepFor: Duration): Duration {
  return keepFor === null ? null : keepFor - GRACE_MS;
}

/** Whether a thread that waits for people outlives their deadline: nothing is written in it meanwhile. */
export function outlivesDeadline(keepFor: Duration, longest: Duration): boolean {
  if (keepFor === null) return true;
  return longest !== null && keepFor >= longest + GRACE_MS;
}
