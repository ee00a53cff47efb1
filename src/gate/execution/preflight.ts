import { schemaProblems } from '../call/argument-check.ts';
import { toolDigest } from '../call/digest.ts';
import { leaveInDoubt } from '../call/in-doubt.ts';
import type { CallRecord } from '../call/record.ts';
import type { GatePorts } from '../ports.ts';
import { argumentsMisfitNow, DIGEST_MISMATCH } from '../texts/notices.ts';

/**
 * A call about to be sent, ended because its arguments don't fit the operator's current schemas; null when
 * they do. The last check of the arguments before a call leaves.
 */
export function argumentRuleViolation(
  ports: Pick<GatePorts, 'validateArguments' | 'argumentRules'>,
  call: CallRecord,
  now: number,
): CallRecord | null {
  const rules = ports.argumentRules(call.tool);
  const problems = rules.flatMap((schema) => schemaProblems(ports, schema, call.arguments));
  if (problems.length === 0) return null;
  const why = argumentsMisfitNow(problems);
  const outcome = { status: 'failed' as const, message: why, content: [] };
  return leaveInDoubt(call, why, now) ?? { ...call, state: 'failed', endedAt: now, outcome };
}

/**
 * A call about to be sent, ended because it isn't what its digest says; null when it is. People approved the
 * digest, so what was displayed is what runs. Only a write to the store past the gate can cause a mismatch.
 */
export function digestMismatch(call: CallRecord, now: number): CallRecord | null {
  if (toolDigest(call.tool, call.arguments) === call.digest) return null;
  return (
    leaveInDoubt(call, DIGEST_MISMATCH, now) ?? {
      ...call,
      state: 'failed',
      endedAt: now,
      outcome: { status: 'failed', message: DIGEST_MISMATCH, content: [] },
    }
  );
}
