import { scanReadable } from '../storage/scan.ts';
import { createProofs, type Proofs } from './audit/proofs.ts';
import { callSubject, delegationSubject, grantSubject } from './audit/verified-chain.ts';
import {
  type AnchoredHead,
  type AuditCounts,
  type AuditProblem,
  type VerifyAuditPorts,
  verifyAudit,
} from './audit/verify.ts';
import type { CallRecord } from './call/record.ts';
import { delegationChain, proveDelegation } from './delegation/notes.ts';
import { delegations } from './delegation/record.ts';
import { proveGrant } from './grants/notes.ts';
import { grants } from './grants/record.ts';
import { calls } from './store/collections.ts';
import { AUDIT_PROBLEMS } from './texts/notices.ts';

/**
 * Verifies the audit, and that the records of calls, grants and delegations say no more than it. Writes may go on
 * meanwhile. Damaged records are left to the commands that report those.
 */
export async function verifyStore(
  { store, verifier, onEntries }: VerifyAuditPorts,
  noted: AsyncIterable<AnchoredHead> | Iterable<AnchoredHead>,
  tell: (problem: AuditProblem) => void,
): Promise<AuditCounts> {
  const { earlier, ...count } = await verifyAudit({ store, verifier, onEntries }, noted, tell);
  if (verifier === null) return count;
  const proofs = createProofs({ store, auditKeys: verifier });
  for await (const { id, value: call } of scanReadable({ store }, calls, 'byThread', {})) {
    const isEarlier = earlier.has(`${call.threadId} ${callSubject(call.callId)}`);
    if (await saysNoMore(proofs, call, isEarlier)) continue;
    // It may have changed since it was read.
    const now = await store.get(calls, id);
    if (now && !(await saysNoMore(proofs, now.value, isEarlier))) {
      tell({ threadId: call.threadId, seq: null, problem: AUDIT_PROBLEMS.callSaysMore(call.callId) });
    }
  }
  for await (const stored of scanReadable({ store }, grants, 'byPerson', {})) {
    const { grantId, threadId, by, ended } = stored.value;
    if (ended !== null || earlier.has(grantSubject(grantId))) continue;
    if (await proveGrant({ store, proofs }, stored)) continue;
    tell({ threadId, seq: null, problem: AUDIT_PROBLEMS.grantSaysMore(by.name) });
  }
  for await (const stored of scanReadable({ store }, delegations, 'byDelegator', {})) {
    const { delegationId, from, to } = stored.value;
    if (earlier.has(delegationSubject(delegationId)) || (await proveDelegation({ store, proofs }, stored)))
      continue;
    tell({
      threadId: delegationChain(from.id),
      seq: null,
      problem: AUDIT_PROBLEMS.delegationSaysMore(from.name, to.name),
    });
  }
  return count;
}

async function saysNoMore(proofs: Proofs, call: CallRecord, isEarlier: boolean): Promise<boolean> {
  const proof = await proofs.proveCall(call);
  if (proof === 'unsigned') return isEarlier;
  if (proof === 'contradicted') return false;
  const state = await proofs.lastState(call);
  return state === null || state === call.state;
}
