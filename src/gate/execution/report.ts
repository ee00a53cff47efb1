import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { Actor } from '../call/actor.ts';
import { isCanonical } from '../call/argument-check.ts';
import { jsonObject, type Outcome } from '../call/outcome.ts';
import type { CallRecord } from '../call/record.ts';
import { type RefusalCode, RefusalError } from '../call/refusal.ts';
import type { GatePorts } from '../ports.ts';
import { endEvent } from '../store/call-events.ts';
import { changeCall, eventUpdate, keep, requireCall, withClosing, write } from '../store/change-call.ts';
import { closeWithCalls } from '../store/close-request.ts';
import { requests } from '../store/collections.ts';
import {
  NOT_APPROVED,
  NOT_EXTERNAL,
  REPORT_NOT_JSON,
  REPORTED_DIFFERENTLY,
  reportNotRecorded,
} from '../texts/refusals.ts';
import { endAttempt } from './journal.ts';

/**
 * Records the outcome of an external call, as reported by the program that ran it. The first report stands:
 * repeating it changes nothing, and a different one is refused. After `in_doubt`, if a person has the call
 * run again, the next report counts.
 * @throws RefusalError when the call isn't external, may not run, or was reported differently.
 */
export function reportOutcome(
  ports: GatePorts,
  key: string,
  actor: Actor,
  outcome: Outcome,
): Promise<CallRecord> {
  const reportDigest = outcomeDigest(outcome);
  return changeCall(ports, key, async (stored) => {
    const call = requireCall(stored);
    if (call.executor !== 'external') {
      throw refusal('not_applicable', NOT_EXTERNAL, call);
    }
    if (call.state !== 'approved' && call.state !== 'allowed') {
      if (call.reportDigest === reportDigest) return keep(call);
      throw call.reportDigest === undefined
        ? refusal('not_allowed', NOT_APPROVED, call)
        : refusal('already_decided', REPORTED_DIFFERENTLY, call);
    }
    const attempt: CallRecord = { ...call, attempt: call.attempt + 1, tries: 1, reportDigest };
    const ended = endAttempt(ports, attempt, outcome).call;
    const request = call.requestId === null ? null : await ports.store.get(requests, call.requestId);
    const update = eventUpdate(ended, await endEvent(ports, ended), actor);
    if (!request) return write(update);
    const closing = closeWithCalls(ports, request, [ended]);
    return write(withClosing(update, closing));
  });
}

function outcomeDigest(outcome: Outcome): string {
  // The receipt is ours, and no part of what the program says.
  const said = { ...outcome, receipt: undefined };
  const json = jsonObject.parse(JSON.parse(JSON.stringify(said)));
  if (isCanonical(json)) return sha256Hex(canonicalJson(json));
  throw new RefusalError('invalid_arguments', REPORT_NOT_JSON);
}

function refusal(code: RefusalCode, why: string, call: CallRecord): RefusalError {
  return new RefusalError(code, reportNotRecorded(why), call);
}
