import type { Stored } from '../../storage/store.ts';
import type { AuditNote } from '../audit/note.ts';
import { recordDigest } from '../audit/permission.ts';
import { type ProvingPorts, proveRecord } from '../audit/prove-record.ts';
import { delegationSubject } from '../audit/verified-chain.ts';
import type { Actor } from '../call/actor.ts';
import { type Delegation, delegationSchema, delegations } from './record.ts';

/** The entry of a change of a delegation, with the delegation as it is afterwards. */
export function delegationNote(
  delegation: Delegation,
  what: 'delegated' | 'delegation_ended',
  actor: Actor,
): AuditNote {
  const { from, to, begins, until, delegationId } = delegation;
  const details = { delegation: delegationId, from: from.id, to: to.id, begins, until };
  const { chain: threadId, permission } = delegationClaim(delegation);
  return { threadId, what, actor, details, permission };
}

/** The delegation, as it is by now, if the audit proves that it was made as its record says; otherwise null. */
export function proveDelegation(
  ports: ProvingPorts,
  stored: Stored<Delegation>,
): Promise<Stored<Delegation> | null> {
  return proveRecord(ports, delegations, stored, delegationClaim);
}

/** The chain of all delegations of a person: finding one of them doesn't read what others did. */
export function delegationChain(personId: string): string {
  return `delegations:${personId}`;
}

function delegationClaim(delegation: Delegation) {
  return {
    chain: delegationChain(delegation.from.id),
    subject: delegationSubject(delegation.delegationId),
    permission: recordDigest(delegationSchema.parse(delegation)),
  };
}
