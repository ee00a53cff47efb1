import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { AuditKeys } from '../audit/keys.ts';
import { recordKey } from '../call/digest.ts';
import type { CallRecord } from '../call/record.ts';

/**
 * The key of `_meta` under which a receipt goes with a call and its result.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic#meta
 */
export const RECEIPT_META = 'countersign/receipt';
/** The `typ` of a receipt: nothing else that a key of ours signs has it. */
const RECEIPT_TYPE = 'countersign-receipt+jwt';
/** How long a receipt is valid at least, in milliseconds: clocks differ, and messages wait. */
const LEAST_VALID_MS = 5 * 60_000;

/**
 * Issues a receipt for one request of an attempt; each has a one-use id of its own. It is valid for
 * `withinMs` milliseconds, and for five minutes at least.
 */
export type IssueReceipt = (withinMs?: number) => string;

/**
 * The receipts of one attempt at a call, as JSON Web Tokens: who approved it, by which rule, and the digest of exactly
 * what runs. Null for a call that only the policy allows. The audit must have proven the record; docs/receipts.md
 * describes the claims.
 */
export type IssueReceipts = (call: CallRecord, options?: ReceiptOptions) => IssueReceipt | null;

interface ReceiptOptions {
  /**
   * When they count as issued, in milliseconds since the epoch. The first one for the same call, attempt and time is always
   * the same receipt.
   * @default now
   */
  readonly at?: number;
}

interface ReceiptPorts {
  readonly auditKeys: Pick<AuditKeys, 'signToken'>;
  readonly clock: Clock;
  /** Our address, where the keys are published. */
  readonly issuer: () => string;
}

export function createReceipts({ auditKeys, clock, issuer }: ReceiptPorts): IssueReceipts {
  return (call, { at } = {}) => {
    const approval = describeApproval(call);
    if (approval === null) return null;
    let issued = 0;
    return (withinMs = 0) => {
      issued += 1;
      const now = at ?? clock();
      return auditKeys.signToken(RECEIPT_TYPE, {
        iss: issuer(),
        aud: call.tool.server,
        jti: [recordKey(call), call.attempt, issued].join('.'),
        iat: toSeconds(now),
        exp: toSeconds(now + Math.max(withinMs, LEAST_VALID_MS)),
        call: {
          server: call.tool.server,
          tool: call.tool.name,
          definition_sha256: call.tool.definitionHash,
          arguments_sha256: sha256Hex(canonicalJson(call.arguments)),
          digest: call.digest,
        },
        ...approval,
        rule: call.verdict.rule,
        policy_version: call.verdict.policyVersion,
        requester: call.requester.id,
        ...(call.program && { program: call.program.id }),
      });
    };
  };
}

/** Who approved the call, by their ids; null if nobody did. Names are for people, and stay here. */
function describeApproval({ decision, votes = [], grant }: CallRecord): JsonObject | null {
  if (decision === null) {
    return grant
      ? {
          approved_by: [],
          grant: { id: grant.grantId, by: grant.by.id, until: toSeconds(grant.until) },
        }
      : null;
  }
  const approvals = votes.filter(({ type }) => type !== 'reject');
  const given = approvals.length > 0 ? approvals : [{ ...decision, step: 0 }];
  return {
    approved_by: given.map(({ actor, for: absent, at, step }) => ({
      id: actor.id,
      ...(absent && { for: absent.id }),
      at: toSeconds(at),
      step,
    })),
  };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
