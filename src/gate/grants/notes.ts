import { canonicalJson, sha256Hex } from '../../lib/canonical-json.ts';
import type { Stored } from '../../storage/store.ts';
import type { AuditNote } from '../audit/note.ts';
import { recordDigest } from '../audit/permission.ts';
import type { Actor } from '../call/actor.ts';
import type { GatePorts } from '../ports.ts';
import { type Grant, grantSchema, grants } from './record.ts';

/** The entry of a change of a grant, with the grant as it is afterwards, in the chain of the thread it was issued in. */
export function grantNote(
  grant: Grant,
  what: 'granted' | 'grant_used' | 'grant_ended',
  actor: Actor,
): AuditNote {
  const { threadId, callId, grantId, tool, ended } = grant;
  const base = { grant: grantId, tool: `${tool.server}.${tool.name}`, place: grant.place.kind };
  const more = {
    granted: () => grantTerms(grant),
    grant_used: () => ({ used: grant.used }),
    grant_ended: () => ({ why: ended?.why ?? null, used: grant.used }),
  }[what]();
  return { threadId, what, actor, callId, details: { ...base, ...more }, permission: grantPermission(grant) };
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

/** The digest of all that a grant's record says: its terms, its uses, and whether it has ended. */
function grantPermission(grant: Grant): string {
  return recordDigest(grantSchema.parse(grant));
}

/**
 * The grant, as it is by now, if the audit proves that it was issued as its record says, and was used and ended no
 * more; otherwise null.
 */
export async function proveGrant(
  { store, proofs }: Pick<GatePorts, 'store' | 'proofs'>,
  stored: Stored<Grant>,
): Promise<Stored<Grant> | null> {
  if (await proofs.isLastOfGrant(stored.value, grantPermission(stored.value))) return stored;
  // Another use may have been recorded since it was read.
  const now = await store.get(grants, stored.id);
  return now === null || now.version === stored.version ? null : proveGrant({ store, proofs }, now);
}
