import type { Store } from '../../storage/store.ts';
import type { CallRecord } from '../call/record.ts';
import {
  beginsPermission,
  changesCall,
  endsCall,
  foldApprovals,
  isApproved,
  type ProvenApprovals,
} from './approvals.ts';
import type { AuditEntry } from './chain.ts';
import type { AuditVerifier } from './keys.ts';
import { callPermission, restsOnRecord } from './permission.ts';
import { callSubject, VerifiedChains } from './verified-chain.ts';

/**
 * What the audit says of a call's record. `proven`: it permits what the chain permits, or permission isn't taken
 * from it. `unsigned`: the chain doesn't say what it permits, as in data of earlier versions. `contradicted`: the
 * chain says otherwise, so the record was changed past the gate.
 */
export type CallProof = 'proven' | 'unsigned' | 'contradicted';

/** Proves what records permit by the signed chains of the audit. */
export interface Proofs {
  proveCall(call: CallRecord): Promise<CallProof>;
  /** Whether the audit says that an attempt at the call was begun. */
  hasBegun(call: CallRecord): Promise<boolean>;
  /** The state of a call by the last entry about it; null if none says so. */
  lastState(call: CallRecord): Promise<string | null>;
  /** Whether this is what the last entry about the record says. */
  isLast(claim: LastClaim): Promise<boolean>;
}

/** What a record says of itself: the digest of what it permits, and where the audit says the same of it. */
export interface LastClaim {
  /** The thread, or other chain, of its entries. */
  readonly chain: string;
  readonly subject: string;
  readonly permission: string;
}

export function createProofs(ports: { readonly store: Store; readonly auditKeys: AuditVerifier }): Proofs {
  const chains = new VerifiedChains(ports);
  const readCall = ({ threadId, callId }: CallRecord) =>
    chains.read(threadId, callSubject(callId), saysEnough);
  return {
    proveCall: async (call) => (restsOnRecord(call) ? judgeCall(call, await readCall(call)) : 'proven'),
    hasBegun: async (call) => (await readCall(call)).some(({ what }) => what === 'executing'),
    async lastState(call) {
      const { state } = (await readCall(call)).findLast(changesCall)?.details ?? {};
      return typeof state === 'string' ? state : null;
    },
    async isLast({ chain, subject, permission }) {
      const entries = await chains.read(chain, subject, (found) => found.length > 0);
      return entries.at(-1)?.permission === permission;
    },
  };
}

/** Whether the entries go back far enough to say what the call's record may permit. */
function saysEnough(entries: readonly AuditEntry[]): boolean {
  const last = entries.findLast(changesCall);
  return last !== undefined && (endsCall(last) || entries.some(beginsPermission));
}

/** Compares a call's record with the verified entries about it; the earlier ones may be missing. */
function judgeCall(call: CallRecord, entries: readonly AuditEntry[]): CallProof {
  const changes = entries.filter(changesCall);
  const last = changes.at(-1);
  if (last && endsCall(last)) return 'contradicted';
  const begun = changes.findLastIndex(beginsPermission);
  if (!last || begun === -1) return 'unsigned';
  if (last.permission !== callPermission(call)) return 'contradicted';
  return claimsNoMore(call, foldApprovals(changes.slice(begun))) ? 'proven' : 'contradicted';
}

/** Whether the chain has every approval that the record claims. */
function claimsNoMore(call: CallRecord, proven: ProvenApprovals): boolean {
  if (call.decision !== null && call.state !== 'pending') return isApproved(proven, call.digest);
  const approvals = (call.votes ?? []).filter(({ type }) => type !== 'reject');
  return approvals.every(({ actor, step }) =>
    proven.approvals.some((approval) => approval.actor === actor.id && approval.step === step),
  );
}
