import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { Stored } from '../../storage/store.ts';
import type { AuditNote } from '../audit/note.ts';
import { recordDigest } from '../audit/permission.ts';
import { type ProvingPorts, proveRecord } from '../audit/prove-record.ts';
import { grantSubject } from '../audit/verified-chain.ts';
import type { Actor } from '../call/actor.ts';
import { type Grant, grantSchema, grants } from './record.ts';

/** The entry of a change of a grant, with the grant as it is afterwards, in the chain of the thread it was issued in. */
export function grantNote(
  grant: Grant,
  what: 'granted' | 'grant_used' | 'grant_ended',
  actor: Actor,
): AuditNote {
  const { callId, grantId, tool, ended } = grant;
  const { chain: threadId, permission } = grantClaim(grant);
  const base = { grant: grantId, tool: `${tool.server}.${tool.name}`, place: grant.place.kind };
  const more = {
    granted: () => grantTerms(grant),
    grant_used: () => ({ used: grant.used }),
    grant_ended: () => ({ why: ended?.why ?? null, used: grant.used }),
  }[what]();
  return { threadId, what, actor, callId, details: { ...base, ...more }, permission };
}

/** The audit names the arguments that are kept, free or limited; the digest alone binds their values. */
function grantTerms({ until, limit, fixed, free, patterns = [] }: Grant) {
  return {
    until,
    limit,
    kept: Object.keys(fixed),
    free,
    limited: patterns.map((pattern) => `${pattern.argument} ${Object.keys(pattern.tests).join(' and ')}`),
    argumentsDigest: sha256Hex(canonicalJson(JSON.parse(JSON.stringify({ fixed, free, patterns })))),
  };
}

/** The grant, as it is by now, if the audit proves that it was issued, used and ended as its record says; or null. */
export function proveGrant(ports: ProvingPorts, stored: Stored<Grant>): Promise<Stored<Grant> | null> {
  return proveRecord(ports, grants, stored, grantClaim);
}

/** All that a grant's record says, its terms, its uses and its end, in the chain of the thread it was issued in. */
function grantClaim(grant: Grant) {
  return {
    chain: grant.threadId,
    subject: grantSubject(grant.grantId),
    permission: recordDigest(grantSchema.parse(grant)),
  };
}
