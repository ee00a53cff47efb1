import { sha256Hex } from '../../lib/canonical-json.ts';
import { finalState } from '../call/lifecycle.ts';
import { type CallRecord, callRecordSchema } from '../call/record.ts';

/**
 * The digest of what a call's record says about permission to run it: who asked for what, under which verdict,
 * who decided, and in which state it is. Null where permission isn't taken from the record: the call has ended,
 * or the policy alone allows it, which is asked again before it is sent.
 */
export function callPermission(call: CallRecord): string | null {
  if (!restsOnRecord(call)) return null;
  // Everything but what only schedules and displays, so that a new field counts unless somebody decides otherwise.
  const {
    timing,
    taken: _claim,
    fence: _fence,
    intentAt: _intentAt,
    tries: _tries,
    endedAt: _endedAt,
    outcome: _outcome,
    ordinal: _ordinal,
    reportDigest: _reportDigest,
    job: _job,
    progress: _progress,
    ...rest
  } = callRecordSchema.parse(call);
  return recordDigest({ ...rest, climbed: timing?.climbed ?? [] });
}

/** Whether a call that hasn't ended may run, or be decided, because of what its record says. */
export function restsOnRecord(call: CallRecord): boolean {
  if (finalState(call) !== null) return false;
  return (
    call.state === 'pending' || call.requestId !== null || call.decision !== null || call.grant !== undefined
  );
}

/** SHA-256 over a record as JSON with sorted keys; takes texts that aren't valid Unicode, too. */
export function recordDigest(record: object): string {
  return sha256Hex(
    JSON.stringify(record, (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ),
  );
}
