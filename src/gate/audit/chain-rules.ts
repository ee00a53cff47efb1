import { AUDIT_PROBLEMS } from '../texts/notices.ts';
import { addEntry, foldApprovals, grantOfEntry, isApproved, type ProvenApprovals } from './approvals.ts';
import type { AuditEntry } from './chain.ts';
import type { AuditVerifier } from './keys.ts';
import { callSubject, delegationSubject, grantSubject } from './verified-chain.ts';

/** A rule that an entry breaks. */
type Tell = (entry: Pick<AuditEntry, 'threadId' | 'seq'>, problem: string) => void;

/**
 * Checks what signed entries say against each other, chain by chain, each in order: who wrote them, that what was
 * sent had its approvals, and that grants that were used had been given.
 */
export function createChainRules(verifier: AuditVerifier, tell: Tell) {
  const earlier = new Set<string>();
  const given = new Set<string>();
  const used = new Map<string, Pick<AuditEntry, 'threadId' | 'seq'>>();
  let threadId: string | null = null;
  let isSigned = false;
  let calls = new Map<string, ProvenApprovals>();

  function checkSent(entry: AuditEntry, callId: string): void {
    const grant = grantOfEntry(entry);
    if (grant !== null) {
      if (!used.has(grant)) used.set(grant, entry);
      return;
    }
    const proven = calls.get(callId);
    // Without being asked about, the policy alone allows a call.
    if (!proven || proven.terms === null || isApproved(proven, entry.digest)) return;
    tell(entry, AUDIT_PROBLEMS.sentUnapproved);
  }

  function checkCall(entry: AuditEntry, callId: string): void {
    if (entry.what === 'executing') checkSent(entry, callId);
    else calls.set(callId, addEntry(calls.get(callId) ?? foldApprovals([]), entry));
  }

  return {
    check(entry: AuditEntry): void {
      if (entry.threadId !== threadId) {
        threadId = entry.threadId;
        isSigned = false;
        calls = new Map();
      }
      const isOwn = verifier.isSigned(entry);
      // Entries of earlier versions, which name no key, stand at the beginning only.
      const isOld = entry.keyId === undefined && entry.signature === undefined && !isSigned;
      if (!isOwn && !isOld) tell(entry, AUDIT_PROBLEMS.unsigned);
      isSigned ||= isOwn;
      const { grant, delegation } = entry.details;
      const isGiven = entry.what === 'granted' && typeof grant === 'string';
      if (!isOwn) {
        if (isGiven) earlier.add(grantSubject(grant));
        if (typeof delegation === 'string') earlier.add(delegationSubject(delegation));
        if (entry.callId !== null) earlier.add(`${entry.threadId} ${callSubject(entry.callId)}`);
        return;
      }
      if (isGiven) given.add(grant);
      if (entry.callId !== null) checkCall(entry, entry.callId);
    },
    /** To be called after the last chain. */
    finish(): void {
      for (const [grant, entry] of used) if (!given.has(grant)) tell(entry, AUDIT_PROBLEMS.sentWithoutGrant);
    },
    /** What unsigned entries are about, as those of earlier versions are. */
    earlier: earlier as ReadonlySet<string>,
  };
}
